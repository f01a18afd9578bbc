package remotewrite

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
)

// again encodes r with Append, and returns the result of Decode.
func again(t *testing.T, r *Request, version Version) *Request {
	t.Helper()
	b := Append(nil, version, r)
	got := new(Request)
	if err := Decode(b, version, got); err != nil {
		t.Fatalf("version %d: % x: %+v", version, b, err)
	}
	return got
}

// Append encodes texts of every length, at every offset of a buffer of exactly the required size.
func TestAppendTexts(t *testing.T) {
	long := strings.Repeat("0123456789abcdefghijklmnopqrstuvwxyz", 8)
	for n := range 140 {
		for m := range 140 {
			r := Request{Series: []Series{{Labels: []Label{{long[:n], long[m : 2*m]}, {"a", "b"}}}}}
			if got := again(t, &r, V1); !reflect.DeepEqual(got.Series, r.Series) {
				t.Fatalf("%d and %d bytes: %v", n, m, got.Series)
			}
			if n%10 == 0 && m%10 == 0 {
				if got := again(t, &r, V2); !reflect.DeepEqual(got.Series, r.Series) {
					t.Fatalf("version 2, %d and %d bytes: %v", n, m, got.Series)
				}
			}
		}
	}
}

// Times and values of every magnitude round-trip, including the bits of NaNs and the sign of zero.
func TestAppendNumbers(t *testing.T) {
	var samples []Sample
	for i := range 64 {
		for _, at := range []int64{1 << i, 1<<i - 1, -1 << i} {
			samples = append(samples, Sample{float64(i), at, 0}, Sample{0, at, at}, Sample{1, 0, at})
		}
	}
	for _, f := range []float64{math.Copysign(0, -1), math.Inf(-1), math.Float64frombits(StaleNaN), math.NaN(), math.Float64frombits(0xfff8000000000123)} {
		samples = append(samples, Sample{f, 5, 0}, Sample{f, now, 0})
	}
	r := Request{Series: []Series{{Samples: samples}}}
	for _, version := range []Version{V1, V2} {
		got := again(t, &r, version).Series[0].Samples
		if len(got) != len(samples) {
			t.Fatalf("version %d: %d samples of %d", version, len(got), len(samples))
		}
		for i, want := range samples {
			if version == V1 {
				want.StartTimestamp = 0
			}
			if math.Float64bits(got[i].Value) != math.Float64bits(want.Value) || got[i].Timestamp != want.Timestamp || got[i].StartTimestamp != want.StartTimestamp {
				t.Errorf("version %d: %v, want %v", version, got[i], want)
			}
		}
	}
}

// The fast paths for varints agree with encoding/binary.
func TestWide(t *testing.T) {
	for i := range 57 {
		for _, v := range []uint64{1<<i - 1, 1 << i >> 1, (1<<i - 1) / 3} {
			b := binary.AppendUvarint(nil, v)
			size := len(b)
			w := binary.LittleEndian.Uint64(append(b, 0xff, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff))
			if got := readWide(w); got != v {
				t.Errorf("%x is read as %x", v, got)
			}
			more := uint64(0x8080808080808080) & (1<<(8*size-8) - 1)
			if got := spreadWide(v) | more; got != w&(1<<(8*size-1)-1) || bits.Len64(v) > 7*size {
				t.Errorf("%x is spread as %x", v, got)
			}
		}
	}
}

