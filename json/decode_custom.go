package json

// This file decodes into pointers, types with UnmarshalJSON or UnmarshalText, and fields with the
// tag option "string".

import (
	"bytes"
	"encoding"
	"fmt"
	"reflect"
	"strconv"

	"github.com/slipstream-go/slipstream/internal/decimal"
	"github.com/slipstream-go/slipstream/internal/mem"
)

// maxHops is the maximum number of pointers to pointers, and of interfaces that contain pointers,
// on the way to a value. Only cyclic pointers exceed it.
const maxHops = 10 * maxDepth

func decodePointer(d *decoder, i int, p mem.Pointer, o *decodeOp) int {
	at := mem.At[mem.Raw](p, 0)
	if mem.Load8(d.b, i) == 'n' {
		if i = literal(d.b, i); i > 0 {
			*at = nil
		}
		return i
	}
	if *at == nil {
		*at = mem.NewAt(o.elem.typ)
	}
	if o.elem.nils == 1 { // a pointer to a pointer: such a type can lead back to itself
		if d.hops++; d.hops > maxHops {
			return d.abort(errCircle)
		}
		i = o.elem.decode(d, i, mem.Of(*at, o.elem.typ), o.elem)
		d.hops--
		return i
	}
	return o.elem.decode(d, i, mem.Of(*at, o.elem.typ), o.elem)
}

// unmarshaler returns the value at p as an Unmarshaler.
func (o *decodeOp) unmarshaler(p mem.Pointer) Unmarshaler {
	if o.table != nil {
		return mem.WithMethods[Unmarshaler](o.table, p)
	}
	return reflect.NewAt(o.typ, mem.RawAs(p, o.typ)).Interface().(Unmarshaler)
}

// textUnmarshaler returns the value at p as a TextUnmarshaler.
func (o *decodeOp) textUnmarshaler(p mem.Pointer) encoding.TextUnmarshaler {
	if o.table != nil {
		return mem.WithMethods[encoding.TextUnmarshaler](o.table, p)
	}
	return reflect.NewAt(o.typ, mem.RawAs(p, o.typ)).Interface().(encoding.TextUnmarshaler)
}

func decodeUnmarshaler(d *decoder, i int, p mem.Pointer, o *decodeOp) int {
	start := d.off + i
	if i = d.skip(i); i < 0 {
		return failed
	}
	if err := o.unmarshaler(p).UnmarshalJSON(d.src[start : d.off+i : d.off+i]); err != nil {
		return d.abort(err)
	}
	return i
}

func decodeText(d *decoder, i int, p mem.Pointer, o *decodeOp) int {
	if mem.Load8(d.b, i) != '"' {
		return d.mismatched(i, p, o, o.said)
	}
	// The text may be in a buffer of the decoder, so it is valid only during the call, as
	// TextUnmarshaler specifies.
	text, i := d.key(i + 1)
	if i < 0 {
		return failed
	}
	if err := o.textUnmarshaler(p).UnmarshalText(text); err != nil {
		return d.abort(err)
	}
	return d.guard(i)
}

// quoted decodes a value that is encoded in a JSON string, for the tag option "string".
func (d *decoder) quoted(i int, p mem.Pointer, o *decodeOp) int {
	switch c := mem.Load8(d.b, i); c {
	case '"':
		text, j := d.key(i + 1)
		if j < 0 {
			return failed
		}
		end := d.off + j
		if d.literal(text, p, o, o.typ, end) < 0 {
			return failed
		}
		return d.out(d.guard(end - d.off))
	case 'n':
		return o.decode(d, i, p, o)
	case '{', '[', 't', 'f':
		i = d.skip(i)
	default:
		var text []byte
		if text, i = d.number(i); i < 0 {
			return failed
		}
		end := d.off + i
		i = d.guard(i)
		if _, inRange := decimal.ParseFloat64(text); !inRange && d.flags&UseNumber == 0 {
			d.mistyped("number "+string(text), float64Type, end+1)
			if d.literal([]byte("null"), p, o, o.typ, end) == failed { // as encoding/json does
				return failed
			}
			return d.out(i)
		}
	}
	if i < 0 {
		return failed
	}
	d.save(fmt.Errorf("json: invalid use of ,string struct tag, trying to unmarshal unquoted value into %v", o.typ))
	return d.out(i)
}

