package remotewrite

import (
	"bytes"
	"errors"
	"math"
	"reflect"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	v1 "github.com/prometheus/prometheus/prompb"
	v2 "github.com/prometheus/prometheus/prompb/io/prometheus/write/v2"
	"github.com/slipstream-go/slipstream/remotewrite"
)

// theirs decodes a body as Prometheus does, and returns the request in the types of Slipstream's
// package. refused names a part that Slipstream does not accept.
func theirs(body []byte, version remotewrite.Version) (r *remotewrite.Request, refused string, err error) {
	if version == remotewrite.V1 {
		var m v1.WriteRequest
		if err := m.Unmarshal(body); err != nil {
			return nil, "", err
		}
		return from1(&m), "", nil
	}
	var m v2.Request
	if err := m.Unmarshal(body); err != nil {
		return nil, "", err
	}
	r, refused = from2(&m)
	return r, refused, nil
}

// each returns the results of f for the elements of from.
func each[T, U any](from []T, f func(*T) U) (to []U) {
	for i := range from {
		to = append(to, f(&from[i]))
	}
	return to
}

func from1(m *v1.WriteRequest) *remotewrite.Request {
	label := func(l *v1.Label) remotewrite.Label { return remotewrite.Label{Name: l.Name, Value: l.Value} }
	return &remotewrite.Request{
		Series: each(m.Timeseries, func(s *v1.TimeSeries) remotewrite.Series {
			return remotewrite.Series{
				Labels: each(s.Labels, label),
				Samples: each(s.Samples, func(s *v1.Sample) remotewrite.Sample {
					return remotewrite.Sample{Value: s.Value, Timestamp: s.Timestamp}
				}),
				Exemplars: each(s.Exemplars, func(e *v1.Exemplar) remotewrite.Exemplar {
					return remotewrite.Exemplar{Labels: each(e.Labels, label), Value: e.Value, Timestamp: e.Timestamp}
				}),
				Histograms: each(s.Histograms, histogram1),
			}
		}),
		Metadata: each(m.Metadata, func(m *v1.MetricMetadata) remotewrite.Metadata {
			return remotewrite.Metadata{Type: remotewrite.MetricType(m.Type), MetricFamilyName: m.MetricFamilyName, Help: m.Help, Unit: m.Unit}
		}),
	}
}

func histogram1(h *v1.Histogram) remotewrite.Histogram {
	span := func(s *v1.BucketSpan) remotewrite.BucketSpan {
		return remotewrite.BucketSpan{Offset: s.Offset, Length: s.Length}
	}
	to := remotewrite.Histogram{
		Sum: h.Sum, Schema: h.Schema, ZeroThreshold: h.ZeroThreshold,
		Negative:     remotewrite.Buckets{Spans: each(h.NegativeSpans, span), Deltas: h.NegativeDeltas, Counts: h.NegativeCounts},
		Positive:     remotewrite.Buckets{Spans: each(h.PositiveSpans, span), Deltas: h.PositiveDeltas, Counts: h.PositiveCounts},
		CustomValues: h.CustomValues, ResetHint: remotewrite.ResetHint(h.ResetHint), Timestamp: h.Timestamp,
	}
	switch c := h.Count.(type) {
	case *v1.Histogram_CountInt:
		to.Count = remotewrite.IntCount(c.CountInt)
	case *v1.Histogram_CountFloat:
		to.Count = remotewrite.FloatCount(c.CountFloat)
	}
	switch c := h.ZeroCount.(type) {
	case *v1.Histogram_ZeroCountInt:
		to.ZeroCount = remotewrite.IntCount(c.ZeroCountInt)
	case *v1.Histogram_ZeroCountFloat:
		to.ZeroCount = remotewrite.FloatCount(c.ZeroCountFloat)
	}
	return to
}

