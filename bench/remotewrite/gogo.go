package remotewrite

import (
	"bytes"
	"fmt"

	"github.com/prometheus/prometheus/prompb"
	writev2 "github.com/prometheus/prometheus/prompb/io/prometheus/write/v2"

	"github.com/slipstream-go/slipstream/remotewrite"
)

// prompbRead returns the tally of a request in version 1.
func prompbRead(req *prompb.WriteRequest) (t tally) {
	for i := range req.Timeseries {
		prompbReadSeries(&t, &req.Timeseries[i])
	}
	return t
}

func prompbReadSeries(t *tally, s *prompb.TimeSeries) {
	t.series++
	for i := range s.Labels {
		label(t, s.Labels[i].Name, s.Labels[i].Value)
	}
	for i := range s.Samples {
		t.sample(s.Samples[i].Value, s.Samples[i].Timestamp)
	}
	for i := range s.Exemplars {
		e := &s.Exemplars[i]
		for j := range e.Labels {
			label(t, e.Labels[j].Name, e.Labels[j].Value)
		}
		t.exemplar(e.Value, e.Timestamp)
	}
	for i := range s.Histograms {
		t.histogram(s.Histograms[i].Timestamp)
	}
}

// writev2Read returns the tally of a request in version 2.
func writev2Read(req *writev2.Request) (t tally) {
	for i := range req.Timeseries {
		s := &req.Timeseries[i]
		t.series++
		references(&t, req.Symbols, s.LabelsRefs)
		for j := range s.Samples {
			t.sample(s.Samples[j].Value, s.Samples[j].Timestamp)
		}
		for j := range s.Exemplars {
			references(&t, req.Symbols, s.Exemplars[j].LabelsRefs)
			t.exemplar(s.Exemplars[j].Value, s.Exemplars[j].Timestamp)
		}
		for j := range s.Histograms {
			t.histogram(s.Histograms[j].Timestamp)
		}
	}
	return t
}

// references adds labels that are references to symbols.
func references(t *tally, symbols []string, refs []uint32) {
	for i := 0; i+1 < len(refs); i += 2 {
		label(t, symbols[refs[i]], symbols[refs[i+1]])
	}
}

// prompbFind appends the value of the tenant label of each series.
func prompbFind(req *prompb.WriteRequest, values []string) []string {
	for i := range req.Timeseries {
		values = append(values, prompbLabel(&req.Timeseries[i], tenantLabel))
	}
	return values
}

// prompbLabel returns the value of a label, or "".
func prompbLabel(s *prompb.TimeSeries, name string) string {
	for i := range s.Labels {
		if s.Labels[i].Name == name {
			return s.Labels[i].Value
		}
	}
	return ""
}

// writev2Find appends the value of a label in each series.
func writev2Find(req *writev2.Request, name string, values []string) []string {
	for i := range req.Timeseries {
		values = append(values, writev2Label(req.Symbols, req.Timeseries[i].LabelsRefs, name))
	}
	return values
}

// writev2Label returns the value of a label, or "".
func writev2Label(symbols []string, refs []uint32, name string) string {
	for i := 0; i+1 < len(refs); i += 2 {
		if symbols[refs[i]] == name {
			return symbols[refs[i+1]]
		}
	}
	return ""
}

// resolved converts a request of version 2 to version 1. It replaces references by symbols, and
// collects the metadata of the series in a list.
func resolved(two *writev2.Request) (*prompb.WriteRequest, error) {
	labels := func(refs []uint32) []prompb.Label {
		var list []prompb.Label
		for i := 0; i+1 < len(refs); i += 2 {
			list = append(list, prompb.Label{Name: two.Symbols[refs[i]], Value: two.Symbols[refs[i+1]]})
		}
		return list
	}
	req := new(prompb.WriteRequest)
	for _, s := range two.Timeseries {
		one := prompb.TimeSeries{Labels: labels(s.LabelsRefs)}
		for _, x := range s.Samples {
			one.Samples = append(one.Samples, prompb.Sample{Value: x.Value, Timestamp: x.Timestamp})
		}
		for _, e := range s.Exemplars {
			one.Exemplars = append(one.Exemplars, prompb.Exemplar{Labels: labels(e.LabelsRefs), Value: e.Value, Timestamp: e.Timestamp})
		}
		for _, h := range s.Histograms {
			wire, err := h.Marshal() // version 1 has the same field numbers
			if err != nil {
				return nil, err
			}
			one.Histograms = append(one.Histograms, prompb.Histogram{})
			if err := one.Histograms[len(one.Histograms)-1].Unmarshal(wire); err != nil {
				return nil, err
			}
		}
		req.Timeseries = append(req.Timeseries, one)
		req.Metadata = append(req.Metadata, prompb.MetricMetadata{
			Type: prompb.MetricMetadata_MetricType(s.Metadata.Type), Help: two.Symbols[s.Metadata.HelpRef], Unit: two.Symbols[s.Metadata.UnitRef],
		})
	}
	return req, nil
}

// decoded returns the request that prompb decodes from a body of version 1. A body of version 2 is
// decoded by writev2 and converted by resolved.
func decoded(body []byte, version remotewrite.Version) (*prompb.WriteRequest, error) {
	if version == remotewrite.V1 {
		req := new(prompb.WriteRequest)
		return req, req.Unmarshal(body)
	}
	req := new(writev2.Request)
	if err := req.Unmarshal(body); err != nil {
		return nil, err
	}
	return resolved(req)
}

// same compares requests by their encodings, so that the bits of a NaN count, too.
func same(got, want *prompb.WriteRequest) error {
	if len(got.Timeseries) != len(want.Timeseries) || len(got.Metadata) != len(want.Metadata) {
		return fmt.Errorf("%d series and %d metadata, want %d and %d",
			len(got.Timeseries), len(got.Metadata), len(want.Timeseries), len(want.Metadata))
	}
	for i := range want.Timeseries {
		if err := sameBytes(&got.Timeseries[i], &want.Timeseries[i]); err != nil {
			return fmt.Errorf("series %d: %w", i, err)
		}
	}
	for i := range want.Metadata {
		if err := sameBytes(&got.Metadata[i], &want.Metadata[i]); err != nil {
			return fmt.Errorf("metadata %d: %w", i, err)
		}
	}
	return nil
}

// sameBytes compares two messages of prompb.
func sameBytes(got, want interface {
	Marshal() ([]byte, error)
	String() string
}) error {
	g, err := got.Marshal()
	if err != nil {
		return err
	}
	w, err := want.Marshal()
	if err != nil {
		return err
	}
	if !bytes.Equal(g, w) {
		return fmt.Errorf("got %s\nwant %s", got, want)
	}
	return nil
}
