package msgpack_test

// These tests check how the cost of each function grows with its input.

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/slipstream-go/slipstream/column"
	"github.com/slipstream-go/slipstream/internal/growth"
	"github.com/slipstream-go/slipstream/internal/msgpwire"
	"github.com/slipstream-go/slipstream/msgpack"
)

func TestGrowthCovers(t *testing.T) {
	names := slices.Concat(growth.Names(growthReaders()), growth.Names(growthWriters()), growth.CaseNames(growthSequences()))
	growth.Covers(t, names, map[string]string{
		"CustomDecoder.*":               "an interface",
		"CustomEncoder.*":               "an interface",
		"Marshaler.*":                   "an interface",
		"Unmarshaler.*":                 "an interface",
		"MarshalerUnmarshaler.*":        "an interface",
		"Decoder.Buffered":              "returns a reader",
		"Decoder.DecodeBool":            "one value of fixed size",
		"Decoder.DecodeDuration":        "one value of fixed size",
		"Decoder.DecodeFloat[36][24]":   "one value of fixed size",
		"Decoder.DecodeInt":             "one value of fixed size",
		"Decoder.DecodeInt8":            "one value of fixed size",
		"Decoder.DecodeInt[136][624]":   "one value of fixed size",
		"Decoder.DecodeUint":            "one value of fixed size",
		"Decoder.DecodeUint8":           "one value of fixed size",
		"Decoder.DecodeUint[136][624]":  "one value of fixed size",
		"Decoder.Decode*Len":            "a header",
		"Decoder.DecodeExtHeader":       "a header",
		"Decoder.DecodeNil":             "one value of fixed size",
		"Decoder.DisableAllocLimit":     "sets an option; what it allows is not bounded",
		"Decoder.DisallowUnknownFields": "sets an option",
		"Decoder.InputOffset":           "adds two numbers",
		"Decoder.PeekCode":              "one byte",
		"Decoder.Set*":                  "sets an option",
		"Decoder.Use*":                  "sets an option",
		"EncodeOptions.Marshal":         "EncodeOptions.MarshalAppend without a buffer",
		"Encoder.EncodeArrayLen":        "a header",
		"Encoder.EncodeBool":            "one value of fixed size",
		"Encoder.EncodeBytesLen":        "a header",
		"Encoder.EncodeDuration":        "one value of fixed size",
		"Encoder.EncodeExtHeader":       "a header",
		"Encoder.EncodeFloat[36][24]":   "one value of fixed size",
		"Encoder.EncodeInt":             "one value of fixed size",
		"Encoder.EncodeInt8":            "one value of fixed size",
		"Encoder.EncodeInt[136][624]":   "one value of fixed size",
		"Encoder.EncodeMapLen":          "a header",
		"Encoder.EncodeNil":             "one value of fixed size",
		"Encoder.EncodeTime":            "one value of fixed size",
		"Encoder.EncodeUint":            "one value of fixed size",
		"Encoder.EncodeUint8":           "one value of fixed size",
		"Encoder.EncodeUint[136][624]":  "one value of fixed size",
		"Encoder.Set*":                  "sets an option",
		"Encoder.Use*":                  "sets an option",
		"Decoder.ReuseBytes":            "sets an option",
		"Encoder.Writer":                "returns a field",
		"Error.*":                       "a line of text",
		"*Error.*":                      "a line of text",
		"Ext.*":                         "called by the readers and writers of any",
		"Kind.String":                   "a table",
		"NewDecoder":                    "reads nothing",
		"NewEncoder":                    "writes nothing",
		"Register*":                     "once for a type",
		"UnregisterExt":                 "once for a type",
		"Raw.IsNil":                     "looks at one byte",
		"Raw.Kind":                      "looks at one byte",
		"Raw.Bool":                      "one value of fixed size",
		"Raw.Float64":                   "one value of fixed size",
		"Raw.Int64":                     "one value of fixed size",
		"Raw.Uint64":                    "one value of fixed size",
		"Raw.Time":                      "one value of fixed size",
		"Version":                       "a constant",
	})
}

func TestGrowth(t *testing.T) {
	growth.Check(t, slices.Concat(
		growth.Cross(growthReaders(), growthMessages()),
		growth.Cross(growthWriters(), growthValues()),
		growthSequences(),
	))
}

// growthRecord contains a field of each kind that has its own decoding code.
type growthRecord struct {
	ID     int64
	Name   string
	Tags   []string
	At     time.Time
	Raw    msgpack.RawMessage
	Bytes  []byte
	Any    any
	Map    map[string]string
	Next   *growthRecord
	List   []growthRecord
	Floats []float64
	Custom growthCustom
	Intern string `msgpack:",intern"`
}

// growthCustom has an encode and a decode method.
type growthCustom struct{ v any }

func (c *growthCustom) DecodeMsgpack(d *msgpack.Decoder) (err error) {
	c.v, err = d.DecodeInterface()
	return err
}
func (c growthCustom) EncodeMsgpack(e *msgpack.Encoder) error { return e.Encode(c.v) }

// growthBinary encodes and decodes itself as bytes.
type growthBinary []byte

func (b *growthBinary) UnmarshalMsgpack(data []byte) error {
	*b = append((*b)[:0], data...)
	return nil
}
func (b growthBinary) MarshalMsgpack() ([]byte, error) {
	return msgpwire.AppendBytes(nil, b), nil
}

func unmarshalNew[T any](b []byte) { var v T; msgpack.Unmarshal(b, &v) }

func under[T any](o msgpack.DecodeOptions) func([]byte) {
	return func(b []byte) { var v T; o.Unmarshal(b, &v) }
}

// each returns a call that decodes until the first error. It decodes b itself if size is 0, and
// otherwise a reader that returns at most size bytes at a time.
func each(size int, set func(*msgpack.Decoder), next func(d *msgpack.Decoder) error) func([]byte) {
	return func(b []byte) {
		var d *msgpack.Decoder
		if size == 0 {
			d = msgpack.GetDecoder()
			d.ResetBytes(b)
			defer msgpack.PutDecoder(d)
		} else {
			d = msgpack.NewDecoder(growth.Pieces(b, size))
		}
		if set != nil {
			set(d)
		}
		for next(d) == nil {
		}
	}
}

// once is like each, but decodes only the first value.
func once(next func(d *msgpack.Decoder) error) func([]byte) {
	return func(b []byte) {
		d := msgpack.GetDecoder()
		d.ResetBytes(b)
		next(d)
		msgpack.PutDecoder(d)
	}
}

func decodeNew[T any](d *msgpack.Decoder) error { var v T; return d.Decode(&v) }

func growthBatch(b []byte) *column.Batch { return &column.Batch{MaxCells: len(b)} }

