package msgpack

// This file contains Unmarshal and the decode functions of the ops.
//
// The input consists of one []byte, d.b, and an offset that the functions pass on in a register.
// Each function takes the offset of a value, and returns the offset after the value, or -1 with
// d.err set. Fast paths require the complete value in d.b. The slow functions in read.go read all
// other values. They may refill d.b from a stream, so a local copy of d.b is invalid after a call
// of a slow function.

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"sync"

	"github.com/slipstream-go/slipstream/internal/buffer"
	"github.com/slipstream-go/slipstream/internal/mem"
	"github.com/slipstream-go/slipstream/internal/msgpwire"
	"github.com/slipstream-go/slipstream/internal/wire"
)

// maxDepth is the maximum nesting depth of values, unless an option sets another limit.
const maxDepth = 10_000

func (d *Decoder) tooDeep(i int) int { return d.fail(i, depthError(d.limits.depth)) }

// depthError reports values nested too deeply. Its value is the limit.
type depthError int

func (e depthError) Error() string { return fmt.Sprintf("msgpack: values nest deeper than %d", int(e)) }

// Unmarshal decodes the first value in data into the target of the pointer v. It ignores bytes
// after the value. Decoded values do not refer to data. After an error, the target may contain a
// part of the value. Unmarshal returns the same errors as [Decoder.Decode].
func Unmarshal(data []byte, v any) error {
	face := mem.FaceOf(v)
	var o *op
	if v != nil {
		o = defaultPlans.byWord(face.Type, v)
	}
	if o == nil || !o.pointer || face.Data == nil || o.elem.face && !isNilAny(o.elem, mem.Of(face.Data, o.elem.typ)) {
		var d Decoder
		d.ResetBytes(data)
		return d.Decode(v)
	}
	d := unmarshalers.Get().(*Decoder)
	d.b, d.i, d.inside, d.credit = data, 0, 1, streamCredit+32*len(data)
	next := o.elem.decode(d, o.elem, mem.Of(face.Data, o.elem.typ), 0)
	d.inside--
	var err error
	if next < 0 {
		err = d.endFailed(0)
	}
	d.b = nil
	if o.elem.tame {
		d.depth = 0
		unmarshalers.Put(d)
	} else {
		d.putBack()
	}
	return err
}

// unmarshalers contains decoders with default options, so that Unmarshal does not have to set
// options.
var unmarshalers = sync.Pool{New: func() any { return newDecoder() }}

// putBack returns a decoder to the pool of Unmarshal, unless a user's method has changed the
// decoder.
func (d *Decoder) putBack() {
	d.depth, d.inner = 0, nil
	if d.dict.size() > 0 {
		d.forgetDict()
	}
	if d.flags == 0 && d.inside == 0 && d.r == nil && d.mapFunc == nil && d.plans == defaultPlans && d.limits == noLimits && d.base == 0 {
		unmarshalers.Put(d)
	}
}

// isNilAny reports whether the value at p has the type any and is nil.
func isNilAny(o *op, p mem.Pointer) bool { return o.typ == anyType && *mem.At[any](p, 0) == nil }

var errDecodeNil = errors.New("msgpack: Decode(nil)")

// Decode decodes the next value into the target of the pointer v. At the end of the input, it
// returns io.EOF itself. If the input ends inside a value, it returns an [Error] whose cause is
// io.EOF or io.ErrUnexpectedEOF. If a value does not fit its target, Decode skips the value, so
// that the next call decodes the next value.
//
// If v points to a variable of type any, the variable must contain nil or a pointer. If it contains
// another value, for example from an earlier call, Decode skips the next value and returns an
// error. A loop that decodes into the same variable of type any must set it to nil before each
// call.
func (d *Decoder) Decode(v any) error {
	face := mem.FaceOf(v)
	if v == nil {
		return errDecodeNil
	}
	o := d.plans.byWord(face.Type, v)
	if !o.pointer {
		return fmt.Errorf("msgpack: Decode(non-pointer %T)", v)
	}
	if face.Data == nil {
		return fmt.Errorf("msgpack: Decode(non-settable %T)", v)
	}
	to := o.elem
	if to.face {
		return d.decodeFace(to, mem.Of(face.Data, to.typ))
	}
	return d.decodeOp(to, mem.Of(face.Data, to.typ))
}

// decodeOp decodes the next input value into the target at p.
func (d *Decoder) decodeOp(o *op, p mem.Pointer) error {
	mark := d.begin()
	if !o.tame {
		return d.decodeGuarded(o, p, mark)
	}
	depth := d.depth
	next := o.decode(d, o, p, mark)
	if next < 0 {
		d.depth = depth
	}
	return d.end(mark, next)
}

