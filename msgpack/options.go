package msgpack

// This file contains the options that vmihailenco/msgpack does not offer. SetOptions copies its
// argument, so later changes to the argument have no effect.

import (
	"errors"
	"fmt"
	"math"
	"unicode/utf8"

	"github.com/slipstream-go/slipstream/internal/msgpwire"
)

// DecodeOptions contains the options of a Decoder. The zero value selects the behaviour of
// Unmarshal.
type DecodeOptions struct {
	StructTag             string // the tag key for fields without a msgpack tag
	DisallowUnknownFields bool   // a key without a field is an error
	Loose                 bool   // when decoding into type any, ints become int64 or uint64, floats become float64, and bin becomes string
	JSONFields            bool   // embedded structs follow the rules of encoding/json: the least nested field of a name wins, then the tagged field

	// StrictUTF8, UniqueKeys and the limits apply to every byte of a value, including parts that
	// are skipped, kept as RawMessage, not selected by Query, or read by methods. In the data of an
	// ext, they apply only to values that the ext's decoding function reads.

	StrictInts bool // an int out of the range of its Go type is an error; otherwise it is truncated as in a Go conversion
	StrictUTF8 bool // a str that is not UTF-8 is an error, also as a key

	// UniqueKeys makes a repeated key in a map an error. By default, the last value of the key
	// wins. The following count as one key: the name and the aliases of a field, equal ints of
	// different widths, equal floats, and a str and a bin with the same bytes. Several NaNs are
	// allowed if their bits differ.
	UniqueKeys bool

	AnyLength bool // an array may be shorter or longer than the target struct or Go array: missing elements become zero, and extra elements are skipped

	// ZeroCopy decodes strings, []byte and RawMessage as views of the input, if the caller passes
	// the input as a []byte. The input must then never change. This is true even after another
	// value has been decoded into the target: if a string in the target equals the new string, the
	// decoder keeps the old string, which is a view of the old input.
	ZeroCopy bool

	// ReuseBytes overwrites the bytes of a []byte in the target, if it has enough capacity, as
	// vmihailenco/msgpack does. The []byte must not be a view of an input (ZeroCopy,
	// [Buffer.ShareMin]), and its bytes must not be in use elsewhere. By default, each []byte is
	// decoded into new memory.
	ReuseBytes bool

	OwnStrings bool // every string and []byte is allocated separately; otherwise short strings and []byte share chunks of 2 KB
	UTC        bool // times are in UTC instead of Local
	RawExt     bool // decoding an ext of an unknown type into type any yields an Ext; otherwise it is an error

	// The limits are for untrusted input. Zero selects the default.
	MaxDepth    int // nesting depth of arrays, maps, and exts with decoding functions; default 10,000
	MaxBytes    int // encoded bytes of one value; default no limit
	MaxElements int // elements of one array, pairs of one map; default no limit
	MaxString   int // bytes of one str or bin; default no limit
}

// Unmarshal is like the function [Unmarshal], but applies the options o. With ZeroCopy, decoded
// values refer to data.
func (o DecodeOptions) Unmarshal(data []byte, v any) error {
	d := GetDecoder()
	d.ResetBytes(data)
	d.SetOptions(o)
	err := d.Decode(v)
	d.SetOptions(DecodeOptions{})
	PutDecoder(d)
	return err
}

// SetOptions replaces all options of d by o. It does not change interned strings, dicts, or the
// settings of SetMapDecoder and DisableAllocLimit. Reset and ResetBytes restore the defaults;
// ResetReader keeps o.
func (d *Decoder) SetOptions(o DecodeOptions) {
	d.flags &= noAllocLimit | internStrings
	d.set(disallowUnknown, o.DisallowUnknownFields)
	d.set(looseInterface, o.Loose)
	d.set(strictInts, o.StrictInts)
	d.set(strictUTF8, o.StrictUTF8)
	d.set(uniqueKeys, o.UniqueKeys)
	d.set(anyLength, o.AnyLength)
	d.set(zeroCopy, o.ZeroCopy)
	d.set(reuseBytes, o.ReuseBytes)
	d.set(ownStrings, o.OwnStrings)
	d.set(utcTimes, o.UTC)
	d.set(rawExt, o.RawExt)
	d.set(limited, o.MaxDepth > 0 || o.MaxBytes > 0 || o.MaxElements > 0 || o.MaxString > 0)
	d.limits = limits{orElse(o.MaxDepth, maxDepth), orElse(o.MaxBytes, math.MaxInt), orElse(o.MaxElements, math.MaxInt), orElse(o.MaxString, math.MaxInt)}
	d.plans = plansFor(planRules{tag: o.StructTag, json: o.JSONFields})
}

func orElse(n, otherwise int) int {
	if n > 0 {
		return n
	}
	return otherwise
}

// limits contains the limits for one value.
type limits struct{ depth, bytes, elements, str int }

var noLimits = limits{maxDepth, math.MaxInt, math.MaxInt, math.MaxInt}

