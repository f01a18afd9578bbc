package relay

import (
	"fmt"
	"strings"
	"sync"

	"github.com/slipstream-go/slipstream/remotewrite"
)

var decoded = sync.Pool{New: func() any { return new(remotewrite.Request) }}

// downgrade appends to b the request of version 1 that a body of version 2 amounts to. Start
// timestamps have no place in it. Metadata is of a family of metrics there, not of a series. Its
// texts may have at most `most` bytes: there, each label has its own, of which a symbol here is the
// text of any number.
func downgrade(b, body []byte, most int) ([]byte, error) {
	r := decoded.Get().(*remotewrite.Request)
	defer decoded.Put(r)
	defer r.Reset()
	if err := remotewrite.DecodeView(body, remotewrite.V2, r); err != nil {
		return b, err
	}
	// The texts are counted before addFamilies hashes the name of each series: many series may
	// refer to the same long symbols.
	size := sizeOfSeries(r)
	if size <= most {
		addFamilies(r)
		size += sizeOfMetadata(r)
	}
	if size > most {
		return b, fmt.Errorf("target refuses Remote Write 2.0, and as 1.0 the request exceeds %d bytes; send smaller batches", most)
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

// addFamilies makes the metadata of series that of families, each once.
func addFamilies(r *remotewrite.Request) {
	last := "" // series of a family mostly stand together
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

// family is the name of the family that a series of this name belongs to.
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
