package json_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/slipstream-go/slipstream/json"
)

// TestRawMessageIsNotWrittenAgain decodes views of an input and then, into the same target, copies: the input, and what was handed out
// before, must stay as they are.
func TestRawMessageIsNotWrittenAgain(t *testing.T) {
	type held struct {
		A    json.RawMessage
		List []json.RawMessage
		By   map[string]*json.RawMessage
	}
	for _, n := range []int{1, 100, 5000} {
		long := strings.Repeat("1", n)
		input := []byte(`{"A":[` + long + `,2],"List":[[` + long + `],"x"],"By":{"k":[` + long + `,3]}}`)
		before := bytes.Clone(input)
		for name, decode := range map[string]func(v *held) error{
			"Unmarshal": func(v *held) error { return json.Unmarshal([]byte(`{"A":7,"List":[8,9],"By":{"k":6}}`), v) },
			"the field": func(v *held) error { return json.Unmarshal([]byte(`{"A":7}`), &v.A) },
			"Decoder": func(v *held) error {
				d := json.NewDecoder(strings.NewReader(`{"A":7,"List":[8,9],"By":{"k":6}} {"A":{}}`))
				if err := d.Decode(v); err != nil {
					return err
				}
				return d.Decode(v)
			},
		} {
			var v held
			if _, err := json.Parse(input, &v, json.ZeroCopy); err != nil {
				t.Fatal(err)
			}
			kept, text := v.A, string(v.A)
			if err := decode(&v); err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(input, before) || string(kept) != text {
				t.Errorf("%s, %d: the input is %.60s now, what was kept %.20s", name, n, input, kept)
			}
		}
		copied, other := json.RawMessage(nil), json.RawMessage(nil)
		if err := json.Unmarshal(input, &copied); err != nil {
			t.Fatal(err)
		}
		other = copied
		if err := json.Unmarshal([]byte(`[1]`), &copied); err != nil || !bytes.Equal(other, before) || string(copied) != "[1]" {
			t.Errorf("%d: a copy that was kept is %.20s now, %v", n, other, err)
		}
	}
}

// TestReuseRawMessage decodes into the memory of the target, where the caller asks for it and where it has the room.
func TestReuseRawMessage(t *testing.T) {
	room := make(json.RawMessage, 1, 100)
	raw := room
	if _, err := json.Parse([]byte(`[1,2]`), &raw, json.ReuseRawMessage); err != nil || string(raw) != "[1,2]" || &raw[0] != &room[0] {
		t.Errorf("Parse: %s, %v", raw, err)
	}
	d := json.NewDecoder(strings.NewReader(`"a" "` + strings.Repeat("b", 200) + `"`))
	d.ReuseRawMessage()
	if err := d.Decode(&raw); err != nil || string(raw) != `"a"` || &raw[0] != &room[0] {
		t.Errorf("Decode: %s, %v", raw, err)
	}
	if err := d.Decode(&raw); err != nil || len(raw) != 202 || &raw[0] == &room[0] {
		t.Errorf("Decode of more than fits: %s, %v", raw, err)
	}
}
