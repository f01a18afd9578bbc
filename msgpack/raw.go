package msgpack

// A Raw is a view of the bytes of a value. Each part of the value is decoded when it is requested.
//
//	make      NewRaw, DecodeRawView, or Raw(b) of bytes that hold one value
//	ask       Kind, Len, IsNil
//	go down   Index, Get, Elements, Entries, Query (query.go)
//	read      Bool, Int64, Uint64, Float64, Text, Bytes, Time, Ext, Decode
//
// Index, Get and Query skip the values before their result. They keep no state between calls, and
// the function skip checks each step against the available bytes. So no method panics, even if the
// bytes are not a valid value.

import (
	"errors"
	"fmt"
	"iter"
	"strconv"
	"time"

	"github.com/slipstream-go/slipstream/internal/msgpwire"
)

// Raw is a view of an encoded value. It refers to the bytes of the input, which must not change
// while the Raw is in use. Methods decode only the value that they return. Results of type Raw or
// []byte are views, too. Memory is allocated only by Text, by Decode, by Time for a string, and for
// errors.
//
// An empty Raw is a missing value. Index and Get return a missing value if the requested element
// does not exist, or if their receiver is a missing value. Methods that decode a missing value
// return [ErrMissing]. So calls can be chained, with one check at the end.
//
// If the bytes b are known to be a complete value, such as a RawMessage, use the conversion Raw(b).
// If the value is incomplete, methods return missing values or errors for the missing parts. As a
// field or an element of a decoding target, a Raw works like a [RawMessage]: the encoded value is
// copied.
type Raw []byte

// ErrMissing is returned by the methods of an empty [Raw].
var ErrMissing = errors.New("msgpack: the value is missing")

// NewRaw returns a view of the first value in data, and the bytes after that value. It checks that
// the value is complete and valid at every depth. It returns the same errors as [Decoder.Skip].
func NewRaw(data []byte) (r Raw, rest []byte, err error) {
	if next := skip(data, 0); next >= 0 {
		return data[:next:next], data[next:], nil
	}
	var d Decoder
	d.b = data
	return nil, nil, d.Skip()
}

// DecodeRawView returns the next value as a view of the input. The view is valid until the next
// call of a method of d. If the decoder reads from a []byte, the view is valid until the bytes of
// that slice change.
func (d *Decoder) DecodeRawView() (Raw, error) {
	return decodeOne(d, func(d *Decoder, i int) (Raw, int) {
		next := d.skipAt(i)
		if next < 0 {
			return nil, -1
		}
		return d.b[i:next:next], next
	})
}

// EncodeMsgpack writes r unchanged. It writes a missing value as nil.
func (r Raw) EncodeMsgpack(e *Encoder) error { return RawMessage(r).EncodeMsgpack(e) }

// DecodeMsgpack sets r to a copy of the next value.
func (r *Raw) DecodeMsgpack(d *Decoder) error { return (*RawMessage)(r).DecodeMsgpack(d) }

// IsNil reports whether r is an encoded nil. It returns false for a missing value.
func (r Raw) IsNil() bool { return len(r) > 0 && r[0] == msgpwire.Nil }

// Len returns the number of elements of an array, the number of pairs of a map, or the number of
// bytes of a str, bin or ext. For other values, it returns 0. The result is at most len(r).
func (r Raw) Len() int {
	n := -1
	switch r.Kind() {
	case KindArray:
		n, _ = readCount(r, 0, false)
	case KindMap:
		n, _ = readCount(r, 0, true)
	case KindString, KindBin:
		start, next := readStr(r, 0)
		n = next - start
	case KindExt, KindTime:
		_, data, _ := r.Ext()
		n = len(data)
	}
	if n < 0 || n > len(r) {
		return 0
	}
	return n
}

// at returns the value at offset i. If there is no complete value, it returns nil.
func (r Raw) at(i int) Raw {
	next := skip(r, i)
	if next < 0 {
		return nil
	}
	return r[i:next:next]
}

// Index returns element i of an array. It skips the earlier elements, so use Elements to read all
// elements.
func (r Raw) Index(i int) Raw { return r.at(elementAt(r, 0, i)) }

// Get returns the value of a key in a map. A key in the map matches if it is a str or bin with the
// same bytes, or an int whose decimal form equals the argument. The empty string also matches a nil
// key. If the key is repeated, Get returns its last value, as in decoding, so Get reads the whole
// map.
func (r Raw) Get(key string) Raw { return r.at(valueAt(r, 0, key)) }

// elementAt returns the offset of element k of the array at i, or -1.
func elementAt(b []byte, i, k int) int {
	n, i := readCount(b, i, false)
	if k < 0 || k >= n {
		return -1
	}
	for ; k > 0 && i >= 0; k-- {
		i = skip(b, i)
	}
	return i
}

// valueAt returns the offset of the last value under key in the map at i, or -1.
func valueAt(b []byte, i int, key string) int {
	var room keyRoom
	at := -1
	for n, i := readCount(b, i, true); n > 0; n-- {
		text, named, value := keyText(b, i, &room)
		if named && string(text) == key {
			at = value
		}
		if i = skip(b, value); i < 0 {
			return -1
		}
	}
	return at
}

// keyRoom is memory for the decimal text of an int key. The text has at most 20 bytes.
type keyRoom [20]byte

