package msgpack

// This file contains the methods of Decoder that read one value. They first try the fast functions
// in wire.go. If these fail, the slow functions in this file read more bytes from a stream, or
// create an error.

import (
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/slipstream-go/slipstream/internal/buffer"
	"github.com/slipstream-go/slipstream/internal/msgpwire"
	"github.com/slipstream-go/slipstream/internal/wire"
)

// errShort reports that the input ends inside a value.
var errShort = io.EOF

// fail records an error with the given cause for the value at i, unless there is an earlier error.
// It returns -1.
func (d *Decoder) fail(i int, cause error) int {
	if d.err == nil {
		d.err = &Error{Offset: d.base + int64(i), Cause: cause}
	}
	return -1
}

// failIn records the error err, which a user's method returned for the value at i, and returns -1.
// If err is the error of a call of d, or wraps such an error, the recorded error keeps the offset
// and path of that error.
func (d *Decoder) failIn(i int, err error) int {
	var e *Error
	if !errors.As(err, &e) || e != d.inner {
		return d.fail(i, err)
	}
	if err == error(e) {
		err = e.Cause
	}
	d.path.Inner(e.Path)
	d.err = &Error{Offset: e.Offset, Cause: err}
	return -1
}

// codeAt returns the code of the value at i. At the end of the input, it records an error and
// returns false.
func (d *Decoder) codeAt(i int) (byte, bool) {
	if !d.need(i, 1) {
		d.fail(i, d.endOf())
		return 0, false
	}
	return d.b[i], true
}

// whole ensures that the n bytes from offset i on are buffered. The first `head` bytes contain the
// length of the other bytes. If the input ends too early, whole records an error and returns false.
func (d *Decoder) whole(i, head, n int) bool {
	if d.need(i, n) {
		return true
	}
	if len(d.b)-i > head && d.readErr == nil {
		d.fail(i, io.ErrUnexpectedEOF)
	} else {
		d.fail(i, d.endOf())
	}
	return false
}

// endOf returns the reason why there are no more bytes: the error of the reader, or io.EOF.
func (d *Decoder) endOf() error {
	if d.readErr != nil {
		return d.readErr
	}
	return io.EOF
}

func (d *Decoder) readBool(i int) (bool, int) {
	c, ok := d.codeAt(i)
	switch {
	case !ok:
		return false, -1
	case c == msgpwire.True:
		return true, i + 1
	case c == msgpwire.False || c == msgpwire.Nil:
		return false, i + 1
	}
	return false, d.fail(i, fmt.Errorf("msgpack: invalid code=%x decoding bool", c))
}

func (d *Decoder) readInt(i int) (int64, int) {
	v, j := readInt(d.b, i)
	if j < 0 {
		if v, j = d.readIntSlow(i, 64); j < 0 {
			return 0, -1
		}
	}
	if v < 0 && d.flags&strictInts != 0 && !d.fits(i, v, 64, true) {
		return 0, -1
	}
	return v, j
}

// number ensures that the number at i is completely buffered, and returns the number's code.
func (d *Decoder) number(i int) (c byte, ok bool) {
	if c, ok = d.codeAt(i); !ok {
		return 0, false
	}
	if n := int(intSizes[c]); n > 0 {
		return c, d.whole(i, 1, 1+n)
	}
	return c, true
}

func (d *Decoder) readIntSlow(i, bits int) (int64, int) {
	c, ok := d.number(i)
	if !ok {
		return 0, -1
	}
	if v, j := readInt(d.b, i); j >= 0 {
		return v, j
	}
	if c == msgpwire.Nil {
		return 0, i + 1
	}
	if f, j := readFloat(d.b, i); j >= 0 {
		limit := math.Ldexp(1, bits-1)
		if f != math.Trunc(f) || f < -limit || f >= limit { // NaN and ±Inf fail too
			return 0, d.fail(i, fmt.Errorf("msgpack: float %v does not fit int%d", f, bits))
		}
		return int64(f), j
	}
	return 0, d.fail(i, fmt.Errorf("msgpack: invalid code=%x decoding int64", c))
}

func (d *Decoder) readUintSlow(i, bits int) (uint64, int) {
	c, ok := d.number(i)
	if !ok {
		return 0, -1
	}
	if v, j := readInt(d.b, i); j >= 0 {
		return uint64(v), j
	}
	if c == msgpwire.Nil {
		return 0, i + 1
	}
	if f, j := readFloat(d.b, i); j >= 0 {
		if f != math.Trunc(f) || f < 0 || f >= math.Ldexp(1, bits) {
			return 0, d.fail(i, fmt.Errorf("msgpack: float %v does not fit uint%d", f, bits))
		}
		return uint64(f), j
	}
	return 0, d.fail(i, fmt.Errorf("msgpack: invalid code=%x decoding uint64", c))
}

func (d *Decoder) readFloat64(i int) (float64, int) {
	if b := d.b; i+9 <= len(b) && b[i] == msgpwire.Float64 {
		return math.Float64frombits(wire.BE64(b, i+1)), i + 9
	}
	return d.readFloatSlow(i, "float64")
}

