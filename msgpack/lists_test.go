package msgpack

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/slipstream-go/slipstream/column"
	"github.com/slipstream-go/slipstream/internal/corpus"
	"github.com/slipstream-go/slipstream/internal/msgpwire"
)

// randomList returns n random cells, some of them nil, and their encoding in various widths.
func randomList[T any](r *rand.Rand, n int, cell func() (T, []byte)) (want []T, nulls column.Bitmap, data []byte) {
	data = msgpwire.AppendArrayLen(nil, n)
	for i := range n {
		if r.IntN(10) == 0 {
			var zero T
			want, nulls, data = append(want, zero), nulls.Set(i), append(data, msgpwire.Nil)
			continue
		}
		v, b := cell()
		want, data = append(want, v), append(data, b...)
	}
	return want, nulls, data
}

// checkList decodes a random list from every source: into new memory, after existing elements, and
// without a bitmap.
func checkList[T any](t *testing.T, r *rand.Rand, cell func() (T, []byte), decode func(*Decoder, []T, *column.Bitmap) ([]T, error)) {
	t.Helper()
	for _, n := range []int{0, 1, 5, 15, 16, 100, 1000} {
		want, wantNulls, data := randomList(r, n, cell)
		for name, d := range sources(append(data, 0x2a)) {
			var nulls column.Bitmap
			got, err := decode(d, nil, &nulls)
			if err != nil || len(got) != n || n > 0 && !reflect.DeepEqual(got, want) || nulls.Count() != wantNulls.Count() {
				t.Fatalf("%d from %s: %v, %v", n, name, got, err)
			}
			for i := range n {
				if nulls.Get(i) != wantNulls.Get(i) {
					t.Fatalf("%d from %s: null %d", n, name, i)
				}
			}
			if v, err := d.DecodeInt(); v != 0x2a || err != nil {
				t.Fatalf("%d from %s: after the list: %v, %v", n, name, v, err)
			}
		}
		d := newDecoder()
		d.ResetBytes(slices.Concat(data, data, data))
		var nulls column.Bitmap
		first, err1 := decode(d, nil, &nulls)
		both, err2 := decode(d, first, &nulls)
		if err := errors.Join(err1, err2); err != nil || len(both) != 2*n || n > 0 && !reflect.DeepEqual(both, slices.Concat(want, want)) || nulls.Count() != 2*wantNulls.Count() {
			t.Fatalf("%d twice: %v, %v", n, both, err)
		}
		again, err := decode(d, both[:0], nil)
		if err != nil || n > 0 && (!reflect.DeepEqual(again, want) || &again[0] != &both[0]) {
			t.Fatalf("%d into the same room: %v, %v", n, again, err)
		}
	}
}

// Lists of every type decode from every encoding, with nulls.
func TestLists(t *testing.T) {
	for seed := range uint64(20) {
		r := corpus.New(seed)
		plain := seed%2 == 0
		checkList(t, r, func() (int64, []byte) {
			v := corpus.Int(r)
			if plain {
				return v, msgpwire.AppendCode64(nil, msgpwire.Int64, uint64(v))
			}
			switch r.IntN(4) {
			case 0:
				return v, msgpwire.AppendCode64(nil, msgpwire.Int64, uint64(v))
			case 1:
				return int64(float32(int16(v))), msgpwire.AppendFloat32(nil, float32(int16(v)))
			}
			return v, msgpwire.AppendInt(nil, v)
		}, (*Decoder).DecodeInt64s)
		checkList(t, r, func() (float64, []byte) {
			v := corpus.Float(r)
			if plain || r.IntN(2) == 0 {
				return v, msgpwire.AppendFloat64(nil, v)
			}
			n := int64(int16(corpus.Int(r)))
			return float64(n), msgpwire.AppendInt(nil, n)
		}, (*Decoder).DecodeFloat64s)
		checkList(t, r, func() (bool, []byte) {
			v := r.IntN(2) == 0
			return v, msgpwire.AppendBool(nil, v)
		}, (*Decoder).DecodeBools)
		checkList(t, r, func() (string, []byte) {
			v := corpus.String(r)
			if r.IntN(4) == 0 {
				return v, append(msgpwire.AppendBytesLen(nil, len(v)), v...)
			}
			return v, msgpwire.AppendString(nil, v)
		}, (*Decoder).DecodeStrings)
	}
}

