// Package jsonoracle contains an independent JSON decoder, which tests use as an oracle. It uses
// package reflect and no unsafe code, and supports options that encoding/json lacks. Otherwise it
// follows the documentation and the behaviour of encoding/json. It first parses the whole value
// into a tree, and decodes from this tree. Only tests import it.
package jsonoracle

import (
	"bytes"
	"encoding"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"reflect"
	"strconv"
	"strings"
	"time"
)

// Options contains the options of one call of Decode.
type Options struct {
	First        bool // decode the first value, and do not check the bytes after it
	Blanks       bool // only with First: also consume the white space after the value
	Number       bool // numbers are stored in a target of type any as json.Number
	Int64        bool // integers are stored in a target of type any as int64, if they fit
	Uint64       bool // integers are stored in a target of type any as uint64, if they fit; takes precedence over Int64
	BigInt       bool // other integers are stored in a target of type any as *big.Int
	RawViews     bool // a json.RawMessage is a view of the input
	ReuseRaw     bool // a json.RawMessage overwrites the target's memory, as in encoding/json
	ExactCase    bool // a key must have the same case as the field's name
	NoUnknown    bool // a key that matches no field is an error
	NoTwice      bool // a repeated key is an error, and no part of the value is decoded
	DurationText bool // a time.Duration may be a string in the format of time.ParseDuration
	LineByLine   bool // the value is one line; empty lines before it are consumed, too
}

// Decode decodes the value in b into *target. If o.First or o.LineByLine is set, n is the number of
// bytes consumed. Otherwise b must contain only the value, and n is -1.
func Decode(b []byte, target reflect.Value, o Options) (n int, err error) {
	var raw json.RawMessage
	n = -1
	switch {
	case o.LineByLine:
		for n = 0; ; {
			line, _, found := bytes.Cut(b[n:], []byte("\n"))
			from := n
			n += len(line)
			if found {
				n++
			}
			if blank := len(bytes.Trim(line, " \t\r")) == 0; !blank {
				b = b[:from+len(line)]
				if err := json.Unmarshal(b[from:], &raw); err != nil {
					return n, err
				}
				b = append(bytes.Repeat([]byte(" "), from), b[from:]...)
				break
			} else if !found {
				return n, errors.New("no more lines")
			}
		}
	case o.First:
		d := json.NewDecoder(bytes.NewReader(b))
		if err := d.Decode(&raw); err != nil {
			return n, err
		}
		n = int(d.InputOffset())
		if o.Blanks {
			n = skipBlanks(b, n)
		}
	default:
		if err := json.Unmarshal(b, &raw); err != nil {
			return n, err
		}
	}
	t := parse(b, 0)
	if o.NoTwice {
		for _, t := range t.all(nil) {
			seen := make(map[string]bool)
			for _, key := range t.keys {
				name, _ := unquote(key)
				if seen[name] {
					return n, fmt.Errorf("%q is there twice", name)
				}
				seen[name] = true
			}
		}
	}
	d := &decoder{o: o, b: b}
	if err := d.value(t, target); err != nil {
		return n, err
	}
	return n, d.first
}

// decoder decodes one value. It records the first part that does not fit the target's type, and
// continues with the other parts. Any other error ends decoding.
type decoder struct {
	o     Options
	b     []byte
	first error
}

func (d *decoder) misfit(t *tree, typ reflect.Type) error {
	if d.first == nil {
		d.first = fmt.Errorf("%.20s does not fit %v", t.text, typ)
	}
	return nil
}

// indirect follows the pointers from v, and allocates missing values. It stops at a value that is
// not a pointer, or at a pointer whose type has an unmarshal method.
func indirect(v reflect.Value, null bool) (u json.Unmarshaler, ut encoding.TextUnmarshaler, _ reflect.Value) {
	for {
		if v.Kind() == reflect.Interface && !v.IsNil() {
			if e := v.Elem(); e.Kind() == reflect.Pointer && !e.IsNil() && (!null || e.Elem().Kind() == reflect.Pointer) {
				v = e
				continue
			}
		}
		at := v
		if v.Kind() != reflect.Pointer && v.Type().Name() != "" && v.CanAddr() {
			at = v.Addr()
		}
		if at.Kind() != reflect.Pointer || null && at == v && v.CanSet() {
			return nil, nil, v
		}
		if at.IsNil() {
			at.Set(reflect.New(at.Type().Elem()))
		}
		if at.Type().NumMethod() > 0 && at.CanInterface() {
			if u, ok := at.Interface().(json.Unmarshaler); ok {
				return u, nil, v
			}
			if ut, ok := at.Interface().(encoding.TextUnmarshaler); ok && !null {
				return nil, ut, v
			}
		}
		if at != v {
			return nil, nil, v
		}
		v = v.Elem()
	}
}