func (d *Decoder) decodeGuarded(o *op, p mem.Pointer, mark int) error {
	g := d.guard(mark)
	defer g.done()
	return g.end(o.decode(d, o, p, mark))
}

// A guard ends a public call that may call a user's methods. The caller defers a call of the method
// `done`. If a user's method panics, the call ends like a failed call, so that the decoder remains
// usable.
type guard struct {
	d                          *Decoder
	mark, inside, depth, steps int
	returned                   bool
}

// guard returns the guard of a call whose value starts at the offset `mark`.
func (d *Decoder) guard(mark int) guard {
	return guard{d: d, mark: mark, inside: d.inside, depth: d.depth, steps: d.steps}
}

// end calls Decoder.end for the guarded call.
func (g *guard) end(next int) error {
	d := g.d
	if g.returned = true; next < 0 {
		d.depth = g.depth
	}
	err := d.end(g.mark, next)
	if d.inside == 0 {
		d.inner = nil // its path may be large
	}
	return err
}

func (g *guard) done() {
	if g.returned {
		return
	}
	d := g.d
	d.i, d.inside, d.depth, d.steps = g.mark, g.inside-1, g.depth, g.steps
	if d.inside == 0 {
		_ = d.endFailed(d.start) // the panic reports the failure
	}
}

// decodeFace decodes into the interface at p. If the interface contains a pointer, decodeFace
// decodes into the pointer's target. If the interface is nil, decodeFace sets it. Any other value
// in the interface is an error, like an argument of Decode that is not a pointer. After this error,
// the next input value is skipped, so that a loop that ignores the error ends.
func (d *Decoder) decodeFace(o *op, p mem.Pointer) error {
	if v := reflect.NewAt(o.typ, mem.RawAs(p, o.typ)).Elem(); !v.IsNil() {
		if held := v.Elem(); held.Kind() != reflect.Pointer {
			mark := d.begin()
			if _, ok := d.codeAt(mark); ok {
				d.fail(mark, fmt.Errorf("msgpack: Decode(non-pointer %s)", held.Type()))
			}
			return d.end(mark, -1)
		}
	}
	return d.decodeOp(o, p)
}

// DecodeValue is like [Decoder.Decode] for a reflect.Value. It decodes into v if v is settable, and
// otherwise into the target of the pointer v.
func (d *Decoder) DecodeValue(v reflect.Value) error {
	if !v.IsValid() {
		return errDecodeNil
	}
	if !v.CanSet() {
		if v.Kind() == reflect.Pointer && !v.IsNil() {
			v = v.Elem()
		} else {
			return fmt.Errorf("msgpack: Decode(non-settable %s)", v.Type())
		}
	}
	o := d.plans.of(v.Type())
	return d.decodeOp(o, mem.PlaceOf(v))
}

// DecodeMulti decodes the next values into the targets of the pointers v, in order. It stops at the
// first error.
func (d *Decoder) DecodeMulti(v ...any) error {
	for _, p := range v {
		if err := d.Decode(p); err != nil {
			return err
		}
	}
	return nil
}

// isNil reports whether the value at i is nil. At the end of the input, it returns false, and the
// next read function returns the error.
func (d *Decoder) isNil(i int) bool {
	if uint(i) >= uint(len(d.b)) && !d.need(i, 1) {
		return false
	}
	return d.b[i] == msgpwire.Nil
}

func decodeBool(d *Decoder, o *op, p mem.Pointer, i int) int {
	v, i := d.readBool(i)
	if i >= 0 {
		*mem.At[bool](p, 0) = v
	}
	return i
}

type numberOps struct {
	decode decodeFn
	encode encodeFn
	kind   kind
}

func intOps(size uintptr) numberOps {
	switch size {
	case 1:
		return numberOps{decodeIntOf[int8], encodeInt8, kindOther}
	case 2:
		return numberOps{decodeIntOf[int16], encodeInt16, kindOther}
	case 4:
		return numberOps{decodeIntOf[int32], encodeInt32, kindOther}
	}
	return numberOps{decodeIntOf[int64], encodeInt64, kindFixedInt}
}

func uintOps(size uintptr) numberOps {
	switch size {
	case 1:
		return numberOps{decodeUintOf[uint8], encodeUint8, kindOther}
	case 2:
		return numberOps{decodeUintOf[uint16], encodeUint16, kindOther}
	case 4:
		return numberOps{decodeUintOf[uint32], encodeUint32, kindOther}
	}
	return numberOps{decodeUintOf[uint64], encodeUint64, kindFixedUint}
}

