package msgpack

import (
	"bytes"
	"fmt"
	"io"
	"reflect"
	"testing"
	"testing/iotest"
)

type ownBytes []byte

type byteUnit uint8

// byteTargets are types whose values contain bytes. with returns a value that contains b in each of
// these places.
var byteTargets = []struct {
	typ  reflect.Type
	with func(b []byte) any
}{
	{reflect.TypeFor[[]byte](), func(b []byte) any { return b }},
	{reflect.TypeFor[ownBytes](), func(b []byte) any { return b }},
	{reflect.TypeFor[[]byteUnit](), func(b []byte) any { return b }},
	{reflect.TypeFor[RawMessage](), func(b []byte) any { return b }},
	{reflect.TypeFor[Raw](), func(b []byte) any { return b }},
	{reflect.TypeFor[Ext](), func(b []byte) any { return Ext{5, b} }},
	{reflect.TypeFor[struct{ B []byte }](), func(b []byte) any { return map[string]any{"B": b} }},
	{reflect.TypeFor[struct {
		A int
		B struct{ C ownBytes }
	}](), func(b []byte) any { return map[string]any{"B": map[string]any{"C": b}, "A": 1} }},
	{reflect.TypeFor[[][]byte](), func(b []byte) any { return []any{b, b, b} }},
	{reflect.TypeFor[[]ownBytes](), func(b []byte) any { return []any{b} }},
	{reflect.TypeFor[[]RawMessage](), func(b []byte) any { return []any{b, b} }},
	{reflect.TypeFor[[2][]byte](), func(b []byte) any { return []any{b, b} }},
	{reflect.TypeFor[[]struct{ B []byte }](), func(b []byte) any { return []any{map[string]any{"B": b}} }},
	{reflect.TypeFor[map[string][]byte](), func(b []byte) any { return map[string]any{"k": b} }},
	{reflect.TypeFor[map[string]*[]byte](), func(b []byte) any { return map[string]any{"k": b} }},
	{reflect.TypeFor[map[int]RawMessage](), func(b []byte) any { return map[int]any{1: b} }},
	{reflect.TypeFor[*[]byte](), func(b []byte) any { return b }},
	{reflect.TypeFor[**ownBytes](), func(b []byte) any { return b }},
	{reflect.TypeFor[struct{ *Carried }](), func(b []byte) any { return map[string]any{"B": b} }},
	{reflect.TypeFor[struct{ A any }](), func(b []byte) any { return map[string]any{"A": b} }},
	{reflect.TypeFor[map[string]any](), func(b []byte) any { return map[string]any{"k": []any{b}} }},
	{reflect.TypeFor[string](), func(b []byte) any { return string(b) }},
	{reflect.TypeFor[[]string](), func(b []byte) any { return []any{string(b)} }},
}

// Carried is embedded by a pointer.
type Carried struct{ B []byte }

// bytesIn appends views of the byte slices and strings in v to found.
func bytesIn(v reflect.Value, found [][]byte) [][]byte {
	switch v.Kind() {
	case reflect.String:
		found = append(found, viewOf(v.String()))
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			return append(found, v.Bytes())
		}
		for i := range v.Len() {
			found = bytesIn(v.Index(i), found)
		}
	case reflect.Array:
		for i := range v.Len() {
			found = bytesIn(v.Index(i), found)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			found = bytesIn(v.Field(i), found)
		}
	case reflect.Map:
		for all := v.MapRange(); all.Next(); {
			found = bytesIn(all.Value(), found)
		}
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			found = bytesIn(v.Elem(), found)
		}
	}
	return found
}

// A witness contains byte slices from results, and copies of their contents at that time.
type witness struct {
	given, was [][]byte
}

func (w *witness) add(b ...[]byte) {
	for _, b := range b {
		w.given, w.was = append(w.given, b), append(w.was, bytes.Clone(b))
	}
}

// changed returns an error for the first slice whose contents have changed.
func (w *witness) changed() error {
	for k, b := range w.given {
		if !bytes.Equal(b, w.was[k]) {
			return fmt.Errorf("%q became %q", w.was[k], b)
		}
	}
	return nil
}

