package remotewrite

import (
	"bytes"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/slipstream-go/slipstream/internal/guard"
)

// noteRequest returns r in the notation of the vector files.
func noteRequest(r *Request) string {
	var metadata, series []string
	for _, m := range r.Metadata {
		metadata = append(metadata, "metadata("+strings.TrimRight(fmt.Sprintf("%d %s %s %s", m.Type, m.MetricFamilyName, m.Help, m.Unit), " ")+")")
		if metadata[len(metadata)-1] == "metadata(0)" {
			metadata[len(metadata)-1] = "metadata(0 )"
		}
	}
	labels := func(labels []Label) string {
		return noteLabels(func(yield func(name, value []byte) bool) {
			for _, l := range labels {
				yield([]byte(l.Name), []byte(l.Value))
			}
		})
	}
	for i := range r.Series {
		s := &r.Series[i]
		words := []string{labels(s.Labels)}
		for _, s := range s.Samples {
			words = append(words, notePoint(s.Value, s.Timestamp))
			if s.StartTimestamp != 0 {
				words = append(words, fmt.Sprint("since ", s.StartTimestamp))
			}
		}
		for _, e := range s.Exemplars {
			words = append(words, "exemplar"+labels(e.Labels), notePoint(e.Value, e.Timestamp))
		}
		for _, h := range s.Histograms {
			words = append(words, fmt.Sprint("histogram@", h.Timestamp))
		}
		if m := s.Metadata; m.Type != 0 || len(m.Help)+len(m.Unit) > 0 {
			words = append(words, fmt.Sprintf("metadata(%d %s %s)", m.Type, m.Help, m.Unit))
		}
		series = append(series, strings.Join(words, " "))
	}
	return strings.TrimSpace(strings.Join(append(metadata, strings.Join(series, " / ")), " "))
}

// decoders contains both decoding functions by name.
var decoders = map[string]func([]byte, Version, *Request) error{"Decode": Decode, "DecodeView": DecodeView}

// Decode returns the values of the vectors. Append returns their bytes, if an encoder would write
// these bytes.
func TestDecodeVectors(t *testing.T) {
	for name, decode := range decoders {
		var r Request // reused for all vectors
		for _, version := range []Version{V1, V2} {
			for _, v := range vectorsOf(t, version) {
				err := decode(v.Bytes, version, &r)
				text := noteRequest(&r)
				if err != nil {
					if text != "" {
						t.Errorf("%s, version %d, line %d: an error and %s", name, version, v.Line, text)
					}
					text = fmt.Sprintf("%+v", err)
				}
				if (v.Mark == '!') != (err != nil) || text != v.Value {
					t.Errorf("%s, version %d, line %d, % x:\n got %s\nwant %s", name, version, v.Line, v.Bytes, text, v.Value)
				}
				if v.Mark == '=' {
					if b := Append([]byte("before"), version, &r); string(b) != "before"+string(v.Bytes) {
						t.Errorf("version %d, line %d: % x is written as\n% x", version, v.Line, v.Bytes, b[len("before"):])
					}
				}
			}
		}
	}
}

// bodies returns generated requests of a version.
func bodies(version Version, shapes ...shape) (bodies [][]byte) {
	for _, c := range shapes {
		if version == V1 {
			bodies = append(bodies, c.body1())
		} else {
			bodies = append(bodies, c.body2())
		}
	}
	return bodies
}

// Requests with many series are decoded into one reused Request. Append returns the original bytes.
func TestDecodeGenerated(t *testing.T) {
	shapes := []shape{{series: 300, tenants: 7}, {series: 2, tenants: 1}, {series: 100, tenants: 3, histograms: true}, {series: 1, tenants: 1}, {series: 900, tenants: 5, runs: true}}
	var s Scanner
	for name, decode := range decoders {
		var r Request
		for _, version := range []Version{V1, V2} {
			for i, body := range bodies(version, shapes...) {
				want, err := note(&s, body, version)
				if err != nil {
					t.Fatal(err)
				}
				if err := decode(body, version, &r); err != nil || noteRequest(&r) != want {
					t.Errorf("%s, version %d, request %d: %v\n%s\nwant\n%s", name, version, i, err, noteRequest(&r), want)
				}
				if b := Append(nil, version, &r); !bytes.Equal(b, body) {
					t.Errorf("%s, version %d, request %d: written\n% x, not\n% x", name, version, i, b, body)
				}
			}
		}
	}
}

