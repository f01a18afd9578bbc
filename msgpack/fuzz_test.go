package msgpack

import (
	"bytes"
	"io"
	"math"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/slipstream-go/slipstream/column"
	"github.com/slipstream-go/slipstream/internal/corpus"
	guarded "github.com/slipstream-go/slipstream/internal/guard"
	"github.com/slipstream-go/slipstream/internal/msgpwire"
)

// addSeeds gives a fuzz target the vectors and a few values of every corpus type.
func addSeeds(f *testing.F) {
	for _, v := range vectors(f) {
		if len(v.Bytes) < 1000 {
			f.Add(v.Bytes)
		}
	}
	r := corpus.New(3)
	for _, zero := range corpus.Types() {
		for range 3 {
			v := reflect.New(reflect.TypeOf(zero).Elem())
			corpus.Fill(r, v.Elem(), 1)
			f.Add(marshal(f, v.Interface()))
		}
	}
}

// sortedBytes encodes v with sorted map keys, so equal values have equal encodings.
func sortedBytes(t *testing.T, v any) []byte {
	var out bytes.Buffer
	if err := NewEncoder(&out).SetSortMapKeys(true).Encode(v); err != nil {
		t.Fatalf("what was decoded cannot be encoded: %v", err)
	}
	return out.Bytes()
}

// nodes returns the number of values that v consists of.
func nodes(v any) int {
	n := 1
	switch v := v.(type) {
	case []any:
		for _, x := range v {
			n += nodes(x)
		}
	case map[string]any:
		for _, x := range v {
			n += 1 + nodes(x)
		}
	default:
		if m := reflect.ValueOf(v); m.Kind() == reflect.Map {
			for all := m.MapRange(); all.Next(); {
				n += nodes(all.Key().Interface()) + nodes(all.Value().Interface())
			}
		}
	}
	return n
}

// FuzzUnmarshalAny decodes without a type. The result contains no more values than the input has
// bytes, and survives a round trip.
func FuzzUnmarshalAny(f *testing.F) {
	addSeeds(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		data = guarded.Test(t, data)
		var v, stream, again any
		err := Unmarshal(data, &v)
		errStream := NewDecoder(iotest.OneByteReader(bytes.NewReader(data))).Decode(&stream)
		checkSameError(t, err, errStream)
		if err != nil {
			return
		}
		if nodes(v) > len(data) {
			t.Fatalf("%d values from %d bytes", nodes(v), len(data))
		}
		first := sortedBytes(t, v)
		if !bytes.Equal(first, sortedBytes(t, stream)) {
			t.Fatalf("%v from bytes, %v from a stream", v, stream)
		}
		if err := Unmarshal(first, &again); err != nil || !bytes.Equal(first, sortedBytes(t, again)) {
			t.Fatalf("%v became %v, %v", v, again, err)
		}
	})
}

// checkSameError compares the errors for the same input as a []byte and as a stream. With a []byte,
// a count that exceeds the input is rejected before the first element. A stream detects this later,
// and may find another error first.
func checkSameError(t *testing.T, atOnce, stream error) {
	t.Helper()
	if text(atOnce) != text(stream) && (stream == nil || text(atOnce) != "EOF") {
		t.Fatalf("error %v from bytes, %v from a stream", atOnce, stream)
	}
}

// FuzzUnmarshalTyped decodes into the types of the corpus, from a []byte and byte by byte.
func FuzzUnmarshalTyped(f *testing.F) {
	addSeeds(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		data = guarded.Test(t, data)
		for _, zero := range corpus.Types() {
			typ := reflect.TypeOf(zero).Elem()
			v, stream := reflect.New(typ), reflect.New(typ)
			err := Unmarshal(data, v.Interface())
			errStream := NewDecoder(iotest.OneByteReader(bytes.NewReader(data))).Decode(stream.Interface())
			checkSameError(t, err, errStream)
			if err != nil {
				continue
			}
			if !same(v.Elem(), stream.Elem()) {
				t.Fatalf("%v: %+v from bytes, %+v from a stream", typ, v.Elem(), stream.Elem())
			}
			again := reflect.New(typ)
			back := marshal(t, v.Interface())
			if err := Unmarshal(back, again.Interface()); err != nil {
				t.Fatalf("%v: %+v became %x: %v", typ, v.Elem(), back, err)
			}
			if typ != reflect.TypeFor[corpus.Tagged]() && !same(v.Elem(), again.Elem()) { // Tagged omits empty fields
				t.Fatalf("%v: %+v became %+v", typ, v.Elem(), again.Elem())
			}
		}
	})
}

