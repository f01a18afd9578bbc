package remotewrite

import (
	"github.com/prometheus/prometheus/prompb"

	"github.com/slipstream-go/slipstream/remotewrite"
)

func oursFind(body []byte, version remotewrite.Version) func([][]byte) ([][]byte, error) {
	var s remotewrite.Scanner
	s.Find(tenantLabel)
	return func(values [][]byte) ([][]byte, error) {
		s.Reset(body, version)
		for series := range s.Series {
			value, _ := series.Found(0)
			values = append(values, value)
		}
		return values, s.Err()
	}
}

func oursRead(body []byte, version remotewrite.Version) func() (tally, error) {
	var s remotewrite.Scanner
	return func() (t tally, _ error) {
		s.Reset(body, version)
		for series := range s.Series {
			t.series++
			for name, value := range series.Labels {
				label(&t, name, value)
			}
			for x := range series.Samples {
				t.sample(x.Value, x.Timestamp)
			}
			for e := range series.Exemplars {
				for name, value := range e.Labels {
					label(&t, name, value)
				}
				t.exemplar(e.Value, e.Timestamp)
			}
			for h := range series.Histograms {
				t.histogram(h.Timestamp)
			}
		}
		return t, s.Err()
	}
}

// oursSplit returns a function that passes each part to each. A part is valid until the next one.
func oursSplit(body []byte, version remotewrite.Version, remove bool) func(each func(key string, part []byte)) error {
	var p remotewrite.Splitter
	by := remotewrite.By{Labels: []string{tenantLabel}, Remove: remove}
	var b []byte
	return func(each func(string, []byte)) error {
		err := p.Split(body, version, by)
		for part := range p.Parts {
			b = part.Append(b[:0])
			if each != nil {
				each(string(part.Key()), b)
			}
		}
		return err
	}
}

// oursDecode returns a function that decodes into a reused request. With view, the texts are views
// of the body; otherwise they are copies.
func oursDecode(body []byte, version remotewrite.Version, view bool) (*remotewrite.Request, func() error) {
	r := new(remotewrite.Request)
	if view {
		return r, func() error { return remotewrite.DecodeView(body, version, r) }
	}
	return r, func() error { return remotewrite.Decode(body, version, r) }
}

// oursAppend returns a function that encodes a request into a kept buffer.
func oursAppend(version remotewrite.Version, r *remotewrite.Request) func() ([]byte, error) {
	var b []byte
	return func() ([]byte, error) {
		b = remotewrite.Append(b[:0], version, r)
		return b, nil
	}
}

// plain converts a request to prompb. In version 2, it collects the metadata of the series in a
// list.
func plain(r *remotewrite.Request, version remotewrite.Version) *prompb.WriteRequest {
	req := new(prompb.WriteRequest)
	for i := range r.Series {
		s := &r.Series[i]
		t := prompb.TimeSeries{Labels: plainLabels(s.Labels)}
		for _, x := range s.Samples {
			t.Samples = append(t.Samples, prompb.Sample{Value: x.Value, Timestamp: x.Timestamp})
		}
		for _, e := range s.Exemplars {
			t.Exemplars = append(t.Exemplars, prompb.Exemplar{Labels: plainLabels(e.Labels), Value: e.Value, Timestamp: e.Timestamp})
		}
		for i := range s.Histograms {
			t.Histograms = append(t.Histograms, plainHistogram(&s.Histograms[i]))
		}
		req.Timeseries = append(req.Timeseries, t)
		if version == remotewrite.V2 {
			req.Metadata = append(req.Metadata, plainMetadata(s.Metadata))
		}
	}
	for _, m := range r.Metadata {
		req.Metadata = append(req.Metadata, plainMetadata(m))
	}
	return req
}

func plainLabels(labels []remotewrite.Label) (list []prompb.Label) {
	for _, l := range labels {
		list = append(list, prompb.Label{Name: l.Name, Value: l.Value})
	}
	return list
}

func plainMetadata(m remotewrite.Metadata) prompb.MetricMetadata {
	return prompb.MetricMetadata{
		Type: prompb.MetricMetadata_MetricType(m.Type), MetricFamilyName: m.MetricFamilyName, Help: m.Help, Unit: m.Unit,
	}
}

func plainHistogram(h *remotewrite.Histogram) prompb.Histogram {
	p := prompb.Histogram{
		Sum: h.Sum, Schema: h.Schema, ZeroThreshold: h.ZeroThreshold, ResetHint: prompb.Histogram_ResetHint(h.ResetHint), Timestamp: h.Timestamp,
		NegativeSpans: plainSpans(h.Negative.Spans), NegativeDeltas: h.Negative.Deltas, NegativeCounts: h.Negative.Counts,
		PositiveSpans: plainSpans(h.Positive.Spans), PositiveDeltas: h.Positive.Deltas, PositiveCounts: h.Positive.Counts,
		CustomValues: h.CustomValues,
	}
	if n, ok := h.Count.Int(); ok {
		p.Count = &prompb.Histogram_CountInt{CountInt: n}
	}
	if f, ok := h.Count.Float(); ok {
		p.Count = &prompb.Histogram_CountFloat{CountFloat: f}
	}
	if n, ok := h.ZeroCount.Int(); ok {
		p.ZeroCount = &prompb.Histogram_ZeroCountInt{ZeroCountInt: n}
	}
	if f, ok := h.ZeroCount.Float(); ok {
		p.ZeroCount = &prompb.Histogram_ZeroCountFloat{ZeroCountFloat: f}
	}
	return p
}

func plainSpans(spans []remotewrite.BucketSpan) (list []prompb.BucketSpan) {
	for _, s := range spans {
		list = append(list, prompb.BucketSpan{Offset: s.Offset, Length: s.Length})
	}
	return list
}
