package remotewrite

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/slipstream-go/slipstream/internal/growth"
)

// keyed is the naive result for a series: the key of its part, or the cause of its rejection. The
// series strings of two series are equal only if the series are equal in their parts.
type keyed struct {
	key    string
	cause  error
	series string
}

// naive computes series by series the result that Split must return.
func naive(t testing.TB, body []byte, version Version, by By) (all []keyed, err error) {
	var s Scanner
	s.Reset(body, version)
	for v := range s.Series {
		var k keyed
		values := map[string][]string{}
		for name, value := range v.Labels {
			values[string(name)] = append(values[string(name)], string(value))
		}
		removed, labels := map[string]bool{}, 0
		for _, name := range by.Labels {
			if len(values[name]) > 1 {
				k.cause = ErrDuplicate
			}
			if len(values[name]) == 1 && (k.key == "" || values[name][0] == "") {
				removed[name] = by.Remove
				k.key += values[name][0]
			}
		}
		for name, vs := range values {
			if !removed[name] {
				labels += len(vs)
			}
		}
		if k.cause == nil && labels == 0 && len(values) > 0 {
			k.cause = ErrNoLabels
		}
		k.key = cmp.Or(k.key, by.Default)
		if names := values["__name__"]; k.cause == nil && by.Sound && k.key != "" {
			switch {
			case len(names) == 0 || names[len(names)-1] == "":
				k.cause = ErrNoName
			case len(names) > 1:
				k.cause = ErrDuplicate
			}
			for h := range v.Histograms {
				k.cause = cmp.Or(k.cause, h.Check())
			}
		}
		if k.cause == nil && by.Accept != nil {
			k.cause = by.Accept([]byte(k.key), v)
		}
		k.series = content(v, func(name string) bool { return removed[name] })
		all = append(all, k)
	}
	return all, s.Err()
}

// content returns the content of a series, without some labels. Symbols are written as texts, and
// other fields as raw bytes.
func content(v *SeriesView, without func(name string) bool) string {
	var out bytes.Buffer
	version := v.scanner.version
	for name, value := range v.Labels {
		if !without(string(name)) {
			fmt.Fprintf(&out, "%q=%q ", name, value)
		}
	}
	for i := v.at; i < len(v.body); {
		tag, _, next := readField(v.body, i)
		switch {
		case tag == tagLabel || tag == tagRef && version == V2, tag == tagExemplar2 && version == V2, tag == tagMetadata2 && version == V2:
		default:
			fmt.Fprintf(&out, "% x ", v.body[i:next])
		}
		i = next
	}
	if version == V2 {
		for e := range v.Exemplars {
			fmt.Fprintf(&out, "exemplar ")
			for name, value := range e.Labels {
				fmt.Fprintf(&out, "%q=%q ", name, value)
			}
			for i := e.at; i < len(e.body); {
				tag, _, next := readField(e.body, i)
				if tag != tagRefs && tag != tagRef {
					fmt.Fprintf(&out, "% x ", e.body[i:next])
				}
				i = next
			}
		}
		m := v.Metadata()
		fmt.Fprintf(&out, "%d %q %q", m.Type, m.Help, m.Unit)
	}
	return out.String()
}

