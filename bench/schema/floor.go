package schema

import (
	"encoding/binary"
	"errors"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/slipstream-go/slipstream/internal/mem"
)

// The floor is hand-written code for Parco's encoding, with separate code for each struct. Fields
// follow each other without tags. Numbers have fixed widths in little-endian order. A count
// precedes lists, maps and texts, and 00 or 01 precedes optional values. The floor does not check
// that lengths and times fit.

var le = binary.LittleEndian

func appendText8(dst []byte, s string) []byte { return append(append(dst, byte(len(s))), s...) }

func appendText16(dst []byte, s string) []byte {
	return append(le.AppendUint16(dst, uint16(len(s))), s...)
}

func appendFloat64(dst []byte, f float64) []byte { return le.AppendUint64(dst, math.Float64bits(f)) }

func appendBool(dst []byte, b bool) []byte {
	if b {
		return append(dst, 1)
	}
	return append(dst, 0)
}

var (
	errShort = errors.New("the input is too short")
	errLong  = errors.New("the input is too long")
	errBool  = errors.New("neither 00 nor 01")
)

// cursor reads values from b. After an error, all values are zero.
type cursor struct {
	b   []byte
	err error
}

var zeros [8]byte

// fixed reads n bytes, up to 8.
func (c *cursor) fixed(n int) []byte {
	if len(c.b) < n {
		c.fail(errShort)
		return zeros[:n]
	}
	b := c.b[:n]
	c.b = c.b[n:]
	return b
}

func (c *cursor) fail(err error) {
	c.b = nil
	if c.err == nil {
		c.err = err
	}
}

func (c *cursor) uint8() uint8     { return c.fixed(1)[0] }
func (c *cursor) uint16() uint16   { return le.Uint16(c.fixed(2)) }
func (c *cursor) uint32() uint32   { return le.Uint32(c.fixed(4)) }
func (c *cursor) int64() int64     { return int64(le.Uint64(c.fixed(8))) }
func (c *cursor) float64() float64 { return math.Float64frombits(le.Uint64(c.fixed(8))) }

func (c *cursor) bool() bool {
	b := c.uint8()
	if b > 1 {
		c.fail(errBool)
	}
	return b == 1
}

// span reads n bytes.
func (c *cursor) span(n int) []byte {
	if len(c.b) < n {
		c.fail(errShort)
		return nil
	}
	b := c.b[:n]
	c.b = c.b[n:]
	return b
}

func (c *cursor) text8() string  { return string(c.span(int(c.uint8()))) }
func (c *cursor) text16() string { return string(c.span(int(c.uint16()))) }

// end returns the first error, or an error if there is unread input.
func (c *cursor) end() error {
	if c.err == nil && len(c.b) > 0 {
		return errLong
	}
	return c.err
}

// resized returns the list with n elements. It reuses the list's memory if it is large enough.
func resized[T any](list []T, n int) []T { return slices.Grow(list[:0], n)[:n] }

// recordFloor returns the floor of record. The counts have one byte, or two if wide is set.
func recordFloor(wide bool) codec[record] {
	return codec[record]{
		append: func(dst []byte, v *record) ([]byte, error) {
			dst = appendBeforeMap(dst, v, wide)
			for key, value := range v.Map {
				dst = append(appendText8(dst, key), value)
			}
			return appendAfterMap(dst, v), nil
		},
		parse: func(b []byte, v *record) error { return parseRecord(b, v, wide) },
		room:  func(v *record) int { return 64 + len(v.Name) + len(v.Str) + 2*len(v.Arr) + 8*len(v.Map) },
	}
}

// sortedRecord returns a function that encodes a record with its entries sorted by key, so that the
// bytes are the same in every run.
func sortedRecord(wide bool) func(v *record) ([]byte, error) {
	return func(v *record) ([]byte, error) {
		dst := appendBeforeMap(nil, v, wide)
		for _, key := range slices.Sorted(maps.Keys(v.Map)) {
			dst = append(appendText8(dst, key), v.Map[key])
		}
		return appendAfterMap(dst, v), nil
	}
}

func appendLen(dst []byte, n int, wide bool) []byte {
	if wide {
		return le.AppendUint16(dst, uint16(n))
	}
	return append(dst, byte(n))
}

func (c *cursor) len(wide bool) int {
	if wide {
		return int(c.uint16())
	}
	return int(c.uint8())
}

func appendBeforeMap(dst []byte, v *record, wide bool) []byte {
	dst = appendText16(dst, v.Name)
	dst = appendText16(dst, v.Str)
	dst = le.AppendUint16(dst, v.Num)
	dst = appendLen(dst, len(v.Arr), wide)
	for _, x := range v.Arr {
		dst = le.AppendUint16(dst, x)
	}
	return appendLen(dst, len(v.Map), wide)
}

func appendAfterMap(dst []byte, v *record) []byte {
	dst = appendBool(dst, v.Bool)
	dst = le.AppendUint32(dst, math.Float32bits(v.Float32))
	return appendFloat64(dst, v.Float64)
}

