package msgpack

import (
	"bytes"
	"errors"
	"io"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/slipstream-go/slipstream/column"
	"github.com/slipstream-go/slipstream/internal/corpus"
	"github.com/slipstream-go/slipstream/internal/msgpwire"
)

type (
	listOfItself []listOfItself
	mapOfItself  map[string]mapOfItself
	chain        struct {
		A *chain `msgpack:"a"`
	}
	pointerToItself *pointerToItself
	deepCustom      struct{ inner *deepCustom }
)

func (c *deepCustom) DecodeMsgpack(d *Decoder) error {
	if _, err := d.DecodeArrayLen(); err != nil {
		return err
	}
	c.inner = new(deepCustom)
	return d.Decode(c.inner)
}

// A million levels of nesting are an error, and not a crash, in all recursive code.
func TestDepth(t *testing.T) {
	const levels = 1_000_000
	lists := bytes.Repeat([]byte{0x91}, levels)
	maps := bytes.Repeat([]byte{0x81, 0xa1, 'a'}, levels)
	for name, c := range map[string]struct {
		data []byte
		to   func() any
	}{
		"any, lists":       {lists, func() any { return new(any) }},
		"any, maps":        {maps, func() any { return new(any) }},
		"list of itself":   {lists, func() any { return new(listOfItself) }},
		"map of itself":    {maps, func() any { return new(mapOfItself) }},
		"struct":           {maps, func() any { return new(chain) }},
		"struct as array":  {lists, func() any { return new(chain) }},
		"custom":           {lists, func() any { return new(deepCustom) }},
		"map[string]any":   {maps, func() any { return new(map[string]any) }},
		"[]any":            {lists, func() any { return new([]any) }},
		"map[any]any":      {maps, func() any { return new(map[any]any) }},
		"pointer":          {lists, func() any { return new(pointerToItself) }},
		"unknown field":    {append([]byte{0x81, 0xa1, 'z'}, lists...), func() any { return new(chain) }},
		"raw":              {lists, func() any { return new(RawMessage) }},
		"any, custom maps": {maps, func() any { return new(mapped) }},
	} {
		for from, d := range map[string]*Decoder{"bytes": newDecoder(), "stream": NewDecoder(struct{ io.Reader }{bytes.NewReader(c.data)})} {
			if from == "bytes" {
				d.ResetBytes(c.data)
			}
			to := c.to()
			if _, ok := to.(*mapped); ok {
				d.SetMapDecoder(mapByHand)
				to = new(any)
			}
			err := d.Decode(to)
			if err == nil || !strings.Contains(err.Error(), "nest deeper than 10000") && !strings.HasSuffix(err.Error(), "EOF") && name != "struct as array" {
				t.Errorf("%s from %s: %.100s", name, from, text(err))
			}
		}
	}
	d := newDecoder()
	d.ResetBytes(append(bytes.Clone(lists), 1))
	if err := d.Skip(); err != nil {
		t.Error("Skip does not recurse:", err)
	}
	fits := append(bytes.Repeat([]byte{0x91}, maxDepth), 1)
	var v any
	if err := Unmarshal(fits, &v); err != nil {
		t.Error(err)
	}
	if back, err := Marshal(v); err != nil || len(back) != len(fits)+1 {
		t.Errorf("%d bytes, %v", len(back), err)
	}
}

type mapped struct{}

