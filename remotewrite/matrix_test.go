package remotewrite

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/slipstream-go/slipstream/internal/corpus"
	"github.com/slipstream-go/slipstream/internal/corpus/matrix"
)

// answer contains everything that one of the functions returns for a body.
type answer struct {
	Series   []Series
	Metadata []Metadata
	Symbols  []string
	Parts    []answerPart
	Rejected []answerRejection
}

// answerPart is a part after Append and Decode.
type answerPart struct {
	Key     string
	Series  []Series
	Unknown []string // for each series, the fields that are not in the schema
}

type answerRejection struct {
	Series int
	Cause  string
}

// TestMatrix reads bodies of both versions with every exported function. It reuses one Request, one
// Scanner and one Splitter, also after errors. Bodies are complete, truncated at each byte, or
// mutated. They are in read-only memory whose end is followed by an unreadable page. Returned
// strings must never change, and neither must slices that a caller has put into the Request.
func TestMatrix(t *testing.T) {
	m := &matrixBodies{t: t}
	kind := func(name string, version Version) matrix.Kind {
		return matrix.Kind{Name: name, Type: reflect.TypeFor[answer](), Data: version}
	}
	matrix.Run(t, matrix.Format{
		Messages:    []matrix.Kind{kind("version 1", V1), kind("version 2", V2)},
		Subject:     func(k matrix.Kind) (*matrix.Subject, error) { return m.subject(k.Data.(Version)), nil },
		Fill:        fillAnswer,
		Text:        matrixText,
		ViewsUsed:   true,
		ExactErrors: true,
		Explains:    func([]byte, string) bool { return true }, // the target is unchanged
		Options:     matrix.FieldNames(reflect.TypeFor[By]()),
		Elsewhere:   map[string]string{"Sound": "checkSplit, in TestSplit and FuzzSplit: what a store takes of a histogram has rules and tests of its own"},
	})
}

// matrixBodies contains the objects that are reused for each body.
type matrixBodies struct {
	t        *testing.T
	request  Request
	scanner  Scanner
	splitter Splitter
}

// names contains label names. Find and By ask for some of them.
var names = []string{"", "a", "b", "c", "service_id", "__name__", "job", strings.Repeat("long", 40)}

func matrixText(r *rand.Rand) string {
	switch r.IntN(6) {
	case 0:
		return ""
	case 1:
		return corpus.String(r)
	case 2:
		return strings.Repeat("v", r.IntN(200))
	}
	return names[r.IntN(len(names))]
}

func fillAnswer(r *rand.Rand, v reflect.Value) bool {
	switch p := v.Addr().Interface().(type) {
	case *Label:
		p.Name = names[r.IntN(len(names))]
		if p.Value = matrixText(r); r.IntN(3) == 0 { // differs from other values only in its last byte
			p.Value = fmt.Sprint("instance-0", r.IntN(10))
		}
	case *Exemplar: // usually without some field, so that a field that was not cleared is detected
		p.Value, p.Timestamp = []float64{0, 1.5, r.Float64()}[r.IntN(3)], []int64{0, now, r.Int64()}[r.IntN(3)]
		p.Labels = make([]Label, r.IntN(3))
		for i := range p.Labels {
			fillAnswer(r, reflect.ValueOf(&p.Labels[i]).Elem())
		}
		if len(p.Labels) == 0 {
			p.Labels = nil
		}
	case *Count:
		switch r.IntN(3) {
		case 0:
			*p = IntCount(r.Uint64() >> r.IntN(64))
		case 1:
			*p = FloatCount(r.Float64())
		}
	case *Sample:
		p.Timestamp = now + r.Int64N(1e6)
		p.Value = math.Float64frombits([]uint64{0, StaleNaN, math.Float64bits(1.5), r.Uint64()}[r.IntN(4)])
		if r.IntN(4) == 0 {
			p.Timestamp, p.StartTimestamp = r.Int64()>>r.IntN(64), -r.Int64()>>r.IntN(64)
		}
	case *[]string, *[]answerPart, *[]answerRejection: // not part of a body
	default:
		return false
	}
	return true
}

