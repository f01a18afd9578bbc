package transcode

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/slipstream-go/slipstream/internal/corpus"
	"github.com/slipstream-go/slipstream/msgpack"
)

// The functions allocate nothing if dst has enough capacity. A stream allocates nothing for each
// value.
func TestAllocations(t *testing.T) {
	if raceEnabled {
		t.Skip("counted without the race detector")
	}
	rows := make([]corpus.Small, 100)
	for i := range rows {
		rows[i] = corpus.Small{ID: int64(i) << i, Name: "a name of some length \"ä\n", Score: 2.5 * float64(i), Tags: []string{"a", "b"}, Labels: map[string]string{"k": "v"}}
	}
	packed, err := msgpack.Marshal(rows)
	if err != nil {
		t.Fatal(err)
	}
	others := unhex(t, "97 c70cff00000001ffffffffffffffff c403010203 d40501 ca3dcccccd 81c3c0 81ca3f800000c0 a2ffff")
	deep := []byte(strings.Repeat("\x91", 1000) + "\xc0")
	text, err := AppendJSON(nil, packed, 0)
	if err != nil {
		t.Fatal(err)
	}
	deepText, err := AppendJSON(nil, deep, 0)
	if err != nil {
		t.Fatal(err)
	}
	room := make([]byte, 0, 1<<16)
	appends := func(f func(dst, in []byte, flags Flags) ([]byte, error), in []byte, flags Flags) func() {
		return func() {
			if _, err := f(room, in, flags); err != nil {
				t.Fatal(err)
			}
		}
	}
	for name, run := range map[string]func(){
		"AppendJSON":                appends(AppendJSON, packed, EscapeHTML|RejectInvalidUTF8),
		"AppendJSON, others":        appends(AppendJSON, others, ExtAsObject),
		"AppendJSON, deep":          appends(AppendJSON, deep, 0),
		"AppendMessagePack":         appends(AppendMessagePack, text, RejectInvalidUTF8),
		"AppendMessagePack, deep":   appends(AppendMessagePack, deepText, 0),
		"AppendMessagePack, values": appends(AppendMessagePack, []byte(`[1.5,1e300,123456789012345678901234567890,"\ud800","`+"\xff"+`",-0]`), 0),
	} {
		run()
		if got := testing.AllocsPerRun(100, run); got != 0 {
			t.Errorf("%s: %v allocations", name, got)
		}
	}
	if out, err := AppendJSON(nil, packed, 0); err != nil || len(out) < cap(out)/2 {
		t.Errorf("%d bytes took a slice of %d, %v", len(out), cap(out), err)
	}

	for name, c := range map[string]struct {
		value []byte
		run   func(w io.Writer, r io.Reader, flags Flags) error
	}{"WriteJSON": {packed, WriteJSON}, "WriteMessagePack": {text, WriteMessagePack}} {
		count := func(values int) float64 {
			all := bytes.Repeat(c.value, values)
			return testing.AllocsPerRun(5, func() {
				if err := c.run(io.Discard, bytes.NewReader(all), 0); err != nil {
					t.Fatal(err)
				}
			})
		}
		if few, many := count(20), count(200); many > few+10 {
			t.Errorf("%s: %v allocations for 20 values, %v for 200", name, few, many)
		}
	}
}
