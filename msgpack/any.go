package msgpack

// This file decodes and encodes values of type any. The input determines the Go type of a decoded
// value, because the target does not.
//
// A value of type any contains a pointer to its number, string or list. Numbers and short strings
// are not allocated one by one. They are stored in small slabs of one type (buffer.Slab), and the
// interface value is built from the type word and a pointer into the slab (mem.Box). A short list
// is allocated together with its header (buffer.NewList).

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"time"

	"github.com/slipstream-go/slipstream/internal/buffer"
	"github.com/slipstream-go/slipstream/internal/mem"
	"github.com/slipstream-go/slipstream/internal/msgpwire"
	"github.com/slipstream-go/slipstream/internal/wire"
)

// boxes reports whether slabs are used. Without slabs, each conversion to type any allocates
// memory.
var boxes = slabBoxes && mem.BoxWorks()

var (
	wordInt16   = mem.TypeWord(reflect.TypeFor[int16]())
	wordInt32   = mem.TypeWord(reflect.TypeFor[int32]())
	wordInt64   = mem.TypeWord(reflect.TypeFor[int64]())
	wordUint16  = mem.TypeWord(reflect.TypeFor[uint16]())
	wordUint32  = mem.TypeWord(reflect.TypeFor[uint32]())
	wordUint64  = mem.TypeWord(reflect.TypeFor[uint64]())
	wordFloat32 = mem.TypeWord(reflect.TypeFor[float32]())
	wordFloat64 = mem.TypeWord(reflect.TypeFor[float64]())
	wordString  = mem.TypeWord(reflect.TypeFor[string]())
)

// box returns a number as a value of type any. The argument `word` is the type word of the number's
// type. On a little-endian machine, the low bytes of the argument `bits` contain the number.
func (d *Decoder) box(word mem.Raw, bits uint64) any {
	return mem.Box(word, mem.PointerTo(d.numbers.Put(bits)))
}

func (d *Decoder) boxFloat64(v float64) any {
	if boxes {
		return d.box(wordFloat64, math.Float64bits(v))
	}
	return v
}

func (d *Decoder) boxInt64(v int64) any {
	if boxes {
		return d.box(wordInt64, uint64(v))
	}
	return v
}

func (d *Decoder) boxUint64(v uint64) any {
	if boxes {
		return d.box(wordUint64, v)
	}
	return v
}

// boxString returns s as a value of type any. Only short strings share a slab, because one retained
// string keeps the whole slab alive.
func (d *Decoder) boxString(s string) any {
	if boxes && len(s) <= 128 {
		return mem.Box(wordString, mem.PointerTo(d.texts.Put(s)))
	}
	return s
}

func decodeAny(d *Decoder, o *op, p mem.Pointer, i int) int {
	to := mem.At[any](p, 0)
	if *to != nil && reflect.TypeOf(*to).Kind() == reflect.Pointer {
		return decodeInterface(d, o, p, i)
	}
	v, i := d.readAny(i)
	if i >= 0 {
		*to = v
	}
	return i
}

// decodeInterface decodes into the interface at p. If the interface contains a pointer, it decodes
// into the pointer's target. Otherwise it sets the interface. It can set only interfaces without
// methods, and interfaces of type `error`. For a target of type `error`, it converts a str to an
// error with this text.
func decodeInterface(d *Decoder, o *op, p mem.Pointer, i int) int {
	v := reflect.NewAt(o.typ, mem.RawAs(p, o.typ)).Elem()
	if d.isNil(i) {
		v.SetZero()
		return i + 1
	}
	if !v.IsNil() && v.Elem().Kind() == reflect.Pointer && !v.Elem().IsNil() {
		held := v.Elem()
		to := d.plans.of(held.Type().Elem())
		return d.step(i, func() int { return to.decode(d, to, mem.Of(held.UnsafePointer(), to.typ), i) })
	}
	x, j := d.readAny(i)
	if j < 0 {
		return -1
	}
	if x == nil {
		v.SetZero()
		return j
	}
	if s, ok := x.(string); ok && o.typ == errorType { // an error is written as its text
		x = errors.New(s)
	}
	if !reflect.TypeOf(x).AssignableTo(o.typ) {
		return d.fail(i, fmt.Errorf("msgpack: Decode(%T into %v)", x, o.typ))
	}
	v.Set(reflect.ValueOf(x))
	return j
}