// Append omits fields that the version does not support.
func TestAppendVersions(t *testing.T) {
	of := Metadata{Type: MetricTypeCounter, Help: "what it counts", Unit: "bytes"}
	r := &Request{
		Series:   []Series{{Labels: []Label{{"__name__", "a"}}, Samples: []Sample{{1, 2, 3}}, Metadata: of}},
		Metadata: []Metadata{{Type: MetricTypeGauge, MetricFamilyName: "a", Help: "h"}},
	}
	one, two := again(t, r, V1), again(t, r, V2)
	if !reflect.DeepEqual(one.Metadata, r.Metadata) || one.Series[0].Metadata != (Metadata{}) || one.Series[0].Samples[0] != (Sample{1, 2, 0}) {
		t.Errorf("version 1: %+v", one)
	}
	if two.Metadata != nil || two.Series[0].Metadata != of || two.Series[0].Samples[0] != (Sample{1, 2, 3}) {
		t.Errorf("version 2: %+v", two)
	}
}

// Append writes each symbol once. The test uses enough symbols for references of three bytes.
func TestAppendSymbols(t *testing.T) {
	var r Request
	for i := range 9000 {
		a := fmt.Sprint("series ", i)
		r.Series = append(r.Series, Series{
			Labels:    []Label{{"__name__", a}, {"number", fmt.Sprint(i)}, {"", "x"}},
			Exemplars: []Exemplar{{Labels: []Label{{"trace", a}}}},
			Metadata:  Metadata{Help: a, Unit: "x"},
		})
	}
	b := Append(nil, V2, &r)
	var got Request
	if err := Decode(b, V2, &got); err != nil || !reflect.DeepEqual(got.Series, r.Series) {
		t.Errorf("%v: %d series of %d", err, len(got.Series), len(r.Series))
	}
	var s Scanner
	s.Reset(b, V2)
	for range s.Series {
	}
	if s.Err() != nil || len(s.symbols) != 5+2*9000 {
		t.Errorf("%v: %d symbols", s.Err(), len(s.symbols))
	}
}

// Several goroutines may encode the same request.
func TestAppendTogether(t *testing.T) {
	var r Request
	want := shape{series: 50, tenants: 3}.body2()
	if err := Decode(want, V2, &r); err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 50 {
				if string(Append(nil, V2, &r)) != string(want) {
					t.Error("other bytes")
				}
			}
		})
	}
	all.Wait()
}

// Int and Float return the value of a Count only for its own kind.
func TestCount(t *testing.T) {
	var none Count
	for c, want := range map[Count]string{none: "0 false 0 false", IntCount(3): "3 true 0 false", FloatCount(1.5): "0 false 1.5 true", IntCount(0): "0 true 0 false"} {
		n, isInt := c.Int()
		f, isFloat := c.Float()
		if got := fmt.Sprint(n, isInt, f, isFloat); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

// The symbols of a request of version 2 are its texts. Each text occurs once, in the order of first
// use.
func TestSymbols(t *testing.T) {
	body := Append(nil, V2, &Request{Series: []Series{
		{Labels: []Label{{"a", "b"}, {"c", "b"}}}, {Labels: []Label{{"a", "d"}}, Metadata: Metadata{Help: "h"}},
	}})
	var s Scanner
	s.Reset(body, V2)
	var got []string
	for symbol := range s.Symbols {
		got = append(got, string(symbol))
	}
	if want := []string{"", "a", "b", "c", "h", "d"}; s.Err() != nil || !slices.Equal(got, want) {
		t.Errorf("%q, %v, want %q", got, s.Err(), want)
	}
	for range s.Symbols { // the loop may end early
		break
	}
	n := 0
	for range s.Series { // and the series can still be read
		n++
	}
	if s.Err() != nil || n != 2 {
		t.Errorf("%d series, %v", n, s.Err())
	}
	for _, c := range []struct {
		body    []byte
		version Version
		wrong   bool
	}{{body, V1, false}, {body[:len(body)-1], V2, true}, {[]byte{0x22, 1, 'x'}, V2, true}, {nil, V2, false}} {
		s.Reset(c.body, c.version)
		for symbol := range s.Symbols {
			t.Errorf("%x: symbol %q", c.body, symbol)
		}
		if (s.Err() != nil) != c.wrong {
			t.Errorf("%x: %v", c.body, s.Err())
		}
	}
}