func (m *matrixBodies) subject(version Version) *matrix.Subject {
	// oracle returns the answer of the reference decoder, limited to the fields that a function
	// reads.
	oracle := func(of func(o *oracleBody, to *answer) error) matrix.Decode {
		return func(b []byte, target reflect.Value) (int, error) {
			o, err := oracleDecode(b, version)
			if err != nil {
				return -1, err
			}
			var a answer
			if err := of(o, &a); err != nil {
				return -1, err
			}
			*target.Interface().(*answer) = a
			return -1, nil
		}
	}
	values := oracle(func(o *oracleBody, to *answer) error {
		to.Series, to.Metadata = o.series, o.metadata
		return nil
	})
	// way returns a decoding function that sets the target only if there is no error.
	way := func(name string, views bool, oracle matrix.Decode, read func(b []byte, old, to *answer) error) matrix.Way {
		return matrix.Way{Name: name, Views: views, Oracle: oracle, Bytes: func(b []byte, target reflect.Value) (int, error) {
			old := target.Interface().(*answer)
			var a answer
			err := read(b, old, &a)
			if err == nil {
				*old = a
			} else if e, ok := err.(*Error); ok && (e.Offset < 0 || e.Offset > int64(len(b))) {
				m.t.Errorf("%x: %v is beyond the body", b, err)
			}
			return -1, err
		}}
	}
	decode := func(decode func([]byte, Version, *Request) error) func(b []byte, old, to *answer) error {
		return func(b []byte, old, to *answer) error {
			r := &m.request
			r.Series, r.Metadata = old.Series, old.Metadata // these belong to the caller and must not be written to
			err := decode(b, version, r)
			if err != nil && (r.Series != nil || r.Metadata != nil) {
				m.t.Errorf("%x: an error leaves %v", b, r)
			}
			to.Series, to.Metadata = m.cloneSeries(r.Series), m.clip(r.Metadata)
			return err
		}
	}
	again := decode(Decode)
	subject := &matrix.Subject{
		Encode: func(v reflect.Value) ([]byte, error) { return m.encode(v.Addr().Interface().(*answer), version), nil },
		Oracle: values,
		Ways: []matrix.Way{
			way("Decode", false, values, again),
			way("DecodeView", true, values, decode(DecodeView)),
			way("Decode into a new Request", false, values, decode(func(b []byte, version Version, _ *Request) error {
				m.request = Request{}
				return Decode(b, version, &m.request)
			})),
			way("Decode, after Reset", false, values, decode(func(b []byte, version Version, r *Request) error {
				r.Reset()
				return Decode(b, version, r)
			})),
			way("Decode, Append, Decode", false, values, func(b []byte, old, to *answer) error {
				if err := again(b, old, to); err != nil {
					return err
				}
				before := append(make([]byte, 0, 100), "before"...)
				out := Append(before, version, &Request{Series: to.Series, Metadata: to.Metadata})
				if string(out[:6]) != "before" {
					m.t.Errorf("Append writes over what it appends to: %q", out[:6])
				}
				return again(out[6:], old, to)
			}),
			way("Scanner", false, oracle(func(o *oracleBody, to *answer) error {
				to.Series, to.Metadata, to.Symbols = o.series, o.metadata, o.symbols
				return nil
			}), func(b []byte, _, to *answer) error { return m.scan(b, version, to) }),
		},
	}
	parts := func(by By, accepts func(string, *Series) bool) matrix.Decode {
		return oracle(func(o *oracleBody, to *answer) (err error) {
			to.Parts, to.Rejected, err = o.split(version, by, accepts)
			to.Rejected = append([]answerRejection{{len(to.Rejected), ""}}, to.Rejected[:min(len(to.Rejected), maxReasons)]...)
			to.Metadata = o.metadata
			return err
		})
	}
	for k, c := range matrixBys {
		by, accepts := c.by, (func(key string, s *Series) bool)(nil)
		if k%3 == 2 || c.option == "Accept" {
			accepts = accepted
			by.Accept = m.accept
		}
		w := way(fmt.Sprintf("Splitter, by %d", k), false, parts(by, accepts), func(b []byte, _, to *answer) error { return m.split(b, version, by, to) })
		if c.option != "" {
			without := by
			reflect.ValueOf(&without).Elem().FieldByName(c.option).SetZero()
			if w.Options = []string{c.option}; c.option == "Accept" {
				accepts = nil
			}
			w.Plain = parts(without, accepts)
		}
		subject.Ways = append(subject.Ways, w)
	}
	return subject
}

