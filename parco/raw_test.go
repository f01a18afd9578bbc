package parco_test

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"reflect"
	"testing"
	"time"

	. "github.com/slipstream-go/slipstream/parco"
)

// checkRaw writes v to a byte slice and reads it back. A slice that is too short must return an
// error for both.
func checkRaw[T any](t *testing.T, v T, hex string, compile func(T, []byte) error, parse func([]byte) (T, error)) {
	t.Helper()
	want := fromHex(hex)
	box := make([]byte, len(want))
	if err := compile(v, box); err != nil || !bytes.Equal(box, want) {
		t.Errorf("%T %v: %x, want %x, %v", v, v, box, want, err)
	}
	if got, err := parse(append(box, 7)); err != nil || !reflect.DeepEqual(got, v) {
		t.Errorf("%T %v came back as %v, %v", v, v, got, err)
	}
	for n := range box {
		if err := compile(v, make([]byte, n)); err != ErrCannotWrite {
			t.Errorf("%T in %d bytes: %v", v, n, err)
		}
		var short ErrUnSufficientBytes
		if _, err := parse(box[:n]); !errors.Is(err, ErrCannotRead) || !errors.As(err, &short) || short != NewErrUnSufficientBytesError(len(want), n) {
			t.Errorf("%T of %d bytes: %v", v, n, err)
		}
	}
}

// in binds a byte order to compile and parse.
func in[T any](order order, compile func(T, []byte, order) error, parse func([]byte, order) (T, error)) (func(T, []byte) error, func([]byte) (T, error)) {
	return func(v T, box []byte) error { return compile(v, box, order) }, func(data []byte) (T, error) { return parse(data, order) }
}

func checkOrders[T any](t *testing.T, v T, hex string, compile func(T, []byte, order) error, parse func([]byte, order) (T, error)) {
	t.Helper()
	c, p := in(be, compile, parse)
	checkRaw(t, v, hex, c, p)
	c, p = in(le, compile, parse)
	reversed := fromHex(hex)
	for i, k := 0, len(reversed)-1; i < k; i, k = i+1, k-1 {
		reversed[i], reversed[k] = reversed[k], reversed[i]
	}
	checkRaw(t, v, fmt.Sprintf("%x", reversed), c, p)
}

func TestRaw(t *testing.T) {
	checkRaw(t, 200, "c8", CompileUInt8, ParseUInt8)
	checkRaw(t, -2, "fe", CompileInt8, ParseInt8)
	checkRaw(t, 200, "c8", CompileUInt8Header, ParseUInt8Header)
	checkRaw(t, -2, "fe", CompileInt8Header, ParseInt8Header)
	checkOrders(t, 4242, "10 92", CompileUInt16, ParseUInt16)
	checkOrders(t, -2, "ff fe", CompileInt16, ParseInt16)
	checkOrders(t, 1<<24+2, "01 00 00 02", CompileUInt32, ParseUInt32)
	checkOrders(t, -2, "ff ff ff fe", CompileInt32, ParseInt32)
	checkOrders(t, 1<<56+2, "01 00 00 00 00 00 00 02", CompileUInt64, ParseUInt64)
	checkOrders(t, -2, "ff ff ff ff ff ff ff fe", CompileInt64, ParseInt64)
	checkOrders(t, 73, "00 00 00 00 00 00 00 49", CompileUInt, ParseUInt)
	checkOrders(t, -2, "ff ff ff ff ff ff ff fe", CompileInt, ParseInt)
	checkOrders(t, 1.5, "3f c0 00 00", CompileFloat32, ParseFloat32)
	checkOrders(t, 1.5, "3f f8 00 00 00 00 00 00", CompileFloat64, ParseFloat64)
	checkOrders(t, time.Unix(1, 2).UTC(), "00 00 00 00 3b 9a ca 02", CompileTime, ParseTime)
	checkOrders(t, time.Time{}, "a1 b2 03 eb 3d 1a 00 00", CompileTime, ParseTime)
	checkRaw(t, 4242, "10 92", CompileUInt16Factory(be), ParseUInt16Factory(be))
	checkRaw(t, 4242, "92 10", CompileUInt16HeaderFactory(le), ParseUInt16HeaderFactory(le))
	box := make([]byte, 8)
	for name, err := range map[string]error{
		"uint8": CompileUInt8Header(256, box), "less": CompileUInt8Header(-1, box), "int8": CompileInt8Header(128, box),
		"uint16": CompileUInt16HeaderFactory(le)(65536, box), "time": CompileTime(time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC), box, le),
		"zero": CompileTime(time.Unix(0, time.Time{}.UnixNano()), box, le),
	} {
		if err != ErrOverflow {
			t.Errorf("%s: %v", name, err)
		}
	}
	if math.MaxInt == math.MaxInt32 {
		if _, err := ParseInt(bytes.Repeat([]byte{1}, 8), le); err != ErrOverflow {
			t.Errorf("an int of 64 bits: %v", err)
		}
		if _, err := ParseUInt(bytes.Repeat([]byte{1}, 8), le); err != ErrOverflow {
			t.Errorf("a uint of 64 bits: %v", err)
		}
	}
}