// checkSplit compares Split with naive. Both must reject the same bodies and series. Each accepted
// series must be in its own part only, in order, and a part must contain nothing else. If Whole
// reports that a part equals the body, the part must equal the body.
func checkSplit(t testing.TB, p *Splitter, body []byte, version Version, by By) {
	t.Helper()
	want, wantErr := naive(t, body, version, by)
	err := p.Split(body, version, by)
	if (err != nil) != (wantErr != nil) || err != nil && (err.Error() != wantErr.Error() || p.Len() != 0) {
		t.Fatalf("Split: %v, a scan: %v, %d parts", err, wantErr, p.Len())
	}
	if err != nil {
		return
	}
	series := map[string][]string{}
	var order []string
	var rejected []Rejection
	for i, k := range want {
		if k.cause != nil {
			rejected = append(rejected, Rejection{i, k.cause})
			continue
		}
		if series[k.key] == nil {
			order = append(order, k.key)
		}
		series[k.key] = append(series[k.key], k.series)
	}
	n, reasons := p.Rejected()
	if n != len(rejected) || !slices.Equal(reasons, rejected[:min(n, maxReasons)]) {
		t.Fatalf("rejected are %d, first %v; not %v", n, reasons, rejected)
	}
	var keys []string
	for part := range p.Parts {
		key := string(part.Key())
		keys = append(keys, key)
		out := part.Append([]byte("before"))
		out, before := bytes.CutPrefix(out, []byte("before"))
		if !before || part.Missing() != (key == "") || !bytes.Equal(part.Append(nil), out) {
			t.Fatalf("part %q: appended to other bytes, or a second time, it is not the same", key)
		}
		checkPart(t, part, out, version, series[key])
		if p.Whole() {
			whole, _ := naive(t, body, version, By{})
			if len(p.parts) != 1 || len(whole) != part.Series || by.Remove && !slices.EqualFunc(want, whole, func(a, b keyed) bool { return a.series == b.series }) {
				t.Fatal("the part is not the whole body")
			}
			if version == V1 && !bytes.Equal(out, body) {
				t.Fatal("the whole body is other bytes than its part")
			}
		}
	}
	if !slices.Equal(keys, order) {
		t.Fatalf("parts %q, not %q", keys, order)
	}
}

// checkPart checks that a part contains these series. In version 2, it must contain no symbol that
// they do not use.
func checkPart(t testing.TB, part *Part, out []byte, version Version, want []string) {
	t.Helper()
	var s Scanner
	var got []string
	samples, exemplars, histograms, metadata := 0, 0, 0, 0
	texts := map[string]bool{}
	s.Reset(out, version)
	for v := range s.Series {
		got = append(got, content(v, func(string) bool { return false }))
		for range v.Samples {
			samples++
		}
		for e := range v.Exemplars {
			exemplars++
			for name, value := range e.Labels {
				texts[string(name)], texts[string(value)] = true, true
			}
		}
		for range v.Histograms {
			histograms++
		}
		for name, value := range v.Labels {
			texts[string(name)], texts[string(value)] = true, true
		}
		v.fields(tagMetadata2, v.metadata, func(b []byte, i int) bool {
			for i < len(b) {
				tag, at, next := readField(b, i)
				if tag == tagHelp || tag == tagUnit {
					texts[string(s.text(b, at))] = true
				}
				i = next
			}
			return true
		})
		if version == V2 {
			for i := v.at; i < len(v.body); {
				tag, _, next := readField(v.body, i)
				if tag == tagMetadata2 {
					metadata++
					break
				}
				i = next
			}
		}
	}
	if s.Err() != nil {
		t.Fatalf("part %q cannot be read: %v", part.Key(), s.Err())
	}
	if !slices.Equal(got, want) {
		t.Fatalf("part %q:\n got %q\nwant %q", part.Key(), got, want)
	}
	if part.Series != len(want) || part.Samples != samples || part.Exemplars != exemplars || part.Histograms != histograms || part.Metadata != metadata {
		t.Fatalf("the counts of part %q are %+v", part.Key(), part)
	}
	for i, y := range s.symbols {
		if text := string(out[y.at:y.end]); (i > 0) != (text != "") || i > 0 && !texts[text] {
			t.Fatalf("part %q: symbol %d is %q", part.Key(), i, text)
		}
	}
	delete(texts, "")
	if symbols := map[string]bool{}; version == V2 {
		for _, y := range s.symbols[1:] {
			symbols[string(out[y.at:y.end])] = true
		}
		if !maps.Equal(symbols, texts) {
			t.Fatalf("part %q has the symbols %v, and refers to %v", part.Key(), symbols, texts)
		}
	}
}

