package msgpack_test

// The oracle is a slow and simple decoder for MessagePack, which uses reflect and not unsafe. It
// defines the contract: the accepted values, the results, and the memory of the target that is
// reused. TestMatrix compares the decoder with the oracle.

import (
	"bytes"
	"encoding"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/slipstream-go/slipstream/msgpack"
)

// oracle decodes from b[i:].
type oracle struct {
	msgpack.DecodeOptions
	b    []byte
	i    int
	exts map[int]bool // ends of exts that a function has read
	bare map[int]bool // ends of headers of exts that were skipped: see mapLen
}

// called records that a function has read the ext that ends here. Such an ext counts for MaxDepth.
func (o *oracle) called() {
	if o.exts == nil {
		o.exts = make(map[int]bool)
	}
	o.exts[o.i] = true
}

// readsByOracle is implemented by types with their own methods. The oracle cannot call their
// DecodeMsgpack, because it needs a Decoder.
type readsByOracle interface{ decodeOracle(o *oracle) error }

var errOracle = errors.New("the value does not fit")

var (
	timeType = reflect.TypeFor[time.Time]()
	rawType  = reflect.TypeFor[msgpack.RawMessage]()
	viewType = reflect.TypeFor[msgpack.Raw]()
	extType  = reflect.TypeFor[msgpack.Ext]()
	anyType  = reflect.TypeFor[any]()
)

// head is the decoded start of a value.
type head struct {
	kind byte   // 'n'il, 'b'ool, 'i'nt, 'f'loat, 's'tr, 'B'in, 'a'rray, 'm'ap, 'x' ext
	code byte   // as encoded
	num  uint64 // value of an int, extended to 64 bits, or of a bool
	f    float64
	n    int // length or count of other values
	id   int8
}

// next reads the head of the next value. For a number, it reads the whole value.
func (o *oracle) next() (h head, err error) {
	c, err := o.uint(1)
	h.code = byte(c)
	var length uint64
	switch {
	case err != nil:
		return h, err
	case c <= 0x7f || c >= 0xe0:
		return head{kind: 'i', code: h.code, num: uint64(int64(int8(c)))}, nil
	case c <= 0x8f:
		return head{kind: 'm', code: h.code, n: int(c & 15)}, nil
	case c <= 0x9f:
		return head{kind: 'a', code: h.code, n: int(c & 15)}, nil
	case c <= 0xbf:
		return head{kind: 's', code: h.code, n: int(c & 31)}, nil
	}
	switch c {
	case 0xc0:
		h.kind = 'n'
	case 0xc2, 0xc3:
		h.kind, h.num = 'b', c&1
	case 0xc4, 0xc5, 0xc6:
		h.kind = 'B'
		length, err = o.uint(1 << (c - 0xc4))
	case 0xc7, 0xc8, 0xc9:
		h.kind = 'x'
		length, err = o.uint(1 << (c - 0xc7))
	case 0xca:
		h.kind = 'f'
		length, err = o.uint(4)
		h.f, length = float64(math.Float32frombits(uint32(length))), 0
	case 0xcb:
		h.kind = 'f'
		length, err = o.uint(8)
		h.f, length = math.Float64frombits(length), 0
	case 0xcc, 0xcd, 0xce, 0xcf:
		h.kind = 'i'
		h.num, err = o.uint(1 << (c - 0xcc))
	case 0xd0, 0xd1, 0xd2, 0xd3:
		h.kind = 'i'
		size := 1 << (c - 0xd0)
		h.num, err = o.uint(size)
		h.num = uint64(int64(h.num<<(64-8*size)) >> (64 - 8*size))
	case 0xd4, 0xd5, 0xd6, 0xd7, 0xd8:
		h.kind, length = 'x', 1<<(c-0xd4)
	case 0xd9, 0xda, 0xdb:
		h.kind = 's'
		length, err = o.uint(1 << (c - 0xd9))
	case 0xdc, 0xdd:
		h.kind = 'a'
		length, err = o.uint(2 << (c - 0xdc))
	case 0xde, 0xdf:
		h.kind = 'm'
		length, err = o.uint(2 << (c - 0xde))
	default:
		return h, errOracle
	}
	if h.kind == 'x' && err == nil {
		var id uint64
		id, err = o.uint(1)
		h.id = int8(id)
	}
	h.n = int(min(length, math.MaxInt32))
	return h, err
}

