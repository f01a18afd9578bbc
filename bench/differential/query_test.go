package differential

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/slipstream-go/slipstream/internal/corpus"
	"github.com/slipstream-go/slipstream/msgpack"
	v5 "github.com/vmihailenco/msgpack/v5"
)

// meantInQueries returns the reason why Slipstream's result of a query may differ, or "" if it must
// not.
func meantInQueries(data []byte, path string) string {
	before, after, found := strings.Cut("."+path+".", ".*.")
	if !found {
		return ""
	}
	if strings.Contains("."+after, ".*.") {
		return "the original loses its place after an inner *"
	}
	to, err := v5.NewDecoder(bytes.NewReader(data)).Query(strings.TrimPrefix(before, "."))
	if err == nil && len(to) == 1 && reflect.TypeOf(to[0]) == reflect.TypeFor[map[string]any]() {
		return "* takes all values of a map too; the original looks for the key *"
	}
	return ""
}

// textInQueries returns the text of err. For a step that is not an index, Slipstream wraps the
// error of the original, and textInQueries returns the original text.
func textInQueries(err error) string {
	var index *strconv.NumError
	if errors.As(err, &index) {
		return index.Error()
	}
	return text(err)
}

// randomPath returns a random path into v. It mostly follows existing elements, sometimes contains
// a *, and sometimes leads to no element.
func randomPath(r *rand.Rand, v any) string {
	var steps []string
	for range 1 + r.IntN(5) {
		step := "nowhere"
		switch x := v.(type) {
		case []any:
			k := r.IntN(len(x) + 1)
			step = fmt.Sprint(k)
			if k < len(x) {
				v = x[k]
			}
			if r.IntN(3) == 0 {
				step = "*"
			}
		case map[string]any:
			for key, value := range x {
				if key != "" && !strings.ContainsAny(key, `.*\`) {
					step, v = key, value
					break
				}
			}
		default:
			if r.IntN(4) > 0 {
				return strings.Join(steps, ".")
			}
		}
		if r.IntN(20) == 0 {
			step = []string{"*", "0", "-1", "+1", "a", "", "99999999999999999999"}[r.IntN(7)]
		}
		steps = append(steps, step)
	}
	return strings.Join(steps, ".")
}

// TestMsgpackSameQueries runs the same queries of random values in both libraries.
func TestMsgpackSameQueries(t *testing.T) {
	found, failed, meant := 0, 0, map[string]int{}
	for seed := range uint64(20_000) {
		r := corpus.New(seed)
		data := must(v5.Marshal([]any{corpus.Any(r, 0), corpus.Any(r, 0)}))
		var v any
		if err := v5.Unmarshal(data, &v); err != nil {
			t.Fatal(err)
		}
		path := randomPath(r, v)
		theirs, errTheirs := v5.NewDecoder(bytes.NewReader(data)).Query(path)
		d := msgpack.NewDecoder(bytes.NewReader(data))
		ours, errOurs := d.Query(path)
		if reason := meantInQueries(data, path); reason != "" {
			meant[reason]++
		} else if text(errTheirs) != textInQueries(errOurs) || !reflect.DeepEqual(theirs, ours) {
			t.Errorf("%q in %x:\ntheirs %#v, %v\nours   %#v, %v", path, data, theirs, errTheirs, ours, errOurs)
		}
		if d.InputOffset() != int64(len(data)) {
			t.Errorf("%q in %x: ours stands at %d of %d", path, data, d.InputOffset(), len(data))
		}
		if errOurs != nil {
			failed++
		} else if ours != nil {
			found++
		}
	}
	if found < 5000 || failed < 500 || len(meant) != 2 {
		t.Errorf("too few cases to mean anything: %d found, %d failed, %v", found, failed, meant)
	}
}

// TestMsgpackOtherQueries checks the queries whose results differ on purpose. Each query shows a
// fault of the original, and the test fails when the fault is fixed.
func TestMsgpackOtherQueries(t *testing.T) {
	for _, c := range []struct {
		reason, path string
		data         []byte
		want         []any
	}{
		{"the original loses its place after an inner *", "*.l.*.a",
			[]byte("\x92\x82\xa1l\x91\x82\xa1a\x01\xa1b\x02\xa1m\x03\x82\xa1l\x91\x82\xa1a\x04\xa1b\x05\xa1m\x06"), []any{int8(1), int8(4)}},
		{"* takes all values of a map too", "*", []byte("\x82\xa1a\x01\xa1b\x02"), []any{int8(1), int8(2)}},
		{"a key may be an int", "1", []byte("\x81\x01\xa1a"), []any{"a"}},
		{"a key after an int key is found", "a", []byte("\x82\x01\x02\xa1a\x03"), []any{int8(3)}},
		{"of equal keys the last counts, as in decoding", "a", []byte("\x82\xa1a\x01\xa1a\x02"), []any{int8(2)}},
		{"a dot may belong to a key", `a\.b`, []byte("\x81\xa3a.b\x01"), []any{int8(1)}},
	} {
		ours, err := msgpack.NewDecoder(bytes.NewReader(c.data)).Query(c.path)
		if err != nil || !reflect.DeepEqual(ours, c.want) {
			t.Errorf("%s: %v, %v; want %v", c.reason, ours, err, c.want)
		}
		theirs, err := v5.NewDecoder(bytes.NewReader(c.data)).Query(c.path)
		if err == nil && reflect.DeepEqual(theirs, c.want) {
			t.Errorf("%s: but the original gives %v too", c.reason, theirs)
		}
	}
}