// growthReaders returns the calls that read any message. Their limits on allocation follow from the
// shortest elements. An empty array is one byte of input, and becomes a slice header in an
// interface. An empty map is one byte, and becomes a map.
func growthReaders() []growth.Call[[]byte] {
	const most = 200
	strict := msgpack.DecodeOptions{StrictUTF8: true, UniqueKeys: true, StrictInts: true, RawExt: true, AnyLength: true, MaxElements: 1 << 30, MaxString: 1 << 30, MaxBytes: 1 << 30}
	drop := func(_ any, err error) error { return err }
	return []growth.Call[[]byte]{
		{Name: "Unmarshal any", Run: unmarshalNew[any], Alloc: most},
		{Name: "Unmarshal record", Run: unmarshalNew[growthRecord], Alloc: 400},
		{Name: "Unmarshal typed", Run: func(b []byte) {
			unmarshalNew[[]int](b)
			unmarshalNew[[]string](b)
			unmarshalNew[map[string]string](b)
			unmarshalNew[map[int]any](b)
			unmarshalNew[map[any]any](b)
			unmarshalNew[[][]string](b)
			unmarshalNew[[]*growthRecord](b)
			unmarshalNew[growthCustom](b)
			unmarshalNew[growthBinary](b)
			unmarshalNew[string](b)
			unmarshalNew[[]byte](b)
			unmarshalNew[[4]any](b)
		}, Alloc: 1000},
		{Name: "DecodeOptions.Unmarshal strict", Run: under[any](strict), Alloc: 250},
		{Name: "DecodeOptions.Unmarshal strict, record", Run: under[growthRecord](strict), Alloc: 400, Long: true},
		{Name: "DecodeOptions.Unmarshal zero copy", Run: under[any](msgpack.DecodeOptions{ZeroCopy: true, Loose: true}), Alloc: most, Long: true},
		{Name: "DecodeOptions.Unmarshal own strings", Run: under[any](msgpack.DecodeOptions{OwnStrings: true}), Alloc: most, Long: true},
		{Name: "GetDecoder,PutDecoder,Decoder.ResetBytes,Decoder.Decode any", Run: each(0, nil, decodeNew[any]), Alloc: most},
		{Name: "Decoder.Decode pieces", Run: each(1000, nil, decodeNew[any]), Alloc: most},
		{Name: "Decoder.Decode record, bytes", Run: each(1, nil, decodeNew[growthRecord]), Alloc: 400},
		{Name: "Decoder.Decode interned", Run: each(100, func(d *msgpack.Decoder) { d.UseInternedStrings(true) }, decodeNew[any]), Alloc: most, Long: true},
		{Name: "Decoder.DecodeInterface", Run: each(0, nil, func(d *msgpack.Decoder) error { return drop(d.DecodeInterface()) }), Alloc: most, Long: true},
		{Name: "Decoder.DecodeInterfaceLoose", Run: each(0, nil, func(d *msgpack.Decoder) error { return drop(d.DecodeInterfaceLoose()) }), Alloc: most, Long: true},
		{Name: "Decoder.DecodeMap", Run: once(func(d *msgpack.Decoder) error { return drop(d.DecodeMap()) }), Alloc: most, Long: true},
		{Name: "Decoder.DecodeUntypedMap", Run: once(func(d *msgpack.Decoder) error { return drop(d.DecodeUntypedMap()) }), Alloc: most, Long: true},
		{Name: "Decoder.DecodeTypedMap", Run: once(func(d *msgpack.Decoder) error { return drop(d.DecodeTypedMap()) }), Alloc: 400, Long: true},
		{Name: "Decoder.DecodeSlice", Run: once(func(d *msgpack.Decoder) error { return drop(d.DecodeSlice()) }), Alloc: most, Long: true},
		{Name: "Decoder.DecodeString", Run: once(func(d *msgpack.Decoder) error { return drop(d.DecodeString()) }), Alloc: 4},
		{Name: "Decoder.DecodeBytes", Run: once(func(d *msgpack.Decoder) error { return drop(d.DecodeBytes()) }), Alloc: 4},
		{Name: "Decoder.DecodeTime", Run: once(func(d *msgpack.Decoder) error { return drop(d.DecodeTime()) }), Alloc: 4},
		{Name: "Decoder.DecodeView", Run: each(100, nil, func(d *msgpack.Decoder) error { return drop(d.DecodeView()) }), Alloc: 16},
		{Name: "Decoder.DecodeRaw", Run: each(1, nil, func(d *msgpack.Decoder) error { return drop(d.DecodeRaw()) }), Alloc: 64},
		{Name: "Decoder.DecodeRawView", Run: each(100, nil, func(d *msgpack.Decoder) error { return drop(d.DecodeRawView()) }), Alloc: 64, Long: true},
		{Name: "Decoder.Skip", Run: each(1, nil, (*msgpack.Decoder).Skip), Alloc: 16},
		{Name: "Decoder.DecodeMulti", Run: once(func(d *msgpack.Decoder) error { var a, b any; return d.DecodeMulti(&a, &b) }), Alloc: most, Long: true},
		{Name: "Decoder.DecodeValue", Run: once(func(d *msgpack.Decoder) error { return d.DecodeValue(reflect.New(reflect.TypeFor[any]()).Elem()) }), Alloc: most, Long: true},
		{Name: "Decoder.ReadFull", Run: func(b []byte) { msgpack.NewDecoder(growth.Pieces(b, 10)).ReadFull(make([]byte, len(b))) }, Alloc: 8},
		{Name: "Decoder.Query", Run: each(0, nil, func(d *msgpack.Decoder) error { return drop(d.Query("*.a")) }), Alloc: most},
		{Name: "Decoder.Query key", Run: each(100, nil, func(d *msgpack.Decoder) error { return drop(d.Query("zz.0.a")) }), Alloc: most, Long: true},
		{Name: "Decoder.DecodeInt64s", Run: once(func(d *msgpack.Decoder) error { return drop(d.DecodeInt64s(nil, new(column.Bitmap))) }), Alloc: 60},
		{Name: "Decoder.DecodeFloat64s", Run: once(func(d *msgpack.Decoder) error { return drop(d.DecodeFloat64s(nil, nil)) }), Alloc: 60, Long: true},
		{Name: "Decoder.DecodeBools", Run: once(func(d *msgpack.Decoder) error { return drop(d.DecodeBools(nil, nil)) }), Alloc: 60, Long: true},
		{Name: "Decoder.DecodeStrings", Run: once(func(d *msgpack.Decoder) error { return drop(d.DecodeStrings(nil, new(column.Bitmap))) }), Alloc: 100},
		{Name: "Decoder.DecodeColumn", Run: func(b []byte) {
			once(func(d *msgpack.Decoder) error { return d.DecodeColumn(new(column.Column)) })(b)
		}, Alloc: 60},
		{Name: "Decoder.DecodeCell", Run: func(b []byte) {
			c := new(column.Column)
			each(0, nil, func(d *msgpack.Decoder) error { return d.DecodeCell(c) })(b)
		}, Alloc: 60, Long: true},
		{Name: "Decoder.DecodeColumns", Run: func(b []byte) {
			once(func(d *msgpack.Decoder) error { return d.DecodeColumns(growthBatch(b)) })(b)
		}, Alloc: most},
		{Name: "Decoder.DecodeRows", Run: func(b []byte) {
			once(func(d *msgpack.Decoder) error { return d.DecodeRows(growthBatch(b)) })(b)
		}, Alloc: most},
		{Name: "Decoder.DecodeRow", Run: func(b []byte) {
			batch := growthBatch(b)
			each(0, nil, func(d *msgpack.Decoder) error { return d.DecodeRow(batch) })(b)
		}, Alloc: most, Long: true},
		{Name: "Elements", Run: once(func(d *msgpack.Decoder) error {
			for _, err := range msgpack.Elements[any](d) {
				if err != nil {
					return err
				}
			}
			return nil
		}), Alloc: most, Long: true},
		{Name: "Entries", Run: once(func(d *msgpack.Decoder) error {
			for _, err := range msgpack.Entries[any, any](d) {
				if err != nil {
					return err
				}
			}
			return nil
		}), Alloc: most, Long: true},
		{Name: "Values", Run: once(func(d *msgpack.Decoder) error {
			for _, err := range msgpack.Values[any](d) {
				if err != nil {
					return err
				}
			}
			return nil
		}), Alloc: most, Long: true},
		{Name: "NewRaw,Raw.Elements,Raw.Entries,Raw.Get,Raw.Len,Raw.Index,Raw.Query,Raw.Text,Raw.Bytes,Raw.Ext,Raw.Decode", Run: rawCalls, Alloc: 900},
		{Name: "RawMessage.DecodeMsgpack,Raw.DecodeMsgpack", Run: func(b []byte) {
			unmarshalNew[msgpack.RawMessage](b)
			unmarshalNew[msgpack.Raw](b)
			unmarshalNew[[]msgpack.RawMessage](b)
			unmarshalNew[map[string]msgpack.Raw](b)
			each(100, nil, func(d *msgpack.Decoder) error { return new(msgpack.RawMessage).DecodeMsgpack(d) })(b)
			each(0, nil, func(d *msgpack.Decoder) error { return new(msgpack.Raw).DecodeMsgpack(d) })(b)
		}, Alloc: 300},
		{Name: "Feed.Feed,Feed.Next,Feed.Len any", Run: feedAll(64<<10, func(f *msgpack.Feed) error { var v any; return f.Next(&v) }), Alloc: most},
		{Name: "Feed.NextRaw bytes", Run: feedAll(1, func(f *msgpack.Feed) error { return drop(f.NextRaw()) }), Alloc: 64},
		{Name: "Feed.All", Run: feedAll(100, func(f *msgpack.Feed) error {
			for _, err := range f.All() {
				if err != nil {
					return err
				}
			}
			return msgpack.ErrMore
		}), Alloc: 64, Long: true},
		{Name: "Buffer.Write,Buffer.Read", Run: func(b []byte) {
			var q msgpack.Buffer
			for piece := range slices.Chunk(b, 100) {
				q.Write(piece)
			}
			for p := make([]byte, 33); ; {
				if _, err := q.Read(p); err != nil {
					return
				}
			}
		}, Alloc: 4, Long: true},
		{Name: "Decoder.Decode from a Buffer", Run: func(b []byte) {
			q := &msgpack.Buffer{ShareMin: 100}
			d := msgpack.NewDecoder(q)
			for piece := range slices.Chunk(b, 3000) {
				q.Write(piece)
			}
			for decodeNew[any](d) == nil {
			}
		}, Alloc: most},
	}
}