// uint reads a number of size bytes.
func (o *oracle) uint(size int) (uint64, error) {
	b, err := o.bytes(size)
	if err != nil {
		return 0, err
	}
	var wide [8]byte
	copy(wide[8-size:], b)
	return binary.BigEndian.Uint64(wide[:]), nil
}

// bytes returns the next n bytes, as a view.
func (o *oracle) bytes(n int) ([]byte, error) {
	if n > len(o.b)-o.i {
		return nil, errors.New("the input ends")
	}
	o.i += n
	return o.b[o.i-n : o.i : o.i], nil
}

func (o *oracle) peek() byte {
	if o.i < len(o.b) {
		return o.b[o.i]
	}
	return 0xc1
}

// isNil reports whether the next value is nil. If it is, isNil skips it.
func (o *oracle) isNil() bool {
	if o.peek() != 0xc0 {
		return false
	}
	o.i++
	return true
}

// skip skips the next value and returns its bytes. A nil key in it counts as "".
func (o *oracle) skip() ([]byte, error) {
	b, err := o.pass()
	if err == nil && o.UniqueKeys {
		skipped := oracle{DecodeOptions: o.DecodeOptions, b: b}
		_, err = skipped.judge(0, "")
	}
	return b, err
}

// pass skips the next value, without a check of its keys, and returns its bytes.
func (o *oracle) pass() ([]byte, error) {
	from := o.i
	for pending := 1; pending > 0; pending-- {
		h, err := o.next()
		if err != nil {
			return nil, err
		}
		switch h.kind {
		case 's', 'B', 'x':
			if _, err := o.bytes(h.n); err != nil {
				return nil, err
			}
		case 'a':
			pending += h.n
		case 'm':
			pending += 2 * h.n
		}
	}
	return o.b[from:o.i:o.i], nil
}

// text returns the bytes of a str or bin.
func (o *oracle) text() ([]byte, error) {
	h, err := o.next()
	if err != nil {
		return nil, err
	}
	if h.kind != 's' && h.kind != 'B' {
		return nil, errOracle
	}
	return o.bytes(h.n)
}

// own returns a copy of b, or b itself with ZeroCopy.
func (o *oracle) own(b []byte) []byte {
	if o.ZeroCopy {
		return b
	}
	return append([]byte{}, b...)
}

// message decodes the next value into v, and checks all of its bytes against the options that
// reject input.
func (o *oracle) message(v reflect.Value) error {
	from := o.i
	if err := o.decode(v); err != nil {
		return err
	}
	if o.MaxBytes > 0 && o.i-from > o.MaxBytes {
		return errOracle
	}
	all := oracle{DecodeOptions: o.DecodeOptions, b: o.b[:o.i], i: from, exts: o.exts, bare: o.bare}
	for all.i < len(all.b) {
		if _, err := all.judge(0, nil); err != nil {
			return err
		}
	}
	return nil
}

// judge checks the next value against the options. It returns the value as a key, or null if it is
// nil. depth is the number of arrays and maps around the value.
func (o *oracle) judge(depth int, null any) (key any, err error) {
	from := o.i
	h, err := o.next()
	if err != nil {
		return nil, err
	}
	switch h.kind {
	case 'n':
		return null, nil
	case 'b':
		return h.num == 1, nil
	case 'i':
		if h.code != 0xcf || int64(h.num) >= 0 {
			return int64(h.num), nil
		}
		return h.num, nil
	case 'f':
		if h.f == h.f {
			return h.f, nil
		}
	case 's', 'B', 'x':
		if o.bare[o.i] {
			return o.judge(depth, null)
		}
		b, err := o.bytes(h.n)
		switch {
		case err != nil:
			return nil, err
		case o.exts[o.i] && o.MaxDepth > 0 && depth >= o.MaxDepth:
			return nil, errOracle
		case h.kind == 'x':
		case o.MaxString > 0 && len(b) > o.MaxString || h.kind == 's' && o.StrictUTF8 && !utf8.Valid(b):
			return nil, errOracle
		default:
			return string(b), nil
		}
	default:
		if o.MaxElements > 0 && h.n > o.MaxElements || o.MaxDepth > 0 && depth >= o.MaxDepth {
			return nil, errOracle
		}
		seen := make(map[any]bool)
		for range h.n {
			if h.kind == 'm' {
				start := o.i
				key, err := o.judge(depth+1, null)
				if err != nil {
					return nil, err
				}
				if _, is := key.(composite); is {
					key = composite((&oracle{b: o.b, i: start}).normal())
				}
				if key = identity(key, o.b[start:o.i]); o.UniqueKeys && seen[key] {
					return nil, errOracle
				}
				seen[key] = true
			}
			if _, err := o.judge(depth+1, null); err != nil {
				return nil, err
			}
		}
	}
	type onWire string
	if h.kind == 'f' {
		return onWire(o.b[from:o.i]), nil
	}
	return composite(""), nil
}