func decodeIntOf[T int8 | int16 | int32 | int64](d *Decoder, o *op, p mem.Pointer, i int) int {
	v, j := readInt(d.b, i)
	if j < 0 {
		if v, j = d.readIntSlow(i, int(o.size)*8); j < 0 {
			return -1
		}
	}
	if d.flags&strictInts != 0 && !d.fits(i, v, int(o.size)*8, true) {
		return -1
	}
	*mem.At[T](p, 0) = T(v)
	return j
}

func decodeUintOf[T uint8 | uint16 | uint32 | uint64](d *Decoder, o *op, p mem.Pointer, i int) int {
	v, j := readInt(d.b, i)
	if j < 0 {
		var u uint64
		if u, j = d.readUintSlow(i, int(o.size)*8); j < 0 {
			return -1
		}
		v = int64(u)
	}
	if d.flags&strictInts != 0 && !d.fits(i, v, int(o.size)*8, false) {
		return -1
	}
	*mem.At[T](p, 0) = T(v)
	return j
}

func decodeFloat32(d *Decoder, o *op, p mem.Pointer, i int) int {
	v, i := d.readFloat32(i)
	if i >= 0 {
		*mem.At[float32](p, 0) = v
	}
	return i
}

func decodeFloat64(d *Decoder, o *op, p mem.Pointer, i int) int {
	v, i := d.readFloat64(i)
	if i >= 0 {
		*mem.At[float64](p, 0) = v
	}
	return i
}

func decodeString(d *Decoder, o *op, p mem.Pointer, i int) int {
	v, i := d.readString(i)
	if i >= 0 {
		*mem.At[string](p, 0) = v
	}
	return i
}

// decodeBytes reads a str or bin into a []byte. The slice in the target may be a view of another
// input, or may belong to the caller. So its bytes are overwritten only with the option ReuseBytes.
func decodeBytes(d *Decoder, o *op, p mem.Pointer, i int) int {
	to := mem.At[[]byte](p, 0)
	if d.isNil(i) {
		*to = nil
		return i + 1
	}
	start, next := d.readBytes(i)
	if next < 0 {
		return -1
	}
	if d.flags&careful != 0 && !d.allows(i, start, next) {
		return -1
	}
	b := d.b[start:next]
	switch {
	case d.views() || d.shares(len(b)):
		*to = d.owned(b)
	case d.flags&reuseBytes != 0 && *to != nil:
		*to = append((*to)[:0], b...)
	case d.flags&ownStrings != 0:
		*to = d.owned(b)
	default:
		*to = d.strings.CopyBytes(b)
	}
	return next
}

func decodeByteArray(d *Decoder, o *op, p mem.Pointer, i int) int {
	if d.isNil(i) {
		return i + 1
	}
	start, next := d.readBytes(i)
	if next < 0 || d.flags&careful != 0 && !d.allows(i, start, next) {
		return -1
	}
	to := mem.Slice{Data: mem.RawBytes(p, o.length), Len: o.length, Cap: o.length}
	if next-start > o.length {
		return d.fail(i, fmt.Errorf("%v len is %d, but msgpack has %d elements", o.typ, o.length, next-start))
	}
	copy(*mem.RawAt[[]byte](mem.RawTo(&to), 0), d.b[start:next])
	return next
}

func decodePointer(d *Decoder, o *op, p mem.Pointer, i int) int {
	to := mem.At[mem.Raw](p, 0)
	if d.isNil(i) {
		*to = nil
		return i + 1
	}
	if *to == nil {
		*to = mem.NewAt(o.elem.typ)
	}
	if o.elem.pointer { // a pointer type that points to itself nests without reading a byte
		return d.step(i, func() int { return o.elem.decode(d, o.elem, mem.Of(*to, o.elem.typ), i) })
	}
	return o.elem.decode(d, o.elem, mem.Of(*to, o.elem.typ), i)
}

// step calls a decoding function that may recurse without reading a byte. It limits the depth of
// this recursion separately, because MaxDepth counts only the nesting of the input.
func (d *Decoder) step(i int, call func() int) int {
	if d.steps >= maxDepth {
		return d.fail(i, depthError(maxDepth))
	}
	d.steps++
	next := call()
	d.steps--
	return next
}

// room returns the number of elements for which memory may be allocated now. The header announces n
// elements, each of which needs the given size. room subtracts the granted memory from d.credit,
// which all values of one input share, so that nested counts cannot multiply. For the other
// elements, memory grows as they arrive.
func (d *Decoder) room(n int, size uintptr) int {
	if size == 0 || n == 0 {
		return n
	}
	granted := min(n, max(4, d.credit/int(size)))
	d.credit -= min(d.credit, granted*int(size))
	return granted
}