func parseRecord(b []byte, v *record, wide bool) error {
	c := cursor{b: b}
	v.Name, v.Str, v.Num = c.text16(), c.text16(), c.uint16()
	list := c.span(2 * c.len(wide))
	v.Arr = resized(v.Arr, len(list)/2)
	for i := range v.Arr {
		v.Arr[i] = le.Uint16(list[2*i:])
	}
	n := c.len(wide)
	if 2*n > len(c.b) {
		return errShort
	}
	if v.Map == nil {
		v.Map = make(map[string]uint8, n)
	} else {
		clear(v.Map)
	}
	for range n {
		key := c.text8()
		v.Map[key] = c.uint8()
	}
	v.Bool, v.Float32, v.Float64 = c.bool(), math.Float32frombits(c.uint32()), c.float64()
	return c.end()
}

func batchFloor() codec[batch] {
	const least = 4 + 1 + 8 + 8 + 2 + 1
	return codec[batch]{
		append: func(dst []byte, v *batch) ([]byte, error) {
			dst = le.AppendUint16(dst, uint16(len(v.Readings)))
			for i := range v.Readings {
				r := &v.Readings[i]
				dst = le.AppendUint32(dst, r.Sensor)
				dst = appendText8(dst, r.Unit)
				dst = le.AppendUint64(dst, uint64(r.Time))
				dst = appendFloat64(dst, r.Value)
				dst = le.AppendUint16(dst, r.Level)
				dst = appendBool(dst, r.Valid)
			}
			return dst, nil
		},
		parse: func(b []byte, v *batch) error {
			c := cursor{b: b}
			n := int(c.uint16())
			if n*least > len(c.b) {
				return errShort
			}
			v.Readings = resized(v.Readings, n)
			for i := range v.Readings {
				v.Readings[i] = reading{c.uint32(), c.text8(), c.int64(), c.float64(), c.uint16(), c.bool()}
			}
			return c.end()
		},
		room: func(v *batch) int { return 2 + (least+8)*len(v.Readings) },
	}
}

func optionsFloor() codec[options] {
	return codec[options]{
		append: func(dst []byte, v *options) ([]byte, error) {
			dst = appendInt(dst, v.Int1)
			dst = appendInt(dst, v.Int2)
			dst = appendInt(dst, v.Int3)
			dst = appendInt(dst, v.Int4)
			dst = appendCount(dst, v.Count1)
			dst = appendCount(dst, v.Count2)
			dst = appendCount(dst, v.Count3)
			dst = appendCount(dst, v.Count4)
			dst = appendRatio(dst, v.Ratio1)
			dst = appendRatio(dst, v.Ratio2)
			dst = appendRatio(dst, v.Ratio3)
			dst = appendRatio(dst, v.Ratio4)
			dst = appendFlag(dst, v.Flag1)
			dst = appendFlag(dst, v.Flag2)
			dst = appendFlag(dst, v.Flag3)
			dst = appendFlag(dst, v.Flag4)
			dst = appendText(dst, v.Text1)
			dst = appendText(dst, v.Text2)
			dst = appendText(dst, v.Text3)
			dst = appendText(dst, v.Text4)
			return dst, nil
		},
		parse: func(b []byte, v *options) error {
			c := cursor{b: b}
			if present(&c, &v.Int1) {
				*v.Int1 = c.int64()
			}
			if present(&c, &v.Int2) {
				*v.Int2 = c.int64()
			}
			if present(&c, &v.Int3) {
				*v.Int3 = c.int64()
			}
			if present(&c, &v.Int4) {
				*v.Int4 = c.int64()
			}
			if present(&c, &v.Count1) {
				*v.Count1 = c.uint16()
			}
			if present(&c, &v.Count2) {
				*v.Count2 = c.uint16()
			}
			if present(&c, &v.Count3) {
				*v.Count3 = c.uint16()
			}
			if present(&c, &v.Count4) {
				*v.Count4 = c.uint16()
			}
			if present(&c, &v.Ratio1) {
				*v.Ratio1 = c.float64()
			}
			if present(&c, &v.Ratio2) {
				*v.Ratio2 = c.float64()
			}
			if present(&c, &v.Ratio3) {
				*v.Ratio3 = c.float64()
			}
			if present(&c, &v.Ratio4) {
				*v.Ratio4 = c.float64()
			}
			if present(&c, &v.Flag1) {
				*v.Flag1 = c.bool()
			}
			if present(&c, &v.Flag2) {
				*v.Flag2 = c.bool()
			}
			if present(&c, &v.Flag3) {
				*v.Flag3 = c.bool()
			}
			if present(&c, &v.Flag4) {
				*v.Flag4 = c.bool()
			}
			if present(&c, &v.Text1) {
				*v.Text1 = c.text16()
			}
			if present(&c, &v.Text2) {
				*v.Text2 = c.text16()
			}
			if present(&c, &v.Text3) {
				*v.Text3 = c.text16()
			}
			if present(&c, &v.Text4) {
				*v.Text4 = c.text16()
			}
			return c.end()
		},
		room: func(*options) int { return 256 },
	}
}

