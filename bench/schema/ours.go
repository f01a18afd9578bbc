package schema

import (
	"time"

	"github.com/slipstream-go/slipstream/schema"
)

// ours returns the codec of a schema.
func ours[T any](s *schema.Schema[T]) codec[T] { return codec[T]{append: s.Append, parse: s.Unmarshal} }

// oursRecord returns Slipstream's codec of record. The counts have one byte, or two if wide is set.
func oursRecord(wide bool) codec[record] {
	count := schema.H8
	if wide {
		count = schema.H16
	}
	return ours(schema.Struct(
		schema.F("name", func(r *record) *string { return &r.Name }, schema.Str16),
		schema.F("str", func(r *record) *string { return &r.Str }, schema.Str16),
		schema.F("num", func(r *record) *uint16 { return &r.Num }, schema.U16),
		schema.F("arr", func(r *record) *[]uint16 { return &r.Arr }, schema.List(count, schema.U16)),
		schema.F("map", func(r *record) *map[string]uint8 { return &r.Map }, schema.Map(count, schema.Str8, schema.U8)),
		schema.F("bool", func(r *record) *bool { return &r.Bool }, schema.Bool),
		schema.F("float32", func(r *record) *float32 { return &r.Float32 }, schema.F32),
		schema.F("float64", func(r *record) *float64 { return &r.Float64 }, schema.F64),
	))
}

func oursBatch() codec[batch] {
	one := schema.Struct(
		schema.F("sensor", func(r *reading) *uint32 { return &r.Sensor }, schema.U32),
		schema.F("unit", func(r *reading) *string { return &r.Unit }, schema.Str8),
		schema.F("time", func(r *reading) *int64 { return &r.Time }, schema.I64),
		schema.F("value", func(r *reading) *float64 { return &r.Value }, schema.F64),
		schema.F("level", func(r *reading) *uint16 { return &r.Level }, schema.U16),
		schema.F("valid", func(r *reading) *bool { return &r.Valid }, schema.Bool),
	)
	return ours(schema.Struct(schema.F("readings", func(b *batch) *[]reading { return &b.Readings }, schema.List(schema.H16, one.Type()))))
}

func oursOptions() codec[options] {
	return ours(schema.Struct(
		schema.F("int1", func(o *options) **int64 { return &o.Int1 }, schema.Opt(schema.I64)),
		schema.F("int2", func(o *options) **int64 { return &o.Int2 }, schema.Opt(schema.I64)),
		schema.F("int3", func(o *options) **int64 { return &o.Int3 }, schema.Opt(schema.I64)),
		schema.F("int4", func(o *options) **int64 { return &o.Int4 }, schema.Opt(schema.I64)),
		schema.F("count1", func(o *options) **uint16 { return &o.Count1 }, schema.Opt(schema.U16)),
		schema.F("count2", func(o *options) **uint16 { return &o.Count2 }, schema.Opt(schema.U16)),
		schema.F("count3", func(o *options) **uint16 { return &o.Count3 }, schema.Opt(schema.U16)),
		schema.F("count4", func(o *options) **uint16 { return &o.Count4 }, schema.Opt(schema.U16)),
		schema.F("ratio1", func(o *options) **float64 { return &o.Ratio1 }, schema.Opt(schema.F64)),
		schema.F("ratio2", func(o *options) **float64 { return &o.Ratio2 }, schema.Opt(schema.F64)),
		schema.F("ratio3", func(o *options) **float64 { return &o.Ratio3 }, schema.Opt(schema.F64)),
		schema.F("ratio4", func(o *options) **float64 { return &o.Ratio4 }, schema.Opt(schema.F64)),
		schema.F("flag1", func(o *options) **bool { return &o.Flag1 }, schema.Opt(schema.Bool)),
		schema.F("flag2", func(o *options) **bool { return &o.Flag2 }, schema.Opt(schema.Bool)),
		schema.F("flag3", func(o *options) **bool { return &o.Flag3 }, schema.Opt(schema.Bool)),
		schema.F("flag4", func(o *options) **bool { return &o.Flag4 }, schema.Opt(schema.Bool)),
		schema.F("text1", func(o *options) **string { return &o.Text1 }, schema.Opt(schema.Str16)),
		schema.F("text2", func(o *options) **string { return &o.Text2 }, schema.Opt(schema.Str16)),
		schema.F("text3", func(o *options) **string { return &o.Text3 }, schema.Opt(schema.Str16)),
		schema.F("text4", func(o *options) **string { return &o.Text4 }, schema.Opt(schema.Str16)),
	))
}

func oursTiny() codec[tiny] {
	return ours(schema.Struct(
		schema.F("id", func(t *tiny) *uint32 { return &t.ID }, schema.U32),
		schema.F("kind", func(t *tiny) *uint8 { return &t.Kind }, schema.U8),
	))
}

func oursNest() codec[nest] {
	last := schema.Struct(schema.F("value", func(l *leaf) *float64 { return &l.Value }, schema.F64))
	return ours(oursLevel(oursLevel(oursLevel(oursLevel(oursLevel(oursLevel(oursLevel(last))))))))
}

func oursLevel[T any](in *schema.Schema[T]) *schema.Schema[level[T]] {
	return schema.Struct(
		schema.F("id", func(l *level[T]) *uint32 { return &l.ID }, schema.U32),
		schema.F("name", func(l *level[T]) *string { return &l.Name }, schema.Str8),
		schema.F("in", func(l *level[T]) *T { return &l.In }, in.Type()),
	)
}

// oursSmall returns Slipstream's codec of the struct of go_serialization_benchmarks. view returns
// texts that alias the input.
func oursSmall() (c codec[smallStruct], view func(b []byte, v *smallStruct) error) {
	s := schema.Struct(
		schema.F("name", func(v *smallStruct) *string { return &v.Name }, schema.Str8),
		schema.F("birthday", func(v *smallStruct) *time.Time { return &v.BirthDay }, schema.Time),
		schema.F("phone", func(v *smallStruct) *string { return &v.Phone }, schema.Str8),
		schema.F("siblings", func(v *smallStruct) *int { return &v.Siblings }, schema.As[int](schema.I32)),
		schema.F("spouse", func(v *smallStruct) *bool { return &v.Spouse }, schema.Bool),
		schema.F("money", func(v *smallStruct) *float64 { return &v.Money }, schema.F64),
	)
	return ours(s), s.With(schema.Alias).Unmarshal
}
