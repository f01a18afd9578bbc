package msgpack

import (
	"fmt"
	"time"

	"github.com/slipstream-go/slipstream/internal/mem"
	"github.com/slipstream-go/slipstream/internal/msgpwire"
)

// zeroSeconds is the Unix time of the zero time.Time. A timestamp with this value is decoded as
// time.Time{}, in UTC.
var zeroSeconds = time.Time{}.Unix()

// readTime reads a time in any form: a timestamp ext, an array of seconds and nanoseconds, or a
// string.
func (d *Decoder) readTime(i int) (time.Time, int) {
	c, ok := d.codeAt(i)
	if !ok {
		return time.Time{}, -1
	}
	switch f := msgpwire.Forms[c]; {
	case c == msgpwire.Nil:
		return time.Time{}, i + 1
	case msgpwire.IsExt(c):
		id, n, start := d.extHeader(i)
		if start < 0 || !d.whole(i, start-i, start-i+n) {
			return time.Time{}, -1
		}
		if id != msgpwire.ExtTime && id != msgpwire.ExtTimeNode {
			return time.Time{}, d.fail(i, fmt.Errorf("msgpack: invalid time ext id=%d", id))
		}
		return d.timeIn(i, start, n)
	case f.Kind == msgpwire.FormFixArray || f.Kind == msgpwire.FormArray:
		n, j := d.arrayLen(i)
		if j < 0 {
			return time.Time{}, -1
		}
		if n != 2 {
			return time.Time{}, d.fail(i, fmt.Errorf("msgpack: a time must be an array of 2 elements, not %d", n))
		}
		if !d.claim(j, n, 1) {
			return time.Time{}, -1
		}
		if d.depth >= d.limits.depth {
			return time.Time{}, d.tooDeep(j)
		}
		secs, j := d.readInt(j)
		if j < 0 {
			return time.Time{}, -1
		}
		ns, j := d.readInt(j)
		return d.zoned(time.Unix(secs, ns)), j
	case !msgpwire.IsStr(c):
		_, _, next := d.extHeader(i) // returns the error, because the value is not an ext
		return time.Time{}, next
	default:
		start, next := d.readBytes(i)
		if next < 0 || d.flags&careful != 0 && !d.allows(i, start, next) {
			return time.Time{}, -1
		}
		t, err := time.Parse(time.RFC3339Nano, string(d.b[start:next]))
		if err != nil {
			return time.Time{}, d.fail(i, err)
		}
		return d.zoned(t), next
	}
}

// zoned returns t in the zone that the options select.
func (d *Decoder) zoned(t time.Time) time.Time {
	if d.flags&utcTimes != 0 {
		return t.UTC()
	}
	return t
}

// timeIn returns the time in the ext data d.b[start:start+n]. The data must be buffered.
func (d *Decoder) timeIn(i, start, n int) (time.Time, int) {
	t, ok := msgpwire.TimeOf(d.b[start : start+n])
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
	return msgpwire.AppendTime(b, *mem.At[time.Time](p, 0))
}