func appendInt(dst []byte, p *int64) []byte {
	if p == nil {
		return append(dst, 0)
	}
	return le.AppendUint64(append(dst, 1), uint64(*p))
}

func appendCount(dst []byte, p *uint16) []byte {
	if p == nil {
		return append(dst, 0)
	}
	return le.AppendUint16(append(dst, 1), *p)
}

func appendRatio(dst []byte, p *float64) []byte {
	if p == nil {
		return append(dst, 0)
	}
	return appendFloat64(append(dst, 1), *p)
}

func appendFlag(dst []byte, p *bool) []byte {
	if p == nil {
		return append(dst, 0)
	}
	return appendBool(append(dst, 1), *p)
}

func appendText(dst []byte, p *string) []byte {
	if p == nil {
		return append(dst, 0)
	}
	return appendText16(append(dst, 1), *p)
}

// present reads whether there is a value, and allocates memory for it.
func present[T any](c *cursor, p **T) bool {
	switch there := c.bool(); {
	case !there:
		*p = nil
	case *p == nil:
		*p = new(T)
	}
	return *p != nil
}

func tinyFloor() codec[tiny] {
	return codec[tiny]{
		append: func(dst []byte, v *tiny) ([]byte, error) {
			return append(le.AppendUint32(dst, v.ID), v.Kind), nil
		},
		parse: func(b []byte, v *tiny) error {
			c := cursor{b: b}
			v.ID, v.Kind = c.uint32(), c.uint8()
			return c.end()
		},
		room: func(*tiny) int { return 5 },
	}
}

func nestFloor() codec[nest] {
	return codec[nest]{
		append: func(dst []byte, v *nest) ([]byte, error) {
			dst = appendLevel(dst, v)
			dst = appendLevel(dst, &v.In)
			dst = appendLevel(dst, &v.In.In)
			dst = appendLevel(dst, &v.In.In.In)
			dst = appendLevel(dst, &v.In.In.In.In)
			dst = appendLevel(dst, &v.In.In.In.In.In)
			dst = appendLevel(dst, &v.In.In.In.In.In.In)
			return appendFloat64(dst, v.In.In.In.In.In.In.In.Value), nil
		},
		parse: func(b []byte, v *nest) error {
			c := cursor{b: b}
			parseLevel(&c, v)
			parseLevel(&c, &v.In)
			parseLevel(&c, &v.In.In)
			parseLevel(&c, &v.In.In.In)
			parseLevel(&c, &v.In.In.In.In)
			parseLevel(&c, &v.In.In.In.In.In)
			parseLevel(&c, &v.In.In.In.In.In.In)
			v.In.In.In.In.In.In.In.Value = c.float64()
			return c.end()
		},
		room: func(*nest) int { return 128 },
	}
}

func appendLevel[T any](dst []byte, v *level[T]) []byte {
	return appendText8(le.AppendUint32(dst, v.ID), v.Name)
}

func parseLevel[T any](c *cursor, v *level[T]) { v.ID, v.Name = c.uint32(), c.text8() }

func smallFloor() codec[smallStruct] {
	return codec[smallStruct]{appendSmall, parseSmall, func(v *smallStruct) int { return smallFixed + len(v.Name) + len(v.Phone) }}
}

// smallFixed is the encoded size of a smallStruct without the bytes of its texts.
const smallFixed = 1 + 8 + 1 + 4 + 1 + 8

func appendSmall(dst []byte, v *smallStruct) ([]byte, error) {
	dst = appendText8(dst, v.Name)
	dst = le.AppendUint64(dst, uint64(v.BirthDay.UnixNano()))
	dst = appendText8(dst, v.Phone)
	dst = le.AppendUint32(dst, uint32(v.Siblings))
	dst = appendBool(dst, v.Spouse)
	return appendFloat64(dst, v.Money), nil
}

func parseSmall(b []byte, v *smallStruct) error {
	err := viewSmall(b, v)
	v.Name, v.Phone = strings.Clone(v.Name), strings.Clone(v.Phone)
	return err
}

// viewSmall decodes a smallStruct whose texts alias the input.
func viewSmall(b []byte, v *smallStruct) error {
	if len(b) < smallFixed {
		return errShort
	}
	n := int(b[0])
	if len(b) < smallFixed+n {
		return errShort
	}
	v.Name, b = mem.String(b[1:1+n]), b[1+n:]
	v.BirthDay = time.Unix(0, int64(le.Uint64(b)))
	n, b = int(b[8]), b[9:]
	switch {
	case len(b) < n+13:
		return errShort
	case len(b) > n+13:
		return errLong
	case b[n+4] > 1:
		return errBool
	}
	v.Phone, b = mem.String(b[:n]), b[n:]
	v.Siblings, v.Spouse, v.Money = int(int32(le.Uint32(b))), b[4] == 1, math.Float64frombits(le.Uint64(b[5:]))
	return nil
}
