package msgpack

import "github.com/tinylib/msgp/msgp"

//go:generate go run github.com/tinylib/msgp@v1.6.5 -file types.go -o types_gen.go -tests=false -unexported

// small is a record with eight fields, about 150 bytes.
type small struct {
	ID     int64             `msgpack:"id" msg:"id" codec:"id"`
	Name   string            `msgpack:"name" msg:"name" codec:"name"`
	Email  string            `msgpack:"email" msg:"email" codec:"email"`
	Age    int64             `msgpack:"age" msg:"age" codec:"age"`
	Score  float64           `msgpack:"score" msg:"score" codec:"score"`
	Active bool              `msgpack:"active" msg:"active" codec:"active"`
	Tags   []string          `msgpack:"tags" msg:"tags" codec:"tags"`
	Attrs  map[string]string `msgpack:"attrs" msg:"attrs" codec:"attrs"`
}

// row is a measurement in the form of row formats, about 180 bytes.
type row struct {
	Time   int64              `msgpack:"time" msg:"time" codec:"time"`
	Seq    int64              `msgpack:"seq" msg:"seq" codec:"seq"`
	Host   string             `msgpack:"host" msg:"host" codec:"host"`
	Region string             `msgpack:"region" msg:"region" codec:"region"`
	Status int64              `msgpack:"status" msg:"status" codec:"status"`
	Values map[string]float64 `msgpack:"values" msg:"values" codec:"values"`
	Tags   map[string]string  `msgpack:"tags" msg:"tags" codec:"tags"`
}

type rows []row

// table contains seven columns of equal length.
type table struct {
	Time   []int64   `msgpack:"time" msg:"time" codec:"time"`
	N      []int64   `msgpack:"n" msg:"n" codec:"n"`
	Host   []string  `msgpack:"host" msg:"host" codec:"host"`
	Region []string  `msgpack:"region" msg:"region" codec:"region"`
	Idle   []float64 `msgpack:"idle" msg:"idle" codec:"idle"`
	User   []float64 `msgpack:"user" msg:"user" codec:"user"`
	System []float64 `msgpack:"system" msg:"system" codec:"system"`
}

// numbers contains only numbers and slices of numbers, so decoding it into a reused target needs no
// allocation.
type numbers struct {
	ID     int64     `msgpack:"id" msg:"id" codec:"id"`
	Count  uint64    `msgpack:"count" msg:"count" codec:"count"`
	Ratio  float64   `msgpack:"ratio" msg:"ratio" codec:"ratio"`
	Valid  bool      `msgpack:"valid" msg:"valid" codec:"valid"`
	Times  []int64   `msgpack:"times" msg:"times" codec:"times"`
	Values []float64 `msgpack:"values" msg:"values" codec:"values"`
}

type (
	ints   []int64
	floats []float64
	texts  []string
)

//msgp:tuple point

// point is encoded as an array of two. Generated code does this here. The other libraries use
// custom encoders.
type point struct {
	X float64
	Y float64
}

type points []point

// rawEnvelope contains an undecoded value.
type rawEnvelope struct {
	ID   int64    `msg:"id"`
	Body msgp.Raw `msg:"body"`
}
