package msgpack

import (
	"errors"
	"fmt"
	"testing"

	"github.com/slipstream-go/slipstream/internal/corpus"
)

// Errors have the right offset and path, from bytes and from a stream.
func TestWhere(t *testing.T) {
	for _, c := range []struct {
		digits string
		to     any
		offset int64
		path   string
	}{
		{"a161", new(int), 0, ""},
		{"93 01 02 a161", new([]int), 3, "[2]"},
		{"92 01 c3", new([]int64), 2, "[1]"},
		{"92 ca00000000 c3", new([]float64), 6, "[1]"},
		{"92 a161 01", new([]string), 3, "[1]"},
		{"92 91 01 91 c3", new([][]int), 4, "[1][0]"},
		{"92 01 c3", new([2]int), 2, "[1]"},
		{"81 a161 c3", new(map[string]int), 3, "a"},
		{"82 a162 01 a161 a0", new(map[string]float64), 6, "a"},
		{"81 07 c3", new(map[int]int), 2, "7"},
		{"81 a161 81 a162 91 c3", new(map[string]map[string][]int), 7, "a.b[0]"},
		{"81 a24944 c3", new(corpus.Small), 4, "ID"},
		{"82 a24944 05 a44e616d65 c3", new(corpus.Small), 10, "Name"},
		{"81 a454616773 92 a161 01", new(corpus.Small), 9, "Tags[1]"},
		{"81 a64c6162656c73 81 a16b 01", new(corpus.Small), 11, "Labels.k"},
		{"81 a5496e6e6572 81 a553636f7265 a0", new(corpus.Nested), 14, "Inner.Score"},
		{"81 a5536c696365 92 80 81 a5436f756e74 c3", new(corpus.Nested), 16, "Slice[1].Count"},
		{"81 a842794e756d626572 81 01 c3", new(corpus.Nested), 12, "ByNumber.1"},
		{"81 a642794e616d65 81 a178 81 a24944 c3", new(corpus.Nested), 15, "ByName.x.ID"},
		{"81 a3416e79 91 c1", new(corpus.Nested), 6, "Any[0]"},
		{"81 a161 92 01 c1", new(any), 5, "a[1]"},
		{"81 a5436861696e c3", new(corpus.Nested), 7, "Chain"},
		{"81 a84368696c6472656e 91 81 a44c656674 81 a556616c7565 c3", new(corpus.Tree), 24, "Children[0].Left.Value"},
		{"93 01 a161 92 ca00000000 a0", new(corpus.Tuple), 10, "C[1]"},
		{"81 a742656869 6e6441 c3", new(corpus.Tagged), 9, "BehindA"},
		{"81 90 01", new(map[string]int), 1, ""},
		{"93 01 02 03", new([2]int), 1, ""},
		{"81 a3 6162", new(corpus.Small), 1, ""},
	} {
		err := into(t, c.digits, c.to)
		var e *Error
		if !errors.As(err, &e) {
			t.Errorf("%s into %T: %v", c.digits, c.to, err)
			continue
		}
		if e.Offset != c.offset || e.Path != c.path {
			t.Errorf("%s into %T: %+v; want %q at %d", c.digits, c.to, e, c.path, c.offset)
		}
	}
	err := Unmarshal(unhex(t, "81 a161 c3"), new(map[string]int))
	if plain, full := fmt.Sprint(err), fmt.Sprintf("%+v", err); plain != "msgpack: invalid code=c3 decoding int64" ||
		full != "msgpack: invalid code=c3 decoding int64 in a, at byte 3" {
		t.Errorf("%s; %s", plain, full)
	}
}

// Offsets count from the start of the input, over many values.
func TestOffsetInStream(t *testing.T) {
	var data []byte
	for range 3000 {
		data = append(data, 0x92, 0xa1, 'a', 0x01)
	}
	data = append(data, 0x91, 0xc3)
	for name, d := range sources(data) {
		for i := range 3000 {
			if err := d.Skip(); err != nil || d.InputOffset() != int64(4*(i+1)) {
				t.Fatal(name, i, d.InputOffset(), err)
			}
		}
		err := d.Decode(new([]int))
		var e *Error
		if !errors.As(err, &e) || e.Offset != 12001 || e.Path != "[0]" {
			t.Errorf("%s: %+v", name, err)
		}
	}
}