func (d *decoder) value(t *tree, v reflect.Value) error {
	if !v.IsValid() {
		return nil
	}
	if !t.is('[') && !t.is('{') {
		return d.literal(t, v, false)
	}
	u, ut, v := indirect(v, false)
	switch {
	case u != nil:
		return d.method(t, u)
	case ut != nil:
		return d.misfit(t, v.Type())
	case v.Kind() == reflect.Interface && v.NumMethod() == 0:
		v.Set(reflect.ValueOf(d.untyped(t)))
		return nil
	case t.is('{') && v.Kind() == reflect.Map:
		return d.mapOf(t, v)
	case t.is('{') && v.Kind() == reflect.Struct:
		return d.structOf(t, v)
	case t.is('[') && (v.Kind() == reflect.Slice || v.Kind() == reflect.Array):
		return d.list(t, v)
	}
	return d.misfit(t, v.Type())
}

func (d *decoder) method(t *tree, u json.Unmarshaler) error {
	raw := d.b[t.from:t.to:t.to]
	if m, ok := u.(*json.RawMessage); ok {
		switch {
		case d.o.ReuseRaw:
			raw = append((*m)[:0], raw...)
		case !d.o.RawViews: // new memory, unlike in encoding/json
			raw = bytes.Clone(raw)
		}
		*m = raw
		return nil
	}
	return u.UnmarshalJSON(raw)
}

func (d *decoder) list(t *tree, v reflect.Value) error {
	for i, kid := range t.kids {
		if v.Kind() == reflect.Slice {
			// An earlier element may refer to this slice, and decoding that element may have
			// shortened the slice. encoding/json panics in this case.
			if i >= v.Cap() {
				v.SetLen(min(i, v.Cap()))
				v.Grow(i + 1 - v.Len())
			}
			if i >= v.Len() {
				v.SetLen(i + 1)
			}
		}
		if i < v.Len() {
			if err := d.value(kid, v.Index(i)); err != nil {
				return err
			}
		}
	}
	n := len(t.kids)
	switch {
	case v.Kind() == reflect.Array:
		for ; n < v.Len(); n++ {
			v.Index(n).SetZero()
		}
	case n == 0:
		v.Set(reflect.MakeSlice(v.Type(), 0, 0))
	default:
		v.SetLen(min(n, v.Len()))
	}
	return nil
}