// bys contains the options that the tests use to split requests.
var bys = []By{
	{},
	{Labels: []string{"service_id"}},
	{Labels: []string{"service_id"}, Remove: true},
	{Labels: []string{"a", "service_id", "container"}, Remove: true},
	{Labels: []string{"nobody", "a", "c"}},
	{Labels: []string{"c", "a", "c", ""}, Remove: true},
	{Labels: []string{"service_id"}, Default: "tenant-0003"},
	{Labels: []string{"nobody", "a"}, Default: "b", Remove: true},
	{Labels: []string{"service_id"}, Remove: true, Accept: acceptMost},
	{Labels: []string{"a"}, Default: "c", Accept: acceptMost},
	{Labels: []string{"service_id"}, Sound: true},
	{Labels: []string{"a", "__name__"}, Default: "c", Sound: true, Remove: true},
	{Labels: []string{"service_id"}, Sound: true, Remove: true, Accept: acceptMost},
}

var errLess = errors.New("most are accepted, this one is not")

// acceptMost rejects some series by their keys, and some by their content.
func acceptMost(key []byte, s *SeriesView) error {
	if _, n := s.Label("c"); n > 0 || len(key)%4 == 3 || bytes.HasSuffix(key, []byte("2")) {
		return errLess
	}
	for sample := range s.Samples {
		if sample.Timestamp%7 == 3 {
			return errLess
		}
	}
	return nil
}

func TestSplit(t *testing.T) {
	var p Splitter
	for _, c := range []shape{{0, 1, false, false}, {1, 1, false, false}, {60, 1, false, false}, {60, 7, false, false}, {60, 7, true, false}, {60, 60, false, false}, {60, 7, false, true}} {
		for version, body := range map[Version][]byte{V1: c.body1(), V2: c.body2()} {
			for _, by := range bys {
				checkSplit(t, &p, body, version, by)
			}
		}
	}
	for _, version := range []Version{V1, V2} {
		for _, v := range vectorsOf(t, version) {
			for _, by := range bys {
				checkSplit(t, &p, v.Bytes, version, by)
			}
		}
	}
}

// The labels decide the key of a series, which labels are removed, and which series are rejected.
func TestSplitLabels(t *testing.T) {
	by := By{Labels: []string{"x", "y"}, Remove: true}
	for _, c := range []struct {
		labels    []string
		key, rest string
		cause     error
	}{
		{[]string{"a", "1", "x", "t"}, "t", "{a=1}", nil},
		{[]string{"x", "t", "a", "1"}, "t", "{a=1}", nil},
		{[]string{"y", "u", "a", "1", "x", "t"}, "t", "{y=u, a=1}", nil},
		{[]string{"y", "u", "a", "1"}, "u", "{a=1}", nil},
		{[]string{"y", "u", "a", "1", "x", ""}, "u", "{a=1}", nil},
		{[]string{"y", "", "a", "1", "x", "t"}, "t", "{a=1}", nil},
		{[]string{"x", "", "y", "", "a", "1"}, "", "{a=1}", nil},
		{[]string{"a", "1"}, "", "{a=1}", nil},
		{nil, "", "{}", nil},
		{[]string{"x", "t"}, "", "", ErrNoLabels},
		{[]string{"x", "t", "y", ""}, "", "", ErrNoLabels},
		{[]string{"x", "t", "a", "1", "x", "t"}, "", "", ErrDuplicate},
		{[]string{"x", "t", "a", "1", "y", "u", "y", ""}, "", "", ErrDuplicate},
		{[]string{"x", "t", "a", "1", "a", "1"}, "t", "{a=1, a=1}", nil},
		{[]string{"x", "t", "xx", "1", "X", "1"}, "t", "{xx=1, X=1}", nil},
	} {
		var p Splitter
		var s Scanner
		for version, body := range map[Version][]byte{V1: labels1Body(c.labels), V2: labels2Body(c.labels)} {
			if err := p.Split(body, version, by); err != nil {
				t.Fatal(err)
			}
			if n, why := p.Rejected(); c.cause != nil && (n != 1 || why[0] != Rejection{0, c.cause} || p.Len() != 0) || c.cause == nil && n != 0 {
				t.Errorf("version %d, %q: rejected are %d, %v", version, c.labels, n, why)
			}
			for part := range p.Parts {
				if text, err := note(&s, part.Append(nil), version); string(part.Key()) != c.key || text != c.rest || err != nil {
					t.Errorf("version %d, %q: %q has %s, %v", version, c.labels, part.Key(), text, err)
				}
			}
		}
	}
}

