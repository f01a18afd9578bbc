package msgpack

// Interned strings: if a string has been written before, the encoder writes its number instead.
//
//	d4 80        u8 index
//	d5 80       u16 index
//	d6 80       u32 index       ext type -128
//
// Encoder and decoder each keep a dict, and number its strings in the same order. The encoder
// numbers a string when it writes the string, and the decoder when it reads the string into a
// target of any type. A str joins the dict if it has at least 3 bytes (the minimum size of an
// encoded number), is not yet in the dict, and the dict contains fewer than 65,535 strings. If the
// caller passes a dict, the strings in it have the first numbers, and that dict is not changed.
// Strings join only while the option is on, or if they belong to a field with the tag intern.
// Numbers are written and accepted as long as the dict contains strings.
//
// Some values are opaque bytes for the encoder and the decoder: a RawMessage, the bytes of a
// Marshaler or Unmarshaler, and the data of an ext. Strings inside opaque bytes do not join the
// dict. So a value that is written as opaque bytes must be read as opaque bytes.

import (
	"fmt"
	"io"
	"reflect"

	"github.com/slipstream-go/slipstream/internal/mem"
	"github.com/slipstream-go/slipstream/internal/msgpwire"
	"github.com/slipstream-go/slipstream/internal/wire"
)

const (
	extInterned = -128
	minInterned = 3     // minimum length, in bytes, of a string that is added to a dict
	maxDict     = 65535 // strings
	keptDict    = 4096  // maximum size of a dict that a pool keeps, in strings
)

// encoderDict maps strings to their numbers.
type encoderDict struct {
	given map[string]int // passed by the caller, and never changed
	own   map[string]int
	room  int // capacity to allocate for own
}

func (t *encoderDict) find(s string) (index int, ok bool) {
	if index, ok = t.given[s]; !ok {
		index, ok = t.own[s]
	}
	return index, ok
}

func (t *encoderDict) join(s string) bool {
	n := len(t.given) + len(t.own)
	if len(s) < minInterned || n >= maxDict {
		return false
	}
	if t.own == nil {
		t.own = make(map[string]int, t.room)
	}
	t.own[s] = n
	return true
}

// decoderDict contains the strings in the order of their numbers.
type decoderDict struct {
	given []string // passed by the caller, and never changed
	own   []string
	room  int   // capacity to allocate for own
	last  int64 // input offset after the last string that was added
}

func (t *decoderDict) size() int { return len(t.given) + len(t.own) }

func (t *decoderDict) at(index uint64) (s string, ok bool) {
	given := uint64(len(t.given))
	switch {
	case index < given:
		return t.given[index], true
	case index-given < uint64(len(t.own)):
		return t.own[index-given], true
	}
	return "", false
}

// join adds the string b to the dict, unless the dict already contains it. The argument `end` is
// the input offset after the string. After an error, a value may be read again. Its strings have
// then already been added.
func (t *decoderDict) join(b []byte, end int64) {
	if len(b) < minInterned || t.size() >= maxDict || end <= t.last {
		return
	}
	if t.own == nil {
		t.own = make([]string, 0, t.room)
	}
	t.own, t.last = append(t.own, string(b)), end
}

// reset empties the dict and sets its initial strings.
func (t *decoderDict) reset(given []string) {
	clear(t.own)
	t.own = t.own[:0]
	t.given, t.last = given, 0
}

// cut removes all strings from t.own except the first n. The removed strings begin at or after the
// input offset `from`.
func (t *decoderDict) cut(n int, from int64) {
	clear(t.own[n:])
	t.own = t.own[:n]
	t.last = min(t.last, from)
}

// setDict empties the dict and sets its initial strings.
func (e *Encoder) setDict(given map[string]int) {
	if len(e.dict.own) > 0 {
		clear(e.dict.own)
	}
	e.dict.given = given
	e.set(knownStrings, len(given) > 0)
}

// forgetDict empties the dict of an encoder that goes into a pool.
func (e *Encoder) forgetDict() {
	if len(e.dict.own) > keptDict {
		e.dict.own = nil
	}
	e.setDict(nil)
}

// forgetDict empties the dict of a decoder that goes into a pool.
func (d *Decoder) forgetDict() {
	if cap(d.dict.own) > keptDict {
		d.dict.own = nil
	}
	d.dict.reset(nil)
}

// UseInternedStrings makes e number the strings that it writes. If e has already written a string
// since the last Reset, it writes the string's number instead of the string. The decoder needs the
// same option. The decoder must read or skip each value exactly once, in the order in which the
// values were written. The encoder keeps the strings until the next Reset.
func (e *Encoder) UseInternedStrings(on bool) { e.set(internStrings, on) }

// UseInternedStrings makes d number the strings that it reads, like an encoder with the same
// option. The decoder keeps the strings until the next Reset.
//
// If a value cannot be decoded, its strings are numbered nevertheless. There are exceptions: a
// value longer than MaxBytes, an error of the reader, and a panic in a method. In these cases, call
// Reset.
func (d *Decoder) UseInternedStrings(on bool) { d.set(internStrings, on) }