func from2(m *v2.Request) (r *remotewrite.Request, refused string) {
	if len(m.Symbols) > 0 && m.Symbols[0] != "" {
		refused = "a first symbol that is not empty"
	}
	symbol := func(ref uint32) string {
		if int(ref) < len(m.Symbols) {
			return m.Symbols[ref]
		}
		refused = "a reference beyond the symbols"
		return ""
	}
	labels := func(refs []uint32) (labels []remotewrite.Label) {
		if len(refs)%2 != 0 {
			refused = "references that are not pairs"
			return nil
		}
		for i := 0; i < len(refs); i += 2 {
			labels = append(labels, remotewrite.Label{Name: symbol(refs[i]), Value: symbol(refs[i+1])})
		}
		return labels
	}
	optional := func(ref uint32) string {
		if ref == 0 {
			return ""
		}
		return symbol(ref)
	}
	r = &remotewrite.Request{
		Series: each(m.Timeseries, func(s *v2.TimeSeries) remotewrite.Series {
			return remotewrite.Series{
				Labels: labels(s.LabelsRefs),
				Samples: each(s.Samples, func(s *v2.Sample) remotewrite.Sample {
					return remotewrite.Sample{Value: s.Value, Timestamp: s.Timestamp, StartTimestamp: s.StartTimestamp}
				}),
				Exemplars: each(s.Exemplars, func(e *v2.Exemplar) remotewrite.Exemplar {
					return remotewrite.Exemplar{Labels: labels(e.LabelsRefs), Value: e.Value, Timestamp: e.Timestamp}
				}),
				Histograms: each(s.Histograms, histogram2),
				Metadata: remotewrite.Metadata{
					Type: remotewrite.MetricType(s.Metadata.Type), Help: optional(s.Metadata.HelpRef), Unit: optional(s.Metadata.UnitRef),
				},
			}
		}),
	}
	return r, refused
}

// histogram2 converts a histogram by its encoding. Version 1 has the same encoding, except for one
// field.
func histogram2(h *v2.Histogram) remotewrite.Histogram {
	data, err := h.Marshal()
	if err != nil {
		panic(err)
	}
	var older v1.Histogram
	if err := older.Unmarshal(data); err != nil {
		panic(err)
	}
	// Marshal omits a scalar that is -0.
	older.Sum, older.ZeroThreshold = h.Sum, h.ZeroThreshold
	to := histogram1(&older)
	to.StartTimestamp = h.StartTimestamp
	return to
}

// same compares values bit by bit. An empty slice equals nil.
func same(a, b reflect.Value) bool {
	switch a.Kind() {
	case reflect.Struct:
		for i := range a.NumField() {
			if a.Type().Field(i).Name != "memory" && !same(a.Field(i), b.Field(i)) {
				return false
			}
		}
		return true
	case reflect.Slice:
		if a.Len() != b.Len() {
			return false
		}
		for i := range a.Len() {
			if !same(a.Index(i), b.Index(i)) {
				return false
			}
		}
		return true
	case reflect.Float64:
		return math.Float64bits(a.Float()) == math.Float64bits(b.Float())
	}
	return a.Equal(b)
}

func sameRequest(a, b *remotewrite.Request) bool {
	return same(reflect.ValueOf(a).Elem(), reflect.ValueOf(b).Elem())
}

// exceptions lists what Slipstream rejects although the original accepts it. The key is the error
// text, and the value reports whether a body has the cause of this error.
var exceptions = map[string]func(body []byte) bool{
	// The original ignores the bits of a varint beyond 64, and the bits of a field number beyond
	// 32.
	"remotewrite: a varint of more than 64 bits": func(body []byte) bool { return longVarint(body, 9, 2) },
	"remotewrite: a field number that is 0 or above 2^29-1": func(body []byte) bool {
		return longVarint(body, 4, 16) || longVarint(body, 5, 0)
	},
	// If the last number of a packed field exceeds the end of the field, the original reads it
	// completely, and continues after it.
	"remotewrite: the last packed number goes beyond its field": func(body []byte) bool { return true },
	// If a reference occurs twice, the original ignores the first one.
	"remotewrite: a reference beyond the symbols": replacedReference,
}

// replacedReference reports whether the metadata of a series of version 2 contains a reference
// beyond the symbols. The original has accepted body, so the same field must follow again, perhaps
// in a form that only the original accepts.
func replacedReference(body []byte) bool {
	var symbols uint32
	fieldsOf(body, func(number protowire.Number, _ uint64, _ []byte) {
		if number == 4 {
			symbols++
		}
	})
	found := false
	fieldsOf(body, func(number protowire.Number, _ uint64, series []byte) {
		if number != 5 {
			return
		}
		fieldsOf(series, func(number protowire.Number, _ uint64, metadata []byte) {
			if number != 5 {
				return
			}
			fieldsOf(metadata, func(number protowire.Number, v uint64, _ []byte) {
				if number == 3 || number == 4 {
					reference := uint32(v)
					found = found || reference > 0 && reference >= symbols
				}
			})
		})
	})
	return found
}