// claim checks the count n against MaxElements, and against the length of the remaining input. Each
// counted element has at least `width` bytes.
func (d *Decoder) claim(i, n, width int) bool {
	if n > d.limits.elements {
		d.tooMany(i, n)
		return false
	}
	if (d.r == nil || d.buf != nil) && n > (len(d.b)-i)/width {
		d.fail(i, errShort)
		return false
	}
	return true
}

func decodeSlice(d *Decoder, o *op, p mem.Pointer, i int) int {
	to := mem.At[mem.Slice](p, 0)
	if d.isNil(i) {
		*to = mem.Slice{}
		return i + 1
	}
	n, i := d.arrayLen(i)
	if i < 0 || !d.claim(i, n, 1) {
		return -1
	}
	elem := o.elem
	if to.Data == nil || n > to.Cap {
		have := to.Len
		to.Len = to.Cap // keep the elements beyond the length, as append does within the capacity
		room := d.room(n, elem.size)
		if to.Data != nil { // always allocate a new array, and leave the old one unchanged
			room = max(room, to.Cap+1)
		}
		growSlice(to, o, room)
		to.Len = have
	}
	if d.depth++; d.depth > d.limits.depth {
		return d.tooDeep(i)
	}
	s := *to // an element may contain a pointer to its parent, through which decoding changes *to
	for k := range n {
		if k == s.Cap {
			s.Len = k
			*to = s
			growSlice(to, o, min(n, 2*k+4))
			s = *to
		}
		if i = elem.decode(d, elem, mem.Add(mem.ArrayOf(s.Data, elem.typ, s.Cap), uintptr(k)*elem.size), i); i < 0 {
			d.path.Index(k)
			s.Len = k
			*to = s
			return -1
		}
	}
	s.Len = n
	*to = s
	d.depth--
	return i
}

// growSlice allocates memory for n elements, and keeps the first s.Len elements. If n is 0, s
// becomes an empty slice that is not nil.
func growSlice(s *mem.Slice, o *op, n int) {
	if n == 0 {
		*s = mem.Slice{Data: reflect.MakeSlice(o.typ, 0, 0).UnsafePointer()}
		return
	}
	mem.GrowSlice(s, o.typ, n)
}

func decodeArray(d *Decoder, o *op, p mem.Pointer, i int) int {
	if d.isNil(i) {
		return i + 1
	}
	n, i := d.arrayLen(i)
	if i < 0 {
		return -1
	}
	if n > o.length && d.flags&anyLength == 0 {
		return d.fail(i, fmt.Errorf("%v len is %d, but msgpack has %d elements", o.typ, o.length, n))
	}
	if !d.claim(i, n, 1) {
		return -1
	}
	if d.depth++; d.depth > d.limits.depth {
		return d.tooDeep(i)
	}
	elem := o.elem
	for k := range min(n, o.length) {
		if i = elem.decode(d, elem, mem.Add(p, uintptr(k)*elem.size), i); i < 0 {
			d.path.Index(k)
			return -1
		}
	}
	if d.flags&anyLength != 0 {
		for k := n; k < o.length; k++ {
			zero(elem, mem.Add(p, uintptr(k)*elem.size))
		}
		i = d.skipValues(i, n-o.length)
	}
	d.depth--
	return i
}

// openSlice reads an array's header, and sets the slice at p to its final length. The elements have
// a leaf kind. Allocating the whole slice is safe, because every element has at least one byte, and
// openSlice first reads that many bytes from a stream.
func openSlice[T any](d *Decoder, p mem.Pointer, i int) (s []T, next int, done bool) {
	to := mem.At[[]T](p, 0)
	n := 0
	if b := d.b; uint(i) < uint(len(b)) && b[i]&0xf0 == msgpwire.Fixarray && len(b)-i > 15 && d.flags&limited == 0 {
		n, i = int(b[i]&0x0f), i+1 // the input contains enough bytes for any count
	} else {
		if d.isNil(i) {
			*to = nil
			return nil, i + 1, true
		}
		if n, i = d.arrayLen(i); i < 0 {
			return nil, -1, true
		}
		if n > d.limits.elements {
			return nil, d.tooMany(i, n), true
		}
		if d.depth >= d.limits.depth {
			return nil, d.tooDeep(i), true
		}
		if n > len(d.b)-i && !d.need(i, n) {
			return nil, d.fail(i, d.endOf()), true
		}
	}
	if *to == nil || n > cap(*to) {
		*to = make([]T, n)
	} else {
		*to = (*to)[:n]
	}
	return *to, i, false
}

// longList is the minimum length of a list of strings that decodeStrings expects to contain
// repeated strings, such as a column of host names.
const longList = 32

