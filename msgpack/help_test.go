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

// unhex reads bytes from hex digits; spaces are for the reader.
func unhex(t testing.TB, digits string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.ReplaceAll(digits, " ", ""))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// sources is a decoder of data for each way in which bytes may come.
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

// chunked is a Buffer of data in chunks of n bytes.
func chunked(data []byte, n int) *Buffer {
	var b Buffer
	for piece := range slices.Chunk(data, n) {
		b.Reference(bytes.Clone(piece))
	}
	return &b
}

// marshal is Marshal of a value that must not fail.
func marshal(t testing.TB, v any) []byte {
	t.Helper()
	b, err := Marshal(v)
	if err != nil {
		t.Fatalf("Marshal(%T): %v", v, err)
	}
	return b
}

// wantHex checks the bytes of a value.
func wantHex(t *testing.T, v any, want string) {
	t.Helper()
	b, err := Marshal(v)
	if err != nil || !bytes.Equal(b, unhex(t, want)) {
		t.Errorf("Marshal(%T %v) = %x, %v; want %s", v, v, b, err, want)
	}
}

// into decodes hex into what v points to, from bytes and from a stream that gives one byte at a
// time, and checks that both end in the same value and the same error, which it returns.
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

// deepCopy copies strings, slices, maps and pointers with their room, so that two decodes into the
// same start do not meet.
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