// One target is decoded into repeatedly, as views and as copies, from every source. No input and no
// earlier contents of a target may change.
func TestDecodeWritesOwnMemoryOnly(t *testing.T) {
	texts := []string{"a first long enough text to be shared", "b", "cc of another length, also long enough", "", "ddd", "the longest of all the texts that are decoded here, by far", "e"}
	modes := map[string]func(data []byte) *Decoder{
		"ZeroCopy": func(data []byte) *Decoder {
			d := newDecoder()
			d.ResetBytes(data)
			d.SetOptions(DecodeOptions{ZeroCopy: true})
			return d
		},
		"copy": func(data []byte) *Decoder {
			d := newDecoder()
			d.ResetBytes(data)
			return d
		},
		"ShareMin": func(data []byte) *Decoder {
			b := &Buffer{ShareMin: 10}
			b.Write(data)
			return NewDecoder(b)
		},
		"reference": func(data []byte) *Decoder {
			b := &Buffer{ShareMin: 1}
			b.Reference(data)
			return NewDecoder(b)
		},
		"bytes.Buffer": func(data []byte) *Decoder { return NewDecoder(bytes.NewBuffer(data)) },
		"stream":       func(data []byte) *Decoder { return NewDecoder(iotest.HalfReader(bytes.NewReader(data))) },
	}
	for _, target := range byteTargets {
		for first, one := range modes {
			for second, other := range modes {
				var seen witness
				to := reflect.New(target.typ)
				for k, text := range texts {
					data := marshal(t, target.with([]byte(text)))
					seen.add(data)
					d := one(data)
					if k%2 == 1 {
						d = other(data)
					}
					if err := d.Decode(to.Interface()); err != nil {
						t.Fatalf("%v: %v", target.typ, err)
					}
					if err := seen.changed(); err != nil {
						t.Errorf("%v, %s and %s: %v", target.typ, first, second, err)
						break
					}
					seen.add(bytesIn(to.Elem(), nil)...)
				}
			}
		}
	}
}

// Appending to a decoded slice does not overwrite its neighbours.
func TestAppendToDecodedBytesMoves(t *testing.T) {
	var list [][]byte
	var strings []string
	d := newDecoder()
	for k := range 100 {
		var v struct {
			A []byte
			S string
			B []byte
		}
		d.ResetBytes(marshal(t, map[string]any{"A": fmt.Append(nil, "a", k), "S": fmt.Sprint("s", k), "B": []byte{}}))
		if err := d.Decode(&v); err != nil || v.B == nil {
			t.Fatal(v, err)
		}
		list, strings = append(list, v.A, v.B), append(strings, v.S)
	}
	for k := range list {
		if cap(list[k]) != len(list[k]) {
			t.Fatalf("%q has room for %d bytes", list[k], cap(list[k]))
		}
		_ = append(list[k], "overwritten"...)
	}
	for k, s := range strings {
		if string(list[2*k]) != fmt.Sprint("a", k) || len(list[2*k+1]) != 0 || s != fmt.Sprint("s", k) {
			t.Errorf("%d: %q, %q, %q", k, list[2*k], list[2*k+1], s)
		}
	}
}

// ReuseBytes, as an option or a method, decodes into the memory of the target if the capacity
// suffices. With ZeroCopy, the result is still a view.
func TestReuseBytes(t *testing.T) {
	room := make([]byte, 3, 10)
	v := struct{ B []byte }{room}
	if err := (DecodeOptions{ReuseBytes: true}).Unmarshal(marshal(t, map[string]any{"B": []byte("12345678")}), &v); err != nil || string(v.B) != "12345678" {
		t.Fatal(v, err)
	}
	if &v.B[0] != &room[0] {
		t.Error("the memory was not reused")
	}
	d := NewDecoder(bytes.NewReader(marshal(t, []byte("abc"))))
	d.ReuseBytes(true)
	if err := d.Decode(&v.B); err != nil || string(v.B) != "abc" || string(room[:8]) != "abc45678"[:3]+string(room[3:8]) || &v.B[0] != &room[0] {
		t.Error(v, err)
	}
	data := marshal(t, []byte("a view of the input"))
	if err := (DecodeOptions{ReuseBytes: true, ZeroCopy: true}).Unmarshal(data, &v.B); err != nil || &v.B[0] != &data[2] {
		t.Error("not a view", err)
	}
	v.B = nil
	if err := (DecodeOptions{ReuseBytes: true}).Unmarshal(marshal(t, []byte{}), &v.B); err != nil || v.B == nil {
		t.Error(v, err)
	}
}

