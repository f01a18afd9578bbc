package msgpack

// These tests cover fields that omitempty and omitzero omit. Faults of these options were found in
// v5 and in Basekick's fork of it.
//
// Other tests of omitted fields are TestOmitEmpty and TestOmitZero.

import (
	"sync"
	"testing"
	"time"
)

// zeroByPointer has a method IsZero with a pointer receiver.
type zeroByPointer struct{ Day int }

func (z *zeroByPointer) IsZero() bool { return z.Day == 7 }

// omitempty and omitzero omit exactly the empty or zero fields, at every depth.
func TestOmittedFields(t *testing.T) {
	t.Run("omitempty_keeps_unexported_state", func(t *testing.T) {
		type holder struct {
			Inner secret `msgpack:",omitempty"`
		}
		wantHex(t, holder{secret{hidden: 1}}, "81a5496e6e657280")
		wantHex(t, holder{}, "80")
	})

	t.Run("omitted_fields_are_not_written", func(t *testing.T) {
		type inner struct {
			A int            `msgpack:",omitempty"`
			M map[string]any `msgpack:",omitempty"`
		}
		type outer struct {
			One inner            `msgpack:",omitempty"`
			Two inner            `msgpack:",omitempty"`
			By  map[string]inner `msgpack:",omitempty"`
			End int
		}
		v := outer{Two: inner{A: 1, M: map[string]any{"x": inner{}}}, By: map[string]inner{"k": {}}}
		want := "83 a354776f 82 a141 01 a14d 81 a178 80 a24279 81 a16b 80 a3456e64 00"
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				for range 50 {
					wantHex(t, &v, want)
					if _, err := Marshal([]any{v, outer{Two: inner{M: map[string]any{"f": func() {}}}}}); err == nil {
						t.Error("no error")
					}
				}
			})
		}
		all.Wait()
	})

	t.Run("omitzero_omits_zero_fields", func(t *testing.T) {
		type fields struct {
			Slice   []int           `msgpack:"a,omitzero"`
			Pointer zeroByPointer   `msgpack:"b,omitzero"`
			Array   [2]int          `msgpack:"c,omitzero"`
			Time    time.Time       `msgpack:"d,omitzero"`
			Struct  struct{ n int } `msgpack:"e,omitzero"`
		}
		wantHex(t, fields{}, "81 a162 81 a3446179 00")
		wantHex(t, &fields{Pointer: zeroByPointer{7}}, "80")
		wantHex(t, &fields{Slice: []int{}, Pointer: zeroByPointer{7}, Array: [2]int{1}, Struct: struct{ n int }{1}}, "83 a161 90 a163 920100 a165 80")
	})
}
