package msgpack

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/slipstream-go/slipstream/internal/msgpwire"
)

// pair encodes itself as two values.
type pair struct {
	A int
	B string
}

func (p pair) EncodeMsgpack(e *Encoder) error  { return e.EncodeMulti(p.A, p.B) }
func (p *pair) DecodeMsgpack(d *Decoder) error { return d.DecodeMulti(&p.A, &p.B) }

// framed encodes itself as an ext: the header by the Encoder, and the data by the Encoder's writer.
type framed struct{ N uint32 }

func (f *framed) EncodeMsgpack(e *Encoder) error {
	if err := e.EncodeExtHeader(5, 4); err != nil {
		return err
	}
	_, err := e.Writer().Write(binary.BigEndian.AppendUint32(nil, f.N))
	return err
}

func (f *framed) DecodeMsgpack(d *Decoder) error {
	id, n, err := d.DecodeExtHeader()
	if err != nil {
		return err
	}
	if id != 5 || n != 4 {
		return fmt.Errorf("id %d, length %d", id, n)
	}
	var b [4]byte
	err = d.ReadFull(b[:])
	f.N = binary.BigEndian.Uint32(b[:])
	return err
}

// loop encodes and decodes its names by single calls, and its other fields by EncodeMulti and
// DecodeMulti.
type loop struct {
	Names []string
	Inner map[string]pair
	Time  time.Time
}

func (l *loop) EncodeMsgpack(e *Encoder) error {
	if err := e.EncodeArrayLen(len(l.Names) + 2); err != nil {
		return err
	}
	for _, name := range l.Names {
		if err := e.EncodeString(name); err != nil {
			return err
		}
	}
	return e.EncodeMulti(l.Inner, l.Time)
}

func (l *loop) DecodeMsgpack(d *Decoder) error {
	n, err := d.DecodeArrayLen()
	if err != nil {
		return err
	}
	l.Names = nil
	for range n - 2 {
		name, err := d.DecodeString()
		if err != nil {
			return err
		}
		l.Names = append(l.Names, name)
	}
	return d.DecodeMulti(&l.Inner, &l.Time)
}

type customs struct {
	One   pair
	List  []pair
	Map   map[string]pair
	Ptr   *pair
	Nil   *pair
	Frame framed
	Loop  loop
	Last  int
}

// Types that encode themselves as several values work in structs, slices and maps, in both
// directions.
func TestCustomCodecs(t *testing.T) {
	want := customs{pair{1, "a"}, []pair{{2, "b"}, {3, "c"}}, map[string]pair{"k": {4, "d"}}, &pair{5, "e"}, nil, framed{1 << 20},
		loop{[]string{"x", "y"}, map[string]pair{"m": {6, "f"}}, time.Unix(7, 8)}, 9}
	data := marshal(t, &want)
	for name, d := range sources(data) {
		for range 2 {
			var got customs
			if err := d.Decode(&got); err != nil {
				t.Fatalf("%s: %+v", name, err)
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("%s: got %+v", name, got)
			}
			d = newDecoder()
			d.ResetBytes(data)
		}
	}
	wantHex(t, []pair{{1, "a"}, {2, "b"}}, "92 01 a161 02 a162")
	wantHex(t, framed{1}, "d6 05 00000001")
	var stream bytes.Buffer
	if err := NewEncoder(&stream).Encode(&want); err != nil || !bytes.Equal(stream.Bytes(), data) {
		t.Errorf("to a stream: %x, %v; want %x", stream.Bytes(), err, data)
	}
	if b, err := MarshalAppend([]byte("head"), &want); err != nil || string(b) != "head"+string(data) {
		t.Errorf("appended: %x, %v", b, err)
	}
}

// keeper keeps the bytes that its method gets.
type keeper struct{ raw []byte }