// literal decodes `item`, which is the content of a JSON string, as a value. The value may be null,
// a bool, a number or a string; an array or object is an error. For a map key with UnmarshalText,
// `item` includes the quotes. Errors contain the offset `end`, at which the JSON string ends, and a
// type: the declared type of the field, or the type to which its pointers lead.
func (d *decoder) literal(item []byte, p mem.Pointer, o *decodeOp, declared reflect.Type, end int) int {
	misused := func(t reflect.Type) error {
		return fmt.Errorf("json: invalid use of ,string struct tag, trying to unmarshal %q into %v", item, t)
	}
	if len(item) == 0 {
		d.save(misused(declared))
		return 0
	}
	null := item[0] == 'n'
	for o.typ.Kind() == reflect.Pointer && !null {
		at := mem.At[mem.Raw](p, 0)
		if *at == nil {
			*at = mem.NewAt(o.elem.typ)
		}
		p, o = mem.Of(*at, o.elem.typ), o.elem
	}
	switch {
	case o.json:
		if err := o.unmarshaler(p).UnmarshalJSON(item); err != nil {
			return d.abort(err)
		}
		return 0
	case o.said != nil && o.typ.Kind() != reflect.Pointer && !null:
		if item[0] != '"' {
			d.save(misused(declared))
			return 0
		}
		text, ok := unquote(item)
		if !ok {
			return d.abort(misused(declared))
		}
		if err := o.textUnmarshaler(p).UnmarshalText(text); err != nil {
			return d.abort(err)
		}
		return 0
	}
	v := reflect.NewAt(o.typ, mem.RawAs(p, o.typ)).Elem()
	switch c := item[0]; {
	case null:
		if string(item) != "null" {
			d.save(misused(o.typ))
			return 0
		}
		o.nils.clear(p)
	case c == 't' || c == 'f':
		if string(item) != "true" && string(item) != "false" || v.Kind() != reflect.Bool {
			d.save(misused(o.typ))
			return 0
		}
		v.SetBool(c == 't')
	case c == '"':
		text, ok := unquote(item)
		switch {
		case !ok:
			return d.abort(misused(o.typ))
		case v.Kind() != reflect.String:
			d.mistyped("string", o.typ, end)
			return 0
		case o.typ == numberType && !isNumber(string(text)):
			return d.abort(fmt.Errorf("json: invalid number literal, trying to unmarshal %q into Number", item))
		}
		v.SetString(string(text))
	case c != '-' && c-'0' > 9:
		return d.abort(misused(o.typ))
	default:
		return d.literalNumber(item, v, end, misused)
	}
	return 0
}

// literalNumber sets v to the number in item. It parses the number with package strconv.
func (d *decoder) literalNumber(item []byte, v reflect.Value, end int, misused func(reflect.Type) error) int {
	text := string(item)
	fits := false
	switch v.Kind() {
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		n, err := strconv.ParseInt(text, 10, 64)
		if fits = err == nil && !v.OverflowInt(n); fits {
			v.SetInt(n)
		}
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		n, err := strconv.ParseUint(text, 10, 64)
		if fits = err == nil && !v.OverflowUint(n); fits {
			v.SetUint(n)
		}
	case reflect.Float32, reflect.Float64:
		f, err := strconv.ParseFloat(text, v.Type().Bits())
		if fits = err == nil && !v.OverflowFloat(f); fits {
			v.SetFloat(f)
		}
	default:
		if v.Type() != numberType {
			return d.abort(misused(v.Type()))
		}
		v.SetString(text)
		return 0
	}
	if !fits {
		d.mistyped("number "+text, v.Type(), end)
	}
	return 0
}

// unquote returns the content of the JSON string text, and reports whether the string is valid.
func unquote(text []byte) ([]byte, bool) {
	if len(text) < 2 || text[0] != '"' || text[len(text)-1] != '"' {
		return nil, false
	}
	text = text[1 : len(text)-1]
	if bytes.Contains(text, []byte(`\'`)) {
		// encoding/json allows this escape only here.
		var plain []byte
		for i := 0; i < len(text); i++ {
			if text[i] == '\\' && i+1 < len(text) {
				if i++; text[i] != '\'' {
					plain = append(plain, '\\')
				}
			}
			plain = append(plain, text[i])
		}
		text = plain
	}
	return appendUnquoted(nil, text)
}
