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

// startDetectingCyclesAfter is how deep encoding/json goes before it looks for cycles.
const startDetectingCyclesAfter = 1000

// isValidNumber asks Marshal, which checks what a Number holds; the empty one stands for 0 there.
func isValidNumber(s string) bool {
	_, err := Marshal(Number(s))
	return s != "" && err == nil
}

// sameField reports whether the key y finds the field named x, once both are made into names that a
// tag can carry.
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
