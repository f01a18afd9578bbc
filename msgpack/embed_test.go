package msgpack

// These tests cover embedded fields. Faults of these fields were found in v5 and in Basekick's fork
// of it.
//
// Other tests of embedded fields are TestTags, TestTagsDecode and TestNilMakesEmbeddedPointers.

import (
	"bytes"
	"fmt"
	"log"
	"testing"
)

type (
	embedsText struct {
		namedText
		N int
	}
	embedsFace struct {
		fmt.Stringer
		N int
	}
	inlinePointer struct {
		*inner `msgpack:",inline"`
		C      int
	}
	loopA struct {
		*loopB
		P int
	}
	loopB struct {
		*loopA
		Q int
	}
)

// Fields that are embedded by value, by pointer or as an interface are encoded and decoded.
func TestEmbeddedFields(t *testing.T) {
	for _, c := range []decodeCase{
		{name: "embedded_unexported_text_is_decoded", digits: "82a96e616d656454657874a178a14e05", to: new(embedsText), want: &embedsText{"x", 5}},
		{name: "nil_into_embedded_interface", digits: "82a8537472696e676572c0a14e05", to: new(embedsFace), want: &embedsFace{N: 5}},
		{name: "nil_embedded_pointer_is_allocated", digits: "83a14105a142a162a14306", to: new(throughPointer), want: &throughPointer{&inner{5, "b"}, 6}},
		{name: "nil_inlined_pointer_is_allocated", digits: "82a14105a14306", to: new(inlinePointer), want: &inlinePointer{&inner{A: 5}, 6}},
		{name: "types_that_embed_each_other_are_decoded", digits: "82a15105a15006", to: new(loopA), want: &loopA{&loopB{Q: 5}, 6}},
	} {
		c.run(t)
	}

	t.Run("fields_of_nil_embedded_parts_are_nil", func(t *testing.T) {
		wantHex(t, loopA{}, "83a56c6f6f7041c0a151c0a15000")
		wantHex(t, embedsText{"x", 1}, "82a96e616d656454657874a178a14e01")
		wantHex(t, embedsFace{nil, 1}, "82a8537472696e676572c0a14e01")
		wantHex(t, inlinePointer{nil, 1}, "83a141c0a142c0a14301")
	})

	t.Run("alias_of_an_inlined_field_is_read", func(t *testing.T) {
		type Base struct {
			A int `msgpack:"a,alias:x"`
		}
		type whole struct {
			Base
			B int `msgpack:"b"`
		}
		var v whole
		if err := into(t, "82a17805a16206", &v); err != nil || v.A != 5 || v.B != 6 {
			t.Error(v, err)
		}
		type behind struct{ *Base }
		var w behind
		if err := into(t, "81a17805", &w); err != nil || w.A != 5 {
			t.Error(w, err)
		}
	})

	t.Run("collisions_of_names_log_nothing", func(t *testing.T) {
		var said bytes.Buffer
		defer log.SetOutput(log.Writer())
		log.SetOutput(&said)
		type other struct {
			Exported
			A int
			B int `msgpack:"A"`
		}
		marshal(t, other{})
		if said.Len() > 0 {
			t.Error(said.String())
		}
	})
}
