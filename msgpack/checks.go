package msgpack

// Options that restrict the input apply to every value, even if it is skipped, kept raw, or read by
// a user's method. If one of these options is set, skipChecked replaces the fast function skip.

import (
	"math"
	"reflect"

	"github.com/slipstream-go/slipstream/internal/msgpwire"
)

// judging contains the flags of the options that restrict the input, regardless of the target.
const judging = limited | strictUTF8 | uniqueKeys

// A checkedLevel is an array or map around the current position of skipChecked.
type checkedLevel struct {
	left   int    // number of values that have not been read
	keys   keySet // keys of a map of several pairs, with UniqueKeys
	key    int    // offset of the current key in such a map
	within int    // number of keys, of such maps, that contain this array or map
}

// skipChecked skips a value like skipAt, and checks it against the options. If `joins` is true, the
// value's strings are added to the dict, as if they were read.
func (d *Decoder) skipChecked(i int, joins bool) int {
	joins = joins && d.flags&internStrings != 0
	var room [8]checkedLevel
	open := room[:0]
	for {
		values, pairs, next := d.checkHead(i, len(open), joins)
		if next < 0 {
			return -1
		}
		if values >= 0 {
			l := checkedLevel{left: values, key: next}
			if pairs && values > 2 {
				l.keys = d.newKeySet()
			}
			if n := len(open); n > 0 {
				if l.within = open[n-1].within; open[n-1].keys.keys != nil && open[n-1].left&1 == 0 {
					l.within++
				}
				if l.within > maxKeyDepth { // each key is read once more for every key around it
					return d.fail(i, errKeyDepth)
				}
			}
			open = append(open, l)
		}
		i = next
		ended := values < 0 // whether a value ends at i
		for len(open) > 0 {
			l := &open[len(open)-1]
			if ended {
				l.left--
			}
			if ended && l.keys.keys != nil {
				if l.left&1 == 0 {
					l.key = i // after a value
				} else if key := d.b[l.key:i]; l.keys.twice(d.keyOf(key), key) {
					return d.fail(l.key, errKeyTwice)
				}
			}
			if l.left > 0 {
				break
			}
			open, ended = open[:len(open)-1], true
		}
		if len(open) == 0 {
			return i
		}
	}
}

// checkHead checks the value at i against the options, but not the elements of an array or map. It
// returns the number of values in an array or map, or -1 for other values. The result `next` is the
// offset after the checked bytes. The argument `around` is the number of arrays and maps that
// contain the value and are inside the skipped value.
func (d *Decoder) checkHead(i, around int, joins bool) (values int, pairs bool, next int) {
	c, ok := d.codeAt(i)
	if !ok {
		return 0, false, -1
	}
	f := msgpwire.Forms[c]
	if f.Kind == msgpwire.FormNever {
		return 0, false, d.fail(i, unknownCode(c))
	}
	if !d.whole(i, 1, int(f.Head)) {
		return 0, false, -1
	}
	n := d.count(i)
	next = i + int(f.Head)
	switch f.Kind {
	case msgpwire.FormScalar:
		return -1, false, next
	case msgpwire.FormFixBytes:
		n = uint64(c & 0x1f)
		fallthrough
	case msgpwire.FormBytes:
		text := !msgpwire.IsExt(c)
		size := int(min(n, math.MaxInt-uint64(next))) // a number that overflows an int is larger than any input
		if text && size > d.limits.str {
			return 0, false, d.tooLong(i, size)
		}
		if !d.whole(i, next-i, next-i+size) || text && !d.allows(i, next, next+size) {
			return 0, false, -1
		}
		if joins && msgpwire.IsStr(c) {
			d.dict.join(d.b[next:next+size], d.base+int64(next+size))
		}
		return -1, false, next + size
	case msgpwire.FormFixArray, msgpwire.FormFixMap:
		n = uint64(c & 0x0f)
	}
	width := 1
	if pairs = f.Kind == msgpwire.FormMap || f.Kind == msgpwire.FormFixMap; pairs {
		width = 2
	}
	switch {
	case n > uint64(d.limits.elements) && d.limits.elements < math.MaxInt:
		return 0, false, d.tooMany(next, int(min(n, math.MaxInt)))
	case n > math.MaxInt/2: // a number that overflows an int is larger than any input
		return 0, false, d.fail(i, errShort)
	case d.depth+around >= d.limits.depth:
		return 0, false, d.tooDeep(next)
	}
	return int(n) * width, pairs, next
}