func (k *keeper) UnmarshalMsgpack(b []byte) error  { k.raw = b; return nil }
func (k keeper) MarshalMsgpack() ([]byte, error)   { return k.raw, nil }
func (k *textual) UnmarshalText(b []byte) error    { k.s = "text " + string(b); return nil }
func (k textual) MarshalText() ([]byte, error)     { return []byte(k.s), nil }
func (k *binaried) UnmarshalBinary(b []byte) error { k.s = "binary " + string(b); return nil }
func (k binaried) MarshalBinary() ([]byte, error)  { return []byte(k.s), nil }
func (k *both) UnmarshalText(b []byte) error       { k.s = "text " + string(b); return nil }
func (k *both) UnmarshalBinary(b []byte) error     { k.s = "binary " + string(b); return nil }

// ranked has a text method with a value receiver and a custom encoder with a pointer receiver. The
// value's method takes precedence.
func (r ranked) MarshalText() ([]byte, error)     { return []byte("t"), nil }
func (r *ranked) EncodeMsgpack(e *Encoder) error  { return e.EncodeInt(1) }
func (m valueMap) DecodeMsgpack(d *Decoder) error { return d.Skip() }

type (
	textual  struct{ s string }
	binaried struct{ s string }
	both     struct{ s string }
	ranked   struct{}
	valueMap map[string]int
)

// Types may also encode and decode themselves by the methods of other interfaces.
func TestMarshalers(t *testing.T) {
	wantHex(t, keeper{[]byte{0x93, 1, 2, 3}}, "93010203")
	wantHex(t, textual{"ab"}, "c4026162")
	wantHex(t, binaried{"ab"}, "c4026162")
	wantHex(t, ranked{}, "c40174")
	wantHex(t, &ranked{}, "c40174")
	wantHex(t, map[textual]int{{"k"}: 1}, "81 c4016b 01")
	wantHex(t, struct{ time.Time }{time.Unix(0, 0).UTC()}, "c40f 01 0000000e7791f700 00000000 ffff")

	for _, digits := range []string{"a16b", "c4016b", "d9016b"} {
		var text textual
		var bin binaried
		if err := Unmarshal(unhex(t, digits), &text); err != nil || text.s != "text k" {
			t.Error(digits, text, err)
		}
		if err := Unmarshal(unhex(t, digits), &bin); err != nil || bin.s != "binary k" {
			t.Error(digits, bin, err)
		}
	}
	var b both
	if err := Unmarshal(unhex(t, "a16b"), &b); err != nil || b.s != "text k" {
		t.Error(b, err)
	}
	if err := Unmarshal(unhex(t, "c4016b"), &b); err != nil || b.s != "binary k" {
		t.Error(b, err)
	}
	if err := Unmarshal(unhex(t, "c0"), &b); err != nil || b.s != "" {
		t.Error("nil is zero:", b, err)
	}
	m := valueMap{"a": 1}
	if err := Unmarshal(unhex(t, "81a16102"), &m); err != nil || m["a"] != 1 {
		t.Error(m, err)
	}
}

// Bytes that an Unmarshaler keeps do not change later.
func TestUnmarshalerOwnsBytes(t *testing.T) {
	data := unhex(t, "93 93010203 92a16101 a3616263")
	for name, d := range sources(data) {
		var kept []keeper
		if err := d.Decode(&kept); err != nil {
			t.Fatal(name, err)
		}
		var more []any
		for range 3 {
			d.ResetReader(bytes.NewReader(bytes.Repeat([]byte{0x91, 0x91, 0x7f}, 50)))
			d.Decode(&more)
		}
		for i, want := range []string{"93010203", "92a16101", "a3616263"} {
			if got := fmt.Sprintf("%x", kept[i].raw); got != want {
				t.Errorf("%s: element %d became %s", name, i, got)
			}
			_ = append(kept[i].raw, 0xff) // must not overwrite the neighbouring bytes
		}
	}
}

var errMine = errors.New("my error")

// wraps decodes an int and wraps the decoder's error.
type wraps struct{ n int }

func (w *wraps) DecodeMsgpack(d *Decoder) error {
	if err := d.Decode(&w.n); err != nil {
		return fmt.Errorf("wrapped: %w", err)
	}
	return nil
}

