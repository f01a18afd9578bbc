package json

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"testing"
	"time"
)

// asksIfZero is omitted if its method IsZero returns true.
type asksIfZero struct{ N int }

func (a asksIfZero) IsZero() bool { return a.N%2 == 1 }

// Values of each kind are omitted from structs in maps. These maps are values of other maps, whose
// values may have methods. The encoder copies the entries of such maps before it calls a method.
func TestOmittedWithinMaps(t *testing.T) {
	values := []any{true, 1, int8(2), int16(3), int32(4), int64(5), uint(6), uint8(7), uint16(8), uint32(9), uint64(10), uintptr(11), float32(1.5), 2.5, math.Copysign(0, -1), "text",
		[]int{1}, []string{}, [0]int{}, [2]int{1, 2}, map[string]int{"k": 1}, map[string]int{}, struct{ A int }{1}, new(int), &struct{}{}, time.Second, time.Unix(1, 2).UTC(),
		asksIfZero{1}, asksIfZero{2}, &asksIfZero{3}, []asksIfZero{{1}}, json.Number("1"), json.RawMessage("[1]")}
	for _, value := range values {
		for _, option := range []string{"omitempty", "omitzero", "omitempty,omitzero", "omitempty,string"} {
			typ := reflect.StructOf([]reflect.StructField{
				{Name: "A", Type: reflect.TypeOf(value), Tag: reflect.StructTag(fmt.Sprintf(`json:"a,%s"`, option))},
				{Name: "B", Type: reflect.TypeFor[int]()},
			})
			m := reflect.MakeMap(reflect.MapOf(reflect.TypeFor[string](), typ))
			for i, k := range []string{"a", "b", "c", "d", "e", "f"} {
				s := reflect.New(typ).Elem()
				if i%3 != 1 {
					s.Field(0).Set(reflect.ValueOf(value))
				}
				m.SetMapIndex(reflect.ValueOf(k), s)
			}
			inner := m.Interface()
			what := fmt.Sprintf("%T %s", value, option)
			encodesAs(t, what, map[string]any{"x": inner, "y": []any{inner, 1}, "z": inner})
			encodesAs(t, what, map[int]any{1: inner, 2: map[string]any{"deep": inner, "other": inner}})
			encodesAs(t, what, map[string]struct{ M, N any }{"p": {inner, inner}, "q": {inner, nil}})
		}
	}
}
