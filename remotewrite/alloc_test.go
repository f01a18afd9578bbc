package remotewrite

import "testing"

// A reused Scanner and a reused Splitter allocate nothing.
func TestAllocations(t *testing.T) {
	if raceEnabled || invariants {
		t.Skip("counted without the race detector and without copies of views")
	}
	for version, bodies := range map[Version][][]byte{
		V1: {shape{100, 10, false, false}.body1(), shape{20, 2, false, true}.body1()},
		V2: {shape{100, 10, false, false}.body2(), shape{20, 2, false, true}.body2()},
	} {
		var s Scanner
		s.Find("service_id", "pod")
		var p Splitter
		dst := make([]byte, 0, 1<<20)
		total := 0
		accept := func(key []byte, s *SeriesView) error {
			if total += len(key); s.Raw()[0] == 0 {
				return errLess
			}
			return nil
		}
		for _, body := range bodies {
			for name, run := range map[string]func(){
				"Scan": func() {
					s.Reset(body, version)
					for v := range s.Series {
						for name, value := range v.Labels {
							total += len(name) + len(value)
						}
						for sample := range v.Samples {
							total += int(sample.Timestamp & 1)
						}
						for e := range v.Exemplars {
							for name := range e.Labels {
								total += len(name)
							}
						}
						for h := range v.Histograms {
							total += len(h.Raw()) + int(h.Schema)
							for span := range h.Positive().Spans {
								total += int(span.Length)
							}
							for delta := range h.Positive().Deltas {
								total += int(delta)
							}
							for count := range h.Negative().Counts {
								total += int(count)
							}
							for bound := range h.CustomValues {
								total += int(bound)
							}
						}
						_, n := v.Found(1)
						total += n + len(v.Metadata().Help)
					}
					for m := range s.Metadata {
						total += len(m.Family)
					}
				},
				"Split": func() {
					for _, remove := range []bool{false, true} {
						if err := p.Split(body, version, By{Labels: []string{"service_id", "pod"}, Remove: remove, Default: "a", Accept: accept}); err != nil {
							t.Fatal(err)
						}
						for part := range p.Parts {
							dst = part.Append(dst[:0])
							total += len(part.Key())
						}
					}
				},
			} {
				run()
				if n := testing.AllocsPerRun(20, run); n != 0 {
					t.Errorf("version %d: %s allocates %v times", version, name, n)
				}
			}
		}
	}
}