// composite is an array, a map or an ext as a key, in the form that normal returns.
type composite string

// normal returns the meaning of the next value as text. The text does not depend on the widths of
// numbers and headers, or on the order of maps. The value must be valid.
func (o *oracle) normal() string {
	h, _ := o.next()
	switch h.kind {
	case 'i':
		if h.code == 0xcf {
			return fmt.Sprint(h.num)
		}
		return fmt.Sprint(int64(h.num))
	case 'f':
		if h.f != h.f {
			return "NaN"
		}
		return fmt.Sprintf("float %x", math.Float64bits(h.f))
	case 's', 'B', 'x':
		b, _ := o.bytes(h.n)
		return fmt.Sprintf("%c%d%q", h.kind, h.id, b)
	case 'a':
		s := "["
		for range h.n {
			s += o.normal() + ","
		}
		return s + "]"
	case 'm':
		var pairs []string
		for range h.n {
			pairs = append(pairs, o.normal()+":"+o.normal())
		}
		slices.Sort(pairs)
		return fmt.Sprintf("map%q", pairs)
	}
	return fmt.Sprintf("%c%d", h.kind, h.num)
}

// decode decodes the next value into v, which must be settable.
func (o *oracle) decode(v reflect.Value) error {
	t := v.Type()
	switch t {
	case timeType:
		x, err := o.time()
		if err == nil {
			v.Set(reflect.ValueOf(x))
		}
		return err
	case rawType, viewType:
		b, err := o.skip()
		if err == nil {
			v.SetBytes(o.own(b))
		}
		return err
	}
	if t.Kind() != reflect.Pointer && t.Kind() != reflect.Interface {
		p := v.Addr().Interface()
		_, custom := p.(readsByOracle)
		_, whole := p.(msgpack.Unmarshaler)
		_, isBinary := p.(encoding.BinaryUnmarshaler)
		_, isText := p.(encoding.TextUnmarshaler)
		switch {
		case (custom || whole || isBinary || isText || t == extType) && o.isNil():
			v.SetZero()
			return nil
		case custom:
			return p.(readsByOracle).decodeOracle(o)
		case t == extType:
			x, err := o.ext()
			if err == nil {
				v.Set(reflect.ValueOf(x))
			}
			return err
		case whole:
			b, err := o.skip()
			if err != nil {
				return err
			}
			return p.(msgpack.Unmarshaler).UnmarshalMsgpack(bytes.Clone(b))
		case isBinary || isText:
			c := o.peek()
			b, err := o.text()
			if err != nil {
				return err
			}
			if isText && (!isBinary || c < 0xc4 || c > 0xc6) {
				return p.(encoding.TextUnmarshaler).UnmarshalText(bytes.Clone(b))
			}
			return p.(encoding.BinaryUnmarshaler).UnmarshalBinary(bytes.Clone(b))
		}
	}
	switch t.Kind() {
	case reflect.Array: // nil does not change it
		if o.isNil() {
			return nil
		}
	default:
		if o.isNil() {
			v.SetZero()
			return nil
		}
	}
	switch t.Kind() {
	case reflect.Bool:
		h, err := o.next()
		if err == nil && h.kind != 'b' {
			err = errOracle
		}
		if err == nil {
			v.SetBool(h.num == 1)
		}
		return err
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		n, err := o.int(t.Bits(), true)
		if err == nil {
			v.SetInt(int64(n))
		}
		return err
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		n, err := o.int(t.Bits(), false)
		if err == nil {
			v.SetUint(n)
		}
		return err
	case reflect.Float32, reflect.Float64:
		f, err := o.float()
		if err == nil && t.Bits() == 32 && math.Abs(f) > math.MaxFloat32 && !math.IsInf(f, 0) {
			err = errOracle
		}
		if err == nil {
			v.SetFloat(f)
		}
		return err
	case reflect.String:
		b, err := o.text()
		if err == nil {
			v.SetString(string(b))
		}
		return err
	case reflect.Pointer:
		if v.IsNil() {
			v.Set(reflect.New(t.Elem()))
		}
		return o.decode(v.Elem())
	case reflect.Interface:
		if !v.IsNil() && v.Elem().Kind() == reflect.Pointer && !v.Elem().IsNil() {
			return o.decode(v.Elem().Elem())
		}
		x, err := o.any()
		if err == nil {
			v.Set(reflect.ValueOf(&x).Elem())
		}
		return err
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return o.byteSlice(v)
		}
		return o.slice(v)
	case reflect.Array:
		if t.Elem().Kind() == reflect.Uint8 {
			b, err := o.text()
			if err == nil && len(b) > v.Len() {
				err = errOracle
			}
			if err == nil {
				reflect.Copy(v, reflect.ValueOf(b))
			}
			return err
		}
		return o.array(v)
	case reflect.Map:
		return o.mapping(v)
	case reflect.Struct:
		return o.structure(v)
	}
	return fmt.Errorf("no oracle for %v", t)
}

