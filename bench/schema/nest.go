package schema

// nest is eight structs, one in another.
type nest = level[level[level[level[level[level[level[leaf]]]]]]]

type level[T any] struct {
	ID   uint32
	Name string
	In   T
}

type leaf struct {
	Value float64
}