// ResetDict is like Reset, but also sets the initial interned strings and their numbers. For a
// string in the map dict, e writes the number, even if UseInternedStrings is off. The encoder
// refers to dict until the next Reset, and never changes it.
func (e *Encoder) ResetDict(w io.Writer, dict map[string]int) {
	e.Reset(w)
	e.setDict(dict)
}

// ResetDict is like Reset, but also sets the initial interned strings. The number of a string is
// its index in the slice dict. The decoder refers to dict until the next Reset, and never changes
// it.
func (d *Decoder) ResetDict(r io.Reader, dict []string) {
	d.Reset(r)
	d.dict.reset(dict)
}

// WithDict calls fn(e). During the call, e uses dict as its interned strings. WithDict never
// changes dict.
func (e *Encoder) WithDict(dict map[string]int, fn func(*Encoder) error) error {
	outer, known := e.dict, e.flags&knownStrings != 0
	defer func() {
		e.dict = outer
		e.set(knownStrings, known)
	}()
	e.dict = encoderDict{given: dict, room: outer.room}
	e.set(knownStrings, len(dict) > 0)
	return fn(e)
}

// WithDict calls fn(d). During the call, d uses dict as its interned strings. WithDict never
// changes dict.
func (d *Decoder) WithDict(dict []string, fn func(*Decoder) error) error {
	outer := d.dict
	defer func() { d.dict = outer }()
	d.dict = decoderDict{given: dict, room: outer.room}
	return fn(d)
}

// SetInternedStringsDictCap sets the initial capacity of the dict of e, in strings, up to 65,535.
// The dict can grow beyond this capacity. Reset does not change the setting.
func (e *Encoder) SetInternedStringsDictCap(n int) { e.dict.room = min(max(n, 0), maxDict) }

// SetInternedStringsDictCap sets the initial capacity of the dict of d, in strings, up to 65,535.
// The dict can grow beyond this capacity. Reset does not change the setting.
func (d *Decoder) SetInternedStringsDictCap(n int) { d.dict.room = min(max(n, 0), maxDict) }

// appendInterned appends s or its number. While the option is on or the dict contains strings, it
// is called for all strings.
func (e *Encoder) appendInterned(b []byte, s string) []byte {
	if index, ok := e.dict.find(s); ok {
		return e.appendNumberOf(b, index)
	}
	if e.flags&internStrings != 0 && e.dict.join(s) {
		e.flags |= knownStrings
	}
	return appendText(b, s)
}

func (e *Encoder) appendNumberOf(b []byte, index int) []byte {
	id := int8(extInterned)
	switch n := uint64(index); {
	case n <= 0xff:
		return append(b, msgpwire.Fixext1, byte(id), byte(n))
	case n <= 0xffff:
		return append(b, msgpwire.Fixext2, byte(id), byte(n>>8), byte(n))
	case n <= 0xffffffff:
		return append(b, msgpwire.Fixext4, byte(id), byte(n>>24), byte(n>>16), byte(n>>8), byte(n))
	}
	if e.err == nil {
		e.err = fmt.Errorf("msgpack: interned string index=%d is too large", index)
	}
	return b
}

// appendInternedMap appends a map. Its keys may be written as the numbers of interned strings.
func appendInternedMap[V any](e *Encoder, b []byte, m map[string]V, appendValue func(*Encoder, []byte, V) []byte) []byte {
	b = msgpwire.AppendMapLen(b, len(m))
	if e.flags&sortMapKeys != 0 {
		keys, mark := sortedKeys(e, m)
		for _, k := range keys {
			b = appendValue(e, e.appendInterned(b, k), m[k])
		}
		e.forget(mark)
		return b
	}
	for k, v := range m {
		b = appendValue(e, e.appendInterned(b, k), v)
	}
	return b
}

// interns reports whether the input may contain a number instead of a string.
func (d *Decoder) interns() bool { return d.flags&internStrings != 0 || d.dict.size() > 0 }

// isInterned reports whether the value at i is the number of an interned string.
func (d *Decoder) isInterned(i int) bool {
	return d.interns() && d.need(i, 2) && d.b[i] >= msgpwire.Fixext1 && d.b[i] <= msgpwire.Fixext4 && int8(d.b[i+1]) == extInterned
}