// Invalid elements are rejected with the right text and path, and the slice and bitmap are
// unchanged.
func TestListErrors(t *testing.T) {
	ints := func(d *Decoder, nulls *column.Bitmap) (any, error) { return d.DecodeInt64s([]int64{9}, nulls) }
	floats := func(d *Decoder, nulls *column.Bitmap) (any, error) { return d.DecodeFloat64s([]float64{9}, nulls) }
	bools := func(d *Decoder, nulls *column.Bitmap) (any, error) { return d.DecodeBools([]bool{true}, nulls) }
	texts := func(d *Decoder, nulls *column.Bitmap) (any, error) { return d.DecodeStrings([]string{"9"}, nulls) }
	for _, c := range []struct {
		digits string
		decode func(*Decoder, *column.Bitmap) (any, error)
		err    string
		path   string
		was    any
	}{
		{"92 c0 cf8000000000000000", ints, "msgpack: uint64 9223372036854775808 does not fit int64", "[1]", []int64{9}},
		{"93 cf0000000000000001 cfffffffffffffffff 01", ints, "msgpack: uint64 18446744073709551615 does not fit int64", "[1]", []int64{9}},
		{"92 c0 cb3fe0000000000000", ints, "msgpack: float 0.5 does not fit int64", "[1]", []int64{9}},
		{"93 01 c0 a161", ints, "msgpack: invalid code=a1 decoding int64", "[2]", []int64{9}},
		{"92 01 c2", floats, "msgpack: invalid code=c2 decoding float64", "[1]", []float64{9}},
		{"92 c2 01", bools, "msgpack: invalid code=1 decoding bool", "[1]", []bool{true}},
		{"92 a161 01", texts, "msgpack: invalid code=1 decoding string/bytes length", "[1]", []string{"9"}},
		{"81 01 01", ints, "msgpack: invalid code=81 decoding array length", "", []int64{9}},
		{"91 91 01", texts, "msgpack: invalid code=91 decoding string/bytes length", "[0]", []string{"9"}},
		{"", ints, "EOF", "", []int64{9}},
	} {
		for name, d := range sources(unhex(t, c.digits)) {
			nulls := column.Bitmap{}.Set(0)
			got, err := c.decode(d, &nulls)
			var e *Error
			if text(err) != c.err || errors.As(err, &e) && e.Path != c.path || !reflect.DeepEqual(got, c.was) {
				t.Errorf("%s from %s: %v, %+v; want %s in %s", c.digits, name, got, err, c.err, c.path)
			}
			if nulls.Count() != 1 || !nulls.Get(0) {
				t.Errorf("%s from %s: the nulls are %b", c.digits, name, nulls)
			}
		}
	}
	d := newDecoder()
	d.ResetBytes(unhex(t, "c0 90 92 ff cf7fffffffffffffff"))
	var dst []int64
	for _, want := range [][]int64{nil, nil, {-1, math.MaxInt64}} {
		got, err := d.DecodeInt64s(dst, nil)
		if err != nil || !slices.Equal(got, want) {
			t.Error(got, err)
		}
	}
}

// If a list claims more elements than it contains, memory use depends on the actual input, and the
// list is an error.
func TestListBombs(t *testing.T) {
	for _, digits := range []string{"ddffffffff", "dd7fffffff 01", "dcffff a161", "dd00ffffff c2", "ddffffffff c0c0c0"} {
		for _, name := range []string{"bytes", "bytes.Buffer", "Buffer", "plain reader"} {
			var errs []error
			got := allocated(func() {
				for _, decode := range []func(*Decoder, *column.Bitmap) error{
					func(d *Decoder, n *column.Bitmap) error { _, err := d.DecodeInt64s(nil, n); return err },
					func(d *Decoder, n *column.Bitmap) error { _, err := d.DecodeFloat64s(nil, n); return err },
					func(d *Decoder, n *column.Bitmap) error { _, err := d.DecodeBools(nil, n); return err },
					func(d *Decoder, n *column.Bitmap) error { _, err := d.DecodeStrings(nil, n); return err },
				} {
					errs = append(errs, decode(sources(unhex(t, digits))[name], new(column.Bitmap)))
				}
			})
			if slices.Contains(errs, nil) || got > 1<<20 {
				t.Errorf("%s from %s: %d bytes, %v", digits, name, got, errs)
			}
		}
	}
}

// Decoding into sufficient capacity does not allocate, except for the chunks of strings.
func TestListAllocations(t *testing.T) {
	if raceEnabled || !sharedStrings {
		t.Skip("counted without the race detector and with shared strings")
	}
	ints := marshal(t, make([]int64, 1000))
	floats := marshal(t, make([]float64, 1000))
	texts := marshal(t, slices.Repeat([]string{"ten bytes."}, 1000))
	toInts, toFloats, toTexts := make([]int64, 0, 1000), make([]float64, 0, 1000), make([]string, 0, 1000)
	d := newDecoder()
	for name, c := range map[string]struct {
		most float64
		run  func() error
	}{
		"ints":    {0, func() error { d.ResetBytes(ints); _, err := d.DecodeInt64s(toInts, nil); return err }},
		"floats":  {0, func() error { d.ResetBytes(floats); _, err := d.DecodeFloat64s(toFloats, nil); return err }},
		"strings": {11, func() error { d.ResetBytes(texts); _, err := d.DecodeStrings(toTexts, nil); return err }},
	} {
		if got := testing.AllocsPerRun(50, func() {
			if err := c.run(); err != nil {
				t.Fatal(err)
			}
		}); got > c.most {
			t.Errorf("%s: %v allocations, want %v", name, got, c.most)
		}
	}
}

// A list decodes from a stream if it is longer than the elements for which memory is allocated in
// advance.
func TestListFromStream(t *testing.T) {
	want := make([]string, 50_000)
	for i := range want {
		want[i] = fmt.Sprint("text ", i, strings.Repeat("x", i%40))
	}
	got, err := NewDecoder(struct{ io.Reader }{bytes.NewReader(marshal(t, want))}).DecodeStrings(nil, nil)
	if err != nil || !slices.Equal(got, want) {
		t.Error(len(got), err)
	}
}
