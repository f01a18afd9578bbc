package msgpack_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/slipstream-go/slipstream/internal/corpus"
	"github.com/slipstream-go/slipstream/internal/msgpwire"
	"github.com/slipstream-go/slipstream/msgpack"
)

// One Decoder reads many streams of values in which numbers replace strings. It reads from bytes
// and from readers that return pieces, complete or truncated. Some streams start with a given dict.
// Some values are skipped, and some do not fit their target. The results must equal those of
// Unmarshal for the same values without numbers. Strings from earlier results must not change. This
// test writes the numbers itself. The output of the Encoder must represent the same values.
func TestMatrixInterned(t *testing.T) {
	m := &interned{t: t, d: msgpack.NewDecoder(nil), met: make(map[string]int)}
	m.e = msgpack.NewEncoder(nil)
	if id := os.Getenv("SLIPSTREAM_MATRIX"); id != "" {
		seed, err := strconv.ParseUint(id, 16, 64)
		if err != nil {
			t.Skipf("%q is no case of this test", id)
		}
		m.stream(seed)
		return
	}
	seed, cases := rand.Uint64()>>32, 1500
	if testing.Short() {
		cases = 150
	}
	if long := os.Getenv("SLIPSTREAM_LONG"); long != "" {
		d, err := time.ParseDuration(long)
		if err != nil {
			t.Fatal(err)
		}
		for end := time.Now().Add(d); time.Now().Before(end) && !t.Failed(); seed++ {
			m.stream(seed)
		}
		return
	}
	t.Logf("fresh cases from seed %x on", seed)
	for k := 0; k < cases && !t.Failed(); k++ {
		m.stream(uint64(k))
		m.stream(seed + uint64(k))
	}
	t.Logf("reached: %v", m.met)
	if testing.Short() || t.Failed() {
		return
	}
	for _, name := range []string{
		"from bytes", "from one byte at a time", "from data with the error", "from halves", "from a bytes.Buffer",
		"a dict that was given", "written by the Encoder", "cut", "skipped", "decoded", "decoded without a type", "refused", "numbers of strings",
	} {
		if m.met[name] == 0 {
			t.Errorf("the run has not met: %s", name)
		}
	}
}

type interned struct {
	t    *testing.T
	d    *msgpack.Decoder
	e    *msgpack.Encoder
	held []heldText
	met  map[string]int // numbers of the cases that the run has covered
}

// heldText is a decoded string and a copy of it.
type heldText struct{ text, copy string }

type (
	internedRow struct {
		Name  string
		Tags  []string
		By    map[string]string
		More  any
		Named Word
		Next  *internedRow
		Count int
	}
	internedPart struct{ Tags, Unknown []string } // does not contain all fields of a row
)

var internedTypes = []reflect.Type{
	reflect.TypeFor[string](), reflect.TypeFor[[]string](), reflect.TypeFor[map[string]string](), reflect.TypeFor[map[string]any](), reflect.TypeFor[any](),
	reflect.TypeFor[internedRow](), reflect.TypeFor[[]internedRow](), reflect.TypeFor[map[Word][]string](), reflect.TypeFor[*string](),
}

// internedValue returns a value in which the same strings recur.
func internedValue(r *rand.Rand, t reflect.Type) reflect.Value {
	v := reflect.New(t)
	corpus.Fill(r, v.Elem(), 3)
	text := func() string {
		return []string{"", "ab", "abc", "service", "a string of more than sixteen bytes", strings.Repeat("long", 20), "é日本"}[r.IntN(7)]
	}
	switch p := v.Interface().(type) {
	case *string:
		*p = text()
	case *[]string:
		for i := range *p {
			(*p)[i] = text()
		}
	case *map[string]string:
		*p = map[string]string{text(): text(), text(): "abc"}
	case *any:
		*p = []any{text(), map[string]any{text(): text()}, corpus.Any(r, 2)}
	case *map[string]any:
		*p = map[string]any{text(): []any{text(), 1, nil}, text(): true}
	case *internedRow:
		*p = internedRow{text(), []string{text(), text()}, map[string]string{text(): text()}, []any{text()}, Word(text()), &internedRow{Name: text()}, 1}
	case *[]internedRow:
		*p = []internedRow{{Name: text()}, {Tags: []string{text()}, Named: Word(text())}}
	}
	return v
}