// mapByHand is a map decoder that recurses by its own calls.
func mapByHand(d *Decoder) (any, error) {
	n, err := d.DecodeMapLen()
	if err != nil {
		return nil, err
	}
	m := make(map[any]any)
	for range n {
		k, err := d.DecodeInterface()
		if err != nil {
			return nil, err
		}
		if m[k], err = d.DecodeInterface(); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// allocated returns the number of bytes that f allocates.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// A few bytes that claim a large value allocate little, for every kind of target.
func TestBombs(t *testing.T) {
	const most = 1 << 20
	var bombs [][]byte
	for _, digits := range []string{"ddffffffff", "dfffffffff", "c6ffffffff", "dbffffffff", "c9ffffffff05", "c97fffffffff", "dd7fffffff", "df7fffffff", "df80000000",
		"dcffff", "deffff", "c6ffffffff78", "dbffffffff78", "dd00ffffff01", "c9ffffffffff", "c9fffffffaff", "c97ffffffaff", "d9ff", "daffff"} {
		bombs = append(bombs, unhex(t, digits))
	}
	for _, head := range []string{"ddffffffff", "dfffffffff a161", "dc1000", "de1000 a161", "9f", "8f a161"} {
		bombs = append(bombs, bytes.Repeat(unhex(t, head), 50))
	}
	targets := []func() any{func() any { return new(any) }, func() any { return new([]any) }, func() any { return new([]int64) },
		func() any { return new([]float64) }, func() any { return new([]string) }, func() any { return new([]byte) }, func() any { return new(string) },
		func() any { return new([]int8) }, func() any { return new([]struct{}) }, func() any { return new([][]string) }, func() any { return new([][][]map[string]string) },
		func() any { return new(map[string]string) }, func() any { return new(map[string]any) }, func() any { return new(map[string]int) },
		func() any { return new(map[int][]int) }, func() any { return new(map[any]any) }, func() any { return new([]corpus.Nested) }, func() any { return new([][64]int64) },
		func() any { return new(RawMessage) }, func() any { return new(time.Time) }, func() any { return new([3]byte) }, func() any { return new(listOfItself) },
		func() any { return new(mapOfItself) }, func() any { return new(column.Batch) }, func() any { return new(column.Column) }}
	for _, to := range targets {
		for _, bomb := range bombs {
			for from, data := range map[string]func() *Decoder{
				"bytes":        func() *Decoder { d := newDecoder(); d.ResetBytes(bomb); return d },
				"stream":       func() *Decoder { return NewDecoder(struct{ io.Reader }{bytes.NewReader(bomb)}) },
				"bytes.Buffer": func() *Decoder { return NewDecoder(bytes.NewBuffer(bytes.Clone(bomb))) },
				"Buffer":       func() *Decoder { return NewDecoder(chunked(bomb, 3)) },
			} {
				v := to()
				var errs [2]error
				got := allocated(func() {
					switch v := v.(type) {
					case *column.Batch:
						errs[0], errs[1] = data().DecodeColumns(v), data().DecodeRows(new(column.Batch))
					case *column.Column:
						errs[0], errs[1] = data().DecodeColumn(v), data().DecodeCell(v)
					default:
						errs[0], errs[1] = data().Decode(v), data().Decode(v)
					}
				})
				if errs[0] == nil || errs[1] == nil || got > most {
					t.Errorf("%.12x into %T from %s: %d bytes allocated, %v", bomb, v, from, got, errs)
				}
			}
		}
	}
}

// If the allocation limit is off, the decoder allocates the claimed length at once.
func TestNoAllocLimit(t *testing.T) {
	data := append([]byte{msgpwire.Array32, 0, 0x1e, 0x84, 0x80}, bytes.Repeat([]byte{7}, 2_000_000)...)
	d := NewDecoder(struct{ io.Reader }{bytes.NewReader(data)})
	d.DisableAllocLimit(true)
	var v []int
	if err := d.Decode(&v); err != nil || len(v) != 2_000_000 || cap(v) < len(v) || v[1_999_999] != 7 {
		t.Error(len(v), err)
	}
}

// Decoded values do not change if the input is overwritten.
func TestNoAliasing(t *testing.T) {
	for seed := range uint64(100) {
		r := corpus.New(seed)
		for _, zero := range corpus.Types() {
			typ := reflect.TypeOf(zero).Elem()
			v := reflect.New(typ)
			corpus.Fill(r, v.Elem(), 0)
			data := marshal(t, v.Interface())
			for _, to := range []any{reflect.New(typ).Interface(), new(any), new(RawMessage)} {
				input := bytes.Clone(data)
				if typ == reflect.TypeFor[corpus.Nested]() || typ == reflect.TypeFor[map[string]corpus.Nested]() {
					if _, ok := to.(*any); ok {
						continue // contains maps with numbers as keys
					}
				}
				if err := Unmarshal(input, to); err != nil {
					t.Fatalf("seed %d, %v into %T: %v", seed, typ, to, err)
				}
				copied := deepCopy(reflect.ValueOf(to).Elem()).Interface()
				for i := range input {
					input[i] = 0xff
				}
				if !reflect.DeepEqual(reflect.ValueOf(to).Elem().Interface(), copied) {
					t.Fatalf("seed %d, %v into %T refers to the input", seed, typ, to)
				}
			}
		}
	}
	input := unhex(t, "a568656c6c6f c4026162 a3616263 92 a161 c40162")
	d := newDecoder()
	d.ResetBytes(input)
	s, _ := d.DecodeString()
	b, _ := d.DecodeBytes()
	x, _ := d.DecodeInterface()
	raw, _ := d.DecodeRaw()
	clear(input)
	if s != "hello" || string(b) != "ab" || x != "abc" || !bytes.Equal(raw, unhex(t, "92a161c40162")) {
		t.Error(s, b, x, raw)
	}
}

// A small value that a program keeps does not keep its large neighbours alive.
func TestKeptValues(t *testing.T) {
	if testing.Short() {
		t.Skip("allocates 64 MB")
	}
	t.Run("a string among strings", func(t *testing.T) { testKept(t, nil, []byte{0xa1, 'k'}) })
	t.Run("a list among lists", func(t *testing.T) { testKept(t, []byte{0x91}, []byte{0x91, 0xa1, 'k'}) })
	t.Run("a string among lists", func(t *testing.T) { testKept(t, []byte{0x92, 0x01}, []byte{0xa1, 'k'}) })
}

// testKept decodes a message of 32 large strings, each after prefix, and then last. It keeps only
// the last value.
func testKept(t *testing.T, prefix, last []byte) {
	const size = 1 << 20
	message := []byte{msgpwire.Array16, 0, 33}
	for range 32 {
		message = append(message, prefix...)
		message = append(msgpwire.AppendStringLen(message, size), make([]byte, size)...)
	}
	message = append(message, last...)
	var kept []any
	for range 2 {
		var v []any
		if err := Unmarshal(message, &v); err != nil {
			t.Fatal(err)
		}
		kept = append(kept, v[32])
	}
	var stats runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&stats)
	if stats.HeapAlloc > 16*size+uint64(len(message)) {
		t.Errorf("%d MB stay alive with %v", stats.HeapAlloc>>20, kept)
	}
	runtime.KeepAlive(message)
}

// The invalid code c1 in place of a key is an error: before, between and after the fields. One
// field has a name that is too long for the comparison with the expected key. Another has the same
// name as an embedded field.
func TestNeverAsKey(t *testing.T) {
	type fields struct {
		A                            int
		AVeryLongNameForAFieldIndeed string
		Exported
		C int
	}
	type shadow struct {
		Exported
		A int
	}
	tail := strings.Repeat("\xc0", 40)
	for _, keys := range []string{"", "\xa1A\x01", "\xa1A\x01\xbcAVeryLongNameForAFieldIndeed\xa1x", "\xa1C\x01", "\xa1C\x01\xa1A\x02"} {
		for _, to := range []any{new(fields), new(shadow), new(struct{})} {
			err := Unmarshal([]byte("\x85"+keys+"\xc1"+tail), to)
			var e *Error
			if text(err) != "msgpack: invalid code=c1 decoding string/bytes length" || !errors.As(err, &e) || e.Offset != int64(1+len(keys)) {
				t.Errorf("%q into %T: %+v", keys, to, err)
			}
		}
	}
}
