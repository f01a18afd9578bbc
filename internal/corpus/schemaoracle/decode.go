package schemaoracle

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"path"
	"reflect"
	"time"
)

// Options defines how a message is decoded.
type Options struct {
	// ReuseBlobs makes Decode overwrite the memory of a blob in the target.
	ReuseBlobs bool
	// MaxBytes, if it is not 0, is the maximum size of a message in bytes.
	MaxBytes int
	// MaxDepth is the maximum nesting of values that contain their own type. MaxItems is the
	// maximum number of elements that occupy no bytes. For both, 0 means the default.
	MaxDepth, MaxItems int
	// Field returns the Go name of a field, given its name in the schema. It also reports whether
	// the field is replaced: such a field is decoded into a new value, which then replaces the
	// target's value. This is the case for fields with a getter and a setter. If Field is nil, the
	// Go names equal the names in the schema, and no field is replaced.
	Field func(name string) (field string, replaced bool)
	// Filled makes Decode set a replaced field without elements to an empty slice or map instead of
	// nil.
	Filled bool
	// Custom decodes a value of the custom type with the given name.
	Custom func(name string, r io.Reader, v reflect.Value) error
}

// These are the defaults of MaxDepth and MaxItems.
const (
	defaultDepth = 64
	defaultItems = 1 << 16
)

// The texts of these errors are only for human readers. Tests check only whether there is an error.
var (
	errShort    = errors.New("the input ends too early")
	errOverflow = errors.New("a number does not fit")
	errByte     = errors.New("a flag byte has an invalid value")
	errDepth    = errors.New("nested too deeply")
	errItems    = errors.New("too many elements whose encoding has 0 bytes")
)

// Decode decodes the message at the start of b into *target, and returns the number of bytes that
// it has read.
func (l *Layout) Decode(b []byte, target reflect.Value, o Options) (n int, err error) {
	if o.MaxDepth == 0 {
		o.MaxDepth = defaultDepth
	}
	if o.MaxItems == 0 {
		o.MaxItems = defaultItems
	}
	d := decoder{b: b, o: o}
	if o.MaxBytes > 0 && len(b) > o.MaxBytes {
		d.b, d.cut = b[:o.MaxBytes], true
	}
	if err := d.attempt(func() { d.value(l, target.Elem()) }); err != nil {
		return 0, err
	}
	return d.at, nil
}

// failure contains the error that ends decoding.
type failure struct{ error }

type decoder struct {
	b     []byte
	at    int
	cut   bool
	o     Options
	depth int
	items int
	open  []*Layout // the structs that enclose the value
}

func (d *decoder) fail(err error) { panic(failure{err}) }

// take returns the next n bytes.
func (d *decoder) take(n int) []byte {
	if n > len(d.b)-d.at {
		d.fail(errShort)
	}
	d.at += n
	return d.b[d.at-n : d.at]
}

// word returns the next number of size bytes.
func (d *decoder) word(size int, big bool) (w uint64) {
	for k, c := range d.take(size) {
		if big {
			w = w<<8 | uint64(c)
		} else {
			w |= uint64(c) << (8 * k)
		}
	}
	return w
}

// flag returns the next byte, which must be 0 or 1.
func (d *decoder) flag() bool {
	c := d.take(1)[0]
	if c > 1 {
		d.fail(errByte)
	}
	return c == 1
}

// signed returns w as a signed number of size bytes.
func signed(w uint64, size int) int64 { return int64(w<<(64-8*size)) >> (64 - 8*size) }

// count reads and returns a length. Each element must have at least the given number of bytes.
func (d *decoder) count(l *Layout, least int) int {
	w := d.word(l.size, l.big)
	if l.signed && signed(w, l.size) < 0 {
		d.fail(errOverflow)
	}
	return d.fits(int(min(w, math.MaxInt)), least)
}

// fits returns n if the rest of the input can contain n elements with the given minimum size.
// Otherwise it fails.
func (d *decoder) fits(n, least int) int {
	switch {
	case n == 0:
	case least > 0 && n > (len(d.b)-d.at)/least:
		d.fail(errShort)
	case least == 0:
		if n > d.o.MaxItems-d.items {
			d.fail(errItems)
		}
		d.items += n
	}
	return n
}

// value decodes a value into v.
func (d *decoder) value(l *Layout, v reflect.Value) {
	switch l.word {
	case "u", "i":
		d.integer(l, v)
	case "f":
		w := d.word(l.size, l.big)
		if l.size == 4 {
			v.Set(reflect.ValueOf(math.Float32frombits(uint32(w)))) // a conversion to float64 would change some NaNs
		} else {
			v.SetFloat(math.Float64frombits(w))
		}
	case "bool":
		v.SetBool(d.flag())
	case "time":
		v.Set(reflect.ValueOf(instant(d.word(8, false))).Convert(v.Type()))
	case "timezone":
		d.zone(v)
	case "str":
		v.SetString(string(d.take(d.count(l, 1))))
	case "blob":
		d.blob(v, d.take(d.count(l, 1)))
	case "list":
		d.elements(l, v, d.count(l, l.parts[0].least(d.open)))
	case "array":
		if v.Kind() == reflect.Slice {
			d.elements(l, v, d.fits(l.size, l.parts[0].least(d.open)))
			return
		}
		for i := range l.size {
			d.value(l.parts[0], v.Index(i))
		}
	case "map":
		d.entries(l, v)
	case "opt":
		if !d.flag() {
			v.SetZero()
			return
		}
		if v.IsNil() {
			v.Set(reflect.New(v.Type().Elem()))
		}
		d.value(l.parts[0], v.Elem())
	case "self":
		d.self(l, v)
	case "custom":
		d.custom(l, v)
	case "struct":
		d.structure(l, v)
	default:
		panic(fmt.Sprintf("there is no type %q", l.word))
	}
}

