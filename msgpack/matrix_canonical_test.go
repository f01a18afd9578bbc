package msgpack_test

import (
	"bytes"
	"math/rand/v2"
	"os"
	"reflect"
	"strconv"
	"testing"
	"time"

	"github.com/slipstream-go/slipstream/internal/corpus"
	"github.com/slipstream-go/slipstream/msgpack"
)

// With Canonical, the keys of maps of any Go type are sorted by their encodings. An oracle checks
// this in the output. The same value, decoded without its type, has the same encoding.
func TestMatrixCanonical(t *testing.T) {
	if id := os.Getenv("SLIPSTREAM_MATRIX"); id != "" {
		seed, err := strconv.ParseUint(id, 16, 64)
		if err != nil {
			t.Skipf("%q is no case of this test", id)
		}
		canonicalCase(t, seed)
		return
	}
	seed, cases := rand.Uint64()>>32, 2000
	if testing.Short() {
		cases = 200
	}
	if long := os.Getenv("SLIPSTREAM_LONG"); long != "" {
		d, err := time.ParseDuration(long)
		if err != nil {
			t.Fatal(err)
		}
		for end := time.Now().Add(d); time.Now().Before(end) && !t.Failed(); seed++ {
			canonicalCase(t, seed)
		}
		return
	}
	written := 0
	for k := 0; k < cases && !t.Failed(); k++ {
		written += canonicalCase(t, uint64(k)) + canonicalCase(t, seed+uint64(k))
	}
	if !t.Failed() && written < cases {
		t.Errorf("%d pairs of keys were compared in %d cases", written, 2*cases)
	}
}

var canonicalTypes = []reflect.Type{
	reflect.TypeFor[map[string]int](), reflect.TypeFor[map[string]string](), reflect.TypeFor[map[string]any](), reflect.TypeFor[map[Word]int](),
	reflect.TypeFor[map[int]string](), reflect.TypeFor[map[uint16]bool](), reflect.TypeFor[map[any]any](), reflect.TypeFor[[]map[Word][]string](),
	reflect.TypeFor[map[string]map[int8]string](),
}

// canonicalCase encodes a value, and returns the number of pairs of adjacent keys in it.
func canonicalCase(t *testing.T, seed uint64) int {
	r := corpus.New(seed)
	v := reflect.New(canonicalTypes[r.IntN(len(canonicalTypes))]).Elem()
	corpus.Fill(r, v, 3)
	if m, ok := v.Interface().(map[any]any); ok {
		delete(m, nil)       // nil is decoded as ""
		for key := range m { // 0 and -0 in two widths have two encodings, but become one key when decoded
			if k := reflect.ValueOf(key); k.CanFloat() && k.Float() == 0 {
				delete(m, key)
			}
		}
	}
	canonical := msgpack.EncodeOptions{Canonical: true}
	b, err := canonical.Marshal(v.Interface())
	if err != nil { // two keys may be the same number, as in a map[any]any
		return 0
	}
	o := &oracle{b: b}
	pairs, ordered := o.ordered()
	if !ordered || o.i != len(b) {
		t.Errorf("case %x: %#v is written as %x, whose keys are not in order", seed, v, b)
		return pairs
	}
	var x any
	if err := msgpack.Unmarshal(b, &x); err != nil {
		return pairs
	}
	if again, err := canonical.Marshal(x); err != nil || !bytes.Equal(again, b) {
		t.Errorf("case %x: %#v is written as %x, and without its type as %x, %v", seed, v, b, again, err)
	}
	return pairs
}

// ordered skips a value, and reports whether the keys of its maps are sorted. It also returns the
// number of pairs of adjacent keys.
func (o *oracle) ordered() (pairs int, ok bool) {
	h, err := o.next()
	if err != nil {
		return 0, false
	}
	var before []byte
	n := h.n
	switch h.kind {
	case 's', 'B', 'x':
		_, err = o.bytes(h.n)
		return 0, err == nil
	case 'm':
		for k := range n {
			from := o.i
			inKey, keyOK := o.ordered()
			key := o.b[from:o.i]
			inValue, valueOK := o.ordered()
			pairs += inKey + inValue
			if !keyOK || !valueOK || k > 0 && bytes.Compare(before, key) >= 0 {
				return pairs, false
			}
			if k > 0 {
				pairs++
			}
			before = key
		}
	case 'a':
		for range n {
			in, ok := o.ordered()
			if pairs += in; !ok {
				return pairs, false
			}
		}
	}
	return pairs, true
}