// The strings of Decode remain valid. The strings of DecodeView are views of the body.
func TestDecodeStrings(t *testing.T) {
	for version, body := range map[Version][]byte{V1: bodies(V1, shape{series: 30, tenants: 2})[0], V2: bodies(V2, shape{series: 30, tenants: 2})[0]} {
		keep := func(decode func([]byte, Version, *Request) error) (kept []string) {
			b := bytes.Clone(body)
			var r Request
			if err := decode(b, version, &r); err != nil {
				t.Fatal(err)
			}
			for _, s := range r.Series {
				for _, l := range s.Labels {
					kept = append(kept, l.Name, l.Value)
				}
			}
			clear(b)
			r.Reset()
			return kept
		}
		if kept := keep(Decode); slices.ContainsFunc(kept, func(s string) bool { return strings.Contains(s, "\x00") }) || kept[0] != "__name__" {
			t.Errorf("version %d: strings that have changed: %q", version, kept)
		}
		if kept := keep(DecodeView); !strings.HasPrefix(kept[0], "\x00") {
			t.Errorf("version %d: views that are copies: %q", version, kept)
		}
	}
}

// Decode does not copy a label that is equal to a label of the previous series.
func TestDecodeShares(t *testing.T) {
	if invariants {
		t.Skip("a Scanner makes a copy of each series")
	}
	var body []byte
	for i := range 1000 {
		body = append(body, pbBytes(1, pbLabels("__name__", fmt.Sprint("metric_", i), "job", strings.Repeat("long ", 20), "zone", "a"), pbSample(1, now))...)
	}
	var r Request
	var n uint64
	for range 3 { // until all memory has been allocated
		n = allocated(func() {
			if err := Decode(body, V1, &r); err != nil {
				t.Fatal(err)
			}
		})
	}
	if n > uint64(len(body)/8) {
		t.Errorf("%d bytes for a body of %d", n, len(body))
	}
}

// allocated returns the number of bytes that f allocates.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// With reused memory, DecodeView and Append allocate nothing. The strings that Decode copies share
// chunks.
func TestRequestAllocations(t *testing.T) {
	if raceEnabled {
		t.Skip("counted without the race detector, which makes pools forget")
	}
	for _, version := range []Version{V1, V2} {
		body := bodies(version, shape{series: 100, tenants: 10})[0]
		var r Request
		var b []byte
		for name, c := range map[string]struct {
			run  func() error
			most float64
		}{
			"DecodeView": {func() error { return DecodeView(body, version, &r) }, 0},
			"Decode":     {func() error { return Decode(body, version, &r) }, float64(1 + len(body)/textChunk)},
			"Append":     {func() error { b = Append(b[:0], version, &r); return nil }, 0},
		} {
			for range 3 {
				if err := c.run(); err != nil {
					t.Fatal(err)
				}
			}
			if n := testing.AllocsPerRun(50, func() { c.run() }); n > c.most {
				t.Errorf("version %d: %s allocates %v times", version, name, n)
			}
		}
	}
}

// Memory use is bounded by the content of the body, not by the lengths that it announces.
func TestDecodeBounded(t *testing.T) {
	symbols := slices.Repeat(pbString(4, ""), 100)
	claims := func(number int) []byte { return []byte{byte(number<<3 | typeBytes), 0xff, 0xff, 0xff, 0xff, 0x07} }
	for name, c := range map[string]struct {
		version Version
		body    []byte
		times   int // maximum memory, as a multiple of the body's length
	}{
		"a series longer than the body":  {V1, claims(1), 3000},
		"a symbol longer than the body":  {V2, claims(4), 3000},
		"empty series":                   {V1, slices.Repeat(pbBytes(1), 10000), 250},
		"empty series of version 2":      {V2, slices.Repeat(pbBytes(5), 10000), 250},
		"empty labels":                   {V1, pbBytes(1, slices.Repeat(pbBytes(1), 10000)), 60},
		"empty samples":                  {V1, pbBytes(1, slices.Repeat(pbBytes(2), 10000)), 50},
		"empty exemplars":                {V1, pbBytes(1, slices.Repeat(pbBytes(3), 10000)), 80},
		"empty histograms":               {V1, pbBytes(1, slices.Repeat(pbBytes(4), 10000)), 480},
		"empty spans":                    {V1, pbBytes(1, pbBytes(4, slices.Repeat(pbBytes(8), 10000))), 20},
		"deltas of a byte":               {V1, pbBytes(1, pbBytes(4, pbBytes(9, make([]byte, 20000)))), 40},
		"metadata":                       {V1, slices.Repeat(pbBytes(3), 10000), 120},
		"empty symbols":                  {V2, slices.Repeat(pbString(4, ""), 10000), 40},
		"references":                     {V2, slices.Concat(symbols, pbBytes(5, pbBytes(1, make([]byte, 20000)))), 80},
		"references that come unpacked":  {V2, slices.Concat(symbols, pbBytes(5, slices.Repeat(pbInt(1, 0), 10000))), 40},
		"positive and negative in turns": {V1, pbBytes(1, pbBytes(4, slices.Repeat(slices.Concat(pbInt(9, 1), pbInt(12, 1)), 10000))), 30},
	} {
		var r Request
		if n := allocated(func() { Decode(c.body, c.version, &r) }); n > uint64(c.times*len(c.body)) {
			t.Errorf("%s: %d bytes for a body of %d", name, n, len(c.body))
		}
	}
}

