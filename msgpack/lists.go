package msgpack

// This file contains methods that decode the next array into one slice. They are for programs that
// know the structure of their input, and read it step by step. For columns whose names and types
// are not known, see columns.go.

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/slipstream-go/slipstream/column"
	"github.com/slipstream-go/slipstream/internal/msgpwire"
)

// DecodeInt64s reads an array of ints, or of floats without a fraction, and appends its elements to
// dst. For a uint64 out of the range of int64, it returns an error.
//
// The following also applies to [Decoder.DecodeFloat64s], [Decoder.DecodeBools] and
// [Decoder.DecodeStrings]. The elements are stored in the unused capacity of dst, if there is
// enough. A nil element becomes a zero value. If the pointer nulls is not nil, the bit at the
// element's index in the result is also set in the bitmap *nulls. If the input contains nil instead
// of an array, the result is dst unchanged. On error, dst and the bitmap *nulls are unchanged, and
// the path of the error contains the index in the array. Memory grows with the elements that
// arrive, not with the length in the header.
func (d *Decoder) DecodeInt64s(dst []int64, nulls *column.Bitmap) ([]int64, error) {
	return decodeList(d, dst, nulls, (*Decoder).int64Run, (*Decoder).readInt64Exact)
}

// DecodeFloat64s reads an array of floats or ints, and appends its elements to dst, as
// [Decoder.DecodeInt64s] does. An int becomes the nearest float64, so ints above 2⁵³ may be
// rounded.
func (d *Decoder) DecodeFloat64s(dst []float64, nulls *column.Bitmap) ([]float64, error) {
	return decodeList(d, dst, nulls, (*Decoder).float64Run, (*Decoder).readFloat64)
}

// DecodeBools reads an array of bools, and appends its elements to dst, as [Decoder.DecodeInt64s]
// does.
func (d *Decoder) DecodeBools(dst []bool, nulls *column.Bitmap) ([]bool, error) {
	return decodeList(d, dst, nulls, (*Decoder).boolRun, (*Decoder).readBool)
}

// DecodeStrings reads an array of str or bin values, and appends its elements to dst, as
// [Decoder.DecodeInt64s] does. Text that is not UTF-8 is accepted, unless
// [DecodeOptions.StrictUTF8] is set.
func (d *Decoder) DecodeStrings(dst []string, nulls *column.Bitmap) ([]string, error) {
	return decodeList(d, dst, nulls, (*Decoder).stringRun, (*Decoder).readString)
}

// decodeList appends the elements of an array to dst. The function `run` reads as many elements as
// it can into its slice, and returns their number and the offset after them. The function `one`
// reads the element at which `run` stopped, unless that element is nil.
func decodeList[T any](d *Decoder, dst []T, nulls *column.Bitmap,
	run func(d *Decoder, i int, to []T) (n, next int), one func(d *Decoder, i int) (T, int)) ([]T, error) {
	mark := d.begin()
	if d.isNil(mark) {
		return dst, d.end(mark, mark+1)
	}
	n, i := d.arrayLen(mark)
	if i < 0 || !d.claim(i, n, 1) {
		return dst, d.end(mark, -1)
	}
	var zero T
	list := slices.Grow(dst, d.room(n, reflect.TypeFor[T]().Size()))
	for k := 0; k < n; {
		if len(list) == cap(list) {
			list = slices.Grow(list, min(n-k, k+4))
		}
		at := len(list)
		read, next := run(d, i, list[at:min(cap(list), at+n-k)])
		if read > 0 {
			list, k, i = list[:at+read], k+read, next
			continue
		}
		v := zero
		if d.isNil(i) {
			if nulls != nil {
				*nulls = nulls.Set(at)
			}
			i++
		} else if v, i = one(d, i); i < 0 {
			d.path.Index(k)
			if nulls != nil {
				*nulls = nulls.Truncate(len(dst))
			}
			return dst, d.end(mark, -1)
		}
		list, k = append(list, v), k+1
	}
	return list, d.end(mark, i)
}

func (d *Decoder) int64Run(i int, to []int64) (n, next int) {
	n, next = readInt64Run(d.b, i, to)
	return beforeBeyond(d.b, i, next, to[:n])
}

// readInt64Exact reads an int like readInt, but returns an error for a uint64 that does not fit
// int64.
func (d *Decoder) readInt64Exact(i int) (int64, int) {
	v, next := d.readInt(i)
	if next >= 0 && v < 0 && d.b[i] == msgpwire.Uint64 {
		return 0, d.fail(i, fmt.Errorf("msgpack: uint64 %d does not fit int64", uint64(v)))
	}
	return v, next
}

func (d *Decoder) float64Run(i int, to []float64) (n, next int) { return readFloat64Run(d.b, i, to) }

func (d *Decoder) boolRun(i int, to []bool) (n, next int) {
	b := d.b
	for n < len(to) && i < len(b) && b[i]|1 == msgpwire.True {
		to[n] = b[i] == msgpwire.True
		n, i = n+1, i+1
	}
	return n, i
}

// stringRun reads consecutive strings of fewer than 32 bytes.
func (d *Decoder) stringRun(i int, to []string) (n, next int) {
	b := d.b
	if d.flags&careful != 0 {
		return 0, i
	}
	for n < len(to) && i < len(b) && b[i]-msgpwire.Fixstr <= msgpwire.FixstrMax-msgpwire.Fixstr {
		size := int(b[i] & 0x1f)
		if size >= len(b)-i {
			break
		}
		to[n] = d.strings.CopyAt(b, i+1, size)
		n, i = n+1, i+1+size
	}
	return n, i
}