// fieldsOf calls fn for each field of a message up to the first malformed one, with the varint or
// the bytes of the field. It skips groups in the same way as gogo. There, any end of a group ends
// the innermost group, and a group may contain any field number.
func fieldsOf(b []byte, fn func(number protowire.Number, v uint64, bytes []byte)) {
	for depth := 0; len(b) > 0; {
		tag, n := protowire.ConsumeVarint(b)
		if n < 0 {
			return
		}
		number, kind := protowire.Number(tag>>3), protowire.Type(tag&7)
		b = b[n:]
		switch kind {
		case protowire.StartGroupType:
			depth++
			continue
		case protowire.EndGroupType:
			depth--
			continue
		}
		if n = protowire.ConsumeFieldValue(number, kind, b); n < 0 {
			return
		}
		switch {
		case depth > 0:
		case kind == protowire.VarintType:
			v, _ := protowire.ConsumeVarint(b)
			fn(number, v, nil)
		case kind == protowire.BytesType:
			v, _ := protowire.ConsumeBytes(b)
			fn(number, 0, v)
		}
		b = b[n:]
	}
}

// longVarint reports whether body contains the given number of bytes with a continuation bit in
// succession, followed by a byte that is at least last.
func longVarint(body []byte, bytes int, last byte) bool {
	run := 0
	for _, c := range body {
		if run >= bytes && (c >= 0x80 || c >= last) {
			return true
		}
		if run++; c < 0x80 {
			run = 0
		}
	}
	return false
}

// onlyOther reports whether all known top-level fields of body belong to the other version.
func onlyOther(m *remotewrite.Request, body []byte) bool {
	return len(m.Series) == 0 && len(m.Metadata) == 0 && len(body) > 0
}

// check compares Slipstream's result for a body with the result of the original. It reuses r.
func check(t *testing.T, body []byte, version remotewrite.Version, r *remotewrite.Request) {
	want, refused, wrong := theirs(body, version)
	err := remotewrite.Decode(body, version, r)
	if err != nil {
		if len(r.Series) > 0 || len(r.Metadata) > 0 {
			t.Fatalf("%x, version %d: %d series beside the error %v", body, version, len(r.Series), err)
		}
		var e *remotewrite.Error
		if !errors.As(err, &e) || e.Offset < 0 || e.Offset > int64(len(body)) {
			t.Fatalf("%x, version %d: no place in the error %+v", body, version, err)
		}
		if wrong != nil || refused != "" || errors.Is(err, remotewrite.ErrVersion) && onlyOther(want, body) {
			return
		}
		if known := exceptions[e.Cause.Error()]; known == nil || !known(body) {
			t.Fatalf("%x, version %d: %+v; the original accepts it", body, version, err)
		}
		return
	}
	if wrong != nil || refused != "" {
		t.Fatalf("%x, version %d: accepted; of the original: %v %s", body, version, wrong, refused)
	}
	if !sameRequest(r, want) {
		t.Fatalf("%x, version %d:\nours   %+v\ntheirs %+v", body, version, r, want)
	}
	again := new(remotewrite.Request)
	if back := remotewrite.Append(nil, version, r); remotewrite.DecodeView(back, version, again) != nil || !sameRequest(r, again) {
		t.Fatalf("%x, version %d: written as %x, which is\n%+v, not\n%+v", body, version, back, again, r)
	}
}

type message interface {
	Marshal() ([]byte, error)
	Unmarshal([]byte) error
}

