package main

import (
	"bytes"
	"os"
	"strings"
	"testing"
)

// shapes_gen.go is up to date: it equals the output of this program.
func TestGeneratedCodeIsFresh(t *testing.T) {
	want, err := generate()
	if err != nil {
		t.Fatal(err)
	}
	have, err := os.ReadFile("../" + file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(have, want) {
		t.Error("shapes_gen.go is stale: run go generate ./json")
	}
}

func TestRules(t *testing.T) {
	for _, c := range []struct {
		rule, documents string // documents has one document a line
		want            []string
	}{
		{"scalars", `{"a":true,"b":1,"c":1.5,"d":"x","e":null,"f":18446744073709551615}`,
			[]string{"A bool", "B int64", "C float64", "D string", "E any", "F uint64"}},
		{"one fraction makes floats", `{"a":1}` + "\n" + `{"a":1.0}`, []string{"A float64"}},
		{"times, if all are", `{"a":"2026-01-02T03:04:05Z","b":"2026-01-02T03:04:05.6+01:00"}` + "\n" + `{"a":"2026-01-02T03:04:05Z","b":""}`,
			[]string{"A time.Time", "B string"}},
		{"what is sometimes missing or null", `{"a":{"x":1},"b":{"y":1},"c":1}` + "\n" + `{"a":null}` + "\n" + `{"a":{"x":2}}`,
			[]string{"A *docA `json:\"a\"`", "B *docB `json:\"b,omitempty\"`", "C int64 `json:\"c,omitempty\"`"}},
		{"kinds that differ", `{"a":1}` + "\n" + `{"a":"x"}`, []string{"A json.RawMessage"}},
		{"integers as names", `{"a":{"1":{"x":1},"-2":{"y":"z"}}}`, []string{"A map[int64]docA", "X int64 `json:\"x,omitempty\"`", "Y string"}},
		{"maps in maps", `{"a":{"1":{"2":true},"3":{}}}`, []string{"A map[int64]map[int64]bool"}},
		{"capitals as names", `{"a":{"HALL_1":"x","HALL_2":"y"}}`, []string{"A map[string]string"}},
		{"objects all of the same fields", `{"a":{"small":{"w":1},"large":{"w":2},"thumb":{"w":3}}}`, []string{"A map[string]doc"}},
		{"empty ones", `{"a":{},"b":[]}`, []string{"A map[string]any", "B []any"}},
		{"coordinates", `{"a":[[1.5,2],[3,4]],"b":[1.5,2],"c":[[1,2],[3,4]]}`, []string{"A [][2]float64", "B []float64", "C [][]int64"}},
		{"trees", `{"root":{"name":"/","kids":[{"name":"a","kids":[]}]}}`, []string{"Root docRoot", "Kids []docRoot"}},
		{"the same fields under two names", `{"from":{"x":1,"y":2},"to":{"x":3,"y":4}}`, []string{"From docFrom", "To docFrom"}},
		{"a field more", `{"from":{"x":1},"to":{"x":3,"y":4}}`, []string{"From docFrom", "To docFrom", "Y int64 `json:\"y,omitempty\"`"}},
		{"fields of other kinds", `{"from":{"x":1},"to":{"x":"y"}}`, []string{"From docFrom", "To docTo"}},
		{"names of fields", `{"user_id":1,"idStr":"","image_urls":[],"Forms-A 1":2,"fullUrl":""}`,
			[]string{"UserID int64", "IDStr string", "ImageURLs []any", "FormsA1 int64", "FullURL string"}},
	} {
		root := new(place)
		for document := range strings.Lines(c.documents) {
			if err := root.observe([]byte(document)); err != nil {
				t.Fatal(err)
			}
		}
		w := newWriter()
		w.document(shape{name: "doc"}, infer(root))
		text := strings.Join(strings.Fields(w.body.String()), " ")
		for _, want := range c.want {
			if !strings.Contains(text, want) {
				t.Errorf("%s: %q is missing in\n%s", c.rule, want, w.body.String())
			}
		}
	}
}