// int reads an int, or a float without a fraction, for a type with the given number of bits.
func (o *oracle) int(bits int, signed bool) (uint64, error) {
	h, err := o.next()
	if err != nil {
		return 0, err
	}
	shift := 64 - bits
	cut := h.num << shift >> shift
	if signed {
		cut = uint64(int64(h.num<<shift) >> shift)
	}
	switch h.kind {
	case 'i':
		negative := int64(h.num) < 0
		beyond := cut != h.num || negative && (h.code == 0xcf) == signed
		if o.StrictInts && beyond {
			return 0, errOracle
		}
		return cut, nil
	case 'f':
		least, most := -math.Ldexp(1, bits-1), math.Ldexp(1, bits-1)
		if !signed {
			least, most = 0, math.Ldexp(1, bits)
		}
		switch {
		case h.f != math.Trunc(h.f) || h.f < least || h.f >= most:
			return 0, errOracle
		case signed:
			return uint64(int64(h.f)), nil
		}
		return uint64(h.f), nil
	}
	return 0, errOracle
}

func (o *oracle) float() (float64, error) {
	h, err := o.next()
	switch {
	case err != nil:
		return 0, err
	case h.kind == 'f':
		return h.f, nil
	case h.kind == 'i' && h.code == 0xcf:
		return float64(h.num), nil
	case h.kind == 'i':
		return float64(int64(h.num)), nil
	}
	return 0, errOracle
}

// time reads an ext, an array of seconds and nanoseconds, or a text.
func (o *oracle) time() (time.Time, error) {
	if o.isNil() {
		return time.Time{}, nil
	}
	h, err := o.next()
	if err != nil {
		return time.Time{}, err
	}
	var t time.Time
	switch h.kind {
	case 's':
		var b []byte
		if b, err = o.bytes(h.n); err == nil {
			t, err = time.Parse(time.RFC3339Nano, string(b))
		}
	case 'a':
		if h.n != 2 {
			return t, errOracle
		}
		var of [2]uint64
		for k := range of {
			if o.isNil() {
				continue
			}
			if of[k], err = o.int(64, true); err != nil {
				return t, err
			}
		}
		t = time.Unix(int64(of[0]), int64(of[1]))
	case 'x':
		var b []byte
		if b, err = o.bytes(h.n); err != nil {
			return t, err
		}
		if h.id != -1 && h.id != 13 {
			return t, errOracle
		}
		t, err = timeOf(b)
	default:
		err = errOracle
	}
	return o.zoned(t), err
}

func (o *oracle) zoned(t time.Time) time.Time {
	if o.UTC {
		return t.UTC()
	}
	return t
}

func timeOf(b []byte) (t time.Time, err error) {
	switch len(b) {
	case 4:
		t = time.Unix(int64(binary.BigEndian.Uint32(b)), 0)
	case 8:
		v := binary.BigEndian.Uint64(b)
		t = time.Unix(int64(v&(1<<34-1)), int64(v>>34))
	case 12:
		t = time.Unix(int64(binary.BigEndian.Uint64(b[4:])), int64(binary.BigEndian.Uint32(b)))
	default:
		return t, errOracle
	}
	if t.Equal(time.Time{}) {
		t = time.Time{}
	}
	return t, nil
}

