package msgpack

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"reflect"
	"testing"
	"testing/iotest"
	"time"

	guarded "github.com/slipstream-go/slipstream/internal/guard"
	"github.com/slipstream-go/slipstream/internal/msgpwire"
)

// registerSpotExt registers spot as an ext of two bytes.
func registerSpotExt(id int8) {
	RegisterExtEncoder(id, spot{}, func(_ *Encoder, v reflect.Value) ([]byte, error) {
		p := v.Interface().(spot)
		return []byte{byte(p.X), byte(p.Y)}, nil
	})
	RegisterExtDecoder(id, spot{}, func(d *Decoder, v reflect.Value, n int) error {
		var b [2]byte
		if err := d.ReadFull(b[:]); err != nil {
			return err
		}
		v.Set(reflect.ValueOf(spot{int8(b[0]), int8(b[1])}))
		return nil
	})
}

// blob has ext methods with pointer receivers.
type blob struct{ data []byte }

func (b *blob) MarshalMsgpack() ([]byte, error) { return b.data, nil }

func (b *blob) UnmarshalMsgpack(data []byte) error {
	b.data = data
	return nil
}

type (
	// chunk is an ext of raw bytes, with the methods of Marshaler and Unmarshaler.
	chunk struct{ Data []byte }
	// eager is an ext whose decode function reads as much as it can.
	eager struct{}
	late  struct{ N int }
)

func (c *chunk) MarshalMsgpack() ([]byte, error) { return c.Data, nil }
func (c *chunk) UnmarshalMsgpack(b []byte) error { c.Data = b; return nil }

func readChunk(d *Decoder, v reflect.Value, n int) error {
	b := make([]byte, n)
	err := d.ReadFull(b)
	v.Interface().(*chunk).Data = b
	return err
}

func writeChunk(e *Encoder, v reflect.Value) ([]byte, error) { return v.Interface().(*chunk).Data, nil }

// registerFor registers ext id for the duration of the test.
func registerFor(t *testing.T, id int8, value any, enc func(*Encoder, reflect.Value) ([]byte, error), dec func(*Decoder, reflect.Value, int) error) {
	t.Helper()
	RegisterExtEncoder(id, value, enc)
	RegisterExtDecoder(id, value, dec)
	t.Cleanup(func() { UnregisterExt(id) })
}

// If a type is registered by a value, decoding an ext into type any returns a value.
func TestExtAsValue(t *testing.T) {
	registering(t, spot{}, func() { registerSpotExt(5) })
	p := spot{1, 2}
	for _, v := range []any{p, &p} {
		wantHex(t, v, "d5050102")
	}
	wantHex(t, map[string]any{"p": p}, "81a170d5050102")
	wantHex(t, []*spot{&p, nil}, "92d5050102c0")
	wantHex(t, struct{ P spot }{p}, "81a150d5050102")
	var v any
	if err := into(t, "92 d5050102 01", &v); err != nil || !reflect.DeepEqual(v, []any{p, int8(1)}) {
		t.Errorf("%#v, %v", v, err)
	}
	for _, c := range []struct{ digits, want string }{
		{"d5060102", "msgpack: got ext type=6, wanted 5"},
		{"c700 06", "msgpack: got ext type=6, wanted 5"},
		{"01", "msgpack: invalid code=1 decoding ext len"},
		{"d405", "EOF"},
		{"d50501", "unexpected EOF"},
		{"d40501", "unexpected EOF"}, // the function reads two bytes, but the ext contains one
		{"c7 00 05", "EOF"},
		{"c9ffffffff05 00", "unexpected EOF"},
	} {
		var p spot
		if err := into(t, c.digits, &p); text(err) != c.want {
			t.Errorf("%s: %v, want %s", c.digits, err, c.want)
		}
	}
	p = spot{3, 4}
	if err := into(t, "c0", &p); err != nil || p != (spot{}) {
		t.Errorf("nil: %v, %v", p, err)
	}
}