// matrixBys contains the options for splitting, and the name of the option whose effect is checked.
var matrixBys = []struct {
	option string
	by     By
}{
	{"", By{}},
	{"Remove", By{Labels: []string{"a"}, Remove: true}},
	{"", By{Labels: []string{"a", "service_id", names[len(names)-1]}, Remove: true}},
	{"Labels", By{Labels: []string{"nobody", "a", "c"}, Default: "b"}},
	{"", By{Labels: []string{"c", "a", "c", ""}, Remove: true, Default: "v"}},
	{"Default", By{Labels: []string{"service_id", "b"}, Default: "a"}},
	{"MaxParts", By{Labels: []string{"a", "b", "c"}, MaxParts: 1}},
	{"", By{Labels: []string{"a"}, MaxSeries: 3, MaxSymbols: 12}},
	{"MaxSeries", By{Labels: []string{"a"}, MaxSeries: 3}},
	{"MaxSymbols", By{Labels: []string{"a"}, MaxSymbols: 12}},
	{"Accept", By{Labels: []string{"a"}}},
}

// accepted returns the decision of accept, computed from plain values.
func accepted(key string, s *Series) bool { return len(key)%4 != 3 && len(s.Samples) != 1 }

// accept rejects some series by their key, and some by the content of the view.
func (m *matrixBodies) accept(key []byte, v *SeriesView) error {
	s := m.seriesOf(v)
	for i, name := range m.splitter.scanner.names {
		found, n := v.Found(i)
		value, have := v.Label(name)
		if slices.Index(m.splitter.scanner.names, name) == i && (n != have || !bytes.Equal(found, value)) {
			m.t.Errorf("%q is %q, %d times, by Found, and %q, %d times, by Label", name, found, n, value, have)
		}
	}
	if !accepted(string(key), &s) {
		return errLess
	}
	return nil
}

// clip checks that s has no spare capacity, and returns a copy.
func clip[T any](m *matrixBodies, s []T) []T {
	if cap(s) != len(s) {
		m.t.Errorf("%d values of %T have room for %d", len(s), s, cap(s))
	}
	return slices.Clone(s)
}

func (m *matrixBodies) clip(s []Metadata) []Metadata { return clip(m, s) }

// cloneSeries copies all memory except the strings.
func (m *matrixBodies) cloneSeries(from []Series) []Series {
	all := clip(m, from)
	for i := range all {
		s := &all[i]
		s.Labels, s.Samples = clip(m, s.Labels), clip(m, s.Samples)
		s.Exemplars, s.Histograms = clip(m, s.Exemplars), clip(m, s.Histograms)
		for k := range s.Exemplars {
			s.Exemplars[k].Labels = clip(m, s.Exemplars[k].Labels)
		}
		for k := range s.Histograms {
			h := &s.Histograms[k]
			for _, b := range []*Buckets{&h.Negative, &h.Positive} {
				*b = Buckets{clip(m, b.Spans), clip(m, b.Deltas), clip(m, b.Counts)}
			}
			h.CustomValues = clip(m, h.CustomValues)
		}
	}
	return all
}

// scan reads all views, and checks that they lie in the body.
func (m *matrixBodies) scan(b []byte, version Version, to *answer) error {
	s := &m.scanner
	s.Find(names[1:4]...)
	s.Reset(b, version)
	for symbol := range s.Symbols {
		to.Symbols = append(to.Symbols, m.text(b, symbol))
	}
	for v := range s.Series {
		series := m.seriesOf(v)
		for i, name := range names[1:4] {
			found, n := v.Found(i)
			value, have := v.Label(name)
			if n != have || string(found) != string(value) {
				m.t.Errorf("%x: %q is %q, %d times, by Found, and %q, %d times, by Label", b, name, found, n, value, have)
			}
		}
		m.text(b, v.Raw())
		to.Series = append(to.Series, series)
	}
	if err := s.Err(); err != nil {
		return err
	}
	for d := range s.Metadata {
		to.Metadata = append(to.Metadata, Metadata{d.Type, m.text(b, d.Family), m.text(b, d.Help), m.text(b, d.Unit)})
	}
	return s.Err()
}

// text copies a view of b.
func (m *matrixBodies) text(b, view []byte) string {
	if !inside(b, view) || cap(view) != len(view) {
		m.t.Errorf("%x: the view %x is not of the body, or has room for more", b, view)
	}
	return string(view)
}