func TestRawTexts(t *testing.T) {
	box := make([]byte, 4)
	if err := CompileStringFactory()("hey", box); err != nil || string(box) != "hey\x00" {
		t.Errorf("%q %v", box, err)
	}
	if err := CompileString("hello", box); err != ErrCannotWrite {
		t.Error(err)
	}
	if s, err := ParseStringFactory()(box[:3]); s != "hey" || err != nil {
		t.Error(s, err)
	}
	if s, err := ParseString(nil); s != "" || err != nil {
		t.Error(s, err)
	}
	var w bytes.Buffer
	if err := errors.Join(CompileStringWriter("a", &w), CompileBlob([]byte("b"), &w)); err != nil || w.String() != "ab" {
		t.Errorf("%q %v", w.Bytes(), err)
	}
	if b, err := ParseBlob(box); &b[0] != &box[0] || err != nil {
		t.Error(b, err)
	}
}

// Fixed-size types also have ParseBytes and CompileBytes.
func TestBoxes(t *testing.T) {
	for _, tp := range []Type[int]{IntBE(), UInt16HeaderBE(), three} {
		boxed := tp.(interface {
			ParseBytes([]byte) (int, error)
			CompileBytes(int, []byte) error
		})
		n := tp.ByteLength()
		box := make([]byte, n+1)
		box[n] = 9
		if err := boxed.CompileBytes(258, box); err != nil || box[n] != 9 || box[n-1] != 2 || box[n-2] != 1 {
			t.Errorf("%x %v", box, err)
		}
		if got, err := boxed.ParseBytes(box); got != 258 || err != nil {
			t.Error(got, err)
		}
		if err := boxed.CompileBytes(258, box[:n-1]); !errors.Is(err, ErrCannotWrite) {
			t.Error(err)
		}
	}
}

func TestHelpers(t *testing.T) {
	if *Ptr(7) != 7 || If(true, 1, 2) != 1 || If(false, 1, 2) != 2 || FormatBytes(nil) != "[]byte{}" {
		t.Error("Ptr, If or FormatBytes")
	}
	b := []byte("text")
	if s := Bytes2String(b); s != "text" || &String2Bytes(s)[0] != &b[0] {
		t.Error(s)
	}
	if n := SizerFunc[string](func(s string) int { return len(s) }).Len("four"); n != 4 {
		t.Error(n)
	}
	sum := 0
	if err := (SliceView[int]{1, 2, 3}).Range(func(n int) error {
		sum += n
		if n == 2 {
			return errMoney
		}
		return nil
	}); err != errMoney || sum != 3 {
		t.Error(sum, err)
	}
	for _, err := range []error{NewErrFieldNotFoundError("x"), NewErrTypeAssertionError("a", "b"), NewErrCompile("c"), NewErrUnSufficientBytesError(2, 1)} {
		if err.Error() == "" {
			t.Errorf("%T has no text", err)
		}
	}
}

func TestPool(t *testing.T) {
	pool := NewPool()
	for _, n := range []int{-1, 0, 1, 2, 3, 8, 256, 8192, 8193, 65536, 65537, 1 << 20} {
		for range 2 {
			b := pool.Get(n)
			if len(*b) < n {
				t.Errorf("%d bytes where %d were asked for", len(*b), n)
			}
			*b = (*b)[:0]
			pool.Put(b)
		}
	}
	odd := make([]byte, 3)
	pool.Put(&odd)
	if b := pool.Get(3); len(*b) < 3 {
		t.Error(len(*b))
	}
}

func TestBufferCursor(t *testing.T) {
	c := NewBufferCursor([]byte("0123"), 1)
	box := make([]byte, 2)
	if n, err := c.Read(box); n != 2 || err != nil || string(box) != "12" {
		t.Error(n, err, box)
	}
	if n, err := c.Read(box); n != 0 || err != ErrCannotRead {
		t.Error(n, err)
	}
	if v, err := Byte().Parse(&c); v != '3' || err != nil {
		t.Error(v, err)
	}
	for _, at := range []int{-1, 5} {
		c := NewBufferCursor([]byte("0123"), at)
		if _, err := Byte().Parse(&c); !errors.Is(err, ErrCannotRead) {
			t.Error(err)
		}
	}
}

// errors.Is ignores the number of available bytes. Parco's own tests compare with an error that
// says 0.
func TestUnsufficientBytesIsParcos(t *testing.T) {
	_, err32 := ParseFloat32([]byte{1, 2}, le)
	_, err64 := ParseFloat64([]byte{1, 2, 3, 4}, le)
	for want, err := range map[int]error{4: err32, 8: err64} {
		other := NewErrUnSufficientBytesError(12-want, 0)
		if !errors.Is(err, NewErrUnSufficientBytesError(want, 0)) || errors.Is(err, other) || !errors.Is(err, ErrCannotRead) {
			t.Errorf("%d bytes are wanted: %v", want, err)
		}
	}
}