// Whole reports true exactly if one part equals the whole body.
func TestSplitWhole(t *testing.T) {
	one := shape{series: 3, tenants: 1}
	some := append(one.body1(), pbBytes(1, pbLabels("a", "1"))...)
	all, none := func([]byte, *SeriesView) error { return nil }, func([]byte, *SeriesView) error { return errLess }
	for name, c := range map[string]struct {
		version Version
		body    []byte
		by      By
		whole   bool
	}{
		"V1":                     {V1, one.body1(), By{Labels: []string{"service_id"}}, true},
		"V2":                     {V2, one.body2(), By{Labels: []string{"service_id"}}, true},
		"V1, no label":           {V1, one.body1(), By{Labels: []string{"nobody"}, Remove: true}, true},
		"V1, removed":            {V1, one.body1(), By{Labels: []string{"service_id"}, Remove: true}, false},
		"V2, removed":            {V2, one.body2(), By{Labels: []string{"service_id"}, Remove: true}, false},
		"V1, two parts":          {V1, shape{series: 3, tenants: 2}.body1(), By{Labels: []string{"service_id"}}, false},
		"V1, metadata":           {V1, append(one.body1(), pbBytes(3)...), By{}, false},
		"V1, an unknown field":   {V1, append(one.body1(), pbInt(1000, 1)...), By{}, false},
		"V2, an unknown field":   {V2, append(one.body2(), pbInt(6, 1)...), By{}, false},
		"V1, a series rejected":  {V1, append(one.body1(), pbBytes(1, pbLabels("job", "1", "job", "2"))...), By{Labels: []string{"job"}}, false},
		"V1, default":            {V1, some, By{Labels: []string{"service_id"}, Default: "tenant-0000"}, true},
		"V1, another default":    {V1, some, By{Labels: []string{"service_id"}, Default: "a"}, false},
		"V1, default, removed":   {V1, some, By{Labels: []string{"service_id"}, Default: "tenant-0000", Remove: true}, false},
		"V2, default":            {V2, one.body2(), By{Default: "a", Remove: true}, true},
		"V1, all accepted":       {V1, one.body1(), By{Accept: all}, true},
		"V2, none accepted":      {V2, one.body2(), By{Accept: none}, false},
		"V1, nothing in it":      {V1, nil, By{}, false},
		"V2, symbols and no one": {V2, pbString(4, ""), By{}, false},
	} {
		var p Splitter
		if err := p.Split(c.body, c.version, c.by); err != nil || p.Whole() != c.whole {
			t.Errorf("%s: %v, %v", name, p.Whole(), err)
		}
	}
}

// Series without any of the labels are in the same part as series whose label has the default
// value, in the order of the body.
func TestSplitDefault(t *testing.T) {
	var p Splitter
	var s Scanner
	series := [][]string{{"a", "1"}, {"a", "2", "x", "t"}, {"a", "3", "x", ""}, {"a", "4", "x", "u"}, {"a", "5", "x", "t"}}
	for version, body := range map[Version][]byte{V1: labels1Body(series...), V2: labels2Body(series...)} {
		for remove, want := range map[bool][]string{
			false: {"t: {a=1} / {a=2, x=t} / {a=3, x=} / {a=5, x=t}", "u: {a=4, x=u}"},
			true:  {"t: {a=1} / {a=2} / {a=3} / {a=5}", "u: {a=4}"},
		} {
			if err := p.Split(body, version, By{Labels: []string{"x"}, Default: "t", Remove: remove, MaxParts: 2}); err != nil {
				t.Fatal(err)
			}
			var got []string
			for part := range p.Parts {
				text, err := note(&s, part.Append(nil), version)
				if err != nil || part.Missing() {
					t.Errorf("version %d, part %q: missing %v, %v", version, part.Key(), part.Missing(), err)
				}
				got = append(got, string(part.Key())+": "+text)
			}
			if !slices.Equal(got, want) || p.Whole() {
				t.Errorf("version %d: %q, not %q", version, got, want)
			}
		}
	}
}