// seriesOf copies the content of a view.
func (m *matrixBodies) seriesOf(v *SeriesView) (s Series) {
	b := v.scanner.body
	for name, value := range v.Labels {
		s.Labels = append(s.Labels, Label{m.text(b, name), m.text(b, value)})
	}
	s.Samples = slices.Collect(v.Samples)
	for e := range v.Exemplars {
		x := Exemplar{Value: e.Value, Timestamp: e.Timestamp}
		for name, value := range e.Labels {
			x.Labels = append(x.Labels, Label{m.text(b, name), m.text(b, value)})
		}
		s.Exemplars = append(s.Exemplars, x)
	}
	for h := range v.Histograms {
		m.text(b, h.Raw())
		buckets := func(v BucketsView) Buckets {
			return Buckets{slices.Collect(v.Spans), slices.Collect(v.Deltas), slices.Collect(v.Counts)}
		}
		s.Histograms = append(s.Histograms, Histogram{h.Count, h.ZeroCount, h.Sum, h.ZeroThreshold, h.Schema, h.ResetHint,
			buckets(h.Negative()), buckets(h.Positive()), slices.Collect(h.CustomValues), h.Timestamp, h.StartTimestamp})
	}
	d := v.Metadata()
	s.Metadata = Metadata{d.Type, m.text(b, d.Family), m.text(b, d.Help), m.text(b, d.Unit)}
	return s
}

// split splits a body, and decodes each part with the oracle.
func (m *matrixBodies) split(b []byte, version Version, by By, to *answer) error {
	p := &m.splitter
	err := p.Split(b, version, by)
	if err != nil {
		if p.Len() != 0 {
			m.t.Errorf("%x: an error leaves %d parts", b, p.Len())
		}
		return err
	}
	for part := range p.Parts {
		if key := part.Key(); !inside(b, key) && string(key) != by.Default || part.Missing() != (len(key) == 0) || cap(key) != len(key) {
			m.t.Errorf("%x: the key %q; missing: %v", b, key, part.Missing())
		}
		before := append(make([]byte, 0, 100), "before"...)
		out := part.Append(before)
		if string(out[:6]) != "before" || part.AppendSize() != len(out)-6 {
			m.t.Errorf("%x: %d bytes are appended, AppendSize is %d", b, len(out)-6, part.AppendSize())
		}
		if p.Whole() && (p.Len() != 1 || version == V1 && !bytes.Equal(out[6:], b)) {
			m.t.Errorf("%x: the part is not the whole body", b)
		}
		o, err := oracleDecode(out[6:], version)
		if err != nil || o.metadata != nil {
			m.t.Errorf("%x: the part %x: %v", b, out[6:], err)
			return err
		}
		x := answerPart{Key: string(part.Key()), Series: o.series}
		samples, exemplars, histograms := 0, 0, 0
		used := map[string]bool{}
		for k, s := range o.series {
			samples, exemplars, histograms = samples+len(s.Samples), exemplars+len(s.Exemplars), histograms+len(s.Histograms)
			x.Unknown = append(x.Unknown, string(o.unknown[k]))
			for text := range o.refs[k] {
				used[text] = true
			}
		}
		if part.Series != len(o.series) || part.Samples != samples || part.Exemplars != exemplars || part.Histograms != histograms {
			m.t.Errorf("%x: the part counts %d series, %d samples, %d exemplars, %d histograms", b, part.Series, part.Samples, part.Exemplars, part.Histograms)
		}
		for k, symbol := range o.symbols {
			if !used[symbol] || slices.Contains(o.symbols[:k], symbol) && symbol == "" {
				m.t.Errorf("%x: the part has the symbol %q, which it does not need", b, symbol)
			}
		}
		to.Parts = append(to.Parts, x)
	}
	n, first := p.Rejected()
	to.Rejected = append(to.Rejected, answerRejection{Series: n})
	for _, r := range first {
		to.Rejected = append(to.Rejected, answerRejection{r.Series, r.Cause.Error()})
	}
	var metadata []byte
	for raw := range p.MetadataRaw {
		metadata = append(metadata, raw...)
	}
	o, err := oracleDecode(metadata, V1)
	if err == nil {
		to.Metadata = o.metadata
	}
	return err
}

// encode encodes a with Append, or in another valid form.
func (m *matrixBodies) encode(a *answer, version Version) []byte {
	r := &Request{Series: a.Series, Metadata: a.Metadata}
	b := Append(nil, version, r)
	h := fnv.New64a()
	h.Write(b)
	w := &bodyWriter{r: corpus.New(h.Sum64()), version: version}
	if w.r.IntN(3) == 0 {
		return b
	}
	return w.body(r)
}

