//go:build !goexperiment.jsonv2

package json

//lint:file-ignore U1000 used by tests that are not there yet

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
)

type isZeroer interface{ IsZero() bool }

// startDetectingCyclesAfter is the nesting depth from which encoding/json searches for cycles.
const startDetectingCyclesAfter = 1000

// isValidNumber reports whether s is a valid number. It calls Marshal, which checks the text of a
// Number. Marshal writes an empty Number as 0, so s is also compared with the empty string.
func isValidNumber(s string) bool {
	_, err := Marshal(Number(s))
	return s != "" && err == nil
}

// sameField reports whether the key y selects the field with the name x. It first converts x and y
// to names that are valid in a tag.
func sameField(x, y []byte) bool {
	name := func(b []byte) string { return "_" + strings.ReplaceAll(string(b), ",", ";") }
	tag := reflect.StructTag("json:" + strconv.Quote(name(x)))
	object := reflect.New(reflect.StructOf([]reflect.StructField{{Name: "Field", Type: reflect.TypeFor[bool](), Tag: tag}}))
	key, err := Marshal(name(y))
	if err == nil {
		err = Unmarshal(fmt.Appendf(nil, `{%s: true}`, key), object.Interface())
	}
	if err != nil {
		panic(err)
	}
	return object.Elem().Field(0).Bool()
}
