package parquet

import "encoding/binary"

// thrift writes structs in Thrift's compact protocol:
//
//	struct   field … 0
//	field    u8 delta<<4 | type, value        delta: field number minus previous field number, 1 to 15
//	         u8 type, zigzag number, value    otherwise
//	list     u8 size<<4 | type, values        up to 14 values
//	         u8 0xf0 | type, uvarint size, …
//	i16…i64  zigzag varint
//	binary   uvarint length, bytes
//	bool     as a field: the type is the value; in a list: one byte, 1 or 2
//
// A value that is written without a field number is an element of the current list.
type thrift struct {
	buf  []byte
	last int // the number of the last field in the current struct
}

const (
	thriftTrue   = 1
	thriftFalse  = 2
	thriftI16    = 4
	thriftI32    = 5
	thriftI64    = 6
	thriftBinary = 8
	thriftList   = 9
	thriftStruct = 12
)

func (t *thrift) reset() { t.buf, t.last = t.buf[:0], 0 }

func (t *thrift) field(id int, typ byte) {
	if delta := id - t.last; delta > 0 && delta < 16 {
		t.buf = append(t.buf, byte(delta)<<4|typ)
	} else {
		t.buf = binary.AppendVarint(append(t.buf, typ), int64(id))
	}
	t.last = id
}

// In Thrift, the types i16, i32 and i64 differ only in the type number. All three are encoded as
// zigzag varints.

func (t *thrift) i16(id int, v int64) { t.integer(id, thriftI16, v) }
func (t *thrift) i32(id int, v int64) { t.integer(id, thriftI32, v) }
func (t *thrift) i64(id int, v int64) { t.integer(id, thriftI64, v) }

func (t *thrift) integer(id int, typ byte, v int64) {
	t.field(id, typ)
	t.buf = binary.AppendVarint(t.buf, v)
}

func (t *thrift) bool(id int, v bool) {
	if v {
		t.field(id, thriftTrue)
	} else {
		t.field(id, thriftFalse)
	}
}

func (t *thrift) string(id int, s string) {
	t.field(id, thriftBinary)
	t.stringElement(s)
}

func (t *thrift) binary(id int, b []byte) {
	t.field(id, thriftBinary)
	t.binaryElement(b)
}

// structure writes a struct. It calls the function `body` to write the fields.
func (t *thrift) structure(id int, body func()) {
	t.field(id, thriftStruct)
	t.structElement(body)
}

// encoded writes a struct that is already encoded in b.
func (t *thrift) encoded(id int, b []byte) {
	t.field(id, thriftStruct)
	t.buf = append(t.buf, b...)
}

// list begins a list. The caller must write its n elements next.
func (t *thrift) list(id int, typ byte, n int) {
	t.field(id, thriftList)
	if n < 15 {
		t.buf = append(t.buf, byte(n)<<4|typ)
	} else {
		t.buf = binary.AppendUvarint(append(t.buf, 0xf0|typ), uint64(n))
	}
}

func (t *thrift) structElement(body func()) {
	outer := t.last
	t.last = 0
	body()
	t.buf = append(t.buf, 0)
	t.last = outer
}

func (t *thrift) integerElement(v int64) { t.buf = binary.AppendVarint(t.buf, v) }

func (t *thrift) boolElement(v bool) {
	if v {
		t.buf = append(t.buf, thriftTrue)
	} else {
		t.buf = append(t.buf, thriftFalse)
	}
}

func (t *thrift) stringElement(s string) {
	t.buf = binary.AppendUvarint(t.buf, uint64(len(s)))
	t.buf = append(t.buf, s...)
}

func (t *thrift) binaryElement(b []byte) {
	t.buf = binary.AppendUvarint(t.buf, uint64(len(b)))
	t.buf = append(t.buf, b...)
}