// bodyWriter writes bodies in all forms that Protobuf allows.
type bodyWriter struct {
	r       *rand.Rand
	version Version
	symbols []string
}

func (w *bodyWriter) odd(n int) bool { return w.r.IntN(n) == 0 }

// varint returns the encoding of n, which is sometimes longer than necessary.
func (w *bodyWriter) varint(n uint64) []byte {
	b := binary.AppendUvarint(nil, n)
	if w.odd(20) {
		for range w.r.IntN(maxVarint - len(b) + 1) {
			b[len(b)-1] |= 0x80
			b = append(b, 0)
		}
		if len(b) == maxVarint && w.odd(2) {
			b[maxVarint-1] = byte(w.r.IntN(4)) // values from 2 on exceed 64 bits
		}
	}
	return b
}

func (w *bodyWriter) head(number, wire int) []byte { return w.varint(uint64(number<<3 | wire)) }

func (w *bodyWriter) int(number int, n uint64) []byte {
	if n == 0 && w.odd(2) {
		return nil
	}
	return append(w.head(number, typeVarint), w.varint(n)...)
}

func (w *bodyWriter) float(number int, f float64) []byte {
	if math.Float64bits(f) == 0 && w.odd(2) {
		return nil
	}
	return binary.LittleEndian.AppendUint64(w.head(number, typeFixed64), math.Float64bits(f))
}

func (w *bodyWriter) bytes(number int, b []byte) []byte {
	return slices.Concat(w.head(number, typeBytes), w.varint(uint64(len(b))), b)
}

func (w *bodyWriter) string(number int, s string) []byte {
	if s == "" && w.odd(2) {
		return nil
	}
	return w.bytes(number, []byte(s))
}

// message returns the fields. Sometimes it changes their order, repeats a field, or adds an unknown
// one.
func (w *bodyWriter) message(fields [][]byte) []byte {
	if w.odd(12) {
		w.r.Shuffle(len(fields), func(i, j int) { fields[i], fields[j] = fields[j], fields[i] })
	}
	if w.odd(16) && len(fields) > 0 {
		fields = append(fields, fields[w.r.IntN(len(fields))])
	}
	if w.odd(16) {
		fields = slices.Insert(fields, w.r.IntN(len(fields)+1), w.unknown(2))
	}
	return slices.Concat(fields...)
}

// unknown returns a field that no message defines.
func (w *bodyWriter) unknown(depth int) []byte {
	number := []int{18, 19, 100, 1<<29 - 1}[w.r.IntN(4)]
	switch n := w.r.IntN(5); {
	case n == 0:
		return w.int(number, w.r.Uint64())
	case n == 1:
		return w.float(number, 1)
	case n == 2:
		return append(w.head(number, typeFixed32), 1, 2, 3, 4)
	case n == 3 && depth > 0:
		return slices.Concat(w.head(number, typeGroup), w.unknown(depth-1), w.head(number, typeEnd))
	}
	return w.string(number, "unknown")
}

// packed returns numbers in one or several fields.
func (w *bodyWriter) packed(number, wire, n int, each func(i int) []byte) (fields [][]byte) {
	var open []byte
	for i := range n {
		switch {
		case w.odd(12):
			fields = append(fields, append(w.head(number, wire), each(i)...))
		case w.odd(12):
			fields = append(fields, w.bytes(number, open))
			open = each(i)
		default:
			open = append(open, each(i)...)
		}
	}
	if len(open) > 0 {
		fields = append(fields, w.bytes(number, open))
	}
	return fields
}

func (w *bodyWriter) floats(number int, list []float64) [][]byte {
	return w.packed(number, typeFixed64, len(list), func(i int) []byte {
		return binary.LittleEndian.AppendUint64(nil, math.Float64bits(list[i]))
	})
}

// ref returns a reference to a symbol. Sometimes it adds the symbol a second time.
func (w *bodyWriter) ref(s string) uint64 {
	k := slices.Index(w.symbols, s)
	if k < 0 || w.odd(20) {
		k = len(w.symbols)
		w.symbols = append(w.symbols, s)
	}
	return uint64(k)
}

