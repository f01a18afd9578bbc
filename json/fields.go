package json

// This file finds the fields of a struct, and the names of these fields in JSON.

import (
	"reflect"
	"strings"
	"unicode"

	"github.com/slipstream-go/slipstream/internal/plan"
)

var rules = plan.Rules{Key: "json", Dominance: true, Parse: parseTag, Opaque: func(reflect.Type) bool { return false }}

// field is a struct field with its JSON name and options.
type field struct {
	plan.Field
	quoted bool // the option string applies, so the value is inside a JSON string
}

// fieldsOf returns the fields of the struct t in the order of encoding/json, according to the rules
// of encoding/json.
func fieldsOf(t reflect.Type) []field {
	read := rules.Fields(t).Fields
	fields := make([]field, len(read))
	for i, f := range read {
		fields[i] = field{f, f.Tag.Has("string") && mayBeQuoted(f.Type)}
	}
	return fields
}

// mayBeQuoted reports whether the option string has an effect on values of t.
func mayBeQuoted(t reflect.Type) bool {
	if t.Kind() == reflect.Pointer && t.Name() == "" {
		t = t.Elem()
	}
	switch t.Kind() {
	case reflect.Bool, reflect.String, reflect.Float32, reflect.Float64,
		reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return true
	}
	return false
}

// parseTag parses a tag as encoding/json does. It ignores an invalid name. A field is omitted only
// if its whole tag is a hyphen.
func parseTag(text string) (tag plan.Tag, skip bool) {
	if text == "-" {
		return tag, true
	}
	name, options, _ := strings.Cut(text, ",")
	if validName(name) {
		tag.Name = name
	}
	for o := range strings.SplitSeq(options, ",") {
		if o != "" {
			tag.Options = append(tag.Options, plan.Option{Key: o})
		}
	}
	return tag, false
}

// validName reports whether name is valid in a tag. A name may contain letters, digits, spaces, and
// all ASCII punctuation except quotes, backslashes and commas.
func validName(name string) bool {
	for _, c := range name {
		if !unicode.IsLetter(c) && !unicode.IsDigit(c) && !strings.ContainsRune("!#$%&()*+-./:;<=>?@[]^_{|}~ ", c) {
			return false
		}
	}
	return name != ""
}
