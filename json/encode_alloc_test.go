package json

import (
	"io"
	"testing"
	"time"
)

// Encoding makes no more than the given number of allocations.
func TestEncodeAllocations(t *testing.T) {
	if encodeRace {
		t.Skip("counted without the race detector")
	}
	v := &struct {
		ID    int64     `json:"id"`
		Name  string    `json:"name"`
		Score float64   `json:"score"`
		Ratio float32   `json:"ratio"`
		OK    bool      `json:"ok"`
		Tags  []string  `json:"tags"`
		Ints  []int     `json:"ints"`
		F     []float64 `json:"f"`
		B     []byte    `json:"b"`
		At    time.Time `json:"at"`
		Next  *struct{ A, B string }
		Raw   RawMessage
		Omit  string `json:",omitempty"`
		N     Number
	}{1, "a <name> of some length, longer than short", 2.5, 0.1, true, []string{"a", "b"}, []int{1, 2, -3}, []float64{1.5}, []byte("bytes"), time.Unix(1, 5), &struct{ A, B string }{"x", "é"}, RawMessage(`{"a": "<"}`), "", "1.5"}
	document := map[string]any{"id": 1.0, "name": "text", "list": []any{1.5, "x", nil, true, map[string]any{"b": 1.0, "a": 2.0}}, "empty": map[string]any{}}
	numbers := map[int]string{3: "c", 1: "a", 200000000: "x", 200000001: "y"}
	room := make([]byte, 0, 4096)
	long := make([]int, 5000)
	enc := NewEncoder(io.Discard)
	var pairs float64 // allocations for a map whose slots cannot be read
	if !anyMapOp.entries.shaped {
		pairs = 20
	}
	for _, c := range []struct {
		name string
		most float64
		run  func() error
	}{
		{"Append, typed", 0, func() error { _, err := Append(room, v, EscapeHTML|SortMapKeys); return err }},
		{"Append, any", 0, func() error { _, err := Append(room, document, EscapeHTML|SortMapKeys); return err }},
		{"Append, numbers as keys", pairs, func() error { _, err := Append(room, numbers, SortMapKeys); return err }},
		{"Append, unsorted", 0, func() error { _, err := Append(room, document, 0); return err }},
		{"Marshal, typed", 1, func() error { _, err := Marshal(v); return err }},
		{"Marshal, any", 1, func() error { _, err := Marshal(document); return err }},
		{"Marshal, long", 1.1, func() error { _, err := Marshal(&long); return err }},
		{"Encode", 0, func() error { return enc.Encode(v) }},
		{"Encode, any", 0, func() error { return enc.Encode(document) }},
	} {
		for range 20 {
			if err := c.run(); err != nil {
				t.Fatal(c.name, err)
			}
		}
		if got := testing.AllocsPerRun(200, func() { c.run() }); got > c.most {
			t.Errorf("%s: %v allocations, want at most %v", c.name, got, c.most)
		}
	}
}