func (w *bodyWriter) labels(list []Label) (fields [][]byte) {
	if w.version == V2 {
		var refs []uint64
		for _, l := range list {
			refs = append(refs, w.ref(l.Name), w.ref(l.Value))
		}
		return w.packed(1, typeVarint, len(refs), func(i int) []byte { return w.varint(refs[i]) })
	}
	for _, l := range list {
		fields = append(fields, w.bytes(1, w.message([][]byte{w.string(1, l.Name), w.string(2, l.Value)})))
	}
	if n := len(fields); n > 0 && w.odd(30) { // both lengths of the last label exceed the rest of the message by one
		last := w.bytes(1, slices.Concat(w.bytes(1, []byte(list[n-1].Name)), w.bytes(2, []byte(list[n-1].Value+"v"))))
		fields[n-1] = last[:len(last)-1]
	}
	return fields
}

func (w *bodyWriter) body(r *Request) []byte {
	var fields [][]byte
	w.symbols = []string{""}
	number := 1
	if w.version == V2 {
		number = 5
	}
	for i := range r.Series {
		for range 1 + max(0, w.r.IntN(40)-36)*6 { // some series are repeated
			fields = append(fields, w.bytes(number, w.message(w.series(&r.Series[i]))))
		}
	}
	if w.version == V1 {
		for _, d := range r.Metadata {
			fields = append(fields, w.bytes(3, w.message([][]byte{w.int(1, uint64(d.Type)), w.string(2, d.MetricFamilyName), w.string(4, d.Help), w.string(5, d.Unit)})))
		}
		return w.message(fields)
	}
	if w.odd(3) {
		w.symbols = append(w.symbols, "unused")
	}
	var symbols [][]byte
	for _, s := range w.symbols {
		symbols = append(symbols, w.bytes(4, []byte(s)))
	}
	if w.odd(6) {
		return slices.Concat(w.message(fields), slices.Concat(symbols...))
	}
	return slices.Concat(slices.Concat(symbols...), w.message(fields))
}

func (w *bodyWriter) series(s *Series) [][]byte {
	fields := w.labels(s.Labels)
	for _, x := range s.Samples {
		f := [][]byte{w.float(1, x.Value), w.int(2, uint64(x.Timestamp))}
		if w.version == V2 || w.odd(8) {
			f = append(f, w.int(3, uint64(x.StartTimestamp)))
		}
		fields = append(fields, w.bytes(2, w.message(f)))
	}
	exemplars, histograms := 3, 4
	if w.version == V2 {
		exemplars, histograms = 4, 3
	}
	for _, x := range s.Exemplars {
		fields = append(fields, w.bytes(exemplars, w.message(append(w.labels(x.Labels), w.float(2, x.Value), w.int(3, uint64(x.Timestamp))))))
	}
	for i := range s.Histograms {
		fields = append(fields, w.bytes(histograms, w.message(w.histogram(&s.Histograms[i]))))
	}
	if w.version == V2 {
		for range w.r.IntN(3) {
			fields = append(fields, w.bytes(5, w.message([][]byte{w.int(1, uint64(s.Metadata.Type)), w.int(3, w.ref(s.Metadata.Help)), w.int(4, w.ref(s.Metadata.Unit))})))
		}
	}
	return fields
}

func (w *bodyWriter) histogram(h *Histogram) (fields [][]byte) {
	for k, c := range []Count{h.Count, h.ZeroCount} {
		if n, ok := c.Int(); ok {
			fields = append(fields, w.int(1+5*k, n))
		} else if f, ok := c.Float(); ok {
			fields = append(fields, w.float(2+5*k, f))
		}
	}
	fields = append(fields, w.float(3, h.Sum), w.int(4, unzigzag(int64(h.Schema))), w.float(5, h.ZeroThreshold))
	for k, b := range []*Buckets{&h.Negative, &h.Positive} {
		for _, s := range b.Spans {
			fields = append(fields, w.bytes(8+3*k, w.message([][]byte{w.int(1, unzigzag(int64(s.Offset))), w.int(2, uint64(s.Length))})))
		}
		fields = append(fields, w.packed(9+3*k, typeVarint, len(b.Deltas), func(i int) []byte { return w.varint(unzigzag(b.Deltas[i])) })...)
		fields = append(fields, w.floats(10+3*k, b.Counts)...)
	}
	fields = append(fields, w.int(14, uint64(h.ResetHint)), w.int(15, uint64(h.Timestamp)))
	fields = append(fields, w.floats(16, h.CustomValues)...)
	if w.version == V2 {
		fields = append(fields, w.int(17, uint64(h.StartTimestamp)))
	}
	return fields
}