// A series for which Accept returns ErrLeftOut is in no part, and does not count as rejected.
func TestSplitLeavesOut(t *testing.T) {
	var p Splitter
	c := shape{series: 30, tenants: 3}
	for version, body := range map[Version][]byte{V1: c.body1(), V2: c.body2()} {
		n := 0
		by := By{Labels: []string{"service_id"}, Accept: func(key []byte, s *SeriesView) error {
			if n++; string(key) != "tenant-0001" || n > 15 {
				return ErrLeftOut
			}
			return nil
		}}
		if err := p.Split(body, version, by); err != nil || p.Len() != 1 || p.Whole() {
			t.Fatalf("version %d: %d parts, %v", version, p.Len(), err)
		}
		if n, why := p.Rejected(); n != 0 || len(why) != 0 {
			t.Errorf("version %d: %d are rejected: %v", version, n, why)
		}
		for part := range p.Parts {
			if string(part.Key()) != "tenant-0001" || part.Series != 5 {
				t.Errorf("version %d: %d series of %s", version, part.Series, part.Key())
			}
		}
	}
}

// Accept is called once for each series with a key. If it rejects all series of a part, the part
// does not exist. The Splitter does not keep Accept.
func TestSplitAccept(t *testing.T) {
	var p Splitter
	c := shape{series: 30, tenants: 3}
	for version, body := range map[Version][]byte{
		V1: append(c.body1(), pbBytes(1, pbLabels("service_id", "a", "service_id", "b"))...),
		V2: append(c.body2(), pbBytes(5, pbPacked(1, 23, 24, 23, 24))...),
	} {
		var asked []string
		by := By{Labels: []string{"service_id"}, MaxParts: 2, Accept: func(key []byte, s *SeriesView) error {
			asked = append(asked, string(key))
			if value, n := s.Found(0); n != 1 || !bytes.Equal(value, key) {
				t.Errorf("version %d: asked for %q with a series of %q", version, key, value)
			}
			if string(key) == "tenant-0001" {
				return errLess
			}
			return nil
		}}
		if err := p.Split(body, version, by); err != nil || p.Len() != 2 || p.Whole() || p.by.Accept != nil {
			t.Fatalf("version %d: %d parts, %v", version, p.Len(), err)
		}
		n, why := p.Rejected()
		if len(asked) != 30 || n != 11 || len(why) != maxReasons || why[2] != (Rejection{7, errLess}) {
			t.Errorf("version %d: asked %d times; rejected are %d, %v", version, len(asked), n, why)
		}
		for part := range p.Parts {
			if part.Series != 10 || string(part.Key()) == "tenant-0001" {
				t.Errorf("version %d: part %q of %d series", version, part.Key(), part.Series)
			}
		}
	}
}

// Adjacent series of a part form one piece, even if a label was removed from the first series.
func TestSplitRuns(t *testing.T) {
	var p Splitter
	body := shape{series: 100, tenants: 4, runs: true}.body1()
	if err := p.Split(body, V1, By{Labels: []string{"service_id"}}); err != nil || len(p.pieces) != 1+4 {
		t.Errorf("%d pieces, %v", len(p.pieces)-1, err)
	}
	body = append(pbBytes(1, pbLabels("x", "", "a", "1")), pbBytes(1, pbLabels("a", "2"))...)
	if err := p.Split(body, V1, By{Labels: []string{"x"}, Remove: true}); err != nil || len(p.pieces) != 1+2 {
		t.Errorf("%d pieces, %v", len(p.pieces)-1, err)
	}
}