// stream decodes one stream.
func (m *interned) stream(seed uint64) {
	r := corpus.New(seed)
	w := &numberWriter{r: r}
	given := []string(nil)
	if r.IntN(4) == 0 {
		given = []string{"service", "abc", "no", "Tags"}[:1+r.IntN(4)]
		w.dict = slices.Clone(given)
		m.met["a dict that was given"]++
	}
	byEncoder := r.IntN(4) == 0
	var out bytes.Buffer
	if byEncoder {
		m.met["written by the Encoder"]++
		dict := make(map[string]int)
		for i, s := range given {
			dict[s] = i
		}
		m.e.ResetDict(&out, dict)
		m.e.UseInternedStrings(true)
	}
	var values, plain [][]byte // one for each message
	var types []reflect.Type
	for range 1 + r.IntN(6) {
		typ := internedTypes[r.IntN(len(internedTypes))]
		v := internedValue(r, typ)
		b, err := msgpack.EncodeOptions{SortMapKeys: true}.Marshal(v.Interface())
		if err != nil {
			m.t.Fatal(err)
		}
		from := out.Len()
		if byEncoder {
			m.e.SetSortMapKeys(true)
			if err := m.e.Encode(v.Interface()); err != nil {
				m.t.Fatal(err)
			}
		} else {
			w.b, w.i = b, 0
			out.Write(w.value(nil))
		}
		types, plain, values = append(types, typ), append(plain, b), append(values, bytes.Clone(out.Bytes()[from:]))
	}
	if byEncoder {
		x := &numberReader{oracle{b: out.Bytes()}, slices.Clone(given)}
		for k, want := range plain {
			if got, err := x.value(nil); err != nil || !bytes.Equal(got, want) {
				m.t.Errorf("case %x: value %d of %x is written as %x, which means %x, not %x, %v", seed, k, out.Bytes(), values[k], got, want, err)
				return
			}
		}
	}
	all := bytes.Clone(out.Bytes())
	whole := len(plain)
	if r.IntN(3) == 0 { // truncate the stream
		all = all[:r.IntN(len(all)+1)]
		whole = 0
		for n := 0; whole < len(values) && n+len(values[whole]) <= len(all); whole++ {
			n += len(values[whole])
		}
	}
	source := "bytes"
	open := func(in io.Reader) {
		if given != nil {
			m.d.ResetDict(in, given)
		} else {
			m.d.Reset(in)
		}
	}
	switch r.IntN(5) {
	case 0:
		source = "one byte at a time"
		open(iotest.OneByteReader(bytes.NewReader(all)))
	case 1:
		source = "data with the error"
		open(iotest.DataErrReader(bytes.NewReader(all)))
	case 2:
		source = "halves"
		open(iotest.HalfReader(bytes.NewReader(all)))
	case 3:
		source = "a bytes.Buffer"
		open(bytes.NewBuffer(all))
	default:
		if given != nil {
			open(bytes.NewReader(all))
		} else {
			m.d.ResetBytes(all)
		}
	}
	m.met["from "+source]++
	m.met["numbers of strings"] += w.numbers
	m.d.UseInternedStrings(true)
	for k := range plain {
		what := fmt.Sprintf("case %x: value %d of %x, from %s", seed, k, all, source)
		if k == whole {
			m.met["cut"]++
			if err := m.d.Decode(reflect.New(types[k]).Interface()); err == nil {
				m.t.Errorf("%s is decoded, though it is cut", what)
			}
			break
		}
		if !m.next(r, what, types[k], plain[k]) {
			return
		}
	}
	clear(all)
	for _, h := range m.held {
		if h.text != h.copy {
			m.t.Errorf("case %x: a string that was %q is %q now", seed, h.copy, h.text)
			return
		}
	}
	if n := len(m.held) - 500; n > 0 {
		m.held = m.held[n:]
	}
}

