package msgpack

// These tests cover hostile input that claims more bytes or elements than it contains. Faults with
// such input were found in v5 and in Basekick's fork of it.
//
// Other tests of such input are TestBombs, TestListBombs and TestClaims.

import (
	"bytes"
	"errors"
	"io"
	"testing"

	"github.com/slipstream-go/slipstream/internal/msgpwire"
)

// An input that ends before its claimed length is an end of the input.
func TestClaimsAreEOF(t *testing.T) {
	for _, c := range []decodeCase{
		{name: "array32_bomb_into_any_is_EOF", digits: "ddffffffff", to: new(any), err: "EOF"},
		{name: "array32_bomb_into_list_is_EOF", digits: "ddffffffff", to: new([]any), err: "EOF"},
		{name: "map32_bomb_into_map_of_any_is_EOF", digits: "dfffffffff", to: new(map[string]any), err: "EOF"},
		{name: "map32_bomb_into_map_of_strings_is_EOF", digits: "dfffffffff", to: new(map[string]string), err: "EOF"},
		{name: "array32_bomb_into_ints_is_EOF", digits: "ddffffffff", to: new([]int64), err: "EOF"},
		{name: "bin32_bomb_into_bytes_is_unexpected_EOF", digits: "c6ffffffff78", to: new([]byte), err: "unexpected EOF"},
		{name: "bin32_bomb_into_a_field_is_unexpected_EOF", digits: "81a142c6ffffffff78", to: new(struct{ B []byte }), err: "unexpected EOF"},
	} {
		c.run(t)
	}

	t.Run("ext_longer_than_the_input_is_EOF", func(t *testing.T) {
		registerFor(t, 47, (*chunk)(nil), writeChunk, readChunk)
		for _, digits := range []string{"c9ffffffff2f", "c9ffffffff2f78", "c97fffffff2f78", "c8ffff2f", "c7022f01", "d82f01"} {
			for name, d := range sources(unhex(t, digits)) {
				var v any
				var err error
				if got := allocated(func() { err = d.Decode(&v) }); got > 64<<10 || !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
					t.Errorf("%s from %s: %v, %d bytes allocated", digits, name, err, got)
				}
			}
		}
	})
}

// A claimed length allocates little memory, unless the limit is disabled.
func TestClaimsAllocateLittle(t *testing.T) {
	t.Run("bin32_bomb_in_a_stream_allocates_little", func(t *testing.T) {
		bomb := unhex(t, "c6ffffffff78")
		for name, read := range map[string]func(d *Decoder) error{
			"DecodeBytes":  func(d *Decoder) error { _, err := d.DecodeBytes(); return err },
			"DecodeString": func(d *Decoder) error { _, err := d.DecodeString(); return err },
			"DecodeRaw":    func(d *Decoder) error { _, err := d.DecodeRaw(); return err },
			"Decode":       func(d *Decoder) error { return d.Decode(new([]byte)) },
			"field":        func(d *Decoder) error { return d.Decode(&struct{ B []byte }{}) },
			"any":          func(d *Decoder) error { return d.Decode(new(any)) },
			"binary":       func(d *Decoder) error { return d.Decode(new(binaried)) },
			"array":        func(d *Decoder) error { return d.Decode(new([8]byte)) },
		} {
			data := bomb
			if name == "field" {
				data = append([]byte{0x81, 0xa1, 'B'}, bomb...)
			}
			var err error
			if got := allocated(func() { err = read(NewDecoder(struct{ io.Reader }{bytes.NewReader(data)})) }); got > 64<<10 || !errors.Is(err, io.ErrUnexpectedEOF) {
				t.Errorf("%s: %d bytes allocated, %v", name, got, err)
			}
		}
	})

	t.Run("bombs_into_any_target_allocate_little", func(t *testing.T) {
		nested := bytes.Repeat(unhex(t, "dd00ffffff"), 10)
		for _, bomb := range [][]byte{unhex(t, "dfffffffff"), unhex(t, "ddffffffff"), unhex(t, "c6ffffffff"), unhex(t, "dbffffffff"), unhex(t, "c9ffffffff01"), nested} {
			for _, to := range []any{new(any), new([]any), new([]struct{}), new(map[string]any), new(map[struct{}]struct{}), new(map[any]any), new([][][]string),
				new(map[[0]int]bool), new([]map[struct{}][0]int), new(map[string]struct{})} {
				for name, d := range sources(bomb) {
					var err error
					if got := allocated(func() { err = d.Decode(to) }); got > 1<<20 || err == nil {
						t.Errorf("%x into %T from %s: %d bytes allocated, %v", bomb, to, name, got, err)
					}
				}
			}
		}
	})

	t.Run("DisableAllocLimit_allocates_the_slice_at_once", func(t *testing.T) {
		data := append([]byte{msgpwire.Array32, 0, 0x1e, 0x84, 0x80}, make([]byte, 2_000_000)...)
		d := newDecoder()
		d.ResetBytes(data)
		d.DisableAllocLimit(true)
		var v []int32
		if err := d.Decode(&v); err != nil || len(v) != 2_000_000 || cap(v) >= 2_100_000 {
			t.Errorf("%d of %d, %v: room is not made at once", len(v), cap(v), err)
		}
	})
}