// If a type is registered by a pointer, decoding an ext into type any returns a pointer.
func TestExtAsPointer(t *testing.T) {
	registering(t, blob{}, func() { RegisterExt(9, (*blob)(nil)) })
	b := &blob{[]byte("x")}
	wantHex(t, b, "d40978")
	wantHex(t, *b, "d40978") // the method is called on a copy
	wantHex(t, []any{b, *b, (*blob)(nil)}, "93d40978d40978c0")
	wantHex(t, &struct{ B, C *blob }{B: b}, "82a142d40978a143c0")
	wantHex(t, struct{ B blob }{*b}, "81a142d40978")
	data := unhex(t, "91d40978")
	for name, d := range sources(data) {
		v, err := d.DecodeInterface()
		if err != nil || !reflect.DeepEqual(v, []any{b}) {
			t.Errorf("%s: %#v, %v", name, v, err)
		}
	}
	var kept []*blob
	if err := Unmarshal(data, &kept); err != nil {
		t.Fatal(err)
	}
	clear(data) // the method may keep its bytes
	if !reflect.DeepEqual(kept, []*blob{b}) {
		t.Errorf("%s", kept[0].data)
	}
}

// If an id or a type is registered again, the last registration counts. The type that was
// registered under the id before no longer has a codec.
func TestExtAgain(t *testing.T) {
	registering(t, spot{}, func() { registerSpotExt(5) })
	registering(t, blob{}, func() { RegisterExt(5, (*blob)(nil)) })
	var v any
	if err := into(t, "d50578f0", &v); err != nil || !reflect.DeepEqual(v, &blob{[]byte("x\xf0")}) {
		t.Errorf("%#v, %v", v, err)
	}
	wantHex(t, spot{1, 2}, "82a158d001a159d002")
	if err := into(t, "d5050102", new(spot)); text(err) != "msgpack: unexpected code=d5 decoding map length" {
		t.Errorf("an ext that is another type's now: %v", err)
	}
	registerSpotExt(6)
	registerSpotExt(7)
	wantHex(t, spot{1, 2}, "d5070102")
	UnregisterExt(6)
	wantHex(t, spot{1, 2}, "d5070102")
	UnregisterExt(7)
	wantHex(t, spot{1, 2}, "82a158d001a159d002")
	UnregisterExt(5)
	v = nil
	if err := into(t, "d40578", &v); text(err) != "msgpack: unknown ext id=5" {
		t.Error(err)
	}
}

// The ext id of timestamps can be registered for another type. Then a timestamp is decoded into
// type any as that type, but into a time.Time still as a time.
func TestExtTime(t *testing.T) {
	registering(t, blob{}, func() { RegisterExt(msgpwire.ExtTime, (*blob)(nil)) })
	at := time.Unix(1, 0)
	wantHex(t, at, "d6ff00000001")
	var v any
	if err := into(t, "d6ff00000001", &v); err != nil || !reflect.DeepEqual(v, &blob{[]byte{0, 0, 0, 1}}) {
		t.Errorf("%#v, %v", v, err)
	}
	var typed time.Time
	if err := into(t, "d6ff00000001", &typed); err != nil || !typed.Equal(at) {
		t.Errorf("%v, %v", typed, err)
	}
	UnregisterExt(msgpwire.ExtTime)
	v = nil
	if err := into(t, "d6ff00000001", &v); err != nil || !v.(time.Time).Equal(at) {
		t.Errorf("%#v, %v", v, err)
	}
}