// readStringSlow reads any value that is accepted as a string: a str or bin, nil as the empty
// string, or the number of a string in the dict. It is called for strings that are not completely
// buffered, may be added to the dict, or are subject to other options. If `own` is true, the string
// has separately allocated memory, which only the dict may share.
func (d *Decoder) readStringSlow(i int, own bool) (string, int) {
	c, ok := d.codeAt(i)
	switch {
	case !ok:
		return "", -1
	case c == msgpwire.Nil:
		return "", i + 1
	case d.interns() && c >= msgpwire.Fixext1 && c <= msgpwire.Fixext4:
		return d.readInterned(i)
	case d.interns() && !msgpwire.IsStr(c) && (c < msgpwire.Bin8 || c > msgpwire.Bin32):
		return "", d.fail(i, fmt.Errorf("msgpack: unexpected code=%x decoding interned string", c))
	}
	had := len(d.dict.own)
	start, next := d.readBytes(i)
	switch {
	case next < 0 || d.flags&careful != 0 && !d.allows(i, start, next):
		return "", -1
	case len(d.dict.own) > had:
		return d.dict.own[had], next
	case d.views():
		return mem.String(d.b[start:next]), next
	case own || d.flags&ownStrings != 0:
		return string(d.b[start:next]), next
	}
	return d.strings.Copy(d.b[start:next]), next
}

// readInterned reads the number of an interned string, and returns the string.
func (d *Decoder) readInterned(i int) (string, int) {
	id, n, start := d.extHeader(i)
	switch {
	case start < 0:
		return "", -1
	case id != extInterned:
		return "", d.fail(i, wrongExt(id, extInterned))
	case n != 1 && n != 2 && n != 4:
		return "", d.fail(i, fmt.Errorf("msgpack: unsupported ext len=%d decoding interned string", n))
	case !d.whole(i, start-i, start-i+n):
		return "", -1
	}
	var index uint64
	switch n {
	case 1:
		index = uint64(d.b[start])
	case 2:
		index = uint64(wire.BE16(d.b, start))
	case 4:
		index = uint64(wire.BE32(d.b, start))
	}
	s, ok := d.dict.at(index)
	if !ok {
		return "", d.fail(i, fmt.Errorf("msgpack: interned string at index=%d does not exist", index))
	}
	return s, start + n
}

// skipJoining skips a value like skipAt, but adds its strings to the dict as if they were read.
func (d *Decoder) skipJoining(i int) int {
	if d.flags&judging != 0 {
		return d.skipChecked(i, true)
	}
	next := d.pass(i)
	if next >= 0 {
		d.joinFrom(i, next)
	}
	return next
}

// joinFrom adds the strings in d.b[i:end] to the dict. These bytes must be complete values, or the
// rest of one value.
func (d *Decoder) joinFrom(i, end int) {
	if d.flags&internStrings == 0 {
		return
	}
	for i < end {
		f := msgpwire.Forms[d.b[i]]
		if start, next := readStr(d.b, i); next >= 0 {
			if msgpwire.IsStr(d.b[i]) {
				d.dict.join(d.b[start:next], d.base+int64(next))
			}
			i = next
			continue
		}
		size := int(f.Head)
		if f.Kind == msgpwire.FormBytes { // an ext, whose bytes are known to be in the window
			size += int(d.count(i))
		}
		i += size
	}
}

// internField returns the op of a field with the tag option intern. The field is a string, or an
// interface that may contain a string.
func (s *planSet) internField(o *op) *op {
	kind := o.typ.Kind()
	if kind != reflect.String && kind != reflect.Interface {
		panic(fmt.Errorf("msgpack: intern strings are not supported on %v", o.typ))
	}
	field := &op{typ: o.typ, size: o.size, traits: o.traits & (isInterface | isPointerShaped), elem: o}
	if kind == reflect.String {
		field.encode, field.decode = encodeInternString, decodeInternString
	} else {
		field.encode, field.decode = encodeInternFace, decodeInternFace
	}
	return field
}

func encodeInternString(e *Encoder, o *op, p mem.Pointer, b []byte) []byte {
	return e.appendJoining(b, *mem.At[string](p, 0))
}

// appendJoining appends s as if UseInternedStrings were on.
func (e *Encoder) appendJoining(b []byte, s string) []byte {
	if e.flags&canonical != 0 {
		return appendText(b, s)
	}
	on := e.flags & internStrings
	e.flags |= internStrings
	b = e.appendInterned(b, s)
	e.flags = e.flags&^internStrings | on
	return b
}

func encodeInternFace(e *Encoder, o *op, p mem.Pointer, b []byte) []byte {
	if v := reflect.NewAt(o.typ, mem.RawAs(p, o.typ)).Elem().Elem(); v.Kind() == reflect.String {
		return e.appendJoining(b, v.String())
	}
	return o.elem.encode(e, o.elem, p, b)
}

func decodeInternString(d *Decoder, o *op, p mem.Pointer, i int) int {
	on := d.flags & internStrings
	d.flags |= internStrings
	i = decodeString(d, o, p, i)
	d.flags = d.flags&^internStrings | on
	return i
}

func decodeInternFace(d *Decoder, o *op, p mem.Pointer, i int) int {
	if c, ok := d.codeAt(i); !ok {
		return -1
	} else if !msgpwire.IsStr(c) {
		return o.elem.decode(d, o.elem, p, i)
	}
	on := d.flags & internStrings
	d.flags |= internStrings
	i = o.elem.decode(d, o.elem, p, i)
	d.flags = d.flags&^internStrings | on
	return i
}