// EncodeOptions contains the options of an Encoder. The zero value selects the behaviour of
// Marshal.
type EncodeOptions struct {
	StructTag     string // the tag key for fields without a msgpack tag
	JSONFields    bool   // embedded structs follow the rules of encoding/json: the least nested field of a name wins, then the tagged field
	JSONOmitEmpty bool   // omitempty as in encoding/json: omits false, 0, nil, and strings, arrays, slices and maps of length 0; never a struct
	OmitEmpty     bool   // every field is treated as if it had omitempty
	ArrayStructs  bool   // structs are written as arrays
	SortMapKeys   bool   // all maps are written in the order of their keys; strings are compared by their bytes, other keys by their encoding
	CompactInts   bool   // ints of every type are written in their shortest form
	CompactFloats bool   // floats without a fraction are written as ints

	// Canonical encodes equal values as equal bytes, independent of their Go types. For example, a
	// struct and a map with the same keys and values have equal bytes. The same is true for equal
	// ints of different widths, and for an equal float32 and float64. The output of methods and the
	// contents of a RawMessage are converted to the same form:
	//
	//	map     pairs in the bytewise order of their encoded keys (RFC 8949, section 4.2.1); equal keys are an error, and so are
	//	        keys that are arrays or maps within such keys, more than 4 deep
	//	struct  as a map; as an array if its tag or ArrayStructs asks for it
	//	int     the shortest form; a positive one as unsigned
	//	float   float64; NaN is cb 7ff8000000000000, and -0 is not 0. With CompactFloats, ints where they are whole numbers
	//	length  the shortest form. str and bin differ, as do nil and empty
	//	time    the shortest of the three forms of ext -1; the data of other exts is unchanged
	//
	// If UseInternedStrings is on, encoding fails. The tag option intern has no effect. If separate
	// calls write the header and the elements of a map, the caller is responsible for the order of
	// the keys.
	Canonical bool
}

// Marshal is like the function [Marshal], but applies the options o.
func (o EncodeOptions) Marshal(v any) ([]byte, error) { return o.MarshalAppend(nil, v) }

// MarshalAppend is like the function [MarshalAppend], but applies the options o. On error, it
// returns dst unchanged.
func (o EncodeOptions) MarshalAppend(dst []byte, v any) ([]byte, error) {
	e := GetEncoder()
	own := e.b
	e.b, e.w, e.flags = nil, nil, 0 // an Encoder from the pool still has its previous options
	e.SetOptions(o)
	e.inside = 1
	var b []byte
	if o.Canonical {
		b = e.appendAny(own[:0], v)
	} else {
		b = e.appendAny(dst, v)
	}
	err := e.err
	if o.Canonical && err == nil {
		b, err = e.appendCanonical(dst, b)
	}
	e.inside, e.err, e.depth, e.b = 0, nil, 0, own
	e.SetOptions(EncodeOptions{})
	PutEncoder(e)
	if err != nil {
		return dst, err
	}
	return b, nil
}

// SetOptions replaces all options of e by o. It does not change interned strings or dicts. Reset
// restores the defaults; ResetWriter keeps o.
func (e *Encoder) SetOptions(o EncodeOptions) {
	e.flags &= interned
	e.set(omitEmpty, o.OmitEmpty)
	e.set(arrayStructs, o.ArrayStructs)
	e.set(canonical, o.Canonical)
	e.set(sortMapKeys, o.SortMapKeys && !o.Canonical)
	e.set(compactInts, o.CompactInts && !o.Canonical)
	e.set(compactFloats, o.CompactFloats)
	e.plans = plansFor(planRules{tag: o.StructTag, json: o.JSONFields, jsonEmpty: o.JSONOmitEmpty})
}

var (
	errTooLarge  = errors.New("msgpack: the value is larger than MaxBytes")
	errKeyTwice  = errors.New("msgpack: the key is repeated")
	errNotUTF8   = errors.New("msgpack: the string is not UTF-8")
	errNotNumber = errors.New("msgpack: the int does not fit its type")
)

// tooMany records an error for the array or map at i, which has more elements than the options
// allow.
func (d *Decoder) tooMany(i, n int) int {
	return d.fail(i, fmt.Errorf("msgpack: %d elements are more than MaxElements, %d", n, d.limits.elements))
}

// tooLong records an error for the str or bin at i, which has more bytes than the options allow.
func (d *Decoder) tooLong(i, n int) int {
	return d.fail(i, fmt.Errorf("msgpack: a string of %d bytes is longer than MaxString, %d", n, d.limits.str))
}

// views reports whether decoded values may refer to the input.
func (d *Decoder) views() bool { return d.flags&zeroCopy != 0 && d.r == nil && !d.transient }

// allows checks the str or bin at i against the options. Its bytes are d.b[start:next].
func (d *Decoder) allows(i, start, next int) bool {
	if next-start > d.limits.str {
		d.tooLong(i, next-start)
		return false
	}
	if c := d.b[i]; d.flags&strictUTF8 != 0 && (c < msgpwire.Bin8 || c > msgpwire.Bin32) && !utf8.Valid(d.b[start:next]) {
		d.fail(i, errNotUTF8)
		return false
	}
	return true
}

// fits reports whether the int at i fits a signed or unsigned int with the given number of bits.
// The int was read as v. fits is called only if StrictInts is set.
func (d *Decoder) fits(i int, v int64, bits int, signed bool) bool {
	beyond := v < 0 && d.b[i] == msgpwire.Uint64 // v is the negative number with the same bits
	var ok bool
	switch {
	case signed:
		ok = !beyond && v>>(bits-1) == v>>63
	case bits == 64:
		c := d.b[i]
		ok = v >= 0 || beyond || c == msgpwire.Float32 || c == msgpwire.Float64 // a negative float has caused an error before
	default:
		ok = uint64(v)>>bits == 0
	}
	if !ok {
		d.fail(i, fmt.Errorf("%w: %s into %d bits", errNotNumber, d.intText(i, v), bits))
	}
	return ok
}

func (d *Decoder) intText(i int, v int64) string {
	if d.b[i] == msgpwire.Uint64 {
		return fmt.Sprint(uint64(v))
	}
	return fmt.Sprint(v)
}

// carefulAny reads a str or bin as a string for a target of type any, and applies the options for
// strings.
func (d *Decoder) carefulAny(i int) (any, int) {
	s, next := d.readStringSlow(i, false)
	if next < 0 {
		return nil, -1
	}
	if d.flags&(ownStrings|zeroCopy) != 0 {
		return s, next
	}
	return d.boxString(s), next
}