func rawCalls(b []byte) {
	raw, _, err := msgpack.NewRaw(b)
	if err != nil {
		return
	}
	for _, v := range raw.Elements() {
		v.Text()
	}
	for k, v := range raw.Entries() {
		k.Text()
		v.Bytes()
	}
	raw.Get("zz")
	raw.Index(raw.Len() - 1).Ext()
	for _, text := range []string{"*", "zz.a", "0.*"} {
		path, _ := msgpack.ParsePath(text)
		for range raw.Query(path) {
		}
	}
	var v any
	raw.Decode(&v)
}

func feedAll(size int, next func(*msgpack.Feed) error) func([]byte) {
	return func(b []byte) {
		var f msgpack.Feed
		for piece := range slices.Chunk(b, size) {
			f.Feed(piece)
			for {
				if err := next(&f); err == msgpack.ErrMore {
					break
				} else if f.Len() == 0 && err != nil {
					return // the Feed keeps the error
				}
			}
		}
	}
}

// array returns messages with an array that repeats unit. Its count has 32 bits.
func array(name string, unit, last []byte) growth.Family[[]byte] {
	return growth.Family[[]byte]{Name: name, Make: func(n int) []byte { return arrayOf(n, unit, last) }}
}

func arrayOf(n int, unit, last []byte) []byte {
	times := max(1, n/len(unit))
	b := binary.BigEndian.AppendUint32([]byte{0xdd}, uint32(times+min(1, len(last))))
	for range times {
		b = append(b, unit...)
	}
	return append(b, last...)
}

// mapOf returns a map of about n bytes. pair appends the i-th pair to b.
func mapOf(n int, pair func(b []byte, i int) []byte) []byte {
	b := []byte{0xdf, 0, 0, 0, 0}
	i := 0
	for ; len(b) < n; i++ {
		b = pair(b, i)
	}
	binary.BigEndian.PutUint32(b[1:], uint32(i))
	return b
}

func marshalled(v any) []byte {
	b, err := msgpack.Marshal(v)
	if err != nil {
		panic(err)
	}
	return b
}