func (d *Decoder) readFloatSlow(i int, what string) (float64, int) {
	c, ok := d.number(i)
	if !ok {
		return 0, -1
	}
	if f, j := readFloat(d.b, i); j >= 0 {
		return f, j
	}
	if v, j := readInt(d.b, i); j >= 0 {
		if c == msgpwire.Uint64 {
			return float64(uint64(v)), j
		}
		return float64(v), j
	}
	if c == msgpwire.Nil {
		return 0, i + 1
	}
	return 0, d.fail(i, fmt.Errorf("msgpack: invalid code=%x decoding %s", c, what))
}

func (d *Decoder) readFloat32(i int) (float32, int) {
	b := d.b
	if i+5 <= len(b) && b[i] == msgpwire.Float32 {
		return math.Float32frombits(wire.BE32(b, i+1)), i + 5
	}
	f, j := d.readFloatSlow(i, "float32")
	if j >= 0 && math.Abs(f) > math.MaxFloat32 && !math.IsInf(f, 0) {
		return 0, d.fail(i, fmt.Errorf("msgpack: float %v does not fit float32", f))
	}
	return float32(f), j
}

// readString reads a str or bin as a string. The string is a copy of the input, unless an option
// requests views. It reads nil as the empty string.
func (d *Decoder) readString(i int) (string, int) {
	start, next := readStr(d.b, i)
	if next < 0 || d.flags&careful != 0 {
		return d.readStringSlow(i, false)
	}
	return d.strings.CopyAt(d.b, start, next-start), next
}

// readBytes finds the bytes of a str or bin, which are d.b[start:next]. If strings are interned, a
// str is added to the dict.
func (d *Decoder) readBytes(i int) (start, next int) {
	start, next = readStr(d.b, i)
	if next < 0 {
		start, next = d.readBytesSlow(i)
	}
	if d.flags&internStrings != 0 && next >= 0 && msgpwire.IsStr(d.b[i]) {
		d.dict.join(d.b[start:next], d.base+int64(next))
	}
	return start, next
}

func (d *Decoder) readBytesSlow(i int) (start, next int) {
	c, ok := d.codeAt(i)
	if !ok {
		return 0, -1
	}
	f := msgpwire.Forms[c]
	isString := f.Kind == msgpwire.FormFixBytes || f.Kind == msgpwire.FormBytes && (c < msgpwire.Ext8 || c > msgpwire.Ext32)
	if !isString {
		return 0, d.fail(i, fmt.Errorf("msgpack: invalid code=%x decoding string/bytes length", c))
	}
	head := int(f.Head)
	if !d.whole(i, 1, head) {
		return 0, -1
	}
	n := uint64(c & 0x1f)
	if f.Kind == msgpwire.FormBytes {
		n = d.count(i)
	}
	n = min(n, math.MaxInt-uint64(head)) // a number that overflows an int is larger than any input
	if !d.whole(i, head, head+int(n)) {
		return 0, -1
	}
	return i + head, i + head + int(n)
}

// count returns the length or count after the code at i. The length or count must be buffered.
func (d *Decoder) count(i int) uint64 { return msgpwire.CountAt(d.b, i) }

// arrayLen reads an array's header.
func (d *Decoder) arrayLen(i int) (n, next int) {
	if n, next = readCount(d.b, i, false); next >= 0 {
		return n, next
	}
	c, ok := d.codeAt(i)
	if !ok {
		return 0, -1
	}
	if f := msgpwire.Forms[c]; f.Kind != msgpwire.FormFixArray && f.Kind != msgpwire.FormArray {
		return 0, d.fail(i, fmt.Errorf("msgpack: invalid code=%x decoding array length", c))
	}
	return d.countSlow(i, false)
}

// mapLen reads a map's header. It skips the header of an ext that contains the map.
func (d *Decoder) mapLen(i int) (n, next int) {
	if n, next = readCount(d.b, i, true); next >= 0 {
		return n, next
	}
	c, ok := d.codeAt(i)
	if ok && msgpwire.IsExt(c) {
		if _, _, i = d.extHeader(i); i < 0 {
			return 0, -1
		}
		if c, ok = d.codeAt(i); ok && c == msgpwire.Nil {
			return 0, i + 1
		}
	}
	if !ok {
		return 0, -1
	}
	if f := msgpwire.Forms[c]; f.Kind != msgpwire.FormFixMap && f.Kind != msgpwire.FormMap {
		return 0, d.fail(i, unexpectedCodeError{c})
	}
	return d.countSlow(i, true)
}

// countSlow reads the header of an array or a map. The header need not be completely buffered.
func (d *Decoder) countSlow(i int, pairs bool) (n, next int) {
	if !d.whole(i, 1, int(msgpwire.Forms[d.b[i]].Head)) {
		return 0, -1
	}
	if n, next = readCount(d.b, i, pairs); next < 0 {
		return 0, d.fail(i, errShort) // more elements than an int can count; no input contains them
	}
	return n, next
}