// ZeroCopy makes copies if the input is in memory that will be reused: in a Feed, and in an ext
// from a stream.
func TestNoViewsOfReusedMemory(t *testing.T) {
	var f Feed
	f.Decoder().SetOptions(DecodeOptions{ZeroCopy: true})
	var seen witness
	for k := range 50 {
		f.Feed(marshal(t, map[string]any{"k": []any{fmt.Sprint("text ", k), fmt.Append(nil, "bytes ", k)}}))
		var v struct{ K RawMessage }
		var w any
		if err := f.Next(&w); err != nil {
			t.Fatal(err)
		}
		seen.add(bytesIn(reflect.ValueOf(w), nil)...)
		f.Feed([]byte("\x81\xa1K\xa3abc"))
		if err := f.Next(&v); err != nil {
			t.Fatal(err)
		}
		seen.add(v.K)
		if err := seen.changed(); err != nil {
			t.Fatal("Feed: ", err)
		}
	}

	type held struct{ S, B string }
	RegisterExtDecoder(77, held{}, func(d *Decoder, v reflect.Value, n int) error {
		d.SetOptions(DecodeOptions{ZeroCopy: true})
		s, err := d.DecodeString()
		if err != nil {
			return err
		}
		var b string
		if err := d.Decode(&b); err != nil {
			return err
		}
		v.Set(reflect.ValueOf(held{s, b}))
		return nil
	})
	defer UnregisterExt(77)
	var stream []byte
	for k := range 50 {
		body := append(marshal(t, fmt.Sprint("first ", k)), marshal(t, fmt.Sprint("second ", k))...)
		stream = append(stream, marshal(t, Ext{77, body})...)
	}
	d := NewDecoder(struct{ io.Reader }{iotest.OneByteReader(bytes.NewReader(stream))})
	d.SetOptions(DecodeOptions{ZeroCopy: true})
	for range 50 {
		var v held
		if err := d.Decode(&v); err != nil {
			t.Fatal(err)
		}
		seen.add(viewOf(v.S), viewOf(v.B))
		if err := seen.changed(); err != nil {
			t.Fatal("ext: ", err)
		}
	}
}

// Decoded values share no memory with each other or with the input.
func TestResultsShareNoMemory(t *testing.T) {
	t.Run("decoded_values_share_no_memory", func(t *testing.T) {
		type record struct {
			P *int
			L []int
			M map[string][]string
			B []byte
			A any
		}
		data := unhex(t, "85 a150 01 a14c 92 01 02 a14d 81 a16b 91 a161 a142 c402 0102 a141 92 cd0100 a178")
		var all []record
		for range 3 {
			var r record
			if err := Unmarshal(data, &r); err != nil {
				t.Fatal(err)
			}
			all = append(all, r)
		}
		*all[0].P, all[0].L[0], all[0].M["k"][0], all[0].B[0], all[0].A.([]any)[0] = 9, 9, "9", 9, 9
		for _, r := range all[1:] {
			if !bytes.Equal(marshal(t, &r), marshal(t, &all[1])) || *r.P != 1 || r.L[0] != 1 || r.M["k"][0] != "a" || r.B[0] != 1 || r.A.([]any)[0] != uint16(256) {
				t.Errorf("%+v", r)
			}
		}
	})

	t.Run("map_values_share_no_memory", func(t *testing.T) {
		type cell struct{ S []string }
		var m map[int]cell
		if err := Unmarshal(unhex(t, "82 01 81 a153 92 a161 a162 02 81 a153 91 a163"), &m); err != nil {
			t.Fatal(err)
		}
		_ = append(m[1].S[:0], "overwritten", "overwritten")
		if m[2].S[0] != "c" || len(m[2].S) != 1 {
			t.Error(m)
		}
	})

	t.Run("bytes_that_an_unmarshaler_keeps_do_not_change", func(t *testing.T) {
		data := unhex(t, "93 a3616263 a3646566 a3676869")
		var kept []keeper
		if err := Unmarshal(data, &kept); err != nil {
			t.Fatal(err)
		}
		clear(data)
		for range 3 {
			var other []keeper
			Unmarshal(unhex(t, "93 a3313131 a3323232 a3333333"), &other)
		}
		for i, want := range []string{"\xa3abc", "\xa3def", "\xa3ghi"} {
			if string(kept[i].raw) != want {
				t.Errorf("%q became %q", want, kept[i].raw)
			}
		}
	})
}
