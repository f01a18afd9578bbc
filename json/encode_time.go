package json

import (
	"time"

	"github.com/slipstream-go/slipstream/internal/mem"
	"github.com/slipstream-go/slipstream/iso8601"
)

// timeRoom is the space that a time needs. It includes the length of the longest time,
// "2006-01-02T15:04:05.999999999+07:00", and the extra bytes that are stored after it.
const timeRoom = 48

func encodeTime(e *encoder, o *encodeOp, p mem.Pointer, n int) int {
	e.room(n, timeRoom)
	return e.putTime(n, o, p)
}

// putTime writes the time.Time at p. The caller must have reserved timeRoom bytes.
func (e *encoder) putTime(n int, o *encodeOp, p mem.Pointer) int {
	b, t := e.b, *mem.At[time.Time](p, 0)
	if t.IsZero() && t.Location() == time.UTC { // a time that is not set
		mem.StoreBlock(b, n, &zeroTime)
		return n + len(zeroTimeText)
	}
	mem.Store8(b, n, '"')
	n++
	out := iso8601.Append(b[:n], t)
	if !isRFC3339(out[n:]) {
		_, err := t.MarshalJSON()
		e.fail(marshalerError(o.typ, asMarshaled{nil, err}))
	}
	mem.Store8(b, len(out), '"')
	return len(out) + 1
}

const zeroTimeText = `"0001-01-01T00:00:00Z"`

var zeroTime = func() (b mem.Block) {
	copy(b.Text[:], zeroTimeText)
	return b
}()

// isRFC3339 reports whether text conforms to RFC 3339. The argument text must have the format
// time.RFC3339Nano. It conforms if the year has four digits, and the hour of the time zone is below
// 24.
func isRFC3339(text []byte) bool {
	n := len(text)
	if text[4] != '-' {
		return false
	}
	if text[n-1] == 'Z' {
		return true
	}
	sign := text[n-6] // a digit if the hour of the zone has three digits
	return (sign == '+' || sign == '-') && 10*(text[n-5]-'0')+text[n-4]-'0' < 24
}