// After an unknown ext, the decoder continues after the whole value that contains the ext, so the
// next value can be read.
func TestExtUnknown(t *testing.T) {
	for _, digits := range []string{"d40163", "c70001", "c8000301 010203", "92 d40163 01", "81 a161 92 01 c70201ffff"} {
		for name, d := range sources(unhex(t, digits+"07")) {
			if _, err := d.DecodeInterface(); text(err) != "msgpack: unknown ext id=1" {
				t.Errorf("%s, %s: %v", digits, name, err)
			}
			if n, err := d.DecodeInt(); n != 7 || err != nil {
				t.Errorf("%s, %s: the next value is %d, %v", digits, name, n, err)
			}
			if _, err := d.PeekCode(); err != io.EOF {
				t.Errorf("%s, %s: %v at the end", digits, name, err)
			}
		}
	}
	for name, d := range sources(unhex(t, "92 d40163")) {
		if _, err := d.DecodeInterface(); err == nil {
			t.Errorf("%s: no error", name)
		}
		if _, err := d.DecodeInt(); err != io.EOF {
			t.Errorf("%s: %v after a value that is not whole", name, err)
		}
	}

	t.Run("unknown_ext_does_not_desync", func(t *testing.T) {
		for name, d := range sources(unhex(t, "d42b01 c7032b010203 2a")) {
			for range 2 {
				if _, err := d.DecodeInterface(); text(err) != "msgpack: unknown ext id=43" {
					t.Errorf("%s: %v", name, err)
				}
			}
			if n, err := d.DecodeInt(); n != 0x2a || err != nil {
				t.Errorf("%s: %d, %v", name, n, err)
			}
		}
		var v any
		if err := (DecodeOptions{RawExt: true}).Unmarshal(unhex(t, "c7032b010203"), &v); err != nil || !reflect.DeepEqual(v, Ext{Type: 43, Data: []byte{1, 2, 3}}) {
			t.Errorf("%#v, %v", v, err)
		}
	})

	t.Run("unknown_ext_in_a_field_is_skipped_or_kept_raw", func(t *testing.T) {
		var v struct{ N int }
		if err := into(t, "82 a158 c70305010203 a14e 05", &v); err != nil || v.N != 5 {
			t.Error(v, err)
		}
		var raw struct{ X RawMessage }
		if err := into(t, "81 a158 c70305010203", &raw); err != nil || !bytes.Equal(raw.X, unhex(t, "c70305010203")) {
			t.Error(raw, err)
		}
	})
}

// With the option RawExt, an unknown ext is decoded as an Ext.
func TestExtRaw(t *testing.T) {
	data := unhex(t, "94 d40163 c70002 d6ff00000001 d57f0102")
	for name, d := range sources(data) {
		d.flags |= rawExt
		v, err := d.DecodeInterface()
		want := []any{Ext{1, []byte("c")}, Ext{2, []byte{}}, time.Unix(1, 0), Ext{127, []byte{1, 2}}}
		if err != nil || !reflect.DeepEqual(v, want) {
			t.Errorf("%s: %#v, %v", name, v, err)
		}
		if back := marshal(t, v); !bytes.Equal(back, data) {
			t.Errorf("%s: %x became %x", name, data, back)
		}
	}
}

// An Ext accepts any ext, and rejects all other values except nil.
func TestExtType(t *testing.T) {
	for _, c := range []struct {
		digits string
		want   Ext
		err    string
	}{
		{"d40163", Ext{1, []byte("c")}, ""},
		{"c70180 63", Ext{-128, []byte("c")}, ""},
		{"c70001", Ext{1, []byte{}}, ""},
		{"d6ff00000001", Ext{-1, []byte{0, 0, 0, 1}}, ""},
		{"c0", Ext{}, ""},
		{"01", Ext{}, "msgpack: invalid code=1 decoding ext len"},
		{"d401", Ext{}, "EOF"},
		{"d50163", Ext{}, "unexpected EOF"},
	} {
		got := Ext{9, []byte("old")}
		if c.err != "" {
			got = Ext{}
		}
		if err := into(t, c.digits, &got); text(err) != c.err || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %v, %v", c.digits, got, err)
		}
	}
	wantHex(t, []Ext{{1, []byte("c")}, {}}, "92d40163c70000")
}

