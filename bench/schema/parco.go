package schema

import (
	"bytes"
	"encoding/binary"

	"github.com/slipstream-go/slipstream/parco"
)

const markParco = "slipstream parco is Slipstream's implementation of Parco's API, with the same encoding. It calls a getter " +
	"or a setter for each field, and passes structs by value, not by pointer."

// parcoRecord returns the codec of a record, in the API that users of Parco know.
func parcoRecord(wide bool) library[record] {
	count := parco.UInt8Header()
	if wide {
		count = parco.UInt16HeaderLE()
	}
	parser, compiler := parco.Builder(parco.ObjectFactory[record]()).
		Varchar(func(r *record) string { return r.Name }, func(r *record, v string) { r.Name = v }).
		Varchar(func(r *record) string { return r.Str }, func(r *record, v string) { r.Str = v }).
		UInt16LE(func(r *record) uint16 { return r.Num }, func(r *record, v uint16) { r.Num = v }).
		Slice(parco.SliceField[record, uint16](count, parco.UInt16LE(),
			func(r *record, v parco.SliceView[uint16]) { r.Arr = v },
			func(r *record) parco.SliceView[uint16] { return r.Arr })).
		Map(parco.MapField[record, string, uint8](count, parco.SmallVarchar(), parco.UInt8(),
			func(r *record, v map[string]uint8) { r.Map = v },
			func(r *record) map[string]uint8 { return r.Map })).
		Bool(func(r *record) bool { return r.Bool }, func(r *record, v bool) { r.Bool = v }).
		Float32(binary.LittleEndian, func(r *record) float32 { return r.Float32 }, func(r *record, v float32) { r.Float32 = v }).
		Float64(binary.LittleEndian, func(r *record) float64 { return r.Float64 }, func(r *record, v float64) { r.Float64 = v }).
		Parco()

	var kept bytes.Buffer
	return library[record]{
		how: "parco", mark: markParco,
		marshal: func(v *record) ([]byte, error) {
			var b bytes.Buffer
			err := compiler.Compile(*v, &b)
			return b.Bytes(), err
		},
		reuse: func(v *record) ([]byte, error) {
			kept.Reset()
			err := compiler.Compile(*v, &kept)
			return kept.Bytes(), err
		},
		unmarshal: func(b []byte, v *record) (err error) {
			*v, err = parser.ParseBytes(b)
			return err
		},
	}
}