// checkTaken checks the values that a user's method has read, d.b[i:d.i], against the options. The
// calls in that method cannot check all options, because a call for a single value knows neither
// the enclosing map nor the depth of the value. Bytes that are not a complete value are not
// checked.
func (d *Decoder) checkTaken(i int) bool {
	if d.inside > d.outer+1 || d.i > len(d.b) { // another method's value encloses this value, or the method has reset d
		return true
	}
	for i < d.i && skip(d.b[:d.i], i) >= 0 {
		if i = d.skipChecked(i, false); i < 0 {
			return false
		}
	}
	return true
}

// checkKey returns an error if the next value repeats a key of a map that is read pair by pair. It
// does not read the value.
func (d *Decoder) checkKey(seen keySet) error {
	if seen.keys == nil {
		return nil
	}
	mark := d.begin()
	next := d.pass(mark)
	if next < 0 { // reading the key will report the error
		d.err = nil
		return d.end(mark, mark)
	}
	if key := d.b[mark:next]; seen.twice(d.keyOf(key), key) {
		return d.end(mark, d.fail(mark, errKeyTwice))
	}
	return d.end(mark, mark)
}

// keySet contains the keys that have been read from a map, if UniqueKeys is set. The zero value
// records no keys.
type keySet struct{ keys map[any]struct{} }

func (d *Decoder) newKeySet() (s keySet) {
	if d.flags&uniqueKeys != 0 {
		s.keys = make(map[any]struct{})
	}
	return s
}

// Additional types of keys in a keySet. Other keys are strings, bools, int64s, uint64s, float64s
// and values of other Go types.
type (
	fieldKey   uint16 // the index of a field, whose name and aliases are one key
	encodedKey string // the encoding of a key of another type
)

// twice reports whether s already contains key, and adds key if it does not. Equal ints of
// different widths are the same key, as are equal floats. A key that is not equal to itself, such
// as NaN, is compared by its encoding, which is the argument `wire`.
func (s keySet) twice(key any, wire []byte) bool {
	if s.keys == nil {
		return false
	}
	switch v := reflect.ValueOf(key); {
	case !v.IsValid() || v.Type().PkgPath() != "": // a named type is not converted
	case v.CanInt():
		key = v.Int()
	case v.CanUint():
		key = unsigned(v.Uint())
	case v.CanFloat():
		key = v.Float()
	}
	if same := key; key != same {
		key = encodedKey(wire)
	}
	_, there := s.keys[key]
	s.keys[key] = struct{}{}
	return there
}

// unsigned returns v as an int64 if it fits. Otherwise it returns v as a uint64.
func unsigned(v uint64) any {
	if v > math.MaxInt64 {
		return v
	}
	return int64(v)
}

// keyOf converts an encoded key to a key of a keySet. The Go type of the map is not known. A str, a
// bin or nil becomes a string, as in a map that is decoded into type any.
func (d *Decoder) keyOf(key []byte) any {
	if start, next := readStr(key, 0); next >= 0 {
		return string(key[start:next])
	}
	if v, next := readInt(key, 0); next >= 0 {
		if key[0] == msgpwire.Uint64 {
			return unsigned(uint64(v))
		}
		return v
	}
	if v, next := readFloat(key, 0); next >= 0 {
		return v
	}
	switch key[0] {
	case msgpwire.Nil:
		return ""
	case msgpwire.True, msgpwire.False:
		return key[0] == msgpwire.True
	}
	if s, ok := d.internedText(key); ok {
		return s
	}
	if same, err := flatEncoder.appendCanonical(nil, key); err == nil {
		key = same
	}
	return encodedKey(key)
}

// internedText returns the string in the dict whose encoded number is b.
func (d *Decoder) internedText(b []byte) (string, bool) {
	if !d.interns() {
		return "", false
	}
	id, data, err := Raw(b).Ext()
	if err != nil || id != extInterned || len(data) > 4 {
		return "", false
	}
	index := uint64(0)
	for _, c := range data {
		index = index<<8 | uint64(c)
	}
	return d.dict.at(index)
}
