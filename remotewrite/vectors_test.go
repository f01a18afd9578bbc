package remotewrite

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/slipstream-go/slipstream/internal/corpus"
)

// vectorsOf returns the vectors of a version, from the file that all languages share.
func vectorsOf(t testing.TB, version Version) []corpus.Vector {
	vectors, err := corpus.ReadVectors(fmt.Sprintf("../vectors/remotewrite%d.txt", version))
	if err != nil {
		t.Fatal(err)
	}
	return vectors
}

// note returns everything that a Scanner reads from a body, in the notation of the vector files.
func note(s *Scanner, body []byte, version Version) (string, error) {
	var metadata, series []string
	s.Reset(body, version)
	for v := range s.Series {
		series = append(series, noteSeries(v))
	}
	if s.Err() != nil {
		return "", s.Err()
	}
	for m := range s.Metadata {
		metadata = append(metadata, "metadata("+strings.TrimRight(fmt.Sprintf("%d %s %s %s", m.Type, m.Family, m.Help, m.Unit), " ")+")")
		if metadata[len(metadata)-1] == "metadata(0)" {
			metadata[len(metadata)-1] = "metadata(0 )"
		}
	}
	text := strings.Join(append(metadata, strings.Join(series, " / ")), " ")
	return strings.TrimSpace(text), s.Err()
}

func noteSeries(v *SeriesView) string {
	words := []string{noteLabels(v.Labels)}
	for s := range v.Samples {
		words = append(words, notePoint(s.Value, s.Timestamp))
		if s.StartTimestamp != 0 {
			words = append(words, fmt.Sprint("since ", s.StartTimestamp))
		}
	}
	for e := range v.Exemplars {
		words = append(words, "exemplar"+noteLabels(e.Labels), notePoint(e.Value, e.Timestamp))
	}
	for h := range v.Histograms {
		words = append(words, fmt.Sprint("histogram@", h.Timestamp))
	}
	if m := v.Metadata(); m.Type != 0 || len(m.Help)+len(m.Unit) > 0 {
		words = append(words, fmt.Sprintf("metadata(%d %s %s)", m.Type, m.Help, m.Unit))
	}
	return strings.Join(words, " ")
}

func noteLabels(labels func(func(name, value []byte) bool)) string {
	var words []string
	for name, value := range labels {
		words = append(words, fmt.Sprintf("%s=%s", name, value))
	}
	return "{" + strings.Join(words, ", ") + "}"
}

func notePoint(value float64, timestamp int64) string {
	if math.IsNaN(value) {
		return fmt.Sprintf("%x@%d", math.Float64bits(value), timestamp)
	}
	return fmt.Sprintf("%v@%d", value, timestamp)
}

func TestVectors(t *testing.T) {
	var s Scanner
	for _, version := range []Version{V1, V2} {
		for _, v := range vectorsOf(t, version) {
			text, err := note(&s, v.Bytes, version)
			if err != nil {
				text = fmt.Sprintf("%+v", err)
			}
			if (v.Mark == '!') != (err != nil) || text != v.Value {
				t.Errorf("version %d, line %d, % x:\n got %s\nwant %s", version, v.Line, v.Bytes, text, v.Value)
			}
		}
	}
}

// TestTruncated cuts every valid vector and a generated body at each byte. A body that ends after a
// field of the request is valid. Other cuts return an error with an offset inside the cut body. The
// series before the error equal the first series of the whole body.
func TestTruncated(t *testing.T) {
	c := shape{series: 3, tenants: 2}
	for version, bodies := range map[Version][][]byte{V1: {c.body1(), shape{2, 2, false, true}.body1()}, V2: {c.body2(), shape{2, 2, false, true}.body2()}} {
		for _, v := range vectorsOf(t, version) {
			if v.Mark != '!' {
				bodies = append(bodies, v.Bytes)
			}
		}
		for _, body := range bodies {
			ends := map[int]bool{0: true}
			for i := 0; i < len(body); {
				if _, _, i = readField(body, i); i < 0 {
					t.Fatalf("% x is not well-formed", body)
				}
				ends[i] = true
			}
			var whole, part []string
			var s Scanner
			scan := func(body []byte) (all []string) {
				s.Reset(body, version)
				for v := range s.Series {
					all = append(all, noteSeries(v))
				}
				return all
			}
			whole = scan(body)
			for cut := range body {
				part = scan(body[:cut:cut])
				if version == V1 {
					if ends[cut] != (s.Err() == nil) {
						t.Fatalf("% x cut at %d: %v", body, cut, s.Err())
					}
					if strings.Join(part, "/") != strings.Join(whole[:len(part)], "/") {
						t.Fatalf("% x cut at %d: %v, not a beginning of %v", body, cut, part, whole)
					}
				} else if !ends[cut] && s.Err() == nil {
					t.Fatalf("% x cut at %d is taken", body, cut)
				}
				if err, ok := s.Err().(*Error); s.Err() != nil && (!ok || err.Offset < 0 || err.Offset > int64(cut)) {
					t.Fatalf("% x cut at %d: %+v", body, cut, s.Err())
				}
			}
		}
	}
}