// The decoder that the function of an ext gets is confined to the ext, even if the function resets
// or misuses the decoder.
func TestExtConfined(t *testing.T) {
	for name, c := range map[string]struct {
		dec  func(d *Decoder, n int) error
		want string
	}{
		"nothing is read":  {func(*Decoder, int) error { return nil }, ""},
		"a part is read":   {func(d *Decoder, _ int) error { _, err := d.DecodeInt(); return err }, ""},
		"all is read":      {func(d *Decoder, n int) error { return d.ReadFull(make([]byte, n)) }, ""},
		"too much is read": {func(d *Decoder, n int) error { return d.ReadFull(make([]byte, n+1)) }, "unexpected EOF"},
		"values to the end": {func(d *Decoder, n int) error {
			for range n + 1 {
				if _, err := d.DecodeInt(); err != nil {
					return err
				}
			}
			return nil
		}, "EOF"},
		"the end is seen": {func(d *Decoder, n int) error {
			if rest, err := io.ReadAll(d.Buffered()); err != nil || len(rest) != n {
				return errors.New("Buffered shows what is beyond")
			}
			return nil
		}, ""},
		"an error is passed over": {func(d *Decoder, n int) error { d.DecodeMapLen(); return nil }, ""},
		"other bytes are read": {func(d *Decoder, _ int) error {
			d.ResetBytes([]byte{9})
			_, err := d.DecodeInt()
			return err
		}, ""},
		"another stream is read": {func(d *Decoder, _ int) error {
			d.Reset(iotest.OneByteReader(bytes.NewReader(make([]byte, 100))))
			d.UseLooseInterfaceDecoding(true)
			return d.ReadFull(make([]byte, 50))
		}, ""},
		"options are set": {func(d *Decoder, _ int) error {
			d.UseLooseInterfaceDecoding(true)
			d.SetCustomStructTag("other")
			d.SetMapDecoder(func(*Decoder) (any, error) { return nil, errors.New("from within") })
			return nil
		}, ""},
	} {
		registering(t, spot{}, func() {
			RegisterExtDecoder(5, spot{}, func(d *Decoder, v reflect.Value, n int) error { return c.dec(d, n) })
		})
		data := unhex(t, "94 c70305010203 d40504 01 80 cd0100")
		for source, d := range sources(data) {
			v, err := d.DecodeInterface()
			if text(err) != c.want {
				t.Errorf("%s, %s: %v, want %q", name, source, err, c.want)
			}
			if c.want != "" {
				continue
			}
			if want := []any{spot{}, spot{}, int8(1), map[string]any{}}; err == nil && !reflect.DeepEqual(v, want) {
				t.Errorf("%s, %s: %#v", name, source, v)
			}
			if n, err := d.DecodeInterface(); n != uint16(256) || err != nil {
				t.Errorf("%s, %s: %v, %v after it", name, source, n, err)
			}
		}
		// Changes by one function do not affect the next call.
		var v any
		if err := Unmarshal(unhex(t, "82a16101a162cd0100"), &v); err != nil || !reflect.DeepEqual(v, map[string]any{"a": int8(1), "b": uint16(256)}) {
			t.Errorf("%s: then %#v, %v", name, v, err)
		}
	}
}

// After a panic in a function, the decoder works as after any other error.
func TestExtPanic(t *testing.T) {
	registering(t, spot{}, func() {
		RegisterExtDecoder(5, spot{}, func(*Decoder, reflect.Value, int) error { panic("in the middle") })
	})
	d := newDecoder()
	for range 3 {
		d.ResetBytes(unhex(t, "91d40501"))
		func() {
			defer func() { recover() }()
			d.DecodeInterface()
			t.Error("no panic")
		}()
		d.ResetBytes(unhex(t, "9101"))
		if v, err := d.DecodeInterface(); err != nil || !reflect.DeepEqual(v, []any{int8(1)}) {
			t.Fatalf("%v, %v", v, err)
		}
	}
}

