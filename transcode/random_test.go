package transcode

import (
	"encoding/json"
	"errors"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/slipstream-go/slipstream/internal/corpus"
	"github.com/slipstream-go/slipstream/msgpack"
)

// rounds returns n, or a tenth of it if raceEnabled is set.
func rounds(n int) int {
	if raceEnabled {
		return n / 10
	}
	return n
}

// randomValues calls f with the MessagePack encoding of random values. They have all types of the
// corpus, or types that are not in it.
func randomValues(t *testing.T, f func(v any, data []byte)) {
	r := corpus.New(7)
	write := msgpack.EncodeOptions{SortMapKeys: true}
	for range rounds(60) {
		for _, zero := range append(corpus.Types(), new(any), new([]any), new(map[string]any)) {
			v := reflect.New(reflect.TypeOf(zero).Elem())
			corpus.Fill(r, v.Elem(), 0)
			data, err := write.Marshal(v.Interface())
			if err != nil {
				t.Fatal(err)
			}
			f(v.Elem().Interface(), data)
		}
	}
}

// AppendJSON agrees with two references on random values: plainJSON, which uses views, and
// encoding/json for the decoded values.
func TestRandomToJSON(t *testing.T) {
	compared := 0
	randomValues(t, func(v any, data []byte) {
		for _, flags := range []Flags{0, EscapeHTML, NonFiniteAsNull} {
			got, err := toJSON(t, data, flags)
			want, wantErr := plainJSON(t, data, flags, 0)
			if (err == nil) != (wantErr == nil) || got != want {
				t.Fatalf("%x, flags %d\ngot  %s, %v\nwant %s, %v", data, flags, got, err, want, wantErr)
			}
			if err == nil && decodesTo(t, data, got) {
				compared++
			}
		}
	})
	if compared < rounds(600) {
		t.Errorf("only %d values were compared with what encoding/json writes", compared)
	}
}

// decodesTo reports whether encoding/json can encode the decoded value of data. If so, it checks
// that the output equals text.
func decodesTo(t *testing.T, data []byte, text string) bool {
	var v any
	if msgpack.Unmarshal(data, &v) != nil {
		return false
	}
	v, ok := jsonValue(v)
	if !ok {
		return false
	}
	// If a key is repeated, both results contain its last value.
	if want := marshalJSON(t, v, 0); !sameJSON(t, text, want) {
		t.Fatalf("%x became %s; encoding/json writes %s", data, text, want)
	}
	return true
}

// AppendMessagePack agrees with the reference on random texts, written by encoding/json and by
// AppendJSON.
func TestRandomToMessagePack(t *testing.T) {
	randomValues(t, func(v any, data []byte) {
		var texts []string
		if text, err := json.Marshal(v); err == nil {
			texts = append(texts, string(text))
		}
		if text, err := toJSON(t, data, NonFiniteAsNull); err == nil {
			texts = append(texts, text)
		}
		for _, text := range texts {
			checkToMessagePack(t, []byte(text), 0)
			checkRoundTrips(t, text)
		}
	})
}

// checkToMessagePack compares AppendMessagePack with the reference, and returns the result.
func checkToMessagePack(t *testing.T, in []byte, flags Flags) (string, error) {
	t.Helper()
	got, err := toMessagePack(t, in, flags)
	want, wantErr := wantMessagePack(t, in)
	if flags&RejectInvalidUTF8 != 0 && errors.Is(err, errUTF8) && strings.Contains(string(want), "\ufffd") {
		return "", err
	}
	if (err == nil) != (wantErr == nil) || got != string(want) {
		t.Fatalf("%.999q\ngot  %x, %+v\nwant %x, %v", in, got, err, want, wantErr)
	}
	if len(got) > 3*len(in)+9 {
		t.Fatalf("%.99q: %d bytes became %d", in, len(in), len(got))
	}
	return got, err
}

// checkRoundTrips converts valid JSON to MessagePack and back. The value must be equal, and a
// second round trip must return the same text.
func checkRoundTrips(t *testing.T, text string) {
	t.Helper()
	there, err := toMessagePack(t, []byte(text), 0)
	if err != nil {
		t.Fatal(err)
	}
	back, err := toJSON(t, []byte(there), RejectInvalidUTF8)
	if err != nil {
		t.Fatalf("%.999q became %x: %v", text, there, err)
	}
	var before, after any
	if err := json.Unmarshal([]byte(text), &before); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(back), &after); err != nil || !reflect.DeepEqual(before, after) {
		t.Fatalf("%.999q became %.999q: %v", text, back, err)
	}
	there, err = toMessagePack(t, []byte(back), RejectInvalidUTF8)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := toJSON(t, []byte(there), 0); err != nil || again != back {
		t.Fatalf("%.999q became %.999q and then %.999q: %v", text, back, again, err)
	}
}

// Arrays and objects of about 16 and about 65536 elements are nested at random, and placed side by
// side. So p.wide takes every form.
func TestNestedLists(t *testing.T) {
	r := corpus.New(11)
	for range rounds(100) {
		var b strings.Builder
		writeNested(r, &b, 0, 3000)
		checkToMessagePack(t, []byte(b.String()), 0)
	}
	for _, n := range []int{0, 1, 14, 15, 16, 17, 65535, 65536} {
		if n > 100 && raceEnabled {
			continue
		}
		list := "[" + strings.TrimSuffix(strings.Repeat("0,", n), ",") + "]"
		object := "{" + strings.TrimSuffix(strings.Repeat(`"":0,`, n), ",") + "}"
		for _, text := range []string{list, object, "[" + list + "," + object + "]", `{"a":` + list + `,"b":[` + object + `,` + list + `]}`, "[" + strings.Repeat("0,", 15) + list + "," + object + "]"} {
			checkToMessagePack(t, []byte(text), 0)
		}
	}
}

// writeNested writes a value of about room bytes.
func writeNested(r *rand.Rand, b *strings.Builder, depth, room int) {
	n := []int{0, 1, 2, 15, 16, 17, 40}[r.IntN(7)]
	if room < 2*n || depth > 30 || r.IntN(8) == 0 {
		b.WriteString([]string{"1", "null", `"text"`, `"\n"`, "[]", "{}", "1.5"}[r.IntN(7)])
		return
	}
	object := r.IntN(3) == 0
	b.WriteByte("[{"[btoi(object)])
	deep := r.IntN(max(n, 1)) // one element gets most of the bytes
	for k := range n {
		if k > 0 {
			b.WriteByte(',')
		}
		if object {
			b.WriteString(`"key":`)
		}
		if k == deep {
			writeNested(r, b, depth+1, room-2*n)
		} else {
			writeNested(r, b, depth+1, room/20)
		}
	}
	b.WriteByte("]}"[btoi(object)])
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}