// skipValues skips n values, and returns the offset after them. The strings in these values are
// added to the dict.
func (d *Decoder) skipValues(i, n int) int {
	for ; n > 0 && i >= 0; n-- {
		i = d.skipJoining(i)
	}
	return i
}

// extHeader reads an ext's header. It returns the ext's type, the length of its data, and the
// offset at which the data begins.
func (d *Decoder) extHeader(i int) (id int8, n, next int) {
	c, ok := d.codeAt(i)
	if !ok {
		return 0, 0, -1
	}
	if c >= msgpwire.Fixext1 && c <= msgpwire.Fixext16 {
		if !d.whole(i, 1, 2) {
			return 0, 0, -1
		}
		return int8(d.b[i+1]), 1 << (c - msgpwire.Fixext1), i + 2
	}
	if c < msgpwire.Ext8 || c > msgpwire.Ext32 {
		return 0, 0, d.fail(i, fmt.Errorf("msgpack: invalid code=%x decoding ext len", c))
	}
	head := int(msgpwire.Forms[c].Head)
	if !d.whole(i, 1, head) {
		return 0, 0, -1
	}
	size := d.count(i)
	if size > uint64(math.MaxInt-head) {
		return 0, 0, d.fail(i, io.ErrUnexpectedEOF)
	}
	return int8(d.b[i+head-1]), int(size), i + head
}

// unexpectedCodeError reports a value that is not a map where a map is expected.
type unexpectedCodeError struct{ code byte }

func (e unexpectedCodeError) Error() string {
	return fmt.Sprintf("msgpack: unexpected code=%x decoding map length", e.code)
}

// readKey reads a map key. It reads nil as the empty string.
func (d *Decoder) readKey(i int) (string, int) {
	if key, next := d.readKeyAtHand(i); next >= 0 {
		return key, next
	}
	if d.flags&careful != 0 || d.isNil(i) || d.isInterned(i) {
		return d.readStringSlow(i, false)
	}
	if _, next := d.readBytes(i); next < 0 {
		return "", -1
	}
	return d.readKeyAtHand(i)
}

// readKeyAtHand reads a key that is a str or bin. It returns -1 if the key is not completely
// buffered, or if an option affects it.
func (d *Decoder) readKeyAtHand(i int) (string, int) {
	if b := d.b; uint(i) < uint(len(b)) {
		if n := int(b[i]) - msgpwire.Fixstr; uint(n) <= buffer.RecentMax && n < len(b)-i && d.keys != nil && d.flags&careful == 0 && cacheKeys {
			key, _ := d.keys.Find(b, i+1, n)
			return key, i + 1 + n
		}
	}
	return d.readKeyAtHandSlow(i)
}

func (d *Decoder) readKeyAtHandSlow(i int) (string, int) {
	b := d.b
	start, next := readStr(b, i)
	if next < 0 || d.flags&careful != 0 {
		return "", -1
	}
	n := next - start
	if n > buffer.RecentMax || !cacheKeys {
		return d.strings.CopyAt(b, start, n), next
	}
	if d.keys == nil {
		d.keys = new(buffer.Recent)
	}
	key, _ := d.keys.Find(b, start, n)
	return key, next
}

func unknownCode(c byte) error { return fmt.Errorf("msgpack: unknown code %x", c) }

// skipAt returns the offset after the value at i, or -1 if the options reject the value.
func (d *Decoder) skipAt(i int) int {
	if d.flags&judging != 0 {
		return d.skipChecked(i, false)
	}
	if next := skip(d.b, i); next >= 0 {
		return next
	}
	return d.passSlow(i)
}

// pass returns the offset after the value at i, without checking options.
func (d *Decoder) pass(i int) int {
	if next := skip(d.b, i); next >= 0 {
		return next
	}
	return d.passSlow(i)
}

// passSlow is the variant of pass for a value that is not completely buffered, or contains an
// undefined code.
func (d *Decoder) passSlow(i int) int {
	for pending := uint64(1); pending > 0; pending-- {
		c, ok := d.codeAt(i)
		if !ok {
			return -1
		}
		f := msgpwire.Forms[c]
		if f.Kind == msgpwire.FormNever {
			return d.fail(i, unknownCode(c))
		}
		if !d.whole(i, 1, int(f.Head)) {
			return -1
		}
		n := d.count(i)
		switch f.Kind {
		case msgpwire.FormFixBytes:
			n = uint64(c & 0x1f)
			fallthrough
		case msgpwire.FormBytes:
			n = min(n, math.MaxInt-uint64(f.Head))
			if !d.whole(i, int(f.Head), int(f.Head)+int(n)) {
				return -1
			}
			i += int(n)
		case msgpwire.FormFixArray:
			pending += uint64(c & 0x0f)
		case msgpwire.FormFixMap:
			pending += uint64(c&0x0f) * 2
		case msgpwire.FormArray:
			pending += n
		case msgpwire.FormMap:
			pending += 2 * n
		}
		i += int(f.Head)
	}
	return i
}
