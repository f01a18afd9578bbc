package corpus

import "time"

// Scalars contains a field of every kind without nested values.
type Scalars struct {
	Bool    bool
	Int     int
	Int8    int8
	Int16   int16
	Int32   int32
	Int64   int64
	Uint    uint
	Uint8   uint8
	Uint16  uint16
	Uint32  uint32
	Uint64  uint64
	Float32 float32
	Float64 float64
	String  string
	Bytes   []byte
	Array   [3]byte
}

// Nested contains a field of every kind with nested values.
type Nested struct {
	Inner    Small
	Pointer  *Small
	Slice    []Small
	Pointers []*Small
	Strings  []string
	Ints     []int64
	Floats   []float64
	Bools    []bool
	Small    []int8
	Array    [2]Small
	ByName   map[string]Small
	Texts    map[string]string
	Numbers  map[string]float64
	Counts   map[string]int
	Wide     map[string]int64
	Flags    map[string]bool
	ByNumber map[int32]string
	Any      any
	Anys     []any
	Untyped  map[string]any
	Time     time.Time
	Duration time.Duration
	Chain    **int
}

// Small is a small message of mixed kinds.
type Small struct {
	ID     int64
	Name   string
	Score  float64
	Active bool
	Tags   []string
	Labels map[string]string
	Count  uint32
	Note   string
}

// Tagged contains a field with each kind of tag.
type Tagged struct {
	Renamed  string `msgpack:"other_name"`
	Skipped  string `msgpack:"-"`
	Omitted  string `msgpack:"omitted,omitempty"`
	Zero     int    `msgpack:",omitempty"`
	List     []int  `msgpack:"list,omitempty"`
	Alias    int    `msgpack:"alias:old_name"`
	LongName int    `msgpack:"a_name_that_is_longer_than_sixteen_bytes_by_far"`
	hidden   int    //lint:ignore U1000 tests that unexported fields are skipped
	Embedded
	*Behind
	Inner Small `msgpack:"inner,omitempty"`
}

// Embedded is inlined in Tagged.
type Embedded struct {
	EmbeddedA int
	EmbeddedB string
}

// Behind is inlined in Tagged through a pointer.
type Behind struct {
	BehindA int
	BehindB []string
}

// Tuple is encoded as an array.
type Tuple struct {
	_msgpack struct{} `msgpack:",as_array"` //lint:ignore U1000 read by its tag
	A        int
	B        string
	C        []float64
}

// Tree is a type that contains itself.
type Tree struct {
	Value    int
	Left     *Tree
	Children []Tree
	Index    map[string]*Tree
}

// Row is a record of telemetry.
type Row struct {
	Time   int64
	Host   string
	Value  float64
	Idle   float64
	User   float64
	Labels map[string]string
}

// Types returns a pointer to a zero value of each type.
func Types() []any {
	return []any{new(Scalars), new(Nested), new(Small), new(Tagged), new(Tuple), new(Tree), new(Row), new([]Small), new(map[string]Nested)}
}
