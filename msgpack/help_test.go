package msgpack

import (
	"bytes"
	"encoding/hex"
	"io"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/slipstream-go/slipstream/internal/mem"
)

// unhex returns the bytes for hex digits. Spaces are ignored.
func unhex(t testing.TB, digits string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.ReplaceAll(digits, " ", ""))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// sources returns decoders of data, one for each kind of source.
func sources(data []byte) map[string]*Decoder {
	d := newDecoder()
	d.ResetBytes(bytes.Clone(data))
	return map[string]*Decoder{
		"bytes":         d,
		"bytes.Buffer":  NewDecoder(bytes.NewBuffer(bytes.Clone(data))),
		"Buffer":        NewDecoder(chunked(data, 3)),
		"bytes.Reader":  NewDecoder(bytes.NewReader(data)),
		"plain reader":  NewDecoder(struct{ io.Reader }{bytes.NewReader(data)}),
		"byte by byte":  NewDecoder(iotest.OneByteReader(bytes.NewReader(data))),
		"data with EOF": NewDecoder(iotest.DataErrReader(bytes.NewReader(data))),
	}
}

// chunked returns a Buffer with data in chunks of n bytes.
func chunked(data []byte, n int) *Buffer {
	var b Buffer
	for piece := range slices.Chunk(data, n) {
		b.Reference(bytes.Clone(piece))
	}
	return &b
}

// marshal returns the encoding of v, which must not fail.
func marshal(t testing.TB, v any) []byte {
	t.Helper()
	b, err := Marshal(v)
	if err != nil {
		t.Fatalf("Marshal(%T): %v", v, err)
	}
	return b
}

// wantHex checks the encoding of v.
func wantHex(t *testing.T, v any, want string) {
	t.Helper()
	b, err := Marshal(v)
	if err != nil || !bytes.Equal(b, unhex(t, want)) {
		t.Errorf("Marshal(%T %v) = %x, %v; want %s", v, v, b, err, want)
	}
}

// into decodes hex digits into v, from bytes and from a stream that returns one byte at a time. It
// checks that both give the same value and error, and returns the error.
func into(t *testing.T, digits string, v any) error {
	t.Helper()
	data := unhex(t, digits)
	other := reflect.New(reflect.TypeOf(v).Elem())
	other.Elem().Set(deepCopy(reflect.ValueOf(v).Elem()))
	err := Unmarshal(data, v)
	errStream := NewDecoder(iotest.OneByteReader(bytes.NewReader(data))).Decode(other.Interface())
	if text(err) != text(errStream) {
		t.Errorf("%s into %T: error %v from bytes, %v from a stream", digits, v, err, errStream)
	}
	if err == nil && !reflect.DeepEqual(v, other.Interface()) {
		t.Errorf("%s into %T: %+v from bytes, %+v from a stream", digits, v, reflect.ValueOf(v).Elem(), other.Elem())
	}
	return err
}

// decodeCase is an input for one target, with the value or the error that it decodes to.
type decodeCase struct {
	name   string
	digits string
	to     any    // a pointer
	want   any    // a pointer, unless there is an error
	err    string // the whole error text
}

// run decodes the input from every kind of source.
func (c decodeCase) run(t *testing.T) {
	t.Run(c.name, func(t *testing.T) {
		start := reflect.ValueOf(c.to).Elem()
		for name, d := range sources(unhex(t, c.digits)) {
			to := reflect.New(start.Type())
			to.Elem().Set(deepCopy(start))
			err := d.Decode(to.Interface())
			switch {
			case text(err) != c.err:
				t.Errorf("%s: %+v, error %v; want error %q", name, to.Elem(), err, c.err)
			case err == nil && !same(to.Elem(), reflect.ValueOf(c.want).Elem()):
				t.Errorf("%s: %+v; want %+v", name, to.Elem(), reflect.ValueOf(c.want).Elem())
			}
		}
	})
}

// deepCopy copies v with its strings, slices, maps and pointers, including spare capacity. So calls
// that decode into different copies share no memory.
func deepCopy(v reflect.Value) reflect.Value {
	c := reflect.New(v.Type()).Elem()
	c.Set(v)
	switch v.Kind() {
	case reflect.String:
		c.SetString(strings.Clone(v.String()))
	case reflect.Slice:
		if v.IsNil() {
			return c
		}
		full := v.Slice3(0, v.Cap(), v.Cap())
		to := reflect.MakeSlice(v.Type(), v.Cap(), v.Cap())
		for i := range v.Cap() {
			to.Index(i).Set(deepCopy(full.Index(i)))
		}
		c.Set(to.Slice(0, v.Len()))
	case reflect.Map:
		if v.IsNil() {
			return c
		}
		c.Set(reflect.MakeMap(v.Type()))
		for all := v.MapRange(); all.Next(); {
			c.SetMapIndex(all.Key(), deepCopy(all.Value()))
		}
	case reflect.Pointer:
		if !v.IsNil() {
			c.Set(reflect.New(v.Type().Elem()))
			c.Elem().Set(deepCopy(v.Elem()))
		}
	case reflect.Interface:
		if !v.IsNil() {
			c.Set(deepCopy(v.Elem()))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if c.Field(i).CanSet() {
				c.Field(i).Set(deepCopy(v.Field(i)))
			}
		}
	}
	return c
}

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// viewOf returns the memory of s.
func viewOf(s string) []byte { return mem.Bytes(s) }
