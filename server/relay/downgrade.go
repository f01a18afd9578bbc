package relay

import (
	"fmt"
	"strings"
	"sync"

	"github.com/slipstream-go/slipstream/remotewrite"
)

var decoded = sync.Pool{New: func() any { return new(remotewrite.Request) }}

// downgrade converts a body of version 2 to version 1, and appends it to b. Start timestamps are
// lost, because version 1 does not support them. Metadata of series is converted to metadata of
// metric families.
//
// The argument `most` is the maximum total size of the texts in the result, in bytes. There must be
// a maximum, because version 1 repeats a text for each label, but version 2 stores the text only
// once.
func downgrade(b, body []byte, most int) ([]byte, error) {
	r := decoded.Get().(*remotewrite.Request)
	defer decoded.Put(r)
	defer r.Reset()
	if err := remotewrite.DecodeView(body, remotewrite.V2, r); err != nil {
		return b, err
	}
	// The texts are counted before addFamilies hashes the name of each series, because many series
	// may refer to the same long symbols.
	size := sizeOfSeries(r)
	if size <= most {
		addFamilies(r)
		size += sizeOfMetadata(r)
	}
	if size > most {
		return b, fmt.Errorf("the target does not accept Remote Write 2.0, and the request converted to 1.0 exceeds %d bytes; send smaller batches", most)
	}
	return remotewrite.Append(b, remotewrite.V1, r), nil
}

func sizeOfSeries(r *remotewrite.Request) (n int) {
	add := func(labels []remotewrite.Label) {
		for _, l := range labels {
			n += len(l.Name) + len(l.Value)
		}
	}
	for i := range r.Series {
		s := &r.Series[i]
		add(s.Labels)
		for j := range s.Exemplars {
			add(s.Exemplars[j].Labels)
		}
	}
	return n
}

func sizeOfMetadata(r *remotewrite.Request) (n int) {
	for i := range r.Metadata {
		m := &r.Metadata[i]
		n += len(m.MetricFamilyName) + len(m.Help) + len(m.Unit)
	}
	return n
}

// addFamilies converts the metadata of series to metadata of their metric families. It adds the
// metadata of each family only once.
func addFamilies(r *remotewrite.Request) {
	last := "" // the series of a family are usually adjacent
	var seen map[string]bool
	for i := range r.Series {
		s := &r.Series[i]
		m := s.Metadata
		if m == (remotewrite.Metadata{}) {
			continue
		}
		m.MetricFamilyName = family(nameOfSeries(s), m.Type)
		if m.MetricFamilyName == "" || m.MetricFamilyName == last || seen[m.MetricFamilyName] {
			continue
		}
		if seen == nil {
			seen = make(map[string]bool)
		}
		last = m.MetricFamilyName
		seen[last] = true
		r.Metadata = append(r.Metadata, m)
	}
}

func nameOfSeries(s *remotewrite.Series) string {
	for _, l := range s.Labels {
		if l.Name == "__name__" {
			return l.Value
		}
	}
	return ""
}

// family returns the name of the metric family for a series name and a metric type.
func family(name string, t remotewrite.MetricType) string {
	var suffixes []string
	switch t {
	case remotewrite.MetricTypeHistogram, remotewrite.MetricTypeGaugeHistogram:
		suffixes = []string{"_bucket", "_count", "_sum"}
	case remotewrite.MetricTypeSummary:
		suffixes = []string{"_count", "_sum"}
	}
	for _, s := range suffixes {
		if short, ok := strings.CutSuffix(name, s); ok {
			return short
		}
	}
	return name
}
