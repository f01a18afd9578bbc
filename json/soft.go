package json

// Values that do not fit what they are decoded into. The first one is reported when all the rest is
// decoded, as an UnmarshalTypeError with the path of the struct fields that lead to it. The path is
// not kept while nothing is wrong. Instead the value's own function returns ^position, and so does
// each container on the way out, when it is through with its other elements: d.soft is its depth.
// Each struct adds the name of the field; within is the innermost of them.

import (
	"reflect"
	"slices"
	"strings"
)

// mistyped notes that a JSON value, described by value and ending at offset, does not fit t.
func (d *decoder) mistyped(value string, t reflect.Type, offset int) {
	if d.saved == nil {
		d.saved = &UnmarshalTypeError{Value: value, Type: t, Offset: int64(offset)}
		d.soft = -1 // on its way
	}
}

// save notes an error that has no path.
func (d *decoder) save(err error) {
	if d.saved == nil {
		d.saved = err
	}
}

// abort ends decoding with an error of a method of the caller.
func (d *decoder) abort(err error) int {
	d.fatal = err
	d.path, d.within = d.path[:0], nil // of a saved error, which this one replaces
	return failed
}

// out is the result of a function that may have called mistyped.
func (d *decoder) out(i int) int {
	if d.soft < 0 {
		return ^i
	}
	return i
}

// in takes a negative result of an element apart: it is the position after the element, or failed.
// The container, which lies at d.depth, hands the error on when it is through.
func (d *decoder) in(i int) int {
	if i != failed {
		d.soft = d.depth
		i = ^i
	}
	return i
}

// named adds the name of the field of s, through which an error passes.
func (d *decoder) named(s *decodeFields, f *decodeField, i int) int {
	if i != failed || d.fatal != nil {
		if d.within == nil {
			d.within = s.typ
		}
		d.path = append(d.path, f.path)
	}
	return d.in(i)
}

// finish is the error of a call, complete with its path.
func (d *decoder) finish() error {
	err := d.saved
	if d.fatal != nil {
		err = d.fatal
	}
	if e, ok := err.(*UnmarshalTypeError); ok && d.within != nil {
		slices.Reverse(d.path)
		if e.Field != "" {
			d.path = append(d.path, e.Field)
		}
		e.Struct = d.within.Name()
		e.Field = strings.Join(d.path, ".")
	}
	clear(d.path)
	d.saved, d.fatal, d.path, d.within = nil, nil, d.path[:0], nil
	return err
}