// The encode and decode functions of an ext are confined to its payload, and work in any position.
// Faults of these functions were found in v5 and in Basekick's fork of it.
func TestExtFunctions(t *testing.T) {
	t.Run("decode_function_of_an_ext_is_confined_to_its_payload", func(t *testing.T) {
		for name, c := range map[string]struct {
			dec  func(*Decoder, reflect.Value, int) error
			fail bool
		}{
			"reads nothing": {func(*Decoder, reflect.Value, int) error { return nil }, false},
			"reads a part":  {func(d *Decoder, v reflect.Value, n int) error { return d.ReadFull(make([]byte, 1)) }, false},
			"reads all":     {func(d *Decoder, v reflect.Value, n int) error { return d.ReadFull(make([]byte, n)) }, false},
			"reads beyond":  {func(d *Decoder, v reflect.Value, n int) error { return d.ReadFull(make([]byte, n+1)) }, true},
			"skips beyond": {func(d *Decoder, v reflect.Value, n int) error {
				return errors.Join(d.Skip(), d.Skip(), d.Skip(), d.Skip())
			}, true},
			"fails":  {func(*Decoder, reflect.Value, int) error { return errMine }, true},
			"resets": {func(d *Decoder, v reflect.Value, n int) error { d.ResetBytes([]byte{1, 2, 3}); return d.Skip() }, false},
		} {
			registerFor(t, 42, eager{}, func(*Encoder, reflect.Value) ([]byte, error) { return nil, nil }, c.dec)
			for from, d := range sources(unhex(t, "93 05 c7032a010203 06 2a")) {
				var v []any
				err := d.Decode(&v)
				if c.fail != (err != nil) || err == nil && (len(v) != 3 || v[2] != int8(6)) {
					t.Errorf("%s from %s: %v, %v", name, from, v, err)
				}
				if n, err := d.DecodeInt(); n != 0x2a || err != nil {
					t.Errorf("%s from %s: the next value is %d, %v", name, from, n, err)
				}
			}
			UnregisterExt(42)
		}
	})

	t.Run("decode_function_of_an_ext_in_an_any_may_set_its_value", func(t *testing.T) {
		registerFor(t, 49, (*chunk)(nil), writeChunk, func(d *Decoder, v reflect.Value, n int) error {
			v.Set(reflect.ValueOf(&chunk{[]byte("set")}))
			return nil
		})
		var x any
		if p := caught(func() {
			if err := Unmarshal(unhex(t, "d43101"), &x); err != nil || string(x.(*chunk).Data) != "set" {
				t.Error(x, err)
			}
		}); p != nil {
			t.Error(p)
		}
	})

	t.Run("ext_values_that_cannot_be_addressed_are_encoded", func(t *testing.T) {
		registerFor(t, 45, (*chunk)(nil), writeChunk, readChunk)
		for _, v := range []any{chunk{[]byte{7}}, []any{chunk{[]byte{7}}}, map[string]chunk{"a": {[]byte{7}}}} {
			if _, err := Marshal(v); err != nil {
				t.Errorf("%T: %v", v, err)
			}
		}
	})

	t.Run("depth_is_limited_through_ext", func(t *testing.T) {
		registerFor(t, 48, eager{}, func(*Encoder, reflect.Value) ([]byte, error) { return nil, nil },
			func(d *Decoder, v reflect.Value, n int) error { _, err := d.DecodeInterface(); return err })
		var data []byte
		for range 12000 { // from the innermost outwards
			data = append(msgpwire.AppendExtHeader(nil, 48, len(data)), data...)
			if len(data) > 1<<16 {
				data = append(bytes.Repeat([]byte{0x91}, 9000), data...)
				data = append(msgpwire.AppendExtHeader(nil, 48, len(data)), data...)
				break
			}
		}
		var v any
		err := Unmarshal(append(bytes.Repeat([]byte{0x91}, 2000), data...), &v)
		if err == nil {
			t.Error("no error")
		}
	})
}

// An ext may contain other exts. Each ext adds one level to the nesting depth.
func TestExtInExt(t *testing.T) {
	depths := 0
	registering(t, spot{}, func() {
		RegisterExtDecoder(5, spot{}, func(d *Decoder, v reflect.Value, n int) error {
			depths = max(depths, d.depth)
			_, err := d.DecodeInterface()
			if err == io.EOF {
				err = nil
			}
			return err
		})
	})
	nested := func(n int) []byte {
		data := []byte{}
		for range n {
			data = append(msgpwire.AppendExtHeader(nil, 5, len(data)), data...)
		}
		return data
	}
	var v any
	if err := Unmarshal(nested(100), &v); err != nil || depths != 100 {
		t.Errorf("%v, depth %d", err, depths)
	}
	v = nil
	if err := Unmarshal(nested(maxDepth+1), &v); !errors.Is(err, depthError(maxDepth)) {
		t.Error(err)
	}
	data := unhex(t, "92 01 c70405 91d40163")
	v = nil
	err := Unmarshal(data, &v)
	var e *Error
	if !errors.As(err, &e) || e.Offset != 6 || e.Path != "[1][0]" || e.Error() != "msgpack: unknown ext id=1" {
		t.Errorf("%+v", err)
	}
}