// refuses returns its own error, whether or not the decoder returned one.
type refuses struct{}

func (*refuses) DecodeMsgpack(d *Decoder) error {
	d.DecodeInt()
	return errMine
}
func (*refuses) EncodeMsgpack(e *Encoder) error { return errMine }

// lenient accepts any value and ignores decoding errors.
type lenient struct{ n int }

func (l *lenient) DecodeMsgpack(d *Decoder) error {
	if c, err := d.PeekCode(); err == nil && c == msgpwire.Fixstr|1 {
		sub := newDecoder()
		sub.ResetBytes([]byte{msgpwire.True})
		_, _ = sub.DecodeInt()
	}
	if err := d.Decode(&l.n); err != nil {
		l.n = -1
	}
	return nil
}

// encodesBad encodes a value that cannot be encoded, and returns its own error, or none.
type encodesBad struct{ quiet bool }

func (b *encodesBad) EncodeMsgpack(e *Encoder) error {
	err := e.Encode(func() {})
	if b.quiet {
		return e.EncodeNil()
	}
	return fmt.Errorf("wrapped: %w", err)
}

// Errors of a user's methods reach the caller unchanged, with path and offset.
func TestCustomErrors(t *testing.T) {
	for _, c := range []struct {
		digits string
		to     any
		text   string
		path   string
		offset int64
	}{
		{"a161", new(wraps), "wrapped: msgpack: invalid code=a1 decoding int64", "", 0},
		{"92 01 a161", new([]wraps), "wrapped: msgpack: invalid code=a1 decoding int64", "[1]", 2},
		{"81 a141 91 81 a142 a161", new(struct{ A []map[string]wraps }), "wrapped: msgpack: invalid code=a1 decoding int64", "A[0].B", 7},
		{"91 a161", new([]refuses), "my error", "[0]", 1},
		{"91 01", new([]refuses), "my error", "[0]", 2},
		{"81 a141 92 05 a161", new(struct{ A pair }), "msgpack: invalid code=92 decoding int64", "A", 3},
		{"81 a141 05 c3", new(struct{ A pair }), "msgpack: invalid code=c3 decoding string/bytes length", "A", 4},
	} {
		err := into(t, c.digits, c.to)
		var e *Error
		if !errors.As(err, &e) || err.Error() != c.text || e.Path != c.path || e.Offset != c.offset {
			t.Errorf("%s into %T: %+v; want %s in %q at %d", c.digits, c.to, err, c.text, c.path, c.offset)
		}
	}
	var r refuses
	if err := Unmarshal([]byte{1}, &r); !errors.Is(err, errMine) {
		t.Error(err)
	}
	if _, err := Marshal([]any{1, &r}); !errors.Is(err, errMine) {
		t.Error(err)
	}
	if _, err := Marshal([]any{&encodesBad{}}); text(err) != "wrapped: msgpack: Encode(unsupported func())" {
		t.Error(err)
	}
	if b, err := Marshal([]any{&encodesBad{quiet: true}}); err != nil || !bytes.Equal(b, []byte{0x91, msgpwire.Nil}) {
		t.Errorf("an error that a method drops is dropped: %x, %v", b, err)
	}
	dst := []byte("kept")
	if b, err := MarshalAppend(dst, []any{"x", &r}); err == nil || string(b) != "kept" {
		t.Errorf("%q, %v", b, err)
	}
}

// An error that a method ignores does not appear in a later call.
func TestDroppedErrors(t *testing.T) {
	d := newDecoder()
	var l lenient
	for range 3 {
		d.ResetBytes(unhex(t, "a161"))
		if err := d.Decode(&l); err != nil || l.n != -1 {
			t.Fatal(l, err)
		}
		d.ResetReader(bytes.NewReader(unhex(t, "c3")))
		_, err := d.DecodeInt()
		if text(err) != "msgpack: invalid code=c3 decoding int64" {
			t.Error(err)
		}
		var e *Error
		if !errors.As(err, &e) || e.Path != "" || e.Offset != 0 {
			t.Errorf("%+v", err)
		}
	}
}