// readAny reads a value of any type.
func (d *Decoder) readAny(i int) (any, int) {
	b := d.b
	if uint(i) >= uint(len(b)) {
		if _, ok := d.codeAt(i); !ok {
			return nil, -1
		}
		b = d.b
	}
	c := b[i]
	switch anyForms[c] {
	case anyFixint:
		if d.flags&looseInterface != 0 {
			return d.boxInt64(int64(int8(c))), i + 1
		}
		return int8(c), i + 1
	case anyFixstr:
		n := int(c & 0x1f)
		if n >= len(b)-i || d.flags&careful != 0 {
			return d.readAnyString(i)
		}
		return d.boxString(d.strings.CopyAt(b, i+1, n)), i + 1 + n
	case anyString:
		return d.readAnyString(i)
	case anyFloat64:
		if i+9 <= len(b) {
			return d.boxFloat64(math.Float64frombits(wire.BE64(b, i+1))), i + 9
		}
	case anyPairs:
		return d.readAnyMap(i)
	case anyList:
		return d.readAnyList(i)
	case anyNil:
		return nil, i + 1
	case anyBool:
		return c == msgpwire.True, i + 1
	case anyBin:
		return d.readAnyBin(i)
	case anyExt:
		return d.readAnyExt(i)
	case anyNever:
		return nil, d.fail(i, fmt.Errorf("msgpack: unknown code %x decoding interface{}", c))
	}
	if 9 > len(b)-i {
		if _, ok := d.number(i); !ok {
			return nil, -1
		}
		b = d.b
	}
	return d.readAnyNumber(b, i, c)
}

// The forms that readAny distinguishes.
const (
	anyNumber uint8 = iota
	anyFixint
	anyFixstr
	anyString
	anyFloat64
	anyPairs
	anyList
	anyNil
	anyBool
	anyBin
	anyExt
	anyNever
)

var anyForms = func() (t [256]uint8) {
	for c := range t {
		switch f := msgpwire.Forms[c]; {
		case c <= msgpwire.FixintMax || c >= msgpwire.Negfixint:
			t[c] = anyFixint
		case c == msgpwire.Nil:
			t[c] = anyNil
		case c == msgpwire.False || c == msgpwire.True:
			t[c] = anyBool
		case c == msgpwire.Never:
			t[c] = anyNever
		case c == msgpwire.Float64:
			t[c] = anyFloat64
		case msgpwire.IsExt(byte(c)):
			t[c] = anyExt
		case c >= msgpwire.Bin8 && c <= msgpwire.Bin32:
			t[c] = anyBin
		case f.Kind == msgpwire.FormFixBytes:
			t[c] = anyFixstr
		case f.Kind == msgpwire.FormBytes:
			t[c] = anyString
		case f.Kind == msgpwire.FormFixMap || f.Kind == msgpwire.FormMap:
			t[c] = anyPairs
		case f.Kind == msgpwire.FormFixArray || f.Kind == msgpwire.FormArray:
			t[c] = anyList
		}
	}
	return t
}()

// readAnyString reads a str.
func (d *Decoder) readAnyString(i int) (any, int) {
	if d.flags&careful != 0 {
		return d.carefulAny(i)
	}
	start, next := d.readBytes(i)
	if next < 0 {
		return nil, -1
	}
	return d.boxString(d.strings.CopyAt(d.b, start, next-start)), next
}

// readAnyBin reads a bin.
func (d *Decoder) readAnyBin(i int) (any, int) {
	start, next := d.readBytes(i)
	if next < 0 {
		return nil, -1
	}
	if d.flags&looseInterface != 0 {
		return d.carefulAny(i)
	}
	if d.flags&careful != 0 && !d.allows(i, start, next) {
		return nil, -1
	}
	return d.owned(d.b[start:next]), next
}

// readAnyNumber reads the number at i. All bytes of the number must be buffered.
func (d *Decoder) readAnyNumber(b []byte, i int, c byte) (any, int) {
	if c == msgpwire.Float64 {
		return d.boxFloat64(math.Float64frombits(wire.BE64(b, i+1))), i + 9
	}
	if c == msgpwire.Float32 {
		f := math.Float32frombits(wire.BE32(b, i+1))
		if d.flags&looseInterface != 0 {
			return d.boxFloat64(float64(f)), i + 5
		}
		if boxes {
			return d.box(wordFloat32, uint64(math.Float32bits(f))), i + 5
		}
		return f, i + 5
	}
	v, next := readInt(b, i)
	if d.flags&looseInterface != 0 {
		if c >= msgpwire.Uint8 && c <= msgpwire.Uint64 {
			return d.boxUint64(uint64(v)), next
		}
		return d.boxInt64(v), next
	}
	switch c {
	case msgpwire.Uint8:
		return uint8(v), next
	case msgpwire.Int8:
		return int8(v), next
	case msgpwire.Uint64:
		return d.boxUint64(uint64(v)), next
	case msgpwire.Int64:
		return d.boxInt64(v), next
	}
	if boxes {
		return d.box(smallWords[c&7], uint64(v)), next
	}
	switch c {
	case msgpwire.Uint16:
		return uint16(v), next
	case msgpwire.Uint32:
		return uint32(v), next
	case msgpwire.Int16:
		return int16(v), next
	}
	return int32(v), next
}