func decodeStrings(d *Decoder, o *op, p mem.Pointer, i int) int {
	if d.flags&internStrings != 0 {
		return decodeSlice(d, o, p, i)
	}
	s, i, done := openSlice[string](d, p, i)
	if done {
		return i
	}
	if d.values == nil && len(s) >= longList {
		d.values = new(buffer.Recent)
	}
	recurring := cacheKeys && len(s) >= longList
	fresh := 0
	plain := d.flags&careful == 0
	for k := 0; k < len(s); k++ {
		b := d.b
		if plain && !recurring {
			var n int
			if n, i = d.readStringRun(b, i, s[k:]); n > 0 {
				if k += n; k == len(s) {
					break
				}
			}
		}
		if n := fixstrLen(b, i); plain && recurring && uint(n) <= buffer.RecentMax {
			if !keepEqual || len(s[k]) != n || s[k] != string(b[i+1:i+1+n]) {
				v, known := d.values.Find(b, i+1, n)
				if !known {
					fresh++
					recurring = fresh < longList || fresh < k/2 // otherwise lookups cost more than they save
				}
				s[k] = v
			}
			i += 1 + n
			continue
		}
		v, next := d.readString(i)
		if next < 0 {
			d.path.Index(k)
			return -1
		}
		s[k], i = v, next
	}
	return i
}

// fixstrLen returns the length of the fixstr at i, or -1 if there is no complete fixstr.
func fixstrLen(b []byte, i int) int {
	if uint(i) < uint(len(b)) {
		if n := int(b[i]) - msgpwire.Fixstr; uint(n) < 32 && n < len(b)-i {
			return n
		}
	}
	return -1
}

// readStringRun reads consecutive fixstrs from b[i:] into dst. It stops near the end of b, and when
// the memory for strings is used up. It returns the number of strings that were read, and the
// offset after them.
func (d *Decoder) readStringRun(b []byte, i int, dst []string) (n, next int) {
	const word = 8
	var room []byte
	at := 0 // number of bytes of room that are used
	for readRuns && n < len(dst) && i+1+4*word <= len(b) {
		size := int(mem.Load8(b, i)) - msgpwire.Fixstr
		if uint(size) > 31 {
			break
		}
		if keepEqual && len(dst[n]) == size && dst[n] == string(b[i+1:i+1+size]) {
			i += 1 + size
			n++
			continue
		}
		if at+4*word > len(room) {
			d.strings.Take(at)
			at = 0
			if room = d.strings.Room(4 * word); room == nil {
				break
			}
		}
		// Copies whole words. The next string overwrites the extra bytes.
		mem.Store64(room, at, mem.Load64(b, i+1))
		mem.Store64(room, at+word, mem.Load64(b, i+1+word))
		if size > 2*word {
			mem.Store64(room, at+2*word, mem.Load64(b, i+1+2*word))
			mem.Store64(room, at+3*word, mem.Load64(b, i+1+3*word))
		}
		dst[n] = mem.String(room[at : at+size])
		at += size
		i += 1 + size
		n++
	}
	d.strings.Take(at)
	return n, i
}

func decodeInt64s(d *Decoder, o *op, p mem.Pointer, i int) int {
	s, i, done := openSlice[int64](d, p, i)
	if done {
		return i
	}
	for k := 0; k < len(s); {
		if d.flags&strictInts == 0 {
			run, j := readInt64Run(d.b, i, s[k:])
			k, i = k+run, j
			if k == len(s) {
				break
			}
		}
		v, j := d.readInt(i)
		if j < 0 {
			d.path.Index(k)
			return -1
		}
		s[k], i = v, j
		k++
	}
	return i
}

func decodeFloat64s(d *Decoder, o *op, p mem.Pointer, i int) int {
	s, i, done := openSlice[float64](d, p, i)
	if done {
		return i
	}
	for k := 0; k < len(s); {
		run, j := readFloat64Run(d.b, i, s[k:])
		k, i = k+run, j
		if k == len(s) {
			break
		}
		v, j := d.readFloat64(i)
		if j < 0 {
			d.path.Index(k)
			return -1
		}
		s[k], i = v, j
		k++
	}
	return i
}

