package corpus

import (
	"encoding/json"
	"testing"
)

// Published figures refer to these documents. Their sizes are well known.
func TestRead(t *testing.T) {
	sizes := map[string]int{
		Canada: 270_403, Citm: 1_727_204, Golang: 1_940_472, Escaped: 42_062, Unicode: 18_124, Synthea: 2_008_494, Twitter: 631_514,
		Small: 190, Medium: 2_329, Large: 28_118,
	}
	for _, d := range All {
		text, err := Read(d)
		if err != nil {
			t.Error(err)
			continue
		}
		if len(text) != sizes[d] {
			t.Errorf("%s has %d bytes, want %d", d, len(text), sizes[d])
		}
		if !json.Valid(text) {
			t.Errorf("%s is not valid", d)
		}
	}
	if len(sizes) != len(All) {
		t.Errorf("%d documents are listed, want %d", len(All), len(sizes))
	}
}

func TestReadNothing(t *testing.T) {
	if _, err := Read("nothing"); err == nil {
		t.Error("a document that is not there was read")
	}
}
