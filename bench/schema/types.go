package schema

import "time"

//go:generate go run github.com/tinylib/msgp@v1.6.5 -file types.go -o types_gen.go -io=false -tests=false -unexported

//msgp:newtime

// record is the struct of Parco's benchmark, field by field.
type record struct {
	Name    string
	Str     string           `json:"str"`
	Num     uint16           `json:"num"`
	Arr     []uint16         `json:"arr"`
	Map     map[string]uint8 `json:"map"`
	Bool    bool             `json:"bool"`
	Float32 float32          `json:"float32"`
	Float64 float64          `json:"float64"`
}

// batch is a list of structs.
type batch struct {
	Readings []reading
}

type reading struct {
	Sensor uint32
	Unit   string
	Time   int64
	Value  float64
	Level  uint16
	Valid  bool
}

// options contains only optional fields.
type options struct {
	Int1, Int2, Int3, Int4         *int64
	Count1, Count2, Count3, Count4 *uint16
	Ratio1, Ratio2, Ratio3, Ratio4 *float64
	Flag1, Flag2, Flag3, Flag4     *bool
	Text1, Text2, Text3, Text4     *string
}

// tiny is a minimal useful message.
type tiny struct {
	ID   uint32
	Kind uint8
}

// smallStruct is the struct of go_serialization_benchmarks, field by field.
type smallStruct struct {
	Name     string
	BirthDay time.Time
	Phone    string
	Siblings int
	Spouse   bool
	Money    float64
}

//msgp:tuple smallTuple

// smallTuple is smallStruct for msgp, which encodes it as an array instead of a map.
type smallTuple struct {
	Name     string
	BirthDay time.Time
	Phone    string
	Siblings int
	Spouse   bool
	Money    float64
}