// keyText returns the text by which Get and Query find the key at i. The result `named` is false if
// the key has no such text. The result `next` is the offset after the key, or -1 if the key is
// incomplete or invalid.
func keyText(b []byte, i int, room *keyRoom) (text []byte, named bool, next int) {
	if start, next := readStr(b, i); next >= 0 {
		return b[start:next], true, next
	}
	if v, next := readInt(b, i); next >= 0 {
		if b[i] == msgpwire.Uint64 {
			return strconv.AppendUint(room[:0], uint64(v), 10), true, next
		}
		return strconv.AppendInt(room[:0], v, 10), true, next
	}
	next = skip(b, i)
	return nil, next >= 0 && b[i] == msgpwire.Nil, next
}

// Elements returns an iterator over the elements of an array and their indices.
func (r Raw) Elements() iter.Seq2[int, Raw] {
	return func(yield func(int, Raw) bool) {
		n, i := readCount(r, 0, false)
		for k := range n {
			element := r.at(i)
			if element == nil || !yield(k, element) {
				return
			}
			i += len(element)
		}
	}
}

// Entries returns an iterator over the pairs of a map. Keys may have any kind and any order, and
// may be repeated.
func (r Raw) Entries() iter.Seq2[Raw, Raw] {
	return func(yield func(key, value Raw) bool) {
		n, i := readCount(r, 0, true)
		for range n {
			key := r.at(i)
			value := r.at(i + len(key))
			if key == nil || value == nil || !yield(key, value) {
				return
			}
			i += len(key) + len(value)
		}
	}
}

// readRaw reads r with a Decoder, and returns the Decoder's errors.
func readRaw[T any](r Raw, read func(d *Decoder, i int) (T, int)) (T, error) {
	if len(r) == 0 {
		var none T
		return none, ErrMissing
	}
	d := unmarshalers.Get().(*Decoder)
	d.b, d.i, d.inside = r, 0, 1
	v, next := read(d, 0)
	err := d.end(0, next)
	d.b = nil
	d.putBack()
	return v, err
}

// Bool returns the value of a bool. For nil, it returns false.
func (r Raw) Bool() (bool, error) {
	if len(r) > 0 && r[0]|1 == msgpwire.True {
		return r[0] == msgpwire.True, nil
	}
	return readRaw(r, (*Decoder).readBool)
}

// Int64 returns the value of an int of any width, or of a float without a fraction. For nil, it
// returns 0. Unlike [Decoder.DecodeInt64], it returns an error if the value does not fit.
func (r Raw) Int64() (int64, error) {
	v, next := readInt(r, 0)
	if next < 0 {
		return readRaw(r, func(d *Decoder, i int) (int64, int) { return d.readIntSlow(i, 64) })
	}
	if v < 0 && r[0] == msgpwire.Uint64 {
		return 0, &Error{Cause: fmt.Errorf("msgpack: %d does not fit int64", uint64(v))}
	}
	return v, nil
}

// Uint64 is like [Raw.Int64], but for unsigned numbers. For a negative number, it returns an error.
func (r Raw) Uint64() (uint64, error) {
	v, next := readInt(r, 0)
	if next < 0 {
		return readRaw(r, func(d *Decoder, i int) (uint64, int) { return d.readUintSlow(i, 64) })
	}
	if v < 0 && r[0] != msgpwire.Uint64 {
		return 0, &Error{Cause: fmt.Errorf("msgpack: %d does not fit uint64", v)}
	}
	return uint64(v), nil
}

// Float64 returns the value of a float or an int. For nil, it returns 0.
func (r Raw) Float64() (float64, error) {
	if v, next := readFloat(r, 0); next >= 0 {
		return v, nil
	}
	return readRaw(r, (*Decoder).readFloat64)
}

// Bytes returns a view of the bytes of a str or bin. For nil, it returns a nil slice.
func (r Raw) Bytes() ([]byte, error) {
	if start, next := readStr(r, 0); next >= 0 {
		return r[start:next:next], nil
	}
	return readRaw(r, func(d *Decoder, i int) ([]byte, int) {
		if d.isNil(i) {
			return nil, i + 1
		}
		_, next := d.readBytes(i)
		return nil, next
	})
}

// Text returns the text of a str or bin as a new string. For nil, it returns the empty string.
func (r Raw) Text() (string, error) {
	b, err := r.Bytes()
	return string(b), err
}

// Time returns the time of a timestamp ext, an array of seconds and nanoseconds, or an RFC 3339
// string. For nil, it returns the zero time.
func (r Raw) Time() (time.Time, error) { return readRaw(r, (*Decoder).readTime) }

// Ext returns the type of an ext, and a view of its data.
func (r Raw) Ext() (id int8, data []byte, err error) {
	data, err = readRaw(r, func(d *Decoder, i int) ([]byte, int) {
		var n, start int
		id, n, start = d.extHeader(i)
		if start < 0 || !d.whole(i, start-i, start-i+n) {
			return nil, -1
		}
		return d.b[start : start+n : start+n], start + n
	})
	return id, data, err
}

// Decode decodes r into the target of the pointer v, as [Unmarshal] does. Decoded values do not
// refer to r.
func (r Raw) Decode(v any) error {
	if len(r) == 0 {
		return ErrMissing
	}
	return Unmarshal(r, v)
}