type panics struct{ N int }

func (*panics) EncodeMsgpack(e *Encoder) error {
	e.EncodeString("half")
	panic("encode")
}
func (*panics) DecodeMsgpack(d *Decoder) error {
	d.Skip()
	panic("decode")
}

// A panic in a user's method does not affect later calls.
func TestPanicsInMethods(t *testing.T) {
	try := func(f func()) {
		defer func() {
			if recover() == nil {
				t.Error("the panic was swallowed")
			}
		}()
		f()
	}
	good := marshal(t, []any{"a", int8(1)})
	d := newDecoder()
	for range 100 {
		try(func() { Marshal([]any{"a", &panics{}}) })
		try(func() { Unmarshal([]byte{0x92, 1, 2}, new([]panics)) })
		try(func() { d.ResetBytes([]byte{0x81, 0xa1, 'k', 0x92, 1, 2}); d.Decode(new(map[string][]panics)) })
		if again := marshal(t, []any{"a", int8(1)}); !bytes.Equal(again, good) {
			t.Fatalf("%x, want %x", again, good)
		}
		var v any
		if err := Unmarshal(good, &v); err != nil || !reflect.DeepEqual(v, []any{"a", int8(1)}) {
			t.Fatal(v, err)
		}
		d.ResetBytes([]byte{0x91, 0xc3})
		var list []int
		err := d.Decode(&list)
		var e *Error
		if !errors.As(err, &e) || e.Path != "[0]" || e.Offset != 1 {
			t.Fatalf("%+v", err)
		}
	}
}

// A RawMessage contains a copy of the whole value.
func TestRawMessage(t *testing.T) {
	type holder struct {
		Before int
		Raw    RawMessage
		Ptr    *RawMessage
		After  int
	}
	data := unhex(t, "84 a64265666f7265 01 a3526177 92 a161 81a16202 a3507472 c0 a54166746572 02")
	for name, d := range sources(data) {
		var h holder
		if err := d.Decode(&h); err != nil || !bytes.Equal(h.Raw, unhex(t, "92a16181a16202")) || h.Ptr != nil || h.After != 2 {
			t.Errorf("%s: %+v, %v", name, h, err)
		}
		if back := marshal(t, &h); !bytes.Equal(back, data) {
			t.Errorf("%s: %x", name, back)
		}
	}
	var raw RawMessage
	input := unhex(t, "93010203")
	if err := Unmarshal(input, &raw); err != nil {
		t.Fatal(err)
	}
	input[1] = 0x7f
	if !bytes.Equal(raw, unhex(t, "93010203")) {
		t.Error("a raw message refers to the input")
	}
	wantHex(t, []RawMessage{nil, {}, {1}}, "93 c0 c0 01")
	var out bytes.Buffer
	if err := raw.EncodeMsgpack(NewEncoder(&out)); err != nil || !bytes.Equal(out.Bytes(), raw) {
		t.Error(out.Bytes(), err)
	}
	if err := raw.DecodeMsgpack(NewDecoder(strings.NewReader("\x92\x01"))); !errors.Is(err, io.EOF) {
		t.Error(err)
	}
	if err := NewDecoder(iotest.OneByteReader(bytes.NewReader(data))).Decode(&raw); err != nil || !bytes.Equal(raw, data) {
		t.Error(raw, err)
	}

	t.Run("empty_raw_values_are_encoded_as_nil", func(t *testing.T) {
		wantHex(t, []any{RawMessage{}, RawMessage(nil), 1}, "93c0c001")
		wantHex(t, []keeper{{}, {[]byte{}}, {[]byte{1}}}, "93c0c001")
		wantHex(t, struct{ R RawMessage }{}, "81a152c0")
		var out bytes.Buffer
		if err := NewEncoder(&out).EncodeMulti(RawMessage{}, &RawMessage{}, 1); err != nil || !bytes.Equal(out.Bytes(), []byte{msgpwire.Nil, msgpwire.Nil, 1}) {
			t.Errorf("%x, %v", out.Bytes(), err)
		}
	})
}

