package remotewrite

import (
	"fmt"
	"math"

	"github.com/VictoriaMetrics/easyproto"
	"github.com/prometheus/prometheus/prompb"
)

// These are the messages of version 1, decoded by hand as in the documentation of easyproto. Texts
// are views of the body. Slices keep their memory, including nested slices.

type easyRequest struct {
	series   []easySeries
	metadata []easyMetadata
}

type easySeries struct {
	labels     []easyLabel
	samples    []easySample
	exemplars  []easyExemplar
	histograms []easyHistogram
}

type easyLabel struct{ name, value string }

type easySample struct {
	value float64
	time  int64
}

type easyExemplar struct {
	labels []easyLabel
	value  float64
	time   int64
}

type easyHistogram struct {
	float              bool
	count, zeroCount   uint64 // or the bits of a float64
	sum, zeroThreshold float64
	schema, resetHint  int32
	time               int64
	negative, positive easyBuckets
	customValues       []float64
}

type easyBuckets struct {
	spans  []easySpan
	deltas []int64
	counts []float64
}

type easySpan struct {
	offset int32
	length uint32
}

type easyMetadata struct {
	kind             int32
	name, help, unit string
}

// more returns the list with one more value, which may contain memory of an earlier use.
func more[T any](list []T) ([]T, *T) {
	if n := len(list); n < cap(list) {
		list = list[:n+1]
	} else {
		list = append(list, *new(T))
	}
	return list, &list[len(list)-1]
}

func easyError(what string) error { return fmt.Errorf("easyproto: cannot read %s", what) }