func TestSplitMetadataRaw(t *testing.T) {
	first, second := pbBytes(3, pbInt(1, 1), pbString(2, "f")), pbBytes(3, pbString(2, "g"))
	var p Splitter
	if err := p.Split(slices.Concat(first, pbBytes(1), pbInt(2, 1), second), V1, By{}); err != nil {
		t.Fatal(err)
	}
	var out []byte
	for entry := range p.MetadataRaw {
		out = append(out, entry...)
	}
	if !bytes.Equal(out, append(first, second...)) {
		t.Errorf("% x", out)
	}
}

func TestSplitMaxParts(t *testing.T) {
	var p Splitter
	for version, body := range map[Version][]byte{V1: shape{series: 9, tenants: 3}.body1(), V2: shape{series: 9, tenants: 3}.body2()} {
		if err := p.Split(body, version, By{Labels: []string{"service_id"}, MaxParts: 3}); err != nil || p.Len() != 3 {
			t.Errorf("%d parts, %v", p.Len(), err)
		}
		if err := p.Split(body, version, By{Labels: []string{"service_id"}, MaxParts: 2}); !errors.Is(err, ErrParts) || p.Len() != 0 {
			t.Errorf("%d parts, %v", p.Len(), err)
		}
	}
}

// The table of parts grows, and is cleared for the next request.
func TestSplitManyParts(t *testing.T) {
	var p Splitter
	for _, tenants := range []int{1, 500, 3, 2000, 2} {
		checkSplit(t, &p, shape{series: 2000, tenants: tenants}.body1(), V1, bys[1])
	}
	if taken := slices.IndexFunc(p.table, func(n int32) bool { return n > 2 }); taken >= 0 {
		t.Errorf("slot %d of the table still names part %d", taken, p.table[taken])
	}
}

// Keys that share an entry of recent have separate parts, also if their number exceeds the largest
// number that an entry can contain.
func TestSplitSimilarKeys(t *testing.T) {
	similar := make([][]string, 0, 300)
	for range 3 {
		for i := range 100 {
			key := fmt.Sprintf("head-%02d-middle-%02d-tail", i, i)
			if recentSlot([]byte(key)) != recentSlot([]byte("head-00-middle-00-tail")) {
				t.Fatalf("%s has an entry of its own", key)
			}
			similar = append(similar, []string{"service_id", key})
		}
	}
	many := make([][]string, 0, 140_000)
	for range 2 {
		for i := range 70_000 {
			many = append(many, []string{"service_id", fmt.Sprint(i)})
		}
	}
	var p Splitter
	for _, series := range [][][]string{similar, many, similar} {
		checkSplit(t, &p, labels1Body(series...), V1, bys[1])
	}
}

// After a large request, a Splitter does not keep views of the body. It frees its memory after many
// small requests, but not after a few.
func TestSplitForgets(t *testing.T) {
	large, small := shape{series: 5000, tenants: 3000}, shape{series: 3, tenants: 2}
	for version, both := range map[Version][2][]byte{V1: {large.body1(), small.body1()}, V2: {large.body2(), small.body2()}} {
		var p Splitter
		split := func(body []byte) {
			t.Helper()
			if err := p.Split(body, version, By{Labels: []string{"service_id"}, Remove: true, MaxParts: 3000}); err != nil {
				t.Fatal(err)
			}
			for part := range p.Parts {
				part.Append(nil)
			}
		}
		rooms := func() []int {
			return []int{cap(p.parts), cap(p.table), cap(p.pieces), cap(p.scanner.symbols), cap(p.decided), cap(p.symbols.numbers), cap(p.symbols.series)}
		}
		split(both[0])
		had := rooms()
		for range 3 {
			split(both[1])
		}
		if now := rooms(); !invariants && !slices.Equal(now, had) {
			t.Errorf("version %d: room for %d, and after three small requests for %d", version, had, now)
		}
		for range 40 {
			split(both[1])
		}
		for i, n := range rooms() {
			if n > 2*keepRoom {
				t.Errorf("version %d: room %d is for %d after many small requests", version, i, n)
			}
		}
		checkSplit(t, &p, both[0], version, bys[2])
		p.Reset()
		for _, part := range p.parts[:cap(p.parts)] {
			if part.key != nil {
				t.Fatalf("version %d: the key %q is kept", version, part.key)
			}
		}
		if p.scanner.body != nil || p.scanner.series.body != nil || p.Len() != 0 || p.Whole() {
			t.Errorf("version %d: %d parts after Reset", version, p.Len())
		}
		split(both[1])
	}
}