// The encoder that the function of an ext gets cannot affect the value around the ext.
func TestExtEncoder(t *testing.T) {
	fault := errors.New("not today")
	for name, c := range map[string]struct {
		enc  func(*Encoder) ([]byte, error)
		want string
	}{
		"it is written to":  {func(e *Encoder) ([]byte, error) { return []byte("x"), e.Encode("lost") }, "92d4057801"},
		"it is reset":       {func(e *Encoder) ([]byte, error) { e.Reset(io.Discard); return []byte("x"), e.Encode("lost") }, "92d4057801"},
		"options are set":   {func(e *Encoder) ([]byte, error) { e.UseCompactInts(true); return []byte("x"), nil }, "92d4057801"},
		"no data":           {func(e *Encoder) ([]byte, error) { return nil, nil }, "92c7000501"},
		"300 bytes":         {func(e *Encoder) ([]byte, error) { return make([]byte, 300), nil }, "92c8012c05" + string(bytes.Repeat([]byte("00"), 300)) + "01"},
		"itself, for ever":  {func(e *Encoder) ([]byte, error) { return nil, e.Encode(spot{}) }, depthError(maxDepth).Error()},
		"an error":          {func(e *Encoder) ([]byte, error) { return []byte("x"), fault }, fault.Error()},
		"a value within it": {func(e *Encoder) ([]byte, error) { return Marshal("y") }, "92d505a17901"},
	} {
		registering(t, spot{}, func() {
			RegisterExtEncoder(5, spot{}, func(e *Encoder, _ reflect.Value) ([]byte, error) { return c.enc(e) })
		})
		data, err := Marshal([]any{spot{}, 1})
		if err != nil && err.Error() != c.want || err == nil && !bytes.Equal(data, unhex(t, c.want)) {
			t.Errorf("%s: %x, %v", name, data, err)
		}
		wantHex(t, []any{int64(1)}, "91d30000000000000001")
	}
}

// FuzzExt registers an ext whose function follows its data: it reads too much or too little, resets
// its decoder, or fails. The result is the same from bytes and from a stream. After an accepted
// ext, the decoder is at its end.
func FuzzExt(f *testing.F) {
	addSeeds(f)
	for _, digits := range []string{"94 c70305010203 c70005 01 80", "92 c7050500c70205 00 01", "c9ffffffff05", "91 c70405 05 d50501", "82 a161 d4057f a162 c70305a3616263"} {
		f.Add(unhex(f, digits))
	}
	const id = 5
	RegisterExtEncoder(id, spot{}, func(_ *Encoder, v reflect.Value) ([]byte, error) { return []byte{byte(v.Interface().(spot).X)}, nil })
	RegisterExtDecoder(id, spot{}, func(d *Decoder, v reflect.Value, n int) error {
		start := d.InputOffset()
		code, err := d.PeekCode()
		if err == io.EOF && n == 0 {
			return nil
		}
		v.Set(reflect.ValueOf(spot{X: int8(code)}))
		switch code % 8 {
		case 0:
			d.ResetBytes([]byte{msgpwire.Nil})
			return d.DecodeNil()
		case 1:
			err = d.ReadFull(make([]byte, n))
		case 2:
			if err = d.ReadFull(make([]byte, n+1)); err == nil {
				return errors.New("more than there is")
			}
			return err
		case 3:
			return errors.New("refused")
		case 4:
			d.Reset(bytes.NewReader(make([]byte, 10)))
			d.UseInternedStrings(true)
			return d.Skip()
		default:
			_, err = d.DecodeInterface()
		}
		if took := d.InputOffset() - start; took < 0 || took > int64(n) {
			return errors.New("beyond the end")
		}
		return err
	})
	f.Cleanup(func() { UnregisterExt(id) })
	f.Fuzz(func(t *testing.T, data []byte) {
		data = guarded.Test(t, data)
		var v, stream any
		d := newDecoder()
		d.ResetBytes(data)
		err := d.Decode(&v)
		s := NewDecoder(iotest.OneByteReader(bytes.NewReader(data)))
		errStream := s.Decode(&stream)
		checkSameError(t, err, errStream)
		switch {
		case text(err) == "more than there is" || text(err) == "beyond the end":
			t.Fatal(err)
		case err != nil:
			return
		case !same(reflect.ValueOf(&v), reflect.ValueOf(&stream)):
			t.Fatalf("%v from bytes, %v from a stream", v, stream)
		}
		if end := skip(data, 0); d.InputOffset() != int64(end) || s.InputOffset() != int64(end) {
			t.Fatalf("the value ends at %d; decoded to %d, from a stream to %d", end, d.InputOffset(), s.InputOffset())
		}
		var typed spot
		if err := Unmarshal(data, &typed); err == nil && v != nil && v != any(typed) && skip(data, 0) > 0 && msgpwire.IsExt(data[0]) {
			t.Fatalf("%v as an any, %v as itself", v, typed)
		}
	})
}