// growthMessages returns the messages for readers.
func growthMessages() []growth.Family[[]byte] {
	onlyLong := func(f growth.Family[[]byte]) growth.Family[[]byte] { f.Long = true; return f }
	keys := func(name, format, value string) growth.Family[[]byte] {
		return growth.Family[[]byte]{Name: name, Make: func(n int) []byte {
			return mapOf(n, func(b []byte, i int) []byte {
				return append(msgpwire.AppendString(b, fmt.Sprintf(format, i)), value...)
			})
		}}
	}
	one := func(name, key string, value []byte) growth.Family[[]byte] {
		return growth.Family[[]byte]{Name: name, Make: func(n int) []byte {
			return mapOf(n, func(b []byte, i int) []byte { return append(msgpwire.AppendString(b, key), value...) })
		}}
	}
	deep := func(name, open, end string) growth.Family[[]byte] { // nearly as deep as allowed, repeated up to length n
		return growth.Family[[]byte]{Name: name, Make: func(n int) []byte {
			size := len(open) + len(end)
			times := n/(9000*size) + 1
			depth := n / times / size
			return arrayOf(times, []byte(strings.Repeat(open, depth)+"\xc0"+strings.Repeat(end, depth)), nil)
		}}
	}
	// Each element claims half as many elements as the message has bytes.
	claims := func(name, before, after string) growth.Family[[]byte] {
		return growth.Family[[]byte]{Name: name, Make: func(n int) []byte {
			unit := before + string(binary.BigEndian.AppendUint32(nil, uint32(n/2))) + after
			return []byte(strings.Repeat(unit, n/len(unit)))
		}}
	}
	rec := marshalled(map[string]any{"ID": 1, "Name": "a name", "Tags": []string{"a", "b"}, "At": time.Unix(1, 0), "Any": map[string]any{"a": 1.5}})
	unit := func(v any) []byte { return marshalled(v) }
	text := slices.Concat(growth.Scripts(), growth.NotUTF8())
	str := func(s string) []byte { return msgpwire.AppendString(nil, s) }
	cell := func(s string) []byte { return append([]byte("\x91\x81\xa1x"), str(s)...) }
	column := func(s string) []byte { return append([]byte("\x81\xa1x\x91"), str(s)...) }
	return slices.Concat(
		growth.Map("", text, str),
		growth.OnlyLong(growth.Map("bin", text[:1], func(s string) []byte { return msgpwire.AppendBytes(nil, []byte(s)) })),
		growth.OnlyLong(growth.Map("ext", text[:1], func(s string) []byte {
			return append(msgpwire.AppendExtHeader(nil, 99, len(s)), s...)
		})),
		growth.OnlyLong(growth.Map("a key", text, func(s string) []byte { return append(append([]byte{0x81}, str(s)...), 1) })),
		growth.OnlyLong(growth.Map("a field", text, func(s string) []byte { return append(append([]byte{0x81}, str("Name")...), str(s)...) })),
		growth.OnlyLong(growth.Map("a field of no type", text, func(s string) []byte { return append(append([]byte{0x81}, str("Any")...), str(s)...) })),
		growth.OnlyLong(growth.Map("a cell", text, cell)),
		growth.OnlyLong(growth.Map("a cell of a column", text, column)),
		growth.Only(growth.Map("a cell", text, cell), "Cyrillic, a cell", "bad byte at the end, a cell"),
		growth.Only(growth.Map("a cell of a column", text, column), "Cyrillic, a cell of a column", "bad byte at the end, a cell of a column"),
		growth.OnlyLong(growth.Map("an element", text, func(s string) []byte { return append([]byte{0x91}, str(s)...) })),
		growth.OnlyLong(growth.Map("cut", text[:1], func(s string) []byte { return str(s)[:len(s)-1] })),
		[]growth.Family[[]byte]{
			array("records", rec, nil),
			{Name: "values", Make: func(n int) []byte { return []byte(strings.Repeat(string(rec), n/len(rec)+1)) }},
			array("a bad byte at the end", rec, []byte{0xc1}),
			onlyLong(growth.Family[[]byte]{Name: "a bad byte at the start", Make: func(n int) []byte { return append([]byte{0xc1}, arrayOf(n, rec, nil)...) }}),
			onlyLong(growth.Family[[]byte]{Name: "a bad byte in the middle", Make: func(n int) []byte {
				b := arrayOf(n, rec, nil)
				b[5+len(b)/len(rec)/2*len(rec)] = 0xc1
				return b
			}}),
			{Name: "a cut array", Make: func(n int) []byte { b := arrayOf(n, rec, nil); return b[:len(b)-1] }},
			array("wrong types", unit(map[string]any{"ID": "x", "Name": 1, "Tags": map[string]int{}}), nil),
			{Name: "wrong types in deep objects", Make: func(n int) []byte {
				const open = "\x81\xa4Next"
				times := n/(9000*len(open)) + 1
				return arrayOf(n, append([]byte(strings.Repeat(open, n/times/len(open))), "\x81\xa2ID\xa1x"...), nil)
			}},
			array("ints", unit(1234567), nil),
			array("small ints", []byte{1}, nil),
			onlyLong(array("floats", unit(1.5), nil)),
			onlyLong(array("nils", []byte{0xc0}, nil)),
			array("strings", unit("a"), nil),
			onlyLong(array("empty strings", []byte{0xa0}, nil)),
			onlyLong(array("strings of 16 bytes", unit("0123456789abcdef"), nil)),
			onlyLong(array("bins", []byte{0xc4, 1, 'a'}, nil)),
			onlyLong(array("times", unit(time.Unix(1, 1)), nil)),
			onlyLong(array("exts", []byte{0xd4, 99, 1}, nil)),
			onlyLong(array("interned", []byte{0xd4, 0x80, 0}, nil)),
			array("empty arrays", []byte{0x90}, nil),
			array("empty maps", []byte{0x80}, nil),
			array("arrays of one", []byte{0x91, 0x91, 1}, nil),
			onlyLong(array("maps of one", []byte{0x81, 0xa1, 'a', 1}, nil)),
			array("claims", []byte("\xdd\xff\xff\xff\xff"), nil),
			onlyLong(array("claims of maps", []byte("\xdf\xff\xff\xff\xff"), nil)),
			onlyLong(array("claims of strings", []byte("\xdb\xff\xff\xff\xff"), nil)),
			claims("claims of half the message", "\xdd", ""),
			claims("claims of half the message, maps", "\xdf", "\x01"),
			claims("claims of half the message, fields", "\x81\xa4List\xdd", ""),
			claims("claims of half the message, an array", "\x92\xa1a\xdd", ""),
			growth.Family[[]byte]{Name: "a claim of a string", Make: func(n int) []byte { return append([]byte("\xdb\xff\xff\xff\xff"), make([]byte, n)...) }},
			growth.Family[[]byte]{Name: "a claim of an array", Make: func(n int) []byte { return append([]byte("\xdd\xff\xff\xff\xff"), make([]byte, n)...) }},
			onlyLong(growth.Family[[]byte]{Name: "a claim of a map", Make: func(n int) []byte { return append([]byte("\xdf\xff\xff\xff\xff"), make([]byte, n)...) }}),
			keys("keys", "key %d", "\x01"),
			keys("keys of the same first and last bytes", "same bytes %d same bytes", "\x01"),
			onlyLong(keys("keys of long values", "key %d", string(unit(strings.Repeat("x", 200))))),
			keys("columns", "c%d", "\x91\x01"),
			one("one key", "a", []byte{1}),
			one("one key, an array", "Tags", unit([]string{"a", "b"})),
			onlyLong(one("one key, a map", "Map", unit(map[string]string{"a": "b"}))),
			onlyLong(one("one key, a record", "Next", unit(map[string]any{"ID": 1}))),
			onlyLong(one("one key, a column", "a", []byte{0x91, 1})),
			onlyLong(growth.Family[[]byte]{Name: "int keys", Make: func(n int) []byte {
				return mapOf(n, func(b []byte, i int) []byte { return append(msgpwire.AppendInt(b, int64(i)), 1) })
			}}),
			{Name: "sparse rows", Make: func(n int) []byte {
				times := n / 12
				b := binary.BigEndian.AppendUint32([]byte{0xdd}, uint32(times))
				for i := range times {
					b = append(msgpwire.AppendString(append(b, 0x81), "c"+strconv.Itoa(i)), 1)
				}
				return b
			}},
			array("lists in a field", unit(map[string]any{"List": []any{map[string]any{}}}), nil),
			onlyLong(array("raw fields", unit(map[string]any{"Raw": []int{1, 2}, "Custom": 5}), nil)),
			deep("deep arrays", "\x91", ""),
			deep("deep maps", "\x81\xa1a", ""),
			onlyLong(deep("deep fields", "\x81\xa4Next", "")),
			onlyLong(deep("deep arrays of two", "\x92\x01", "")),
			{Name: "open arrays", Make: func(n int) []byte { return []byte(strings.Repeat("\x91", n)) }},
			onlyLong(growth.Family[[]byte]{Name: "open maps", Make: func(n int) []byte { return []byte(strings.Repeat("\x81\x01", n/2)) }}),
			{Name: "one large value, then small ones", Make: func(n int) []byte {
				return []byte(string(unit(strings.Repeat("x", n/2))) + strings.Repeat("\x81\xa4Name\xa1a", n/2/8))
			}},
			{Name: "one large map, then small ones", Make: func(n int) []byte {
				b := mapOf(n/2, func(b []byte, i int) []byte { return append(msgpwire.AppendString(b, "key "+strconv.Itoa(i)), 1) })
				return []byte(string(b) + strings.Repeat("\x81\xa4Name\xa1a", n/2/8))
			}},
			onlyLong(growth.Family[[]byte]{Name: "large values and small ones in turn", Make: func(n int) []byte {
				return []byte(strings.Repeat(string(unit(strings.Repeat("x", n/16)))+strings.Repeat("\x81\xa4Name\xa1a", n/16/8), 8))
			}}),
		})
}

