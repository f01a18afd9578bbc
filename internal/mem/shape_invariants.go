//go:build invariants

package mem

import (
	"reflect"
	"sync"
	"unsafe"
)

// class is the kind of content in a word of memory.
type class uint8

const (
	numeric    class = iota // a number, several small numbers, or padding
	pointer                 // a pointer to a value, a channel or a function
	mapPointer              // a map
	anyPointer              // pointer or mapPointer; the type does not determine which
	stringData              // data word of a string; the next four are the other words of strings, slices and interfaces
	sliceData
	length
	typeWord
	dataWord
	unknown // a word after the first largeShape words of a value
)

func (c class) String() string {
	return [...]string{"a number", "a pointer", "a map", "a pointer", "a string's text", "a slice's array", "a length", "an interface's type",
		"an interface's value", "anything"}[c]
}

// fits reports whether a word of the class `have` may be used as a word of the class c.
func (c class) fits(have class) bool {
	return c == have || have == unknown || c == anyPointer && (have == pointer || have == mapPointer) ||
		have == anyPointer && (c == pointer || c == mapPointer)
}

// shape describes the words of a value of one type.
type shape struct {
	typ      reflect.Type
	words    []class // classes of the first largeShape words
	pointers bool    // whether at least one word is not a number
}

const (
	wordSize   = unsafe.Sizeof(uintptr(0))
	largeShape = 1 << 13 // maximum number of words that a shape describes
)

var shapes sync.Map // reflect.Type → *shape

func shapeOf(t reflect.Type) *shape {
	if s, ok := shapes.Load(t); ok {
		return s.(*shape)
	}
	s := &shape{typ: t, words: make([]class, min((t.Size()+wordSize-1)/wordSize, largeShape))}
	s.describe(t, 0)
	for _, c := range s.words {
		s.pointers = s.pointers || c != numeric
	}
	shapes.Store(t, s)
	return s
}

// word returns the class of word k of a value, or of an array of such values.
func (s *shape) word(k uintptr) class {
	if size := s.typ.Size(); size%wordSize == 0 {
		k %= size / wordSize
	} else {
		return numeric // such values have no pointers
	}
	if k < uintptr(len(s.words)) {
		return s.words[k]
	}
	return unknown
}

// describe records the classes of the words in a value of type t at the offset off.
func (s *shape) describe(t reflect.Type, off uintptr) {
	if off/wordSize >= largeShape {
		return
	}
	switch t {
	case reflect.TypeFor[Pointer]():
		panic("mem: a Pointer is nothing that lies in memory: use Raw")
	case reflect.TypeFor[Raw]():
		s.set(off, anyPointer)
		return
	case reflect.TypeFor[Length]():
		s.set(off, length)
		return
	case reflect.TypeFor[Slice]():
		s.set(off, sliceData, length, length)
		return
	case reflect.TypeFor[Face]():
		s.set(off, typeWord, dataWord)
		return
	}
	switch t.Kind() {
	case reflect.Pointer, reflect.Chan, reflect.Func:
		s.set(off, pointer)
	case reflect.UnsafePointer:
		s.set(off, anyPointer)
	case reflect.Map:
		s.set(off, mapPointer)
	case reflect.String:
		s.set(off, stringData, length)
	case reflect.Slice:
		s.set(off, sliceData, length, length)
	case reflect.Interface:
		s.set(off, typeWord, dataWord)
	case reflect.Array:
		if elem := t.Elem(); elem.Size() >= wordSize {
			for i := range min(t.Len(), largeShape) {
				s.describe(elem, off+uintptr(i)*elem.Size())
			}
		}
	case reflect.Struct:
		for i := range t.NumField() {
			s.describe(t.Field(i).Type, off+t.Field(i).Offset)
		}
	}
}

func (s *shape) set(off uintptr, words ...class) {
	for i, c := range words {
		if k := off/wordSize + uintptr(i); k < largeShape {
			s.words[k] = c
		}
	}
}
