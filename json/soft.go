package json

// This file handles values that do not fit their targets. Decoding continues after such a value. At
// the end, the first error is reported as an UnmarshalTypeError with the path of the struct fields
// that lead to the value.
//
// The path is built only if there is an error. The function that decodes the value returns
// ^position. Each container that encloses the value decodes its other elements, and then also
// returns ^position. During this time, d.soft is the depth of the container. Each enclosing struct
// adds the name of its field to the path. The innermost of these structs is d.within.

import (
	"reflect"
	"slices"
	"strings"
)

// mistyped records that a JSON value does not fit the type t. The argument `value` describes the
// JSON value, which ends at the input offset `offset`.
func (d *decoder) mistyped(value string, t reflect.Type, offset int) {
	if d.saved == nil {
		d.saved = &UnmarshalTypeError{Value: value, Type: t, Offset: int64(offset)}
		d.soft = -1 // the error is being passed up
	}
}

// save records an error that has no path.
func (d *decoder) save(err error) {
	if d.saved == nil {
		d.saved = err
	}
}

// abort ends decoding with the error err, for example from a user's method.
func (d *decoder) abort(err error) int {
	d.fatal = err
	d.path, d.within = d.path[:0], nil // drop the path of a saved error, which err replaces
	return failed
}

// out returns the result of a decoding function that has read its value up to i. If the function
// has called mistyped, the result is ^i.
func (d *decoder) out(i int) int {
	if d.soft < 0 {
		return ^i
	}
	return i
}

// in handles the negative result i of an element's decoding function. It returns the position after
// the element, or failed. If a value did not fit, the method sets d.soft to the depth of the
// current container. The container then reports the error to the enclosing container after its last
// element.
func (d *decoder) in(i int) int {
	if i != failed {
		d.soft = d.depth
		i = ^i
	}
	return i
}

// named adds the name of the field f of the struct s to the path of an error. The argument i is the
// negative result of decoding the field.
func (d *decoder) named(s *decodeFields, f *decodeField, i int) int {
	if i != failed || d.fatal != nil {
		if d.within == nil {
			d.within = s.typ
		}
		d.path = append(d.path, f.path)
	}
	return d.in(i)
}

// finish returns the error of a call, with its complete path.
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