// growthWriters returns the calls that encode values.
func growthWriters() []growth.Call[any] {
	return []growth.Call[any]{
		{Name: "Marshal", Run: func(v any) { msgpack.Marshal(v) }, Alloc: 24},
		{Name: "MarshalAppend", Run: func(v any) { msgpack.MarshalAppend(nil, v) }, Alloc: 24, Long: true},
		{Name: "EncodeOptions.MarshalAppend canonical", Run: func(v any) { msgpack.EncodeOptions{Canonical: true}.MarshalAppend(nil, v) }, Alloc: 100},
		{Name: "GetEncoder,PutEncoder,Encoder.Encode,Encoder.Reset,Encoder.ResetWriter", Run: func(v any) {
			e := msgpack.GetEncoder()
			for range 3 {
				e.Reset(io.Discard)
				e.Encode(v)
				e.ResetWriter(io.Discard)
				e.Encode(v)
			}
			msgpack.PutEncoder(e)
		}, Alloc: 150},
		{Name: "Encoder.Encode interned", Run: func(v any) {
			e := msgpack.NewEncoder(io.Discard)
			e.UseInternedStrings(true)
			e.Encode(v)
		}, Alloc: 64, Long: true},
		{Name: "Encoder.EncodeMulti,Encoder.EncodeValue", Run: func(v any) {
			e := msgpack.NewEncoder(new(msgpack.Buffer))
			e.EncodeMulti(v, v)
			e.EncodeValue(reflect.ValueOf(v))
		}, Alloc: 64, Long: true},
	}
}

// growthValues returns the values for writers.
func growthValues() []growth.Family[any] {
	made := func(name string, f func(n int) any) growth.Family[any] {
		return growth.Family[any]{Name: name, Make: f}
	}
	keyed := func(n int) map[string]any {
		m := make(map[string]any, n)
		for i := range n {
			m["key "+strconv.Itoa(i)] = i
		}
		return m
	}
	text := slices.Concat(growth.Scripts(), growth.NotUTF8())
	return slices.Concat(
		growth.Map("", text, func(s string) any { return s }),
		growth.OnlyLong(growth.Map("a key", text, func(s string) any { return map[string]any{s: s, "a": 1} })),
		[]growth.Family[any]{
			made("bytes", func(n int) any { return make([]byte, n) }),
			made("map", func(n int) any { return keyed(n / 12) }),
			made("map[string]string", func(n int) any {
				m := map[string]string{}
				for i := range n / 24 {
					m[fmt.Sprintf("same bytes %d same bytes", i)] = "x"
				}
				return m
			}),
			made("map[int]int", func(n int) any {
				m := map[int]int{}
				for i := range n / 12 {
					m[i] = i
				}
				return m
			}),
			made("map[any]any", func(n int) any {
				m := map[any]any{}
				for i := range n / 12 {
					m[i] = i
					m[strconv.Itoa(i)] = i
				}
				return m
			}),
			made("small maps", func(n int) any { return slices.Repeat([]any{keyed(5)}, max(1, n/50)) }),
			made("keys with a long common start", func(n int) any {
				m := map[string]any{}
				start := strings.Repeat("x", 1000)
				for i := range n / 1010 {
					m[start+strconv.Itoa(i)] = i
				}
				return m
			}),
			made("deep maps", func(n int) any { return nested(n, func(v any) any { return map[string]any{"a": v, "b": 1} }) }),
			made("deep lists", func(n int) any { return nested(n, func(v any) any { return []any{v} }) }),
			made("deep customs", func(n int) any { return nested(n, func(v any) any { return growthCustom{v} }) }),
			made("deep map[any]any", func(n int) any { return nested(n, func(v any) any { return map[any]any{"a": v, 1: 2} }) }),
			made("deep keys", func(n int) any {
				return nestedOnce(n, 4, func(v any) any { return map[any]any{&growthCustom{v}: 1, 2: 2} })
			}),
			made("deep equal keys", func(n int) any {
				return nestedOnce(n, n/4096, func(v any) any {
					m := map[float64]any{math.NaN(): v}
					m[math.NaN()] = 1
					return m
				})
			}),
			made("equal keys", func(n int) any {
				m := map[float64]string{}
				for range n / 50 {
					m[math.NaN()] = "a value that is encoded to be compared"
				}
				return m
			}),
			made("strings", func(n int) any { return slices.Repeat([]string{"a string"}, n/9) }),
			made("other strings", func(n int) any {
				var all []string
				for i := range n / 8 {
					all = append(all, strconv.Itoa(1e6+i))
				}
				return all
			}),
			made("ints", func(n int) any { return slices.Repeat([]int{1234567}, n/5) }),
			made("floats", func(n int) any { return slices.Repeat([]float64{1.5}, n/9) }),
			made("records", func(n int) any {
				return slices.Repeat([]growthRecord{{Name: "a", Tags: []string{"b"}, Map: map[string]string{"b": "c"}}}, max(1, n/120))
			}),
			made("customs", func(n int) any { return slices.Repeat([]growthCustom{{v: 1}}, n) }),
			made("binaries", func(n int) any { return slices.Repeat([]growthBinary{{1, 2, 3}}, n/5) }),
			made("raw", func(n int) any { return msgpack.RawMessage(arrayOf(n, []byte{1}, nil)) }),
			made("one large value, then small ones", func(n int) any {
				return append([]any{strings.Repeat("x", n/2)}, slices.Repeat([]any{map[string]any{"a": 1}}, n/8)...)
			}),
			made("one large map, then small ones", func(n int) any {
				return append([]any{keyed(n / 24)}, slices.Repeat([]any{keyed(5)}, n/100)...)
			}),
		})
}

// nested returns deep values with a total size of about n bytes.
func nested(n int, wrap func(any) any) any {
	const size = 4
	times := n/(3000*size) + 1
	var all []any
	for range times {
		var v any = 1
		for range n / times / size {
			v = wrap(v)
		}
		all = append(all, v)
	}
	return all
}

// nestedOnce returns a value with few levels. If each level cost twice as much as the level within
// it, more levels would never finish.
func nestedOnce(n, levels int, wrap func(any) any) any {
	var v any = strings.Repeat("x", n)
	for range levels {
		v = wrap(v)
	}
	return v
}

