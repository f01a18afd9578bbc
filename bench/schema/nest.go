package schema

// nest consists of eight nested structs.
type nest = level[level[level[level[level[level[level[leaf]]]]]]]

type level[T any] struct {
	ID   uint32
	Name string
	In   T
}

type leaf struct {
	Value float64
}
