package parco_test

import (
	"bytes"
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"

	. "github.com/slipstream-go/slipstream/parco"
)

type wide struct{ A, B, C, D, E, F, G, H uint64 }

// Parse allocates nothing for a count of elements that exceeds the rest of the input. The same
// holds for a count of elements without bytes that exceeds the limit.
func TestCountsDoNotAllocate(t *testing.T) {
	full := Builder[wide](nil).UInt64(le, func(w *wide) uint64 { return w.A }, func(w *wide, v uint64) { w.A = v })
	for name, c := range map[string]struct {
		tp SliceType[wide]
		is error
	}{
		"elements": {Slice(UInt32LEHeader(), Struct(full)), ErrCannotRead},
		"empty":    {Slice(UInt32LEHeader(), Struct(Builder[wide](nil))), ErrOverflow},
		"skipped":  {Slice(UInt32LEHeader(), Struct(Builder[wide](nil).Skip(0))), ErrOverflow},
		"foreign":  {Slice[wide](foreignHeader{}, Struct(full)), ErrCannotRead},
		"both":     {Slice[wide](foreignHeader{}, Struct(Builder[wide](nil))), ErrOverflow},
	} {
		for _, b := range []string{"\x40\x42\x0f\x00", "\xff\xff\xff\xff"} {
			c.tp.Parse(reader(nil)) // builds the schema of the type
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			if _, err := c.tp.Parse(reader([]byte(b))); !errors.Is(err, c.is) && !(b[0] == 0xff && errors.Is(err, ErrOverflow)) {
				t.Errorf("%s, %x: %+v", name, b, err)
			}
			runtime.ReadMemStats(&after)
			if got := after.TotalAlloc - before.TotalAlloc; got > 64<<10 {
				t.Errorf("%s, %x allocates %d bytes", name, b, got)
			}
		}
	}
}

// A value that is too long for its header returns an error and is not written.
func TestHeadersAreChecked(t *testing.T) {
	for _, c := range []struct {
		name   string
		header IntType
		most   int
	}{
		{"UInt8Header", UInt8Header(), 255}, {"Int8Header", Int8Header(), 127},
		{"UInt16HeaderLE", UInt16HeaderLE(), 65535}, {"UInt16HeaderBE", UInt16HeaderBE(), 65535},
		{"Int16LEHeader", Int16LEHeader(), 32767}, {"Int16BEHeader", Int16BEHeader(), 32767},
	} {
		for _, more := range []int{1, 2} {
			var w bytes.Buffer
			n := c.most + more
			for what, err := range map[string]error{
				"header": c.header.Compile(n, &w),
				"slice":  Slice(c.header, UInt8()).Compile(SliceView[uint8](make([]uint8, n)), &w),
				"wide":   Slice(c.header, UInt16BE()).Compile(SliceView[uint16](make([]uint16, n)), &w),
				"string": String(c.header).Compile(strings.Repeat("x", n), &w),
				"blob":   Blob(c.header).Compile(make([]byte, n), &w),
			} {
				path := map[string]string{"slice": "items", "wide": "items"}[what]
				if !isError(err, ErrOverflow, path, 0) || w.Len() > 0 {
					t.Errorf("%s, %s of %d: %+v, %d bytes", c.name, what, n, err, w.Len())
				}
			}
		}
		if err := c.header.Compile(c.most, io.Discard); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	if _, err := Slice(Int8Header(), UInt8()).Parse(reader([]byte{0xff})); !errors.Is(err, ErrOverflow) {
		t.Errorf("a negative length: %v", err)
	}
	if err := UInt64LEHeader().Compile(-1, io.Discard); !errors.Is(err, ErrOverflow) {
		t.Errorf("a negative length: %v", err)
	}
}