// same is reflect.DeepEqual, except that a NaN equals a NaN.
func same(a, b reflect.Value) bool {
	if a.IsValid() != b.IsValid() || a.IsValid() && a.Type() != b.Type() {
		return false
	}
	switch a.Kind() {
	case reflect.Float32, reflect.Float64:
		return math.Float64bits(a.Float()) == math.Float64bits(b.Float()) || math.IsNaN(a.Float()) && math.IsNaN(b.Float())
	case reflect.Slice:
		if a.IsNil() != b.IsNil() {
			return false
		}
		fallthrough
	case reflect.Array:
		if a.Len() != b.Len() {
			return false
		}
		for i := range a.Len() {
			if !same(a.Index(i), b.Index(i)) {
				return false
			}
		}
		return true
	case reflect.Map:
		if a.IsNil() != b.IsNil() || a.Len() != b.Len() {
			return false
		}
		for all := a.MapRange(); all.Next(); {
			if !all.Key().Equal(all.Key()) {
				continue // a NaN key cannot be looked up
			}
			if x := b.MapIndex(all.Key()); !x.IsValid() || !same(all.Value(), x) {
				return false
			}
		}
		return true
	case reflect.Pointer, reflect.Interface:
		if a.IsNil() || b.IsNil() {
			return a.IsNil() == b.IsNil()
		}
		return same(a.Elem(), b.Elem())
	case reflect.Struct:
		if t, ok := a.Interface().(time.Time); ok {
			return t.Equal(b.Interface().(time.Time))
		}
		for i := range a.NumField() {
			if a.Type().Field(i).IsExported() && !same(a.Field(i), b.Field(i)) {
				return false
			}
		}
		return true
	}
	return a.Equal(b)
}

// FuzzSkip compares skipping with decoding. Both find the same end of a value. Only decoding
// returns errors about the meaning of a value.
func FuzzSkip(f *testing.F) {
	addSeeds(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		data = guarded.Test(t, data)
		d, stream := newDecoder(), NewDecoder(iotest.OneByteReader(bytes.NewReader(data)))
		d.ResetBytes(data)
		_, err := d.DecodeInterface()
		end := skip(data, 0)
		switch {
		case err == nil && int64(end) != d.InputOffset():
			t.Fatalf("skip went to %d, decoding to %d", end, d.InputOffset())
		case err != nil && end >= 0 && !meaning(err):
			t.Fatalf("skip went to %d, but decoding says %v", end, err)
		}
		d.ResetBytes(data)
		err, errStream := d.Skip(), stream.Skip()
		if (err == nil) != (end >= 0) || text(err) != text(errStream) || err == nil && (d.InputOffset() != int64(end) || stream.InputOffset() != int64(end)) {
			t.Fatalf("skip went to %d; Skip to %d, %v; from a stream to %d, %v", end, d.InputOffset(), err, stream.InputOffset(), errStream)
		}
		d.ResetBytes(data)
		raw, err := d.DecodeRaw()
		if end >= 0 && !bytes.Equal(raw, data[:end]) || end < 0 && err == nil {
			t.Fatalf("raw %x, %v", raw, err)
		}
	})
}

// meaning reports whether err is about the meaning of a value: an unknown ext, an unsupported key,
// or the depth.
func meaning(err error) bool {
	for _, part := range []string{"unknown ext id", "invalid ext len", "unsupported map key", "interned string", "nest deeper"} {
		if strings.Contains(err.Error(), part) {
			return true
		}
	}
	return false
}

// FuzzColumns compares the column decoder with the naive decoder.
func FuzzColumns(f *testing.F) {
	addSeeds(f)
	r := corpus.New(4)
	for kind := range 8 {
		columns, rows := []byte{0x81, 0xa1, 'c', msgpwire.Array16, 0, 20}, []byte{msgpwire.Array16, 0, 20}
		for range 20 {
			columns = cell(r, columns, kind)
			rows = cell(r, append(rows, 0x81, 0xa1, 'c'), kind)
		}
		f.Add(columns)
		f.Add(rows)
	}
	var used column.Batch
	f.Fuzz(func(t *testing.T, data []byte) {
		data = guarded.Test(t, data)
		checkColumns(t, data, &used)
		var c column.Column
		d := newDecoder()
		d.ResetBytes(data)
		for d.DecodeCell(&c) == nil {
		}
		limited := column.Batch{MaxRows: 20, MaxColumns: 5, MaxCells: 50}
		d.ResetBytes(data)
		for {
			at := d.InputOffset()
			if err := d.DecodeRow(&limited); err == io.EOF || d.InputOffset() == at {
				break
			} else if err != nil {
				limited.Undo()
			}
			for _, c := range limited.Columns {
				if c.Rows != limited.Rows {
					t.Fatalf("column %q has %d rows of %d", c.Name, c.Rows, limited.Rows)
				}
			}
		}
	})
}