// Metadata is in no part. WholeWithMetadata reports whether a part equals the body except for the
// metadata, because the receiver of the part may be meant to receive the metadata.
func TestWholeWithMetadata(t *testing.T) {
	one := Request{Series: []Series{{Labels: []Label{{"t", "a"}}}}}
	both := one
	both.Metadata = []Metadata{{MetricFamilyName: "m"}}
	for _, c := range []struct {
		body        []byte
		whole, with bool
	}{
		{Append(nil, V1, &one), true, true},
		{Append(nil, V1, &both), false, true},
		{append(Append(nil, V1, &one), 0x10, 1), false, false}, // an unknown field
		{append(Append(nil, V1, &both), 0x10, 1), false, false},
	} {
		var p Splitter
		if err := p.Split(c.body, V1, By{Labels: []string{"t"}}); err != nil {
			t.Fatal(err)
		}
		if p.Whole() != c.whole || p.WholeWithMetadata() != c.with {
			t.Errorf("%x: %v, %v", c.body, p.Whole(), p.WholeWithMetadata())
		}
	}
}

// The cost of a series does not depend on the size of the symbol that is its key. Hashing the
// symbol for each series took thousands of times as long.
func TestSplitLargeKey(t *testing.T) {
	const n = 50_000
	series := bytes.Repeat(pbBytes(5, pbPacked(1, 1, 2)), n)
	var p Splitter
	split := func(size int) func() func() {
		body := slices.Concat(pbString(4, ""), pbString(4, "tenant"), pbString(4, strings.Repeat("x", size)), series)
		return func() func() {
			return func() {
				if err := p.Split(body, V2, By{Labels: []string{"tenant"}}); err != nil || p.Len() != 1 {
					t.Fatal(err, p.Len())
				}
			}
		}
	}
	const enough = 100
	if ratio, ok := growth.Ratio(10, enough, split(1<<20), split(10)); ok && ratio > enough {
		t.Errorf("a key of 1 MiB takes %.0f times as long as one of 10 bytes", ratio)
	}
}

// MaxParts, MaxSeries and MaxSymbols limit the memory that a body needs beyond its own size.
func TestBounds(t *testing.T) {
	r := &Request{Series: []Series{{Labels: []Label{{"t", "a"}}}, {Labels: []Label{{"t", "b"}}}, {Labels: []Label{{"t", "c"}}}}}
	for _, version := range []Version{V1, V2} {
		body := Append(nil, version, r)
		for _, c := range []struct {
			by   By
			want error
		}{
			{By{MaxParts: 3, MaxSeries: 3, MaxSymbols: 5}, nil},
			{By{MaxParts: 2}, ErrParts}, {By{MaxSeries: 2}, ErrSeries}, {By{MaxSeries: 1}, ErrSeries}, {By{MaxSymbols: 4}, ErrSymbols},
		} {
			if version == V1 && c.want == ErrSymbols {
				c.want = nil
			}
			c.by.Labels = []string{"t"}
			var p Splitter
			if err := p.Split(body, version, c.by); !errors.Is(err, c.want) || (err == nil) != (p.Len() == 3) {
				t.Errorf("version %d, %+v: %v, %d parts", version, c.by, err, p.Len())
			}
			if err := p.Split(body, version, By{Labels: []string{"t"}}); err != nil {
				t.Errorf("the bounds are those of the call before: %v", err)
			}
		}
	}
}