// next decodes or skips a value, in one of several ways.
func (m *interned) next(r *rand.Rand, what string, typ reflect.Type, plain []byte) bool {
	switch r.IntN(6) {
	case 0:
		if err := m.d.Skip(); err != nil {
			m.t.Errorf("%s: Skip: %v", what, err)
			return false
		}
		m.met["skipped"]++
		return true
	case 1: // a type that does not fit, so the value is skipped
		typ = reflect.TypeFor[internedPart]()
	case 2:
		typ = reflect.TypeFor[any]()
		m.met["decoded without a type"]++
	}
	want, got := reflect.New(typ), reflect.New(typ)
	wantErr := msgpack.Unmarshal(plain, want.Interface())
	err := m.d.Decode(got.Interface())
	if (err == nil) != (wantErr == nil) {
		m.t.Errorf("%s, as a %v: %v, want %v", what, typ, err, wantErr)
		return false
	}
	if err == nil {
		m.met["decoded"]++
	} else {
		m.met["refused"]++
	}
	if err == nil && !reflect.DeepEqual(got.Interface(), want.Interface()) {
		m.t.Errorf("%s, as a %v:\n got %#v\nwant %#v", what, typ, got.Elem(), want.Elem())
		return false
	}
	m.hold(got.Elem())
	return true // a value that did not fit has been read to its end, and its strings are in the dict
}

// hold copies the strings of v.
func (m *interned) hold(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		m.held = append(m.held, heldText{v.String(), strings.Clone(v.String())})
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			m.hold(v.Elem())
		}
	case reflect.Slice:
		for i := range v.Len() {
			m.hold(v.Index(i))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			m.hold(v.Field(i))
		}
	case reflect.Map:
		for all := v.MapRange(); all.Next(); {
			m.hold(all.Key())
			m.hold(all.Value())
		}
	}
}

// numberWriter mostly replaces strings that have occurred before by their numbers.
type numberWriter struct {
	r    *rand.Rand
	dict []string
	b    []byte
	i    int

	numbers int // count of numbers written
}

// value appends the next value of b to dst.
func (w *numberWriter) value(dst []byte) []byte {
	o := oracle{b: w.b, i: w.i}
	from := w.i
	h, err := o.next()
	if err != nil {
		panic(err)
	}
	w.i = o.i
	switch h.kind {
	case 's':
		w.i += h.n
		s := string(w.b[w.i-h.n : w.i])
		if k := slices.Index(w.dict, s); k >= 0 && w.r.IntN(8) > 0 {
			w.numbers++
			switch w.r.IntN(4) {
			case 0:
				return binary.BigEndian.AppendUint32(append(dst, msgpwire.Fixext4, 0x80), uint32(k))
			case 1:
				return binary.BigEndian.AppendUint16(append(dst, msgpwire.Fixext2, 0x80), uint16(k))
			}
			return append(dst, msgpwire.Fixext1, 0x80, byte(k))
		}
		if len(s) >= 3 {
			w.dict = append(w.dict, s)
		}
	case 'B', 'x':
		w.i += h.n
	case 'a', 'm':
		dst = append(dst, w.b[from:w.i]...)
		n := h.n
		if h.kind == 'm' {
			n *= 2
		}
		for range n {
			dst = w.value(dst)
		}
		return dst
	}
	return append(dst, w.b[from:w.i]...)
}

// numberReader replaces numbers by their strings.
type numberReader struct {
	oracle
	dict []string
}

// value appends the next value to dst, with strings in place of numbers.
func (x *numberReader) value(dst []byte) ([]byte, error) {
	from := x.i
	h, err := x.next()
	if err != nil {
		return dst, err
	}
	switch h.kind {
	case 's', 'B', 'x':
		text, err := x.bytes(h.n)
		switch {
		case err != nil:
			return dst, err
		case h.kind == 'x' && h.id == -128:
			k := uint64(0)
			for _, c := range text {
				k = k<<8 | uint64(c)
			}
			if k >= uint64(len(x.dict)) {
				return dst, errOracle
			}
			return msgpwire.AppendString(dst, x.dict[k]), nil
		case h.kind == 's' && h.n >= 3:
			x.dict = append(x.dict, string(text))
		}
	case 'a', 'm':
		dst = append(dst, x.b[from:x.i]...)
		n := h.n
		if h.kind == 'm' {
			n *= 2
		}
		for range n {
			if dst, err = x.value(dst); err != nil {
				return dst, err
			}
		}
		return dst, nil
	}
	return append(dst, x.b[from:x.i]...), nil
}