// growthSequences returns cases that make several calls in sequence.
func growthSequences() []growth.Case {
	dict := func(n int) []string {
		var list []string
		for i := range n {
			list = append(list, "string "+strconv.Itoa(i))
		}
		return list
	}
	numbers := func(list []string) map[string]int {
		m := map[string]int{}
		for i, s := range list {
			m[s] = i
		}
		return m
	}
	return []growth.Case{
		{Name: "Encoder.EncodeString,Encoder.EncodeBytes small", Alloc: 8, Prepare: func(n int) func() {
			return func() {
				e := msgpack.NewEncoder(io.Discard)
				for range n / 8 {
					e.EncodeString("abc")
					e.EncodeBytes([]byte("abc"))
				}
			}
		}},
		{Name: "Encoder.EncodeMap,Encoder.EncodeMapSorted", Alloc: 64, Prepare: func(n int) func() {
			m := map[string]any{}
			for i := range n / 12 {
				m[strconv.Itoa(i)] = i
			}
			return func() {
				e := msgpack.NewEncoder(io.Discard)
				e.EncodeMap(m)
				e.EncodeMapSorted(m)
			}
		}},
		{Name: "Encoder.Encode many small to a Buffer after a large one", Alloc: 24, Prepare: func(n int) func() {
			large := make([]byte, n/2)
			return func() {
				q := &msgpack.Buffer{ReferenceMin: 1000}
				e := msgpack.NewEncoder(q)
				e.Encode(large)
				for range n / 20 {
					e.Encode("a short string")
					q.WriteTo(io.Discard)
				}
			}
		}},
		{Name: "Encoder.WithDict,Encoder.ResetDict", Alloc: 300, Prepare: func(n int) func() {
			list := dict(n / 20)
			given := numbers(list[:len(list)/2])
			return func() {
				e := msgpack.NewEncoder(io.Discard)
				e.ResetDict(io.Discard, given)
				e.UseInternedStrings(true)
				e.Encode(list)
				for range n / 20 {
					e.WithDict(given, func(e *msgpack.Encoder) error { return e.EncodeString("string 1") })
				}
			}
		}},
		{Name: "Encoder.ResetDict many small after a large one", Alloc: 300, Prepare: func(n int) func() {
			list := dict(n / 20)
			return func() {
				e := msgpack.NewEncoder(io.Discard)
				e.UseInternedStrings(true)
				e.Encode(list)
				for range n / 20 {
					e.ResetDict(io.Discard, nil)
					e.UseInternedStrings(true)
					e.EncodeString("abc")
				}
			}
		}},
		{Name: "GetEncoder interned strings, many small after a large one", Alloc: 300, Prepare: func(n int) func() {
			list := dict(min(n/20, 4000))
			return func() {
				for i := range n / 20 {
					e := msgpack.GetEncoder()
					e.Reset(io.Discard)
					e.UseInternedStrings(true)
					if i == 0 {
						e.Encode(list)
					}
					e.EncodeString("abc")
					msgpack.PutEncoder(e)
				}
			}
		}},
		{Name: "Decoder.WithDict,Decoder.ResetDict", Alloc: 300, Prepare: func(n int) func() {
			list := dict(n / 20)
			in := marshalled(list)
			return func() {
				d := msgpack.NewDecoder(nil)
				d.ResetDict(growth.Pieces(in, 1000), list[:len(list)/2])
				d.UseInternedStrings(true)
				decodeNew[[]string](d)
				d.ResetBytes([]byte(strings.Repeat("\xa3abc", n/20)))
				for range n / 20 {
					d.WithDict(list, func(d *msgpack.Decoder) error { _, err := d.DecodeString(); return err })
				}
			}
		}},
		{Name: "Decoder.ResetDict many small after a large one", Alloc: 300, Prepare: func(n int) func() {
			large, small := marshalled(dict(n/20)), marshalled([]string{"abc", "abd"})
			return func() {
				d := msgpack.NewDecoder(nil)
				for i := range n / 20 {
					in := small
					if i == 0 {
						in = large
					}
					d.ResetDict(growth.Pieces(in, 1000), nil)
					d.UseInternedStrings(true)
					decodeNew[[]string](d)
				}
			}
		}},
		{Name: "Decoder.Reset,Decoder.ResetReader many small after a large one", Alloc: 200, Prepare: func(n int) func() {
			large, small := marshalled(dict(n/40)), []byte("\x81\xa1a\x01")
			return func() {
				d := msgpack.NewDecoder(growth.Pieces(large, 5000))
				decodeNew[any](d)
				for i := range n / 20 {
					if r := growth.Pieces(small, 100); i%2 == 0 {
						d.Reset(r)
					} else {
						d.ResetReader(r)
					}
					decodeNew[any](d)
				}
			}
		}},
		{Name: "Unmarshal into a map that was large", Alloc: 200, Prepare: func(n int) func() {
			m := map[string]int{}
			for i := range n / 24 {
				m[strconv.Itoa(i)] = i
			}
			large, small := marshalled(map[string]any{"A": m}), marshalled(map[string]any{"A": map[string]int{"a": 1}})
			return func() {
				var v struct{ A map[string]int }
				msgpack.Unmarshal(large, &v)
				for range n / 50 {
					msgpack.Unmarshal(small, &v)
				}
			}
		}},
		{Name: "Feed.Reset,Feed.Feed many small after a large one", Alloc: 60, Prepare: func(n int) func() {
			large := marshalled(make([]byte, n/2))
			return func() {
				var f msgpack.Feed
				f.Feed(large)
				f.NextRaw()
				for i := range n / 20 {
					f.Feed([]byte("\xa3abc"))
					if i%2 == 0 {
						f.NextRaw()
					}
					if i%1000 == 0 {
						f.Reset()
					}
				}
			}
		}},
		{Name: "Feed.Next one by one, while more comes", Alloc: 60, Prepare: func(n int) func() {
			return func() {
				var f msgpack.Feed
				f.Feed([]byte(strings.Repeat("\xa3abc", n/8)))
				for range n / 8 {
					f.Feed([]byte("\xa3abc"))
					f.NextRaw()
				}
			}
		}},
		{Name: "ParsePath", Alloc: 60, Prepare: func(n int) func() {
			text := strings.Repeat("*.", min(n/2, 9000))
			return func() {
				for range max(1, n/len(text)) {
					msgpack.ParsePath(text)
				}
			}
		}},
		{Name: "ParsePath escapes", Alloc: 60, Prepare: func(n int) func() {
			text := strings.Repeat(`\*\.`, n/4)
			return func() { msgpack.ParsePath(text) }
		}},
		{Name: "Decoder.Query a path through a deep value", Alloc: 60, Most: 32 << 10, Prepare: func(n int) func() {
			depth := n / 8
			in, path := []byte(strings.Repeat("\x91", depth)+"\x01"), strings.Repeat("0.", depth)
			return func() {
				d := msgpack.GetDecoder()
				d.ResetBytes(in)
				d.Query(path)
				msgpack.PutDecoder(d)
				p, _ := msgpack.ParsePath(path)
				for range msgpack.Raw(in).Query(p) {
				}
			}
		}},
		{Name: "Raw.Elements of a deep value", Alloc: 60, Most: 32 << 10, Prepare: func(n int) func() {
			in := strings.Repeat(strings.Repeat("\x91", 100)+"\x01", n/101)
			in = string(arrayOf(0, []byte{0x90}, nil)[:1]) + string(binary.BigEndian.AppendUint32(nil, uint32(n/101))) + in
			return func() {
				var walk func(msgpack.Raw)
				walk = func(r msgpack.Raw) {
					for _, v := range r.Elements() {
						walk(v)
					}
				}
				walk(msgpack.Raw(in))
			}
		}},
		{Name: "Buffer.Prepend,Buffer.Next,Buffer.Peek,Buffer.View,Buffer.Discard,Buffer.ReadByte,Buffer.UnreadByte,Buffer.Len", Alloc: 24, Prepare: func(n int) func() {
			return func() {
				var q msgpack.Buffer
				for range n / 8 {
					q.WriteString("abcd")
					q.Prepend([]byte("efgh"))
				}
				for q.Len() > 16 {
					q.Next(2)
					q.Peek(4)
					q.View(3)
					q.Discard(1)
					q.ReadByte()
					q.UnreadByte()
				}
			}
		}},
		{Name: "Buffer.Grow,Buffer.Reference,Buffer.ReadFrom,Buffer.WriteTo,Buffer.WriteByte,Buffer.WriteString,Buffer.Reset", Alloc: 64, Prepare: func(n int) func() {
			in := make([]byte, n/4)
			return func() {
				var q msgpack.Buffer
				q.Grow(n / 4)
				q.Write(in)
				for part := range slices.Chunk(in, 100) {
					q.Reference(part)
					q.WriteByte(1)
					q.Grow(10)
					q.WriteString("abc")
				}
				q.ReadFrom(growth.Pieces(in, 3))
				q.WriteTo(io.Discard)
				q.Reset()
			}
		}},
		{Name: "Buffer.Peek a growing part", Alloc: 64, Most: 64 << 10, Prepare: func(n int) func() {
			return func() {
				var q msgpack.Buffer
				for range n / 100 {
					q.Write(make([]byte, 100))
				}
				for q.Len() >= 5000 {
					q.Peek(5000)
					q.Discard(2500)
				}
			}
		}},
		{Name: "Raw.EncodeMsgpack,RawMessage.EncodeMsgpack", Alloc: 24, Prepare: func(n int) func() {
			in := arrayOf(n, []byte{1}, nil)
			return func() {
				msgpack.Marshal(msgpack.RawMessage(in))
				msgpack.Marshal(msgpack.Raw(in))
				e := msgpack.NewEncoder(new(msgpack.Buffer))
				msgpack.RawMessage(in).EncodeMsgpack(e)
				msgpack.Raw(in).EncodeMsgpack(e)
			}
		}},
		{Name: "Feed.Decoder", Alloc: 200, Prepare: func(n int) func() {
			in := []byte(strings.Repeat("\x81\xa1a\x01", n/4))
			return func() {
				var f msgpack.Feed
				f.Decoder().UseLooseInterfaceDecoding(true)
				for part := range slices.Chunk(in, 2) {
					f.Feed(part)
					var v any
					f.Next(&v)
				}
			}
		}},
	}
}