// After a large request, a Request does not keep the strings. After some small requests, it frees
// the memory.
func TestMemoryIsReleased(t *testing.T) {
	for version, all := range map[Version][][]byte{
		V1: bodies(V1, shape{series: 3000, tenants: 7}, shape{series: 3, tenants: 1}),
		V2: bodies(V2, shape{series: 3000, tenants: 7}, shape{series: 3, tenants: 1}),
	} {
		large, small := all[0], all[1]
		var r Request
		for _, next := range [][]byte{small, nil, large[:len(large)-1]} {
			if err := DecodeView(large, version, &r); err != nil {
				t.Fatal(err)
			}
			err := DecodeView(next, version, &r)
			for _, l := range r.memory.labels.block[len(r.memory.labels.block):cap(r.memory.labels.block)] {
				if l != (Label{}) {
					t.Fatalf("version %d, after %d bytes and %v: %v is kept", version, len(next), err, l)
				}
			}
			for _, s := range r.memory.series.block[len(r.memory.series.block):cap(r.memory.series.block)] {
				if s.Labels != nil {
					t.Fatalf("version %d, after %d bytes and %v: %v is kept", version, len(next), err, s)
				}
			}
		}
		had := cap(r.memory.labels.block)
		for i := range 40 {
			if err := DecodeView(small, version, &r); err != nil {
				t.Fatal(err)
			}
			if now := cap(r.memory.labels.block); i < 3 && now != had || i == 39 && now > keepRoom {
				t.Errorf("version %d: room for %d labels, now %d, after %d small requests", version, had, now, i+1)
			}
		}
	}
}

// An unknown version returns errNoVersion.
func TestDecodeNoVersion(t *testing.T) {
	var e *Error
	if err := Decode(nil, 3, new(Request)); !errors.As(err, &e) || e.Cause != errNoVersion {
		t.Errorf("%v", err)
	}
	defer func() {
		if recover() != errNoVersion {
			t.Error("Append of no version")
		}
	}()
	Append(nil, 0, new(Request))
}

// Decode accepts a body exactly if a Scanner does, and returns the same values. The encoding of
// these values decodes to the same values again.
func FuzzDecode(f *testing.F) {
	addSeeds(f, func(body []byte, second bool) { f.Add(body, second) })
	var r, again Request // reused for all bodies
	var s Scanner
	f.Fuzz(func(t *testing.T, body []byte, second bool) {
		body = guard.Test(t, body)
		version := versionOf(second)
		want, bad := note(&s, body, version)
		for name, decode := range decoders {
			err := decode(body, version, &r)
			if (err == nil) != (bad == nil) || err != nil && fmt.Sprintf("%+v", err) != fmt.Sprintf("%+v", bad) {
				t.Fatalf("%s: %+v, a scan: %+v", name, err, bad)
			}
			if err != nil {
				continue
			}
			if got := noteRequest(&r); got != want {
				t.Fatalf("%s: %s, a scan: %s", name, got, want)
			}
			checkHistograms(t, body, version, &r)
			back := Append(nil, version, &r)
			if err := decode(back, version, &again); err != nil || noteRequest(&again) != want || !bytes.Equal(Append(nil, version, &again), back) {
				t.Fatalf("%s: written as % x: %v, %s, not %s", name, back, err, noteRequest(&again), want)
			}
		}
	})
}
