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
