//go:build !invariants

package mem

import "reflect"

// mapTypes is empty in this build. With the build tag `invariants`, it contains the types of a
// map's keys and values.
type mapTypes struct{}

func typesOf(reflect.Type) mapTypes { return mapTypes{} }

func (mapTypes) key(r Raw) Pointer   { return r }
func (mapTypes) entry(r Raw) Pointer { return r }
func (mapTypes) value(r Raw) Pointer { return r }
