package schema

import (
	"encoding/binary"
	"errors"
	"math"
	"time"
)

// This is Colfer's encoding, by hand. Each field consists of its number and its value, and 7f ends
// the message. Zero values are omitted. Numbers are big-endian, and lengths and integers are
// varints. Bit 7 of a field's number marks a negative integer. The times here do not need such a
// bit.

const colferEnd = 0x7f

var errColfer = errors.New("not what Colfer writes")

func colferCodec() codec[smallStruct] {
	return codec[smallStruct]{colferAppend, colferParse, func(v *smallStruct) int { return 32 + len(v.Name) + len(v.Phone) }}
}

func colferAppend(dst []byte, v *smallStruct) ([]byte, error) {
	dst = colferText(dst, 0, v.Name)
	dst = append(dst, 1)
	dst = binary.BigEndian.AppendUint32(dst, uint32(v.BirthDay.Unix()))
	dst = binary.BigEndian.AppendUint32(dst, uint32(v.BirthDay.Nanosecond()))
	dst = colferText(dst, 2, v.Phone)
	switch {
	case v.Siblings > 0:
		dst = binary.AppendUvarint(append(dst, 3), uint64(v.Siblings))
	case v.Siblings < 0:
		dst = binary.AppendUvarint(append(dst, 3|0x80), uint64(-v.Siblings))
	}
	if v.Spouse {
		dst = append(dst, 4)
	}
	if v.Money != 0 {
		dst = binary.BigEndian.AppendUint64(append(dst, 5), math.Float64bits(v.Money))
	}
	return append(dst, colferEnd), nil
}

func colferText(dst []byte, field byte, s string) []byte {
	if s == "" {
		return dst
	}
	return append(binary.AppendUvarint(append(dst, field), uint64(len(s))), s...)
}

// colferParse reads the fields in order. Each of them may be missing.
func colferParse(b []byte, v *smallStruct) error {
	c := cursor{b: b}
	field := c.uint8()
	if field == 0 {
		v.Name = string(c.span(c.varint()))
		field = c.uint8()
	}
	if field == 1 {
		t := binary.BigEndian.Uint64(c.fixed(8))
		v.BirthDay = time.Unix(int64(t>>32), int64(uint32(t)))
		field = c.uint8()
	}
	if field == 2 {
		v.Phone = string(c.span(c.varint()))
		field = c.uint8()
	}
	switch field {
	case 3:
		v.Siblings = c.varint()
		field = c.uint8()
	case 3 | 0x80:
		v.Siblings = -c.varint()
		field = c.uint8()
	}
	if field == 4 {
		v.Spouse = true
		field = c.uint8()
	}
	if field == 5 {
		v.Money = math.Float64frombits(binary.BigEndian.Uint64(c.fixed(8)))
		field = c.uint8()
	}
	if field != colferEnd {
		c.fail(errColfer)
	}
	return c.end()
}

// varint reads an integer below 2³¹.
func (c *cursor) varint() int {
	x, n := binary.Uvarint(c.b)
	if n <= 0 || x > math.MaxInt32 {
		c.fail(errColfer)
		return 0
	}
	c.b = c.b[n:]
	return int(x)
}