// decodeStruct reads a map into a struct's fields, or an array by position.
func decodeStruct(d *Decoder, o *op, p mem.Pointer, i int) int {
	b := d.b
	n := 0
	if uint(i) < uint(len(b)) && b[i]&0xf0 == msgpwire.Fixmap {
		n = int(b[i] & 0x0f)
		i++
	} else {
		var mapped bool
		if n, i, mapped = d.structHeader(o, p, i); !mapped {
			return i
		}
		b = d.b
	}
	if d.flags&careful != 0 {
		return d.decodeStructCareful(o, p, n, i)
	}
	if d.depth++; d.depth > d.limits.depth {
		return d.tooDeep(i)
	}
	in := o.fields.in
	next := 0
	for ; n > 0; n-- {
		// The next field in order is expected. Its encoded key is compared in two words.
		f := &in[next]
		if predictFields && i+16 <= len(b) &&
			(mem.Load64(b, i)^f.key1)&f.mask1 == 0 && (mem.Load64(b, i+8)^f.key2)&f.mask2 == 0 &&
			f.size != 0 { // a field that is never expected has the size 0
			i += int(f.size)
			next++
		} else {
			if f, i = d.findField(o, next, i); f == nil {
				if i < 0 {
					return -1
				}
				b = d.b
				continue
			}
			b = d.b
			next = int(f.index) + 1
		}
		to := mem.Add(p, uintptr(f.offset))
		switch f.kind {
		case kindString:
			if uint(i) < uint(len(b)) {
				if c := b[i]; c >= msgpwire.Fixstr && c <= msgpwire.FixstrMax {
					if n := int(c & 0x1f); n < len(b)-i {
						// A reused target often contains the string already.
						if s := mem.At[string](to, 0); !keepEqual || len(*s) != n || *s != string(b[i+1:i+1+n]) {
							*s = d.strings.CopyAt(b, i+1, n)
						}
						i += 1 + n
						continue
					}
				}
			}
			var s string
			if s, i = d.readString(i); i >= 0 {
				*mem.At[string](to, 0) = s
			}
		case kindInt:
			if i+9 <= len(b) && mem.Load8(b, i) == msgpwire.Int64 {
				*mem.At[uint64](to, 0) = wire.BE64(b, i+1)
				i += 9
				continue
			}
			v, j := readInt(b, i)
			if j < 0 {
				v, j = d.readIntSlow(i, 64)
			}
			if i = j; i >= 0 {
				*mem.At[int64](to, 0) = v
			}
		case kindUint:
			v, j := readInt(b, i)
			if j < 0 {
				var u uint64
				u, j = d.readUintSlow(i, 64)
				v = int64(u)
			}
			if i = j; i >= 0 {
				*mem.At[int64](to, 0) = v
			}
		case kindFloat64:
			if i+9 <= len(b) && mem.Load8(b, i) == msgpwire.Float64 {
				*mem.At[float64](to, 0) = math.Float64frombits(wire.BE64(b, i+1))
				i += 9
				continue
			}
			var v float64
			if v, i = d.readFloat64(i); i >= 0 {
				*mem.At[float64](to, 0) = v
			}
		case kindBool:
			if uint(i) < uint(len(b)) && b[i]|1 == msgpwire.True {
				*mem.At[bool](to, 0) = b[i] == msgpwire.True
				i++
				continue
			}
			var v bool
			if v, i = d.readBool(i); i >= 0 {
				*mem.At[bool](to, 0) = v
			}
		default:
			if f.hops {
				to = reachField(o, f, p)
			}
			i = f.op.decode(d, f.op, to, i)
		}
		if i < 0 {
			d.path.Field(o.fields.list[f.index].Name)
			return -1
		}
		b = d.b
	}
	d.depth--
	return i
}

// structHeader reads the header of a struct that is not encoded as a short map. If the struct is
// encoded as a longer map, mapped is true. If it is encoded as nil or an array, structHeader
// decodes it completely, and mapped is false.
func (d *Decoder) structHeader(o *op, p mem.Pointer, i int) (n, next int, mapped bool) {
	c, ok := d.codeAt(i)
	switch {
	case !ok:
		return 0, -1, false
	case c == msgpwire.Nil:
		reflect.NewAt(o.typ, mem.RawAs(p, o.typ)).Elem().SetZero()
		return 0, i + 1, false
	case msgpwire.IsExt(c):
		return 0, d.fail(i, unexpectedCodeError{c}), false
	case c&0xf0 == msgpwire.Fixarray || c == msgpwire.Array16 || c == msgpwire.Array32:
		return 0, d.decodeTuple(o, p, i), false
	}
	n, i = d.mapLen(i)
	return n, i, i >= 0
}

var errArrayStruct = errors.New("msgpack: number of fields in array-encoded struct has changed")

