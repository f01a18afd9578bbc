package json_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/slipstream-go/slipstream/json"
)

// After views of an input, copies are decoded into the same target. The input and earlier results
// stay unchanged.
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

// After a type mismatch, the document may be decoded again, by other code. That code uses new
// memory too, so earlier results in a used target are not overwritten.
func TestRawMessageIsNotWrittenByErrors(t *testing.T) {
	type node struct {
		A    json.RawMessage
		N    int
		List []json.RawMessage
		In   any
		Next *node
	}
	const text = `{"A":[1],"N":"no number","List":[2],"In":3,"Next":{"A":4}}`
	for name, decode := range map[string]func(v any) error{
		"Unmarshal": func(v any) error { return json.Unmarshal([]byte(text), v) },
		"Parse": func(v any) error {
			_, err := json.Parse([]byte(text), v, 0)
			return err
		},
		"Decoder": func(v any) error { return json.NewDecoder(strings.NewReader(text)).Decode(v) },
	} {
		in := json.RawMessage("fff")
		v := node{A: json.RawMessage("aaaaa"), List: append(make([]json.RawMessage, 0, 2), json.RawMessage("ccccc"), json.RawMessage("ddddd"))[:1],
			In: &in, Next: &node{A: json.RawMessage("eeeee")}}
		held := [][]byte{v.A, v.List[0], v.List[:2][1], in, v.Next.A}
		before := make([]string, len(held))
		for i, b := range held {
			before[i] = string(b)
		}
		v.Next.Next = &v // the target refers to itself
		if err := decode(&v); err == nil {
			t.Errorf("%s: no error", name)
		}
		v.Next.Next = nil
		for i, b := range held {
			if string(b) != before[i] {
				t.Errorf("%s: %q has become %q", name, before[i], b)
			}
		}
		if string(v.A) != "[1]" || string(v.List[0]) != "2" || string(v.Next.A) != "4" {
			t.Errorf("%s: %+v", name, v)
		}
	}
}

// After a type mismatch, unexported fields of the target are not copied.
func TestErrorsKeepWhatIsUnexported(t *testing.T) {
	type hidden struct{ B json.RawMessage }
	type target struct {
		N    int
		raw  json.RawMessage
		next *target
		hidden
	}
	v := target{raw: json.RawMessage("1"), next: new(target), hidden: hidden{B: json.RawMessage("7")}}
	kept := v.hidden.B
	v.next.next = &v
	if err := json.Unmarshal([]byte(`{"N":"x","B":8}`), &v); err == nil || string(v.raw) != "1" || string(kept) != "7" || string(v.B) != "8" {
		t.Errorf("%v: %+v", err, v)
	}
}

// With ReuseRawMessage, a RawMessage is decoded into its own memory if the capacity suffices.
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