func (d *decoder) structOf(t *tree, v reflect.Value) error {
	fields := fieldsOf(v.Type(), nil)
	for i, kid := range t.kids {
		name, _ := unquote(t.keys[i])
		f := find(fields, name, d.o.ExactCase)
		if f == nil {
			if d.o.NoUnknown {
				_ = d.misfit(kid, v.Type())
			}
			continue
		}
		at := v
		for k, step := range f.index {
			if k > 0 && at.Kind() == reflect.Pointer {
				if at.IsNil() {
					at.Set(reflect.New(at.Type().Elem()))
				}
				at = at.Elem()
			}
			at = at.Field(step)
		}
		var err error
		switch {
		case !f.quoted:
			err = d.value(kid, at)
		case kid.text == "null":
			err = d.literal(kid, at, false)
		case kid.is('"'):
			inner, _ := unquote(kid.text)
			if inner == "" {
				_ = d.misfit(kid, at.Type())
			} else {
				err = d.literal(&tree{text: inner}, at, true)
			}
		case strings.ContainsAny(kid.text[:1], "-0123456789") && d.numberIn(kid.text) == nil:
			// The number is not quoted, so encoding/json first decodes it into a variable of type
			// any. This number is out of range, so the variable is nil, and encoding/json treats it
			// like null.
			_ = d.misfit(kid, at.Type())
			err = d.literal(&tree{text: "null"}, at, false)
		default:
			_ = d.misfit(kid, at.Type())
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// field is a field of a struct or of an embedded struct.
type field struct {
	name   string
	index  []int
	quoted bool
}

// fieldsOf returns the fields of t. Names must be unique.
func fieldsOf(t reflect.Type, index []int) (all []field) {
	for i := range t.NumField() {
		f := t.Field(i)
		at := append(index[:len(index):len(index)], i)
		tag := f.Tag.Get("json")
		name, options, _ := strings.Cut(tag, ",")
		of := f.Type
		if of.Kind() == reflect.Pointer {
			of = of.Elem()
		}
		switch {
		case tag == "-":
		case f.Anonymous && name == "" && of.Kind() == reflect.Struct:
			all = append(all, fieldsOf(of, at)...)
		case f.IsExported():
			if name == "" {
				name = f.Name
			}
			quoted := false
			if strings.Contains(","+options+",", ",string,") {
				switch k := of.Kind(); {
				case k == reflect.Bool, k == reflect.String, reflect.Int <= k && k <= reflect.Float64:
					quoted = true
				}
			}
			all = append(all, field{name, at, quoted})
		}
	}
	return all
}

func find(fields []field, name string, exact bool) *field {
	for i := range fields {
		if fields[i].name == name {
			return &fields[i]
		}
	}
	for i := range fields {
		if !exact && strings.EqualFold(fields[i].name, name) {
			return &fields[i]
		}
	}
	return nil
}

func (d *decoder) mapOf(t *tree, v reflect.Value) error {
	kt := v.Type().Key()
	k := kt.Kind()
	text := reflect.PointerTo(kt).Implements(reflect.TypeFor[encoding.TextUnmarshaler]())
	if !text && k != reflect.String && (k < reflect.Int || k > reflect.Uintptr) {
		return d.misfit(t, v.Type())
	}
	if v.IsNil() {
		v.Set(reflect.MakeMap(v.Type()))
	}
	for i, kid := range t.kids {
		elem := reflect.New(v.Type().Elem()).Elem()
		if err := d.value(kid, elem); err != nil {
			return err
		}
		key := reflect.New(kt).Elem()
		name, _ := unquote(t.keys[i])
		fits := true
		switch {
		case text:
			if err := d.literal(&tree{text: t.keys[i]}, key, true); err != nil {
				return err
			}
		case k == reflect.String:
			key.SetString(name)
		case key.CanInt():
			n, err := strconv.ParseInt(name, 10, 64)
			fits = err == nil && !key.OverflowInt(n)
			key.SetInt(n)
		default:
			n, err := strconv.ParseUint(name, 10, 64)
			fits = err == nil && !key.OverflowUint(n)
			key.SetUint(n)
		}
		if !fits {
			_ = d.misfit(kid, kt)
			continue
		}
		v.SetMapIndex(key, elem)
	}
	return nil
}

// literal decodes a string, a number or a word. If quoted is true, the literal was the content of a
// string, and may be invalid.
func (d *decoder) literal(t *tree, v reflect.Value, quoted bool) error {
	fatal := fmt.Errorf("%q is no value for %v", t.text, v.Type())
	first := t.text[0]
	u, ut, v := indirect(v, first == 'n')
	if u != nil {
		if quoted {
			return u.UnmarshalJSON([]byte(t.text))
		}
		return d.method(t, u)
	}
	if ut != nil {
		if first != '"' {
			return d.misfit(t, v.Type())
		}
		s, ok := unquote(t.text)
		if !ok {
			return fatal
		}
		return ut.UnmarshalText([]byte(s))
	}
	isAny := v.Kind() == reflect.Interface && v.NumMethod() == 0
	switch first {
	case 'n':
		if quoted && t.text != "null" {
			return d.misfit(t, v.Type())
		}
		switch v.Kind() {
		case reflect.Interface, reflect.Pointer, reflect.Map, reflect.Slice:
			v.SetZero()
		}
		return nil
	case 't', 'f':
		switch {
		case quoted && t.text != "true" && t.text != "false":
			return d.misfit(t, v.Type())
		case v.Kind() == reflect.Bool:
			v.SetBool(first == 't')
		case isAny:
			v.Set(reflect.ValueOf(first == 't'))
		default:
			return d.misfit(t, v.Type())
		}
		return nil
	case '"':
		s, ok := unquote(t.text)
		if !ok {
			return fatal
		}
		switch {
		case v.Kind() == reflect.Slice && v.Type().Elem().Kind() == reflect.Uint8:
			b, err := base64.StdEncoding.DecodeString(s)
			if err != nil {
				return d.misfit(t, v.Type())
			}
			v.SetBytes(b)
		case d.o.DurationText && v.Type() == reflect.TypeFor[time.Duration]():
			n, err := time.ParseDuration(s)
			if err != nil {
				return d.misfit(t, v.Type())
			}
			v.SetInt(int64(n))
		case v.Kind() == reflect.String:
			if v.Type() == reflect.TypeFor[json.Number]() && !isNumber(s) {
				return fatal
			}
			v.SetString(s)
		case isAny:
			v.Set(reflect.ValueOf(s))
		default:
			return d.misfit(t, v.Type())
		}
		return nil
	}
	if first != '-' && (first < '0' || first > '9') {
		return fatal
	}
	return d.number(t, v, quoted, isAny, fatal)
}

func (d *decoder) number(t *tree, v reflect.Value, quoted, isAny bool, fatal error) error {
	switch k := v.Kind(); {
	case v.Type() == reflect.TypeFor[json.Number]():
		v.SetString(t.text)
		return nil
	case isAny:
		n := d.numberIn(t.text)
		if n == nil {
			return d.misfit(t, v.Type())
		}
		v.Set(reflect.ValueOf(n))
		return nil
	case v.CanInt():
		if n, err := strconv.ParseInt(t.text, 10, 64); err == nil && !v.OverflowInt(n) {
			v.SetInt(n)
			return nil
		}
	case v.CanUint():
		if n, err := strconv.ParseUint(t.text, 10, 64); err == nil && !v.OverflowUint(n) {
			v.SetUint(n)
			return nil
		}
	case v.CanFloat():
		if n, err := strconv.ParseFloat(t.text, v.Type().Bits()); err == nil && !v.OverflowFloat(n) {
			v.SetFloat(n)
			return nil
		}
	case quoted && k != reflect.Interface:
		return fatal
	}
	return d.misfit(t, v.Type())
}

func isNumber(s string) bool {
	return s != "" && (s[0] == '-' || s[0] >= '0' && s[0] <= '9') && strings.TrimSpace(s) == s && json.Valid([]byte(s))
}

// numberIn converts the text of a number to the Go value that a target of type any receives. It
// returns nil if the number is out of range.
func (d *decoder) numberIn(text string) any {
	if !strings.ContainsAny(text, ".eE") {
		if n, err := strconv.ParseUint(text, 10, 64); d.o.Uint64 && err == nil {
			return n
		}
		if n, err := strconv.ParseInt(text, 10, 64); d.o.Int64 && err == nil {
			return n
		}
		if n, ok := new(big.Int).SetString(text, 10); d.o.BigInt && ok {
			return n
		}
	}
	if d.o.Number {
		return json.Number(text)
	}
	if f, err := strconv.ParseFloat(text, 64); err == nil {
		return f
	}
	return nil
}

// untyped converts a JSON value to the Go value that a target of type any receives. It returns nil
// for a number that is out of range.
func (d *decoder) untyped(t *tree) any {
	switch t.text[0] {
	case '[':
		list := make([]any, len(t.kids))
		for i, kid := range t.kids {
			list[i] = d.untyped(kid)
		}
		return list
	case '{':
		m := make(map[string]any)
		for i, kid := range t.kids {
			name, _ := unquote(t.keys[i])
			m[name] = d.untyped(kid)
		}
		return m
	case '"':
		s, _ := unquote(t.text)
		return s
	case 't', 'f':
		return t.text == "true"
	case 'n':
		return nil
	}
	n := d.numberIn(t.text)
	if n == nil {
		_ = d.misfit(t, reflect.TypeFor[any]())
	}
	return n
}
