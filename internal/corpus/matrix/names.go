package matrix

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
)

// Names returns lists of field names that are hard to distinguish. The key of each list describes
// the property that its names have in common. The lists are so long that a decoder neither compares
// names one by one nor uses a small table.
func Names() map[string][]string {
	forms := map[string]string{
		"short":             "f%02d",
		"one length":        "field number %03d",
		"begins the same":   "a name that is longer than two words %02d",
		"ends the same":     "%02d is what it begins with, and ends as all do",
		"differ in between": "the same%02dand so on",
		"differ far inside": "a long beginning %02d and a long end of it",
	}
	lists := make(map[string][]string)
	for what, form := range forms {
		for _, n := range []int{17, 40, 130} {
			if n > 40 && what != "short" {
				continue
			}
			var list []string
			for k := range n {
				list = append(list, fmt.Sprintf(form, k))
			}
			lists[fmt.Sprintf("%d, %s", n, what)] = list
		}
	}
	return lists
}

// Members returns lists of keys for messages that are decoded into a struct with the given field
// names. One list contains all names in order, and another list contains them in reverse order.
// Three lists contain half of the names in random order. The other lists test keys that differ
// slightly from a name.
func Members(r *rand.Rand, names []string) (all [][]string) {
	inOrder := append([]string{}, names...)
	reverse := append([]string{}, names...)
	for i, j := 0, len(reverse)-1; i < j; i, j = i+1, j-1 {
		reverse[i], reverse[j] = reverse[j], reverse[i]
	}
	all = append(all, inOrder, reverse)
	for range 3 {
		half := append([]string{}, names...)
		r.Shuffle(len(half), func(i, j int) { half[i], half[j] = half[j], half[i] })
		all = append(all, half[:len(half)/2])
	}
	for _, name := range []string{names[0], names[15], names[16], names[len(names)-1]} {
		next := append([]string{}, names[:16]...) // so that the decoder expects the next field
		for _, key := range []string{name, near(r, name), name + "x", name[:len(name)-1], strings.ToUpper(name)} {
			all = append(all, []string{key}, append(next[:16:16], key))
		}
	}
	return all
}

// near returns a copy of the name in which one byte is changed.
func near(r *rand.Rand, name string) string {
	b := []byte(name)
	b[r.IntN(len(b))]++
	return string(b)
}

// Struct returns a struct type with an exported field for each name. The function `tag` returns the
// tag of a field. Every fifth field is a pointer.
func Struct(names []string, tag func(k int, name string) string) reflect.Type {
	var fields []reflect.StructField
	for k, name := range names {
		of := reflect.TypeFor[int]()
		if k%5 == 4 {
			of = reflect.TypeFor[*int16]()
		}
		fields = append(fields, reflect.StructField{Name: fmt.Sprintf("F%d", k), Type: of, Tag: reflect.StructTag(tag(k, name))})
	}
	return reflect.StructOf(fields)
}