// One large message and then many small messages pass through the same objects and pools. The
// memory for the large message is not kept.
func TestGrowthHeld(t *testing.T) {
	message := func(n int) []byte {
		return mapOf(n, func(b []byte, i int) []byte {
			if i == 0 {
				return msgpwire.AppendString(msgpwire.AppendString(b, "a"), strings.Repeat("x", n/4))
			}
			return append(msgpwire.AppendString(b, "key "+strconv.Itoa(i)), 0x92, 1, 0xa1, 'a')
		})
	}
	whole := func(call func(b []byte) any) func(int, int) func(int) any {
		return func(large, small int) func(int) any {
			in := map[int][]byte{large: message(large), small: message(small)}
			return func(n int) any { return call(in[n]) }
		}
	}
	decoder := func(set func(*msgpack.Decoder), next func(*msgpack.Decoder) any) func(int, int) func(int) any {
		return func(large, small int) func(int) any {
			in := map[int][]byte{large: message(large), small: message(small)}
			src := new(growth.Source)
			d := msgpack.NewDecoder(src)
			set(d)
			return func(n int) any {
				src.Rest = in[n]
				return next(d)
			}
		}
	}
	decoded := func(d *msgpack.Decoder) any {
		v, err := d.DecodeInterface()
		if err != nil {
			panic(err)
		}
		return v
	}
	encoder := func(set func(*msgpack.Encoder)) func(int, int) func(int) any {
		return func(large, small int) func(int) any {
			in := map[int]any{}
			for _, n := range []int{large, small} {
				var v any
				msgpack.Unmarshal(message(n), &v)
				in[n] = v
			}
			e := msgpack.NewEncoder(io.Discard)
			set(e)
			return func(n int) any { e.Encode(in[n]); return nil }
		}
	}
	// wrong sends a large message, and then valid small messages. The large message contains a
	// large key, and decoding its value fails in a method.
	wrong := func(read func(b []byte, v *growthCustom) error) func(int, int) func(int) any {
		return func(large, small int) func(int) any {
			in := map[int][]byte{
				large: append(msgpwire.AppendString([]byte{0x81}, strings.Repeat("k", large)), 0xd4, 99, 0), // an unknown ext
				small: message(small),
			}
			return func(n int) any {
				var v growthCustom
				if err := read(in[n], &v); (err == nil) != (n == small) {
					panic(err)
				}
				return nil
			}
		}
	}
	growth.CheckHeld(t, []growth.Held{
		{Name: "Unmarshal", Start: whole(func(b []byte) any { var v any; msgpack.Unmarshal(b, &v); return v }), Kept: 40},
		{Name: "Unmarshal, an id", Start: whole(func(b []byte) any {
			var v struct {
				A string `msgpack:"a"`
			}
			msgpack.Unmarshal(b, &v)
			return v.A
		}), Kept: 20},
		{Name: "Unmarshal, not valid", Start: whole(func(b []byte) any { var v any; msgpack.Unmarshal(b[:len(b)-1], &v); return nil })},
		{Name: "Unmarshal, unique", Start: whole(func(b []byte) any {
			var v any
			msgpack.DecodeOptions{UniqueKeys: true, StrictUTF8: true}.Unmarshal(b, &v)
			return v
		}), Kept: 40},
		{Name: "Decoder", Start: decoder(func(*msgpack.Decoder) {}, decoded), Kept: 40},
		{Name: "Decoder, reset for each message", Start: func(large, small int) func(int) any {
			in := map[int][]byte{large: message(large), small: message(small)}
			d := msgpack.NewDecoder(nil)
			return func(n int) any { d.Reset(growth.Pieces(in[n], 5000)); return decoded(d) }
		}, Kept: 40},
		{Name: "GetDecoder, PutDecoder", Start: func(large, small int) func(int) any {
			in := map[int][]byte{large: message(large), small: message(small)}
			return func(n int) any {
				d := msgpack.GetDecoder()
				defer msgpack.PutDecoder(d)
				d.Reset(growth.Pieces(in[n], 5000))
				d.UseInternedStrings(true)
				return decoded(d)
			}
		}, Kept: 40},
		{Name: "Feed, reset", Start: func(large, small int) func(int) any {
			in := map[int][]byte{large: message(large), small: message(small)}
			var f msgpack.Feed
			return func(n int) any { f.Feed(in[n]); f.Reset(); return nil }
		}},
		{Name: "Decoder, an error", Start: func(large, small int) func(int) any {
			d := msgpack.NewDecoder(nil)
			return wrong(func(b []byte, v *growthCustom) error { d.ResetBytes(b); return d.Decode(v) })(large, small)
		}},
		{Name: "Decoder, an error of no method", Start: func(large, small int) func(int) any {
			d := msgpack.NewDecoder(nil)
			return wrong(func(b []byte, v *growthCustom) error { d.ResetBytes(b); return d.Decode(&v.v) })(large, small)
		}},
		{Name: "Decoder, an error of Query", Start: func(large, small int) func(int) any {
			d := msgpack.NewDecoder(nil)
			return wrong(func(b []byte, v *growthCustom) error { d.ResetBytes(b); _, err := d.Query(""); return err })(large, small)
		}},
		{Name: "Unmarshal, an error", Start: wrong(func(b []byte, v *growthCustom) error { return msgpack.Unmarshal(b, v) })},
		{Name: "Decoder, interned", Start: decoder(func(d *msgpack.Decoder) { d.UseInternedStrings(true) }, decoded), Kept: 40, Large: 64 << 10},
		{Name: "Decoder, raw", Start: decoder(func(*msgpack.Decoder) {}, func(d *msgpack.Decoder) any { v, _ := d.DecodeRaw(); return v }), Kept: 40},
		{Name: "Decoder, raw views", Start: decoder(func(*msgpack.Decoder) {}, func(d *msgpack.Decoder) any { d.DecodeRawView(); return nil })},
		{Name: "Decoder, skip", Start: decoder(func(*msgpack.Decoder) {}, func(d *msgpack.Decoder) any { d.Skip(); return nil })},
		{Name: "Feed", Start: func(large, small int) func(int) any {
			in := map[int][]byte{large: message(large), small: message(small)}
			var f msgpack.Feed
			return func(n int) any { f.Feed(in[n]); var v any; f.Next(&v); return v }
		}, Kept: 40},
		{Name: "Feed, in which the next value has begun", Start: func(large, small int) func(int) any {
			in := map[int][]byte{large: message(large), small: message(small)}
			var f msgpack.Feed
			f.Feed(in[small][:1])
			return func(n int) any {
				f.Feed(in[n][1:])
				f.Feed(in[small][:1])
				var v any
				if err := f.Next(&v); err != nil {
					panic(err)
				}
				return v
			}
		}, Kept: 40},
		{Name: "Buffer, in pieces", Start: func(large, small int) func(int) any {
			in := map[int][]byte{large: message(large), small: message(small)}
			q := &msgpack.Buffer{}
			d := msgpack.NewDecoder(q)
			return func(n int) any {
				for piece := range slices.Chunk(in[n], 1000) {
					q.Write(piece)
				}
				return decoded(d)
			}
		}, Kept: 40},
		{Name: "Buffer, references", Start: func(large, small int) func(int) any {
			in := map[int][]byte{large: message(large), small: message(small)}
			q := &msgpack.Buffer{}
			return func(n int) any {
				for piece := range slices.Chunk(in[n], 8) {
					q.Reference(piece)
				}
				q.Discard(q.Len() - 1)
				return nil
			}
		}},
		{Name: "Encoder, references", Start: func(large, small int) func(int) any {
			in := map[int][][]byte{}
			for _, n := range []int{large, small} {
				in[n] = slices.Collect(slices.Chunk(message(n), 8))
			}
			q := &msgpack.Buffer{ReferenceMin: 8}
			e := msgpack.NewEncoder(q)
			return func(n int) any { e.Encode(in[n]); q.WriteTo(io.Discard); return nil }
		}},
		{Name: "Buffer", Start: func(large, small int) func(int) any {
			in := map[int][]byte{large: message(large), small: message(small)}
			q := &msgpack.Buffer{}
			d := msgpack.NewDecoder(q)
			return func(n int) any { q.Write(in[n]); v, _ := d.DecodeInterface(); return v }
		}, Kept: 40},
		{Name: "Buffer, views", Start: func(large, small int) func(int) any {
			in := map[int][]byte{large: message(large), small: message(small)}
			q := &msgpack.Buffer{}
			return func(n int) any { q.Write(in[n]); q.Peek(n / 2); q.Next(n / 3); q.Reset(); return nil }
		}},
		{Name: "Marshal", Start: whole(func(b []byte) any { out, _ := msgpack.Marshal(b); return out }), Kept: 8},
		{Name: "Encoder", Start: encoder(func(*msgpack.Encoder) {})},
		{Name: "Encoder, sorted", Start: encoder(func(e *msgpack.Encoder) { e.SetSortMapKeys(true) })},
		{Name: "Encoder, interned", Start: func(large, small int) func(int) any {
			in := map[int]any{}
			for _, n := range []int{large, small} {
				var v any
				msgpack.Unmarshal(message(n), &v)
				in[n] = v
			}
			return func(n int) any {
				e := msgpack.GetEncoder()
				e.Reset(io.Discard)
				e.UseInternedStrings(true)
				e.Encode(in[n])
				msgpack.PutEncoder(e)
				return nil
			}
		}},
		{Name: "DecodeColumns", Start: whole(func(b []byte) any {
			d := msgpack.GetDecoder()
			d.ResetBytes(b)
			d.DecodeColumns(growthBatch(b))
			msgpack.PutDecoder(d)
			return nil
		})},
	})
}