// smallWords contains the type words for the codes of 16-bit and 32-bit numbers, indexed by the low
// bits of the code.
var smallWords = [8]mem.Raw{msgpwire.Uint16 & 7: wordUint16, msgpwire.Uint32 & 7: wordUint32, msgpwire.Int16 & 7: wordInt16, msgpwire.Int32 & 7: wordInt32}

func (d *Decoder) readAnyList(i int) (any, int) {
	n, i := d.arrayLen(i)
	if i < 0 || !d.claim(i, n, 1) {
		return nil, -1
	}
	room := d.room(n, 16)
	list, v := buffer.NewList(room)
	if list, i = d.readElements(list, n, i); i < 0 {
		return nil, -1
	}
	if n > room {
		return list, i
	}
	return v, i
}

// readList reads an array. For an empty array, the result is empty but not nil.
func (d *Decoder) readList(i int) ([]any, int) {
	n, i := d.arrayLen(i)
	if i < 0 || !d.claim(i, n, 1) {
		return nil, -1
	}
	if n == 0 {
		return []any{}, i
	}
	return d.readElements(make([]any, d.room(n, 16)), n, i)
}

// readElements reads n elements into list. It extends list if list is shorter than n.
func (d *Decoder) readElements(list []any, n, i int) ([]any, int) {
	if d.depth++; d.depth > d.limits.depth {
		return nil, d.tooDeep(i)
	}
	for k := 0; k < n; k++ {
		if k == len(list) {
			list = append(list, make([]any, min(n-k, k+4))...)
		}
		if list[k], i = d.readAny(i); i < 0 {
			d.path.Index(k)
			return nil, -1
		}
	}
	d.depth--
	return list[:n:n], i
}

func (d *Decoder) readAnyMap(i int) (any, int) {
	if d.mapFunc != nil {
		var v any
		depth := d.depth
		next := d.step(i, func() int {
			d.i = i
			var err error
			if v, err = d.mapFunc(d); err != nil {
				return d.failIn(i, err)
			}
			return d.tookCall(i, depth, nil)
		})
		return v, next
	}
	m, i, rest := d.readTextMap(i)
	if rest > 0 {
		depth := d.depth
		if d.depth++; d.depth > d.limits.depth {
			return nil, d.tooDeep(i)
		}
		v, i := d.readUntyped(m, rest, i)
		d.depth = depth
		return v, i
	}
	if i < 0 {
		return nil, -1
	}
	return m, i
}

// entryRoom is the approximate size of an entry in a map[string]any, in bytes.
const entryRoom = 40

// readMap reads a map with string keys.
func (d *Decoder) readMap(i int) (map[string]any, int) {
	m, i, rest := d.readTextMap(i)
	if rest > 0 {
		_, i = d.readKey(i) // this call records the error
	}
	return m, i
}

// readTextMap reads the pairs of a map up to the first key that is not a string. The result `next`
// is the offset of the remaining pairs, and the result `rest` is their number.
func (d *Decoder) readTextMap(i int) (m map[string]any, next, rest int) {
	n, i := d.mapLen(i)
	if i < 0 || !d.claim(i, n, 2) {
		return nil, -1, 0
	}
	if d.depth++; d.depth > d.limits.depth {
		return nil, d.tooDeep(i), 0
	}
	if n > 8 {
		m = make(map[string]any, d.room(n, entryRoom))
	} else {
		m = make(map[string]any)
	}
	seen := d.newKeySet()
	for ; n > 0; n-- {
		key, j := d.readKeyAtHand(i)
		if j < 0 {
			c, ok := d.codeAt(i)
			if !ok {
				return nil, -1, 0
			}
			if !isTextKey(c) && !d.isInterned(i) {
				break
			}
			if key, j = d.readKey(i); j < 0 {
				return nil, -1, 0
			}
		}
		if seen.keys != nil && seen.twice(key, nil) {
			return nil, d.fail(i, errKeyTwice), 0
		}
		var v any
		if v, i = d.readAny(j); i < 0 {
			d.path.Field(key)
			return nil, -1, 0
		}
		m[key] = v
	}
	d.depth--
	return m, i, n
}

// decodeMapAny reads a map[string]any. It replaces the target's map. In contrast, the functions for
// other map types add the decoded pairs to the target's map.
func decodeMapAny(d *Decoder, o *op, p mem.Pointer, i int) int {
	to := mem.At[map[string]any](p, 0)
	if d.isNil(i) {
		*to = nil
		return i + 1
	}
	m, i := d.readMap(i)
	if i >= 0 {
		*to = m
	}
	return i
}

// encodeAny appends the value of type any at p.
func encodeAny(e *Encoder, o *op, p mem.Pointer, b []byte) []byte {
	return e.appendAny(b, *mem.At[any](p, 0))
}