func (o *oracle) ext() (msgpack.Ext, error) {
	h, err := o.next()
	if err != nil {
		return msgpack.Ext{}, err
	}
	if h.kind != 'x' {
		return msgpack.Ext{}, errOracle
	}
	b, err := o.bytes(h.n)
	return msgpack.Ext{Type: h.id, Data: append([]byte{}, b...)}, err
}

// byteSlice decodes into new memory, or into the memory of the target with ReuseBytes.
func (o *oracle) byteSlice(v reflect.Value) error {
	b, err := o.text()
	switch {
	case err != nil:
		return err
	case o.ReuseBytes && !v.IsNil() && !o.ZeroCopy:
		v.SetBytes(append(v.Bytes()[:0], b...))
	default:
		v.SetBytes(o.own(b))
	}
	return nil
}

// slice decodes into the existing elements, up to the capacity. If they are too few, it first moves
// them to new memory.
func (o *oracle) slice(v reflect.Value) error {
	h, err := o.next()
	if err != nil {
		return err
	}
	if h.kind != 'a' {
		return errOracle
	}
	// Each element is at least one byte. If the input is too short for all elements, those in the
	// input may still be written. A decoder detects the end of a reader late.
	n := min(h.n, len(o.b)-o.i+1)
	// The elements may refer back to v and set it. The oracle uses the slice that v contained at
	// the start of the call.
	s := v.Slice(0, v.Cap())
	if v.IsNil() || h.n > v.Cap() {
		s = reflect.MakeSlice(v.Type(), max(n, v.Cap()), max(n, v.Cap()))
		reflect.Copy(s, v.Slice(0, v.Cap()))
		v.Set(s)
	}
	for k := range n {
		if err := o.decode(s.Index(k)); err != nil {
			return err
		}
	}
	v.Set(s.Slice(0, h.n))
	return nil
}

func (o *oracle) array(v reflect.Value) error {
	h, err := o.next()
	switch {
	case err != nil:
		return err
	case h.kind != 'a' || h.n > v.Len() && !o.AnyLength:
		return errOracle
	}
	for k := range h.n {
		if k >= v.Len() {
			if _, err := o.skip(); err != nil {
				return err
			}
		} else if err := o.decode(v.Index(k)); err != nil {
			return err
		}
	}
	for k := h.n; k < v.Len() && o.AnyLength; k++ {
		v.Index(k).SetZero()
	}
	return nil
}

// mapLen reads the header of a map. It skips the header of an ext before the map.
func (o *oracle) mapLen() (int, error) {
	h, err := o.next()
	if err == nil && h.kind == 'x' {
		if o.bare == nil {
			o.bare = make(map[int]bool)
		}
		o.bare[o.i] = true
		if o.isNil() {
			return 0, nil
		}
		h, err = o.next()
	}
	if err == nil && h.kind != 'm' {
		err = errOracle
	}
	return h.n, err
}

// mapping merges into the existing map. A map[string]any is replaced by a new map.
func (o *oracle) mapping(v reflect.Value) error {
	n, err := o.mapLen()
	if err != nil {
		return err
	}
	t := v.Type()
	m := v
	text := t.Key().Kind() == reflect.String
	if replaced := text && t.Elem() == anyType; v.IsNil() || replaced {
		m = reflect.MakeMap(t)
		if !replaced {
			v.Set(m)
		}
	}
	seen := make(map[any]bool)
	for range n {
		key, value := reflect.New(t.Key()).Elem(), reflect.New(t.Elem()).Elem()
		start := o.i
		if err := o.decode(key); err != nil {
			return err
		}
		if !key.Comparable() {
			return errOracle
		}
		same := identity(key.Interface(), o.b[start:o.i])
		if o.UniqueKeys && seen[same] {
			return errOracle
		}
		seen[same] = true
		if err := o.decode(value); err != nil {
			return err
		}
		m.SetMapIndex(key, value)
	}
	v.Set(m)
	return nil
}

// field is a field of a struct, with its path of indices.
type field struct {
	names []string
	path  []int
}