// Objects from pools do not keep a reference to their last input or output.
func TestForgets(t *testing.T) {
	on := func(call func(b []byte)) func() *byte {
		return func() *byte {
			b := msgpwire.AppendString([]byte{0x82, 0xa1, 'b', 0x91, 0xa1, 'c', 0xa1, 'a'}, strings.Repeat("x", 100))
			call(b)
			return &b[0]
		}
	}
	decoder := func(set func(d *msgpack.Decoder, b []byte)) func() *byte {
		return on(func(b []byte) {
			d := msgpack.GetDecoder()
			set(d, b)
			d.DecodeInterface()
			msgpack.PutDecoder(d)
		})
	}
	growth.CheckForgets(t, map[string]func() *byte{
		"Unmarshal":    on(func(b []byte) { var v any; msgpack.Unmarshal(b, &v) }),
		"a wrong type": on(func(b []byte) { var v map[string]int; msgpack.Unmarshal(b, &v) }),
		"not valid":    on(func(b []byte) { var v any; msgpack.Unmarshal(b[:len(b)-1], &v) }),
		"zero copy":    on(func(b []byte) { var v any; msgpack.DecodeOptions{ZeroCopy: true}.Unmarshal(b, &v) }),
		"Raw": on(func(b []byte) {
			raw, _, _ := msgpack.NewRaw(b)
			for _, element := range raw.Get("b").Elements() {
				element.Text()
			}
		}),
		"a decoder of bytes": decoder(func(d *msgpack.Decoder, b []byte) {
			d.ResetBytes(b)
		}),
		"a decoder of a reader": decoder(func(d *msgpack.Decoder, b []byte) { d.Reset(bytes.NewReader(b)) }),
		"Marshal":               on(func(b []byte) { msgpack.Marshal(b) }),
		"Marshal, a map":        on(func(b []byte) { msgpack.Marshal(map[string]any{"a": b, "b": map[string][]byte{"c": b}}) }),
		"Marshal, an error":     on(func(b []byte) { msgpack.Marshal(map[string]any{"a": []any{b, map[string]any{"b": b, "c": func() {}}}}) }),
		"GetEncoder": on(func(b []byte) {
			e := msgpack.GetEncoder()
			e.Reset(bytes.NewBuffer(b[:0]))
			e.SetSortMapKeys(true)
			e.Encode(map[string]any{"a": b})
			msgpack.PutEncoder(e)
		}),
	})
}