func encodeInterface(e *Encoder, o *op, p mem.Pointer, b []byte) []byte {
	v := reflect.NewAt(o.typ, mem.RawAs(p, o.typ)).Elem()
	if v.IsNil() {
		return msgpwire.AppendNil(b)
	}
	return e.appendAny(b, v.Elem().Interface())
}

// appendAny appends v. A type switch handles the types that decoding produces. All other types are
// encoded by their plan.
func (e *Encoder) appendAny(b []byte, v any) []byte {
	switch v := v.(type) {
	case nil:
		return msgpwire.AppendNil(b)
	case string:
		if e.flags&interned != 0 {
			return e.appendInterned(b, v)
		}
		return appendText(b, v)
	case float64:
		return e.appendFloat64(b, v)
	case int:
		return msgpwire.AppendInt(b, int64(v))
	case bool:
		return msgpwire.AppendBool(b, v)
	case map[string]any:
		return e.appendAnyMap(b, v)
	case []any:
		return e.appendAnyList(b, v)
	case int64:
		return e.appendInt64(b, v)
	case uint64:
		return e.appendUint64(b, v)
	case int8:
		if e.flags&compactInts != 0 {
			return msgpwire.AppendInt(b, int64(v))
		}
		return append(b, msgpwire.Int8, byte(v))
	case uint8:
		if e.flags&compactInts != 0 {
			return msgpwire.AppendUint(b, uint64(v))
		}
		return append(b, msgpwire.Uint8, v)
	case []byte:
		if v == nil {
			return msgpwire.AppendNil(b)
		}
		return e.appendBody(msgpwire.AppendBytesLen(b, len(v)), v)
	case time.Time:
		if !registered.Load().ownTime {
			return msgpwire.AppendTime(b, v)
		}
	case reflect.Value:
		return e.appendValue(b, v)
	}
	return e.appendPlanned(b, e.plans.byWord(mem.FaceOf(v).Type, v), v)
}

// appendPlanned appends v, whose op is o.
func (e *Encoder) appendPlanned(b []byte, o *op, v any) []byte {
	face := mem.FaceOf(v)
	switch {
	case o.is(encodesTarget):
		if face.Data == nil {
			return msgpwire.AppendNil(b)
		}
		if e.depth++; e.depth > maxDepth { // an any may contain a pointer to itself
			return e.tooDeep(b)
		}
		b = o.elem.encode(e, o.elem, mem.Of(face.Data, o.elem.typ), b)
		e.depth--
		return b
	case o.is(needsAddress): // a method with a pointer receiver must not change the value in the interface
		c := reflect.New(o.typ)
		c.Elem().Set(reflect.ValueOf(v))
		return o.encode(e, o, mem.Of(c.UnsafePointer(), o.typ), b)
	case o.is(isPointerShaped):
		// The data word of the interface is the value itself. Values inside this value may also
		// need e.word, so e.word is restored afterwards.
		outer := e.word
		e.word = face.Data
		b = o.encode(e, o, mem.Of(mem.RawTo(&e.word), o.typ), b)
		e.word = outer
		return b
	}
	return o.encode(e, o, mem.Of(face.Data, o.typ), b)
}

func (e *Encoder) appendAnyList(b []byte, list []any) []byte {
	if list == nil {
		return msgpwire.AppendNil(b)
	}
	if e.depth++; e.depth > maxDepth {
		return e.tooDeep(b)
	}
	b = msgpwire.AppendArrayLen(b, len(list))
	for _, v := range list {
		b = e.appendAny(b, v)
	}
	e.depth--
	return b
}

func (e *Encoder) appendAnyMap(b []byte, m map[string]any) []byte {
	if m == nil {
		return msgpwire.AppendNil(b)
	}
	if e.depth++; e.depth > maxDepth {
		return e.tooDeep(b)
	}
	if e.flags&interned != 0 {
		b = appendInternedMap(e, b, m, (*Encoder).appendAny)
		e.depth--
		return b
	}
	b = msgpwire.AppendMapLen(b, len(m))
	if e.flags&sortMapKeys != 0 {
		keys, mark := sortedKeys(e, m)
		for _, k := range keys {
			b = e.appendAny(appendText(b, k), m[k])
		}
		e.forget(mark)
	} else {
		b = e.appendAnyPairs(b, m)
	}
	e.depth--
	return b
}

// appendAnyPairs appends the pairs of m in random order.
func (e *Encoder) appendAnyPairs(b []byte, m map[string]any) []byte {
	if len(m) == 0 {
		return b
	}
	if w, ok := mem.WalkMap(m); ok && walkMaps {
		for x := w.Next(); x != nil; x = w.Next() {
			b = e.appendAny(appendText(b, x.Key), x.Value)
		}
		return b
	}
	for k, v := range m {
		b = e.appendAny(appendText(b, k), v)
	}
	return b
}