func (d *decoder) integer(l *Layout, v reflect.Value) {
	w := d.word(l.size, l.big)
	s := int64(w)
	if l.signed {
		s = signed(w, l.size)
	}
	switch {
	case v.CanInt():
		if !l.signed && s < 0 || v.OverflowInt(s) {
			d.fail(errOverflow)
		}
		v.SetInt(s)
	case l.signed && s < 0 || v.OverflowUint(uint64(s)):
		d.fail(errOverflow)
	default:
		v.SetUint(uint64(s))
	}
}

// instant returns the time whose encoding is w. The zero time is encoded as an instant in the year
// 1754.
func instant(w uint64) time.Time {
	if w == 0xa1b203eb3d1a0000 {
		return time.Time{}
	}
	return time.Unix(0, int64(w)).UTC()
}

func (d *decoder) zone(v reflect.Value) {
	when := instant(d.word(8, false))
	if d.take(1)[0] != 1 {
		d.fail(errByte)
	}
	name := string(d.take(int(d.take(1)[0])))
	zone, err := time.LoadLocation(name)
	if name != "" && path.Clean(name) != name {
		err = errors.New("the name is not in the form that path.Clean returns")
	}
	if err != nil {
		d.fail(fmt.Errorf("zone %q: %v", name, err))
	}
	v.Set(reflect.ValueOf(when.In(zone)))
}

// blob sets v to a copy of b. If v is nil and b is empty, v stays nil.
func (d *decoder) blob(v reflect.Value, b []byte) {
	switch {
	case v.IsNil() && len(b) == 0:
	case d.o.ReuseBlobs && v.Cap() >= len(b):
		v.SetLen(len(b))
		copy(v.Bytes(), b)
	default:
		v.SetBytes(append([]byte{}, b...))
	}
}

// elements decodes n elements into the slice `v`. It reuses the array of v if the array is large
// enough and cannot belong to a blob, because a blob may be a view.
func (d *decoder) elements(l *Layout, v reflect.Value, n int) {
	fresh := v.Type().Elem() == reflect.TypeFor[byte]() && !d.o.ReuseBlobs
	switch {
	case fresh && v.IsNil() && n == 0:
	case n > v.Cap() || fresh:
		v.Set(reflect.MakeSlice(v.Type(), n, n))
	case !v.IsNil():
		v.SetLen(n)
	}
	list := v.Slice(0, n) // decoding an element that refers to v may change v
	for i := range n {
		d.value(l.parts[0], list.Index(i))
	}
}

// entries decodes a map into v, after it has removed the old entries.
func (d *decoder) entries(l *Layout, v reflect.Value) {
	n := d.count(l, l.parts[0].least(d.open)+l.parts[1].least(d.open))
	switch {
	case !v.IsNil() && v.Len() > 1000 && n < v.Len()/8, v.IsNil() && n > 0:
		v.Set(reflect.MakeMap(v.Type()))
	case !v.IsNil():
		v.Clear()
	}
	for range n {
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		d.value(l.parts[0], key)
		d.value(l.parts[1], value)
		v.SetMapIndex(key, value)
	}
}

// self decodes a value whose type is an enclosing struct.
func (d *decoder) self(l *Layout, v reflect.Value) {
	if d.depth == d.o.MaxDepth {
		d.fail(errDepth)
	}
	d.depth++
	open := d.open
	target := open[len(open)-1-l.up]
	d.open = open[: len(open)-1-l.up : len(open)-1-l.up]
	d.value(target, v)
	d.open = open
	d.depth--
}

func (d *decoder) custom(l *Layout, v reflect.Value) {
	if len(d.b)-d.at < l.size {
		d.fail(errShort)
	}
	r := bytes.NewReader(d.b[d.at:])
	if err := d.o.Custom(l.name, r, v); err != nil {
		d.fail(err)
	}
	d.at = len(d.b) - r.Len()
}

func (d *decoder) structure(l *Layout, v reflect.Value) {
	d.open = append(d.open[:len(d.open):len(d.open)], l)
	for k, f := range l.fields {
		if f.tail && d.at == len(d.b) && !d.cut {
			for _, missing := range l.fields[k:] {
				if missing.layout != nil {
					to, _ := d.field(v, missing.name)
					to.SetZero()
				}
			}
			break
		}
		if f.layout == nil {
			d.take(f.skip)
			continue
		}
		to, replaced := d.field(v, f.name)
		if !replaced {
			d.value(f.layout, to)
			continue
		}
		value := reflect.New(to.Type()).Elem()
		d.value(f.layout, value)
		if d.o.Filled {
			fill(value)
		}
		to.Set(value)
	}
	d.open = d.open[:len(d.open)-1]
}

// field returns the field of v that has the given name in the schema, and reports whether the field
// is replaced.
func (d *decoder) field(v reflect.Value, name string) (field reflect.Value, replaced bool) {
	if d.o.Field != nil {
		name, replaced = d.o.Field(name)
	}
	return v.FieldByName(name), replaced
}

// fill replaces a nil slice or a nil map by an empty one.
func fill(v reflect.Value) {
	switch {
	case v.Kind() == reflect.Slice && v.IsNil():
		v.Set(reflect.MakeSlice(v.Type(), 0, 0))
	case v.Kind() == reflect.Map && v.IsNil():
		v.Set(reflect.MakeMap(v.Type()))
	}
}
