//go:build invariants

package remotewrite

import "testing"

// With the tag invariants, using an expired view or part panics.
func TestExpired(t *testing.T) {
	c := shape{series: 4, tenants: 2}
	panics := func(what string, f func()) {
		defer func() {
			if recover() == nil {
				t.Errorf("%s can be used after it has expired", what)
			}
		}()
		f()
	}
	for version, body := range map[Version][]byte{V1: c.body1(), V2: c.body2()} {
		var s Scanner
		var kept *SeriesView
		s.Reset(body, version)
		for v := range s.Series {
			kept = v
		}
		panics("a series", func() { kept.Label("job") })

		var p Splitter
		var part *Part
		for range 2 {
			if err := p.Split(body, version, bys[1]); err != nil {
				t.Fatal(err)
			}
			if part != nil {
				panics("a part", func() { part.Append(nil) })
			}
			for part = range p.Parts {
			}
		}
	}
}
