package msgpack

// Time: ext type -1 of the specification, in its three lengths.
//
//	d6 ff        u32 seconds                               1970 to 2106, whole seconds
//	d7 ff        u30 nanoseconds, u34 seconds              1970 to 2514
//	c7 0c ff     u32 nanoseconds, i64 seconds              any

import (
	"encoding/binary"
	"fmt"
	"time"

	"github.com/slipstream-go/slipstream/internal/mem"
)

func appendTime(b []byte, t time.Time) []byte {
	secs, ns := uint64(t.Unix()), uint64(t.Nanosecond())
	if secs>>34 == 0 {
		if data := ns<<34 | secs; data>>32 == 0 {
			return binary.BigEndian.AppendUint32(append(b, codeFixext4, 0xff), uint32(data))
		} else {
			return binary.BigEndian.AppendUint64(append(b, codeFixext8, 0xff), data)
		}
	}
	b = binary.BigEndian.AppendUint32(append(b, codeExt8, 12, 0xff), uint32(ns))
	return binary.BigEndian.AppendUint64(b, secs)
}

// timeOf is the time in the data of a time ext. Nanoseconds beyond a second carry over.
func timeOf(data []byte) (time.Time, bool) {
	switch len(data) {
	case 4:
		return time.Unix(int64(binary.BigEndian.Uint32(data)), 0), true
	case 8:
		v := binary.BigEndian.Uint64(data)
		return time.Unix(int64(v&(1<<34-1)), int64(v>>34)), true
	case 12:
		ns, secs := binary.BigEndian.Uint32(data), binary.BigEndian.Uint64(data[4:])
		return time.Unix(int64(secs), int64(ns)), true
	}
	return time.Time{}, false
}

// zeroSeconds is the zero time.Time, which reads back as UTC, so that it equals time.Time{}.
var zeroSeconds = time.Time{}.Unix()

// readTime reads what a time may be: the ext, an array of seconds and nanoseconds, or a string.
func (d *Decoder) readTime(i int) (time.Time, int) {
	c, ok := d.codeAt(i)
	if !ok {
		return time.Time{}, -1
	}
	switch f := forms[c]; {
	case c == codeNil:
		return time.Time{}, i + 1
	case isExt(c):
		id, n, start := d.extHeader(i)
		if start < 0 || !d.whole(i, start-i, start-i+n) {
			return time.Time{}, -1
		}
		if id != extTime && id != extTimeNode {
			return time.Time{}, d.fail(i, fmt.Errorf("msgpack: invalid time ext id=%d", id))
		}
		return d.timeIn(i, start, n)
	case f.kind == formFixArray || f.kind == formArray:
		n, j := d.arrayLen(i)
		if j < 0 {
			return time.Time{}, -1
		}
		if n != 2 {
			return time.Time{}, d.fail(i, fmt.Errorf("msgpack: a time is an array of 2, not %d", n))
		}
		secs, j := d.readInt(j)
		if j < 0 {
			return time.Time{}, -1
		}
		ns, j := d.readInt(j)
		return d.zoned(time.Unix(secs, ns)), j
	case !isStr(c):
		_, _, next := d.extHeader(i) // which it is not
		return time.Time{}, next
	default:
		start, next := d.readBytes(i)
		if next < 0 {
			return time.Time{}, -1
		}
		t, err := time.Parse(time.RFC3339Nano, string(d.b[start:next]))
		if err != nil {
			return time.Time{}, d.fail(i, err)
		}
		return d.zoned(t), next
	}
}

// zoned is t in the zone that the options ask for.
func (d *Decoder) zoned(t time.Time) time.Time {
	if d.flags&utcTimes != 0 {
		return t.UTC()
	}
	return t
}

// timeIn is the time in the ext data d.b[start:start+n], which is at hand.
func (d *Decoder) timeIn(i, start, n int) (time.Time, int) {
	t, ok := timeOf(d.b[start : start+n])
	if !ok {
		return time.Time{}, d.fail(i, fmt.Errorf("msgpack: invalid ext len=%d decoding time", n))
	}
	if t.Unix() == zeroSeconds && t.Nanosecond() == 0 {
		t = time.Time{}
	}
	return d.zoned(t), start + n
}

func decodeTimeValue(d *Decoder, o *op, p mem.Pointer, i int) int {
	t, i := d.readTime(i)
	if i >= 0 {
		*mem.At[time.Time](p, 0) = t
	}
	return i
}

func encodeTimeValue(e *Encoder, o *op, p mem.Pointer, b []byte) []byte {
	return appendTime(b, *mem.At[time.Time](p, 0))
}
