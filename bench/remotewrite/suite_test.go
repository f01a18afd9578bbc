package remotewrite

import (
	"bytes"
	"math"
	"testing"

	"github.com/prometheus/prometheus/prompb"

	"github.com/slipstream-go/slipstream/bench/harness"
	"github.com/slipstream-go/slipstream/remotewrite"
)

// Every side of every case returns the correct value. Nothing is timed.
func TestOutputs(t *testing.T) {
	if err := harness.Check(Suite()); err != nil {
		t.Error(err)
	}
}

// The bodies are the same in every run, so that runs can be compared. They have the sizes on which
// the throughput is based.
func TestBodies(t *testing.T) {
	for c, size := range bodySizes {
		first, err := c.body()
		if err != nil {
			t.Fatal(err)
		}
		again, err := c.body()
		if err != nil {
			t.Fatal(err)
		}
		if len(first) != size || !bytes.Equal(first, again) {
			t.Errorf("%+v: %d and %d bytes, want %d, and twice the same", c, len(first), len(again), size)
		}
	}
}

// The checks fail if they get the result of another request.
func TestChecksCanFail(t *testing.T) {
	body, err := histograms.body()
	if err != nil {
		t.Fatal(err)
	}
	other := histograms.request()
	last := len(other.Timeseries) - 1
	other.Timeseries[last].Samples[0].Value = math.Float64frombits(math.Float64bits(staleMarker) + 1)
	other.Timeseries[last].Labels[len(other.Timeseries[last].Labels)-1].Value = "team-00"

	const v1 = remotewrite.V1
	r, decode := oursDecode(body, v1, false)
	if err := decode(); err != nil {
		t.Fatal(err)
	}
	for _, s := range []harness.Side{
		finder("find", "", prompbFind(other, nil), oursFind(body, v1)),
		finder("find none", "", nil, oursFind(body, v1)),
		reader("read", "", prompbRead(other), oursRead(body, v1)),
		splitter("split", "", partsOf(other, v1, false), v1, oursSplit(body, v1, false)),
		splitter("split and remove", "", partsOf(histograms.request(), v1, false), v1, oursSplit(body, v1, true)),
		decoder("decode", "", "", other, decode, func() *prompb.WriteRequest { return plain(r, v1) }),
		vtDecoder("", "", other, body),
		encoder("append", "", "", other, v1, oursAppend(v1, r)),
		floor("floor", "", "", body[1:], func() ([]byte, error) { return body, nil }),
	} {
		if s.Check() == nil {
			t.Errorf("%s passes with what another request comes to", s.Rival)
		}
	}
}

// Requests are equal only if all their bits are equal.
func TestSame(t *testing.T) {
	want := histograms.request()
	if err := same(histograms.request(), want); err != nil {
		t.Error(err)
	}
	for name, change := range map[string]func(*prompb.WriteRequest){
		"a series less":     func(r *prompb.WriteRequest) { r.Timeseries = r.Timeseries[1:] },
		"two change places": func(r *prompb.WriteRequest) { r.Timeseries[0], r.Timeseries[1] = r.Timeseries[1], r.Timeseries[0] },
		"a label less":      func(r *prompb.WriteRequest) { r.Timeseries[9].Labels = r.Timeseries[9].Labels[1:] },
		"another NaN":       func(r *prompb.WriteRequest) { r.Timeseries[9].Samples[0].Value = math.NaN() },
		"another time":      func(r *prompb.WriteRequest) { r.Timeseries[4].Exemplars[0].Timestamp++ },
		"another bucket":    func(r *prompb.WriteRequest) { r.Timeseries[0].Histograms[0].PositiveDeltas[3]++ },
		"another help":      func(r *prompb.WriteRequest) { r.Metadata[3].Help = "" },
		"metadata less":     func(r *prompb.WriteRequest) { r.Metadata = nil },
	} {
		got := histograms.request()
		change(got)
		if same(got, want) == nil {
			t.Errorf("%s: passes", name)
		}
	}
}

// tailored rejects bodies that the parser on which it is modelled misreads, or on which that parser
// panics.
func TestTailored(t *testing.T) {
	huge := "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"
	for name, body := range map[string]string{
		"a key that never ends":           huge + "\xff",
		"a key alone":                     "\x0a",
		"field number 0":                  "\x02\x00",
		"a series longer than the body":   "\x0a\x7f",
		"a series of 2^64-1 bytes":        "\x0a" + huge,
		"a label of 2^64-1 bytes":         "\x0a\x0b\x0a" + huge,
		"a name of 2^64-1 bytes":          "\x0a\x0d\x0a\x0b\x0a" + huge,
		"an unknown fixed64 of 2 bytes":   "\x0a\x03\x29\x00\x00",
		"an unknown fixed32 of 2 bytes":   "\x0a\x03\x2d\x00\x00",
		"an unknown field beyond its end": "\x0a\x02\x2a\x05",
		"an unknown varint without end":   "\x0a\x04\x12\x02\x28\x80",
		"a series that is a number":       "\x08\x00",
		"a time that is a double":         "\x0a\x0b\x12\x09\x11\x00\x00\x00\x00\x00\x00\x00\x00",
	} {
		if _, release, err := tailoredUnmarshal([]byte(body)); err == nil {
			t.Errorf("%s passes", name)
			release()
		}
	}
	// The request, a series, a label and a sample contain unknown fields.
	list, release, err := tailoredUnmarshal([]byte("\x1a\x00\x0a\x0f\x0a\x05\x0a\x01a\x18\x00\x12\x04\x10\x07\x18\x01\x28\x01"))
	if err != nil || len(list) != 1 || prompbLabel(list[0], "a") != "" || list[0].Samples[0].Timestamp != 7 {
		t.Errorf("unknown fields: %v, %v", list, err)
	}
	release()
}