func (r *easyRequest) unmarshal(src []byte) (err error) {
	r.series, r.metadata = r.series[:0], r.metadata[:0]
	var fc easyproto.FieldContext
	for len(src) > 0 {
		if src, err = fc.NextField(src); err != nil {
			return err
		}
		switch fc.FieldNum {
		case 1:
			data, ok := fc.MessageData()
			if !ok {
				return easyError("a series")
			}
			var s *easySeries
			r.series, s = more(r.series)
			if err := s.unmarshal(data); err != nil {
				return err
			}
		case 3:
			data, ok := fc.MessageData()
			if !ok {
				return easyError("metadata")
			}
			var m *easyMetadata
			r.metadata, m = more(r.metadata)
			if err := m.unmarshal(data); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *easySeries) unmarshal(src []byte) (err error) {
	s.labels, s.samples, s.exemplars, s.histograms = s.labels[:0], s.samples[:0], s.exemplars[:0], s.histograms[:0]
	var fc easyproto.FieldContext
	for len(src) > 0 {
		if src, err = fc.NextField(src); err != nil {
			return err
		}
		data, ok := fc.MessageData()
		if !ok && fc.FieldNum <= 4 {
			return easyError("a part of a series")
		}
		switch fc.FieldNum {
		case 1:
			var l *easyLabel
			s.labels, l = more(s.labels)
			err = l.unmarshal(data)
		case 2:
			var x *easySample
			s.samples, x = more(s.samples)
			err = x.unmarshal(data)
		case 3:
			var e *easyExemplar
			s.exemplars, e = more(s.exemplars)
			err = e.unmarshal(data)
		case 4:
			var h *easyHistogram
			s.histograms, h = more(s.histograms)
			err = h.unmarshal(data)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (l *easyLabel) unmarshal(src []byte) (err error) {
	*l = easyLabel{}
	var fc easyproto.FieldContext
	for len(src) > 0 {
		if src, err = fc.NextField(src); err != nil {
			return err
		}
		ok := true
		switch fc.FieldNum {
		case 1:
			l.name, ok = fc.String()
		case 2:
			l.value, ok = fc.String()
		}
		if !ok {
			return easyError("a label")
		}
	}
	return nil
}

func (x *easySample) unmarshal(src []byte) (err error) {
	*x = easySample{}
	var fc easyproto.FieldContext
	for len(src) > 0 {
		if src, err = fc.NextField(src); err != nil {
			return err
		}
		ok := true
		switch fc.FieldNum {
		case 1:
			x.value, ok = fc.Double()
		case 2:
			x.time, ok = fc.Int64()
		}
		if !ok {
			return easyError("a sample")
		}
	}
	return nil
}

func (e *easyExemplar) unmarshal(src []byte) (err error) {
	*e = easyExemplar{labels: e.labels[:0]}
	var fc easyproto.FieldContext
	for len(src) > 0 {
		if src, err = fc.NextField(src); err != nil {
			return err
		}
		ok := true
		switch fc.FieldNum {
		case 1:
			var data []byte
			if data, ok = fc.MessageData(); ok {
				var l *easyLabel
				e.labels, l = more(e.labels)
				err = l.unmarshal(data)
			}
		case 2:
			e.value, ok = fc.Double()
		case 3:
			e.time, ok = fc.Int64()
		}
		if err != nil {
			return err
		}
		if !ok {
			return easyError("an exemplar")
		}
	}
	return nil
}

func (h *easyHistogram) unmarshal(src []byte) (err error) {
	*h = easyHistogram{negative: h.negative.emptied(), positive: h.positive.emptied(), customValues: h.customValues[:0]}
	var fc easyproto.FieldContext
	for len(src) > 0 {
		if src, err = fc.NextField(src); err != nil {
			return err
		}
		ok := true
		switch fc.FieldNum {
		case 1:
			h.count, ok = fc.Uint64()
		case 2:
			h.float = true
			h.count, ok = fc.Fixed64()
		case 3:
			h.sum, ok = fc.Double()
		case 4:
			h.schema, ok = fc.Sint32()
		case 5:
			h.zeroThreshold, ok = fc.Double()
		case 6:
			h.zeroCount, ok = fc.Uint64()
		case 7:
			h.zeroCount, ok = fc.Fixed64()
		case 8:
			h.negative.spans, err = easySpans(h.negative.spans, &fc)
		case 9:
			h.negative.deltas, ok = fc.UnpackSint64s(h.negative.deltas)
		case 10:
			h.negative.counts, ok = fc.UnpackDoubles(h.negative.counts)
		case 11:
			h.positive.spans, err = easySpans(h.positive.spans, &fc)
		case 12:
			h.positive.deltas, ok = fc.UnpackSint64s(h.positive.deltas)
		case 13:
			h.positive.counts, ok = fc.UnpackDoubles(h.positive.counts)
		case 14:
			h.resetHint, ok = fc.Enum()
		case 15:
			h.time, ok = fc.Int64()
		case 16:
			h.customValues, ok = fc.UnpackDoubles(h.customValues)
		}
		if err != nil {
			return err
		}
		if !ok {
			return easyError("a histogram")
		}
	}
	return nil
}

func (b easyBuckets) emptied() easyBuckets {
	return easyBuckets{b.spans[:0], b.deltas[:0], b.counts[:0]}
}

func easySpans(list []easySpan, fc *easyproto.FieldContext) ([]easySpan, error) {
	src, ok := fc.MessageData()
	if !ok {
		return list, easyError("a span")
	}
	var x easySpan
	var err error
	var in easyproto.FieldContext
	for len(src) > 0 {
		if src, err = in.NextField(src); err != nil {
			return list, err
		}
		ok := true
		switch in.FieldNum {
		case 1:
			x.offset, ok = in.Sint32()
		case 2:
			x.length, ok = in.Uint32()
		}
		if !ok {
			return list, easyError("a span")
		}
	}
	return append(list, x), nil
}

func (m *easyMetadata) unmarshal(src []byte) (err error) {
	*m = easyMetadata{}
	var fc easyproto.FieldContext
	for len(src) > 0 {
		if src, err = fc.NextField(src); err != nil {
			return err
		}
		ok := true
		switch fc.FieldNum {
		case 1:
			m.kind, ok = fc.Enum()
		case 2:
			m.name, ok = fc.String()
		case 4:
			m.help, ok = fc.String()
		case 5:
			m.unit, ok = fc.String()
		}
		if !ok {
			return easyError("metadata")
		}
	}
	return nil
}

// read returns the tally of the request.
func (r *easyRequest) read() (t tally) {
	for i := range r.series {
		s := &r.series[i]
		t.series++
		for _, l := range s.labels {
			label(&t, l.name, l.value)
		}
		for _, x := range s.samples {
			t.sample(x.value, x.time)
		}
		for j := range s.exemplars {
			e := &s.exemplars[j]
			for _, l := range e.labels {
				label(&t, l.name, l.value)
			}
			t.exemplar(e.value, e.time)
		}
		for j := range s.histograms {
			t.histogram(s.histograms[j].time)
		}
	}
	return t
}

// plain converts the request to prompb.
func (r *easyRequest) plain() *prompb.WriteRequest {
	req := new(prompb.WriteRequest)
	for _, s := range r.series {
		t := prompb.TimeSeries{Labels: easyLabels(s.labels)}
		for _, x := range s.samples {
			t.Samples = append(t.Samples, prompb.Sample{Value: x.value, Timestamp: x.time})
		}
		for _, e := range s.exemplars {
			t.Exemplars = append(t.Exemplars, prompb.Exemplar{Labels: easyLabels(e.labels), Value: e.value, Timestamp: e.time})
		}
		for i := range s.histograms {
			t.Histograms = append(t.Histograms, s.histograms[i].plain())
		}
		req.Timeseries = append(req.Timeseries, t)
	}
	for _, m := range r.metadata {
		req.Metadata = append(req.Metadata, prompb.MetricMetadata{
			Type: prompb.MetricMetadata_MetricType(m.kind), MetricFamilyName: m.name, Help: m.help, Unit: m.unit,
		})
	}
	return req
}

func easyLabels(labels []easyLabel) (list []prompb.Label) {
	for _, l := range labels {
		list = append(list, prompb.Label{Name: l.name, Value: l.value})
	}
	return list
}

func (h *easyHistogram) plain() prompb.Histogram {
	p := prompb.Histogram{
		Sum: h.sum, Schema: h.schema, ZeroThreshold: h.zeroThreshold, ResetHint: prompb.Histogram_ResetHint(h.resetHint), Timestamp: h.time,
		NegativeSpans: h.negative.plainSpans(), NegativeDeltas: h.negative.deltas, NegativeCounts: h.negative.counts,
		PositiveSpans: h.positive.plainSpans(), PositiveDeltas: h.positive.deltas, PositiveCounts: h.positive.counts,
		CustomValues: h.customValues,
		Count:        &prompb.Histogram_CountInt{CountInt: h.count}, ZeroCount: &prompb.Histogram_ZeroCountInt{ZeroCountInt: h.zeroCount},
	}
	if h.float {
		p.Count = &prompb.Histogram_CountFloat{CountFloat: math.Float64frombits(h.count)}
		p.ZeroCount = &prompb.Histogram_ZeroCountFloat{ZeroCountFloat: math.Float64frombits(h.zeroCount)}
	}
	return p
}

func (b *easyBuckets) plainSpans() (list []prompb.BucketSpan) {
	for _, s := range b.spans {
		list = append(list, prompb.BucketSpan{Offset: s.offset, Length: s.length})
	}
	return list
}

// easyFind appends the value of a label in each series, or "". It decodes only labels.
func easyFind(src []byte, name string, values []string) (_ []string, err error) {
	var fc, in easyproto.FieldContext
	for len(src) > 0 {
		if src, err = fc.NextField(src); err != nil {
			return values, err
		}
		if fc.FieldNum != 1 {
			continue
		}
		series, ok := fc.MessageData()
		if !ok {
			return values, easyError("a series")
		}
		value := ""
		for len(series) > 0 {
			if series, err = in.NextField(series); err != nil {
				return values, err
			}
			if in.FieldNum != 1 {
				continue
			}
			data, ok := in.MessageData()
			if !ok {
				return values, easyError("a label")
			}
			var l easyLabel
			if err := l.unmarshal(data); err != nil {
				return values, err
			}
			if l.name == name {
				value = l.value
			}
		}
		values = append(values, value)
	}
	return values, nil
}