// Many exts may contain lists that claim large elements. Together, the exts do not allocate more
// memory than one value of the same size.
func TestExtCredit(t *testing.T) {
	registering(t, spot{}, func() {
		RegisterExtDecoder(5, spot{}, func(d *Decoder, _ reflect.Value, _ int) error {
			var wide [][1024]byte
			if err := d.Decode(&wide); err == nil {
				return errors.New("what is no list of bytes was taken as one")
			}
			return nil
		})
	})
	payload := append([]byte{msgpwire.Array16, 1, 0}, make([]byte, 256)...) // ints, which do not decode into a [1024]byte
	one := append(msgpwire.AppendExtHeader(nil, 5, len(payload)), payload...)
	data := append(msgpwire.AppendArrayLen(nil, 500), bytes.Repeat(one, 500)...)
	took := allocated(func() {
		var v any
		if err := Unmarshal(data, &v); err != nil {
			t.Error(err)
		}
	})
	if most := uint64(100*len(data) + 1<<20); took > most {
		t.Errorf("%d bytes made %d, want at most %d", len(data), took, most)
	}
}

// emptyExt is registered for an ext whose function calls Read once.
type emptyExt struct{ read string }

// In the function of an ext without data, reading no bytes from Buffered is not the end of the
// input. This holds at every position and from every source.
func TestEmptyExtReadsNoBytes(t *testing.T) {
	const id = 98
	RegisterExtDecoder(id, emptyExt{}, func(d *Decoder, v reflect.Value, n int) error {
		k, err := d.Buffered().Read(make([]byte, n))
		v.Set(reflect.ValueOf(emptyExt{fmt.Sprint(k, err)}))
		return nil
	})
	defer UnregisterExt(id)
	empty := emptyExt{"0 <nil>"}
	for _, c := range []struct {
		digits string
		want   any
	}{
		{"92 c70062 05", []any{empty, int8(5)}}, {"92 05 c70062", []any{int8(5), empty}}, {"c70062", empty}, {"c8000062", empty}, {"c90000000062", empty},
		{"81 a161 c70062", map[string]any{"a": empty}},
		{"c70062", &empty}, {"92 c70062 c70062", &[]emptyExt{empty, empty}}, {"81 a145 c70062", &struct{ E *emptyExt }{&empty}},
	} {
		for source, d := range sources(unhex(t, c.digits)) {
			var v any
			if to := reflect.TypeOf(c.want); to.Kind() == reflect.Pointer {
				v = reflect.New(to.Elem()).Interface()
			}
			if err := d.Decode(&v); err != nil || !reflect.DeepEqual(v, c.want) {
				t.Errorf("%s, %s: %#v, %v", c.digits, source, v, err)
			}
		}
	}
}