type ownError struct{ code int }

func (ownError) Error() string                     { return "own" }
func (o ownError) MarshalMsgpack() ([]byte, error) { return []byte{byte(o.code)}, nil }

// Errors with marshal methods, one for each kind of method.
type (
	customError  struct{ code int }
	binaryError  struct{ code int }
	textError    struct{ code int }
	readTooError struct{ Code int }
)

func (customError) Error() string                     { return "custom" }
func (c customError) EncodeMsgpack(e *Encoder) error  { return e.EncodeInt(int64(c.code)) }
func (*binaryError) Error() string                    { return "binary" }
func (b *binaryError) MarshalBinary() ([]byte, error) { return []byte{byte(b.code)}, nil }
func (textError) Error() string                       { return "text" }
func (x textError) MarshalText() ([]byte, error)      { return []byte{byte(x.code)}, nil }
func (readTooError) Error() string                    { return "read" }
func (*readTooError) UnmarshalText([]byte) error      { return nil }

// An error value is encoded as its text, unless its type has an encode method.
func TestErrorInterface(t *testing.T) {
	type holder struct{ E error }
	wantHex(t, holder{errors.New("boom")}, "81 a145 a4626f6f6d")
	wantHex(t, holder{}, "81 a145 c0")
	wantHex(t, holder{ownError{7}}, "81 a145 07")
	wantHex(t, holder{&ownError{7}}, "81 a145 07")
	var h holder
	if err := into(t, "81 a145 01", &h); text(err) != "msgpack: Decode(int8 into error)" {
		t.Error(err)
	}
	var s fmt.Stringer
	if err := Unmarshal(unhex(t, "a161"), &s); text(err) != "msgpack: Decode(string into fmt.Stringer)" {
		t.Error(err)
	}
	if err := Unmarshal(unhex(t, "c0"), &h.E); err != nil || h.E != nil {
		t.Error(err)
	}

	t.Run("errors_with_encode_methods_use_them", func(t *testing.T) {
		type holder struct{ E error }
		for _, c := range []struct {
			e    error
			want string
		}{
			{customError{7}, "07"}, {&customError{7}, "07"}, {ownError{7}, "07"}, {&binaryError{7}, "c40107"}, {textError{7}, "c40107"},
			{errors.New("boom"), "a4626f6f6d"}, {readTooError{7}, "a472656164"}, {&readTooError{7}, "a472656164"}, {nil, "c0"},
		} {
			wantHex(t, holder{c.e}, "81a145"+c.want)
			wantHex(t, []error{c.e}, "91"+c.want)
		}
	})
}

// valueMarshals has encode methods of two kinds. The method with a value receiver takes precedence
// over the method with a pointer receiver.
type valueMarshals struct{ N byte }

func (v valueMarshals) MarshalMsgpack() ([]byte, error) { return []byte{v.N}, nil }
func (v *valueMarshals) EncodeMsgpack(e *Encoder) error { return e.EncodeString("by pointer") }

// Lists of values with encode methods, including nil values, are encoded, and encoding stops at the
// first error.
func TestListsOfCustom(t *testing.T) {
	wantHex(t, []valueMarshals{{1}, {2}}, "920102")
	wantHex(t, &[2]valueMarshals{{1}, {2}}, "920102")
	wantHex(t, []listed{nil, {1, 2}, {}}, "93c00200")
	if _, err := Marshal([]refuses{{}, {}}); err != errMine {
		t.Error(err)
	}
	var deep nests
	for range maxDepth {
		deep = nests{deep}
	}
	if _, err := Marshal(deep); err == nil || err.Error() != depthError(maxDepth).Error() {
		t.Error(err)
	}
}

type (
	listed []int
	nests  []nests
)

func (l listed) EncodeMsgpack(e *Encoder) error {
	return e.EncodeInt(int64(len(l)))
}

func (n nests) EncodeMsgpack(e *Encoder) error {
	if len(n) == 0 {
		return e.EncodeNil()
	}
	return e.Encode([]nests(n))
}