// fieldsOf returns the fields of a struct. The fields of an embedded struct come before the
// embedded struct itself. other is the key of the tag for fields without a msgpack tag, or "".
func fieldsOf(t reflect.Type, other string) (all []field, asArray, anyLength bool) {
	for i := range t.NumField() {
		f := t.Field(i)
		text := f.Tag.Get("msgpack")
		if text == "" && other != "" {
			text = f.Tag.Get(other)
		}
		tag := strings.Split(text, ",")
		if tag[0] == "-" {
			continue
		}
		if f.Name == "_msgpack" {
			for _, option := range tag {
				asArray = asArray || option == "as_array"
				anyLength = anyLength || option == "any_length"
			}
			continue
		}
		own := field{names: []string{f.Name}, path: []int{i}}
		if tag[0] != "" {
			own.names[0] = tag[0]
		}
		for _, option := range tag[1:] {
			if alias, ok := strings.CutPrefix(option, "alias:"); ok {
				own.names = append(own.names, alias)
			}
		}
		if inner := f.Type; f.Anonymous {
			if inner.Kind() == reflect.Pointer {
				inner = inner.Elem()
			}
			nested, _, _ := fieldsOf(inner, other)
			for _, n := range nested {
				all = append(all, field{n.names, append([]int{i}, n.path...)})
			}
			own.names, own.path = own.names[:1], append(own.path, -1) // the embedded struct itself, which is decoded but not encoded
		} else if !f.IsExported() {
			continue
		}
		all = append(all, own)
	}
	return all, asArray, anyLength
}

// at returns the field in v. It allocates missing embedded structs.
func (f field) at(v reflect.Value) reflect.Value { return f.find(v, true) }

// find is like at. If make is false, it returns no value if an embedded struct is missing.
func (f field) find(v reflect.Value, make bool) reflect.Value {
	for _, i := range f.path {
		if i < 0 {
			break
		}
		if v.Kind() == reflect.Pointer {
			switch {
			case v.IsNil() && !make:
				return reflect.Value{}
			case v.IsNil():
				v.Set(reflect.New(v.Type().Elem()))
			}
			v = v.Elem()
		}
		v = v.Field(i)
	}
	return v
}

