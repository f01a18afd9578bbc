package wire

import (
	"reflect"
	"testing"
)

type box[T any] struct{ V T }

func TestTypeName(t *testing.T) {
	for want, v := range map[string]any{
		"int":                       1,
		"wire.Error":                Error{},
		"map[string][]*wire.Error":  map[string][]*Error{},
		"struct {…}":                struct{ A, B int }{},
		"struct {}":                 struct{}{},
		"[]*struct {…}":             []*struct{ A struct{ B int } }{},
		"map[string]struct {}":      map[string]struct{}{},
		"[]interface {}":            []any{},
		"[]interface {…}":           []interface{ M(struct{ A int }) }{},
		"func(struct {…}) []uint8":  func(struct{ A int }) []byte { return nil },
		"map[struct {…}]struct {…}": map[struct{ A int }]struct{ B int }{},
		"*struct {…}": &struct {
			A int `wire:"}{"`
		}{},
		"wire.box[struct {…}]": box[struct{ A int }]{},
	} {
		if got := TypeName(reflect.TypeOf(v)); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