// decodeTuple reads a struct's fields by position.
func (d *Decoder) decodeTuple(o *op, p mem.Pointer, i int) int {
	n, j := d.arrayLen(i)
	if j < 0 {
		return -1
	}
	if d.depth >= d.limits.depth {
		return d.tooDeep(j)
	}
	if n == 0 {
		reflect.NewAt(o.typ, mem.RawAs(p, o.typ)).Elem().SetZero()
		return j
	}
	out := o.fields.out
	if n != len(out) && d.flags&anyLength == 0 && !o.fields.anyLength {
		return d.fail(i, errArrayStruct)
	}
	if !d.claim(j, n, 1) {
		return -1
	}
	d.depth++
	for k := range out {
		f := &o.fields.in[out[k].index]
		to := mem.Add(p, uintptr(f.offset))
		if k >= n {
			if f.hops {
				to = o.fields.reach(&out[k], p)
			}
			if !mem.IsNil(to) {
				zero(f.op, to)
			}
			continue
		}
		if f.hops {
			to = reachField(o, f, p)
		}
		if j = f.op.decode(d, f.op, to, j); j < 0 {
			d.path.Field(o.fields.list[f.index].Name)
			return -1
		}
	}
	j = d.skipValues(j, n-len(out)) // the extra values count as values in the array
	d.depth--
	return j
}

// reachField follows the embedded pointers to the field f, and returns the field's address. It
// allocates a struct for each nil pointer on the path, even if the value in the input is nil.
func reachField(o *op, f *inField, p mem.Pointer) mem.Pointer {
	field := &o.fields.list[f.index]
	for _, hop := range field.Hops {
		to := mem.At[mem.Raw](p, hop.Offset)
		if *to == nil {
			*to = mem.NewAt(hop.Type)
		}
		p = mem.Of(*to, hop.Type)
	}
	return mem.Add(p, field.Offset)
}

// findField reads a key for which the comparison of two words with the expected field failed. Such
// a key belongs to another field, is too long for the comparison, or is too near the end of the
// input. If no field has this key, findField skips the value, and returns nil and the offset after
// the value.
func (d *Decoder) findField(o *op, expected, i int) (f *inField, next int) {
	key := o.fields.keys[expected]
	if unseen := len(key) > 16 || i+16 > len(d.b); unseen && predictFields &&
		len(key) <= len(d.b)-i && string(d.b[i:i+len(key)]) == key && key != neverKey {
		return &o.fields.in[expected], i + len(key)
	}
	var name []byte
	start, end := readStr(d.b, i)
	if end >= 0 {
		name = d.b[start:end]
	} else {
		if !d.isNil(i) && d.isNameless(i) {
			return nil, d.skipValues(i, 2)
		}
		var s string
		if s, end = d.readStringSlow(i, false); end < 0 {
			return nil, -1
		}
		name = mem.Bytes(s)
	}
	if k := o.fields.names.Find(name); k >= 0 {
		return o.fields.byName[k], end
	}
	if d.flags&disallowUnknown != 0 {
		return nil, d.fail(i, unknownField(name))
	}
	return nil, d.pass(end) // options that restrict skipped values are handled by decodeStructCareful
}

func unknownField(name []byte) error { return fmt.Errorf("msgpack: unknown field %q", name) }

// isNameless reports whether the key at i, for example an int, cannot be the name of a field, and
// must be skipped with its value. If unknown fields are not allowed, it returns false, because
// reading the key as a string creates the error.
func (d *Decoder) isNameless(i int) bool {
	if d.flags&disallowUnknown != 0 || i >= len(d.b) || d.isInterned(i) {
		return false
	}
	switch Raw(d.b[i:]).Kind() {
	case KindString, KindBin, KindMissing:
		return false
	}
	return true
}

// decodeMap reads a map of any type through reflect.
func decodeMap(d *Decoder, o *op, p mem.Pointer, i int) int {
	to := reflect.NewAt(o.typ, mem.RawAs(p, o.typ)).Elem()
	if d.isNil(i) {
		to.SetZero()
		return i + 1
	}
	n, i := d.mapLen(i)
	if i < 0 || !d.claim(i, n, 2) {
		return -1
	}
	if to.IsNil() {
		to.Set(reflect.MakeMapWithSize(o.typ, d.room(n, o.key.size+o.elem.size+1))) // an entry of size 0 needs memory, too
	}
	if d.depth++; d.depth > d.limits.depth {
		return d.tooDeep(i)
	}
	key, value := reflect.New(o.key.typ).Elem(), reflect.New(o.elem.typ).Elem()
	keyAt, valueAt := mem.PlaceOf(key), mem.PlaceOf(value)
	seen := d.newKeySet()
	for range n {
		key.SetZero()
		value.SetZero() // memory that the last value points to now belongs to the map
		start := i
		if i = o.key.decode(d, o.key, keyAt, i); i < 0 {
			return -1
		}
		if !key.Comparable() {
			return d.fail(start, keyError{keyType(key)})
		}
		if seen.keys != nil && seen.twice(key.Interface(), d.b[start:i]) {
			return d.fail(start, errKeyTwice)
		}
		if i = o.elem.decode(d, o.elem, valueAt, i); i < 0 {
			d.path.Field(fmt.Sprint(key))
			return -1
		}
		to.SetMapIndex(key, value)
	}
	d.depth--
	return i
}