// structure decodes a struct from a map by names, or from an array by position.
func (o *oracle) structure(v reflect.Value) error {
	fields, _, anyLength := fieldsOf(v.Type(), o.StructTag)
	h, err := o.next()
	if err != nil {
		return err
	}
	switch h.kind {
	case 'm':
	case 'a':
		written := fields[:0:0]
		for _, f := range fields {
			if f.path[len(f.path)-1] >= 0 {
				written = append(written, f)
			}
		}
		return o.tuple(v, written, h.n, o.AnyLength || anyLength)
	default:
		return errOracle
	}
	seen, unknown := make([]bool, len(fields)), make(map[string]bool)
	for range h.n {
		c := o.peek()
		isText := c >= 0xa0 && c <= 0xc0 || c >= 0xc4 && c <= 0xc6 || c >= 0xd9 && c <= 0xdb
		if !isText && !o.DisallowUnknownFields {
			if _, err := o.skip(); err != nil {
				return err
			}
			if _, err := o.skip(); err != nil {
				return err
			}
			continue
		}
		var name []byte
		if !o.isNil() {
			if name, err = o.text(); err != nil {
				return err
			}
		}
		at := -1
		for k, f := range fields {
			for _, n := range f.names {
				if n == string(name) && at < 0 {
					at = k
				}
			}
		}
		switch {
		case at >= 0 && seen[at] && o.UniqueKeys:
			err = errOracle
		case at >= 0:
			seen[at] = true
			err = o.decode(fields[at].at(v))
		case o.DisallowUnknownFields:
			err = errOracle
		case unknown[string(name)] && o.UniqueKeys:
			err = errOracle
		default:
			unknown[string(name)] = true
			_, err = o.skip()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (o *oracle) tuple(v reflect.Value, fields []field, n int, anyLength bool) error {
	if n == 0 {
		v.SetZero()
		return nil
	}
	if n != len(fields) && !anyLength {
		return errOracle
	}
	for k := range max(n, len(fields)) {
		var err error
		switch {
		case k >= len(fields):
			_, err = o.skip()
		case k >= n:
			if missing := fields[k].find(v, false); missing.IsValid() {
				missing.SetZero()
			}
		default:
			err = o.decode(fields[k].at(v))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// any decodes a value without a type.
func (o *oracle) any() (any, error) {
	if c := o.peek(); c >= 0x80 && c <= 0x8f || c >= 0xde && c <= 0xdf {
		return o.anyMap()
	}
	h, err := o.next()
	if err != nil {
		return nil, err
	}
	switch h.kind {
	case 'n':
		return nil, nil
	case 'b':
		return h.num == 1, nil
	case 'f':
		if h.code == 0xca && !o.Loose {
			return float32(h.f), nil
		}
		return h.f, nil
	case 'i':
		return o.anyInt(h), nil
	case 's':
		b, err := o.bytes(h.n)
		return string(b), err
	case 'B':
		b, err := o.bytes(h.n)
		if o.Loose {
			return string(b), err
		}
		return o.own(b), err
	case 'a':
		if h.n > len(o.b)-o.i {
			return nil, errors.New("the input ends")
		}
		list := make([]any, h.n)
		for k := range list {
			if list[k], err = o.any(); err != nil {
				return nil, err
			}
		}
		return list, nil
	}
	b, err := o.bytes(h.n)
	switch {
	case err != nil:
		return nil, err
	case h.id == stampID:
		o.called()
		s, err := stampOf(b)
		return s, err
	case h.id == -1:
		t, err := timeOf(b)
		return o.zoned(t), err
	case h.id == -128: // an interned string, none of which exist
		return nil, errOracle
	case o.RawExt:
		return msgpack.Ext{Type: h.id, Data: bytes.Clone(b)}, nil
	}
	return nil, errOracle
}

func (o *oracle) anyInt(h head) any {
	signed := h.code < 0xcc || h.code > 0xcf
	switch {
	case o.Loose && signed:
		return int64(h.num)
	case o.Loose:
		return h.num
	}
	switch h.code {
	case 0xcc:
		return uint8(h.num)
	case 0xcd:
		return uint16(h.num)
	case 0xce:
		return uint32(h.num)
	case 0xcf:
		return h.num
	case 0xd1:
		return int16(h.num)
	case 0xd2:
		return int32(h.num)
	case 0xd3:
		return int64(h.num)
	}
	return int8(h.num)
}

// anyMap decodes a map. The type of the map depends on its keys. Text, bin and nil are string keys.
func (o *oracle) anyMap() (any, error) {
	n, err := o.mapLen()
	if err != nil {
		return nil, err
	}
	all := make(map[any]any)
	seen := make(map[any]bool)
	types := make(map[reflect.Type]bool)
	for range n {
		var key any
		start := o.i
		switch c := o.peek(); {
		case c == 0xc0:
			o.i++
			key = ""
		case c >= 0xa0 && c <= 0xbf || c >= 0xc4 && c <= 0xc6 || c >= 0xd9 && c <= 0xdb:
			b, err := o.text()
			if err != nil {
				return nil, err
			}
			key = string(b)
		default:
			if key, err = o.any(); err != nil {
				return nil, err
			}
		}
		if key == nil || !reflect.ValueOf(key).Comparable() {
			return nil, errOracle
		}
		same := identity(key, o.b[start:o.i])
		if o.UniqueKeys && seen[same] {
			return nil, errOracle
		}
		seen[same] = true
		if all[key], err = o.any(); err != nil {
			return nil, err
		}
		types[reflect.TypeOf(key)] = true
	}
	if len(types) > 1 {
		return all, nil
	}
	t := reflect.TypeFor[string]()
	for only := range types {
		t = only
	}
	m := reflect.MakeMap(reflect.MapOf(t, anyType))
	for k, v := range all {
		m.SetMapIndex(reflect.ValueOf(k), reflect.ValueOf(&v).Elem())
	}
	return m.Interface(), nil
}

// identity returns the value that UniqueKeys compares for a key. A number does not depend on its
// width, and a NaN is identified by its bytes.
func identity(key any, wire []byte) any {
	type bits string
	switch v := reflect.ValueOf(key); {
	case !v.IsValid() || v.Type().PkgPath() != "":
	case v.CanInt():
		return v.Int()
	case v.CanUint() && v.Uint() <= math.MaxInt64:
		return int64(v.Uint())
	case v.CanUint():
		return v.Uint()
	case v.CanFloat() && math.IsNaN(v.Float()):
		return bits(wire)
	case v.CanFloat():
		return v.Float()
	}
	return key
}
