//go:build invariants

package mem

import "reflect"

// mapTypes contains the types of a map's keys and values, and the type of a struct of a key and a
// value.
type mapTypes struct{ keys, values, entries reflect.Type }

func typesOf(t reflect.Type) mapTypes {
	key, value := reflect.StructField{Name: "Key", Type: t.Key()}, reflect.StructField{Name: "Value", Type: t.Elem()}
	return mapTypes{t.Key(), t.Elem(), reflect.StructOf([]reflect.StructField{key, value})}
}

func (t mapTypes) key(r Raw) Pointer   { return Of(r, t.keys) }
func (t mapTypes) entry(r Raw) Pointer { return Of(r, t.entries) }
func (t mapTypes) value(r Raw) Pointer { return Of(r, t.values) }