func keyType(key reflect.Value) reflect.Type {
	if key.Kind() == reflect.Interface {
		key = key.Elem()
	}
	return key.Type()
}

// openMap reads a map's header, and allocates the map at p if it is nil.
func openMap[V any](d *Decoder, o *op, p mem.Pointer, i int) (m map[string]V, n, next int) {
	to := mem.At[map[string]V](p, 0)
	if b := d.b; uint(i) < uint(len(b)) && b[i]&0xf0 == msgpwire.Fixmap && len(b)-i > 2*15 && d.flags&limited == 0 {
		n, i = int(b[i]&0x0f), i+1 // the input contains enough bytes for any count
	} else {
		if d.isNil(i) {
			*to = nil
			return nil, 0, i + 1
		}
		if n, i = d.mapLen(i); i < 0 || !d.claim(i, n, 2) {
			return nil, 0, -1
		}
		if d.depth >= d.limits.depth {
			return nil, 0, d.tooDeep(i)
		}
	}
	if *to == nil {
		if n > 8 {
			*to = make(map[string]V, d.room(n, o.key.size+o.elem.size))
		} else {
			*to = make(map[string]V)
		}
	}
	return *to, n, i
}

// decodeMapOf returns a variant of decodeMap for maps from strings to a leaf kind.
func decodeMapOf[V any](read func(d *Decoder, i int) (V, int)) decodeFn {
	return func(d *Decoder, o *op, p mem.Pointer, i int) int {
		m, n, i := openMap[V](d, o, p, i)
		seen := d.newKeySet()
		for range n {
			key, j := d.readKeyAtHand(i)
			if j < 0 {
				if key, j = d.readKey(i); j < 0 {
					return -1
				}
			}
			if seen.keys != nil && seen.twice(key, nil) {
				return d.fail(i, errKeyTwice)
			}
			var v V
			if v, i = read(d, j); i < 0 {
				d.path.Field(key)
				return -1
			}
			m[key] = v
		}
		return i
	}
}

// decodeMapText is a variant of decodeMap for map[string]string.
func decodeMapText(d *Decoder, o *op, p mem.Pointer, i int) int {
	m, n, i := openMap[string](d, o, p, i)
	seen := d.newKeySet()
	used := keepEqual && len(m) > 0
	for range n {
		key, j := d.readKeyAtHand(i)
		if j < 0 {
			if key, j = d.readKey(i); j < 0 {
				return -1
			}
		}
		if seen.keys != nil && seen.twice(key, nil) {
			return d.fail(i, errKeyTwice)
		}
		i = j
		if b := d.b; uint(i) < uint(len(b)) && d.flags&careful == 0 {
			if n := int(b[i]) - msgpwire.Fixstr; uint(n) < 32 && n < len(b)-i {
				if i += 1 + n; used { // a reused map often contains the string already
					if s, ok := m[key]; ok && s == string(b[i-n:i]) {
						continue
					}
				}
				m[key] = d.strings.CopyAt(b, i-n, n)
				continue
			}
		}
		var v string
		if v, i = d.readString(i); i < 0 {
			d.path.Field(key)
			return -1
		}
		m[key] = v
	}
	return i
}

func readFloat64At(d *Decoder, i int) (float64, int) {
	if b := d.b; i+9 <= len(b) && b[i] == msgpwire.Float64 {
		return math.Float64frombits(wire.BE64(b, i+1)), i + 9
	}
	return d.readFloat64(i)
}
func readBoolAt(d *Decoder, i int) (bool, int)   { return d.readBool(i) }
func readInt64At(d *Decoder, i int) (int64, int) { return d.readInt(i) }

func readIntAt(d *Decoder, i int) (int, int) {
	v, j := readInt(d.b, i)
	if j < 0 {
		v, j = d.readIntSlow(i, strconv.IntSize)
	}
	if j >= 0 && d.flags&strictInts != 0 && !d.fits(i, v, strconv.IntSize, true) {
		return 0, -1
	}
	return int(v), j
}

func decodeUnsupported(d *Decoder, o *op, p mem.Pointer, i int) int {
	return d.fail(i, fmt.Errorf("msgpack: Decode(unsupported %v)", o.typ))
}
