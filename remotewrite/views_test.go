package remotewrite

import (
	"bytes"
	"testing"
)

// Appending to a view does not change the body after it.
func TestViewsEndWhereTheyEnd(t *testing.T) {
	c := shape{series: 20, tenants: 3, histograms: true}
	metadata := pbBytes(3, pbInt(1, 1), pbString(2, "family"), pbString(4, "help"), pbString(5, "unit"))
	exemplar := pbBytes(3, pbLabels("trace", "id"), pbInt(3, now))
	long := pbBytes(1, pbString(1, "long"), pbString(2, string(bytes.Repeat([]byte("x"), 200))))
	v1 := append(pbBytes(1, long, pbLabels("service_id", "a"), exemplar), append(metadata, c.body1()...)...)
	v2 := append(c.body2(), pbBytes(5, pbInt(1, 1), pbInt(1, 2), pbBytes(4, pbPacked(1, 1, 2), pbInt(3, now)), pbBytes(5, pbInt(3, 1), pbInt(4, 2)))...)
	for version, body := range map[Version][]byte{V1: v1, V2: v2} {
		body = append(body, pbInt(99, 1)...) // so that no view ends at the end of the body
		before := bytes.Clone(body)
		seen := map[string]int{}
		check := func(name string, views ...[]byte) {
			t.Helper()
			seen[name]++
			for _, b := range views {
				if _ = append(b, 0xff); !bytes.Equal(body, before) {
					t.Errorf("version %d: to append to %s changes the body", version, name)
					copy(body, before)
				}
			}
		}
		var s Scanner
		s.Find("service_id", "namespace")
		s.Reset(body, version)
		for y := range s.Symbols {
			check("a symbol", y)
		}
		for v := range s.Series {
			value, _ := v.Found(0)
			other, _ := v.Label("namespace")
			check("a series", v.Raw(), value, other)
			for name, value := range v.Labels {
				check("a label", name, value)
			}
			for e := range v.Exemplars {
				for name, value := range e.Labels {
					check("a label of an exemplar", name, value)
				}
			}
			for h := range v.Histograms {
				check("a histogram", h.Raw())
			}
			m := v.Metadata()
			check("the metadata of a series", m.Help, m.Unit)
		}
		for m := range s.Metadata {
			check("metadata", m.Family, m.Help, m.Unit)
		}
		if err := s.Err(); err != nil {
			t.Fatal(err)
		}
		var p Splitter
		if err := p.Split(body, version, By{Labels: []string{"service_id"}, Default: "none"}); err != nil {
			t.Fatal(err)
		}
		for part := range p.Parts {
			check("a key", part.Key())
		}
		for b := range p.MetadataRaw {
			check("raw metadata", b)
		}
		want := []string{"a series", "a label", "a label of an exemplar", "a histogram", "the metadata of a series", "a key"}
		if version == V1 {
			want = append(want, "metadata", "raw metadata")
		} else {
			want = append(want, "a symbol")
		}
		for _, name := range want {
			if seen[name] == 0 {
				t.Errorf("version %d: %s was not seen", version, name)
			}
		}
	}
}