func marshal(t *testing.T, m message) []byte {
	data, err := m.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// bodies calls one with random messages of both versions.
func bodies(t *testing.T, n uint64, one func(body []byte, version remotewrite.Version)) {
	for seed := range n {
		r := newRandom(seed)
		one(marshal(t, r.request1()), remotewrite.V1)
		one(marshal(t, r.request2()), remotewrite.V2)
	}
}

// TestSame decodes messages that the original has encoded, and encodes them again. The bytes are
// the same.
func TestSame(t *testing.T) {
	var r remotewrite.Request
	bodies(t, 2000, func(body []byte, version remotewrite.Version) {
		check(t, body, version, &r)
		if back := remotewrite.Append(nil, version, &r); !bytes.Equal(back, body) {
			t.Fatalf("version %d: %+v is\n%x, of the original\n%x", version, r.Series, back, body)
		}
	})
}

// TestSameMutated decodes bodies in which some bytes are changed, omitted, duplicated or cut off.
func TestSameMutated(t *testing.T) {
	var r remotewrite.Request
	bodies(t, 300, func(body []byte, version remotewrite.Version) {
		random := newRandom(uint64(len(body)))
		for range 40 {
			b := bytes.Clone(body)
			for range 1 + random.IntN(3) {
				if len(b) == 0 {
					break
				}
				i := random.IntN(len(b))
				switch random.IntN(6) {
				case 0:
					b = b[:i]
				case 1:
					b[i] = byte(random.Uint32())
				case 2:
					b[i]++
				case 3:
					b[i] ^= 1 << random.IntN(8)
				case 4:
					b = append(b[:i], b[i+1:]...)
				case 5:
					b = append(b[:i:i], b[max(0, i-random.IntN(30)):]...)
				}
			}
			check(t, b, version, &r)
			check(t, b, 3-version, &r)
		}
	})
}

func FuzzSame(f *testing.F) {
	for seed := range uint64(20) {
		r := newRandom(seed)
		for i, m := range []message{r.request1(), r.request2()} {
			data, err := m.Marshal()
			if err != nil {
				f.Fatal(err)
			}
			f.Add(data, i == 1)
		}
	}
	f.Fuzz(func(t *testing.T, body []byte, second bool) {
		version := remotewrite.V1
		if second {
			version = remotewrite.V2
		}
		var r remotewrite.Request
		check(t, body, version, &r)
		check(t, body, version, &r)
	})
}

// A reference beyond the symbols is rejected even if another reference replaces it. Fuzzing has
// found this case.
func TestReplacedReference(t *testing.T) {
	var r remotewrite.Request
	for _, body := range []string{
		"\x22\x00\x2a\x06\x2a\x04\x20\x09\x20\x00",
		"\x22\x00\x2a\x08\x2a\x02\x18\x09\x2a\x02\x18\x00",
		// The end of a group has another number, or a group contains a field 0.
		"\x22\x00\x7b\x14\x2a\x06\x2a\x04\x20\x09\x20\x00",
		"\x22\x00\x2a\x0a\x2a\x08\x7b\x00\x00\x7c\x18\x09\x18\x00",
		// After the reference follows data that only the original accepts. It is a varint of more
		// than 64 bits: in between, as the other reference, as its tag, or as a length. Or it is a
		// field number of more than 32 bits, or packed references whose last one exceeds the field.
		"\x22\x00\x2a\x11\x2a\x0f\x18\x09\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x03\x18\x00",
		"\x22\x00\x2a\x0f\x2a\x0d\x18\x09\x18\x80\x80\x80\x80\x80\x80\x80\x80\x80\x02",
		"\x22\x00\x2a\x0f\x2a\x0d\x18\x09\x98\x80\x80\x80\x80\x80\x80\x80\x80\x02\x00",
		"\x22\x00\x2a\x11\x2a\x02\x18\x09\x2a\x82\x80\x80\x80\x80\x80\x80\x80\x80\x02\x18\x00",
		"\x22\x00\x2a\x0b\x2a\x09\x18\x09\x98\x80\x80\x80\x80\x01\x00",
		"\x22\x00\x2a\x0d\x2a\x02\x18\x09\x0a\x02\x00\x80\x00\x2a\x02\x18\x00",
	} {
		b := []byte(body)
		check(t, b, remotewrite.V2, &r)
		_, refused, wrong := theirs(b, remotewrite.V2)
		if err := remotewrite.Decode(b, remotewrite.V2, &r); err == nil || refused != "" || wrong != nil || !replacedReference(b) {
			t.Errorf("%x: %v; of the original: %v %s", b, err, wrong, refused)
		}
	}
	// Without symbols, the reference 0 means the empty string.
	if body := "\x2a\x06\x2a\x04\x20\x00\x20\x00"; replacedReference([]byte(body)) {
		t.Errorf("%x: a reference beyond the symbols", body)
	}
}
