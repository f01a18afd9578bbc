package transcode

import (
	"time"

	"github.com/slipstream-go/slipstream/internal/decimal"
	"github.com/slipstream-go/slipstream/internal/wire"
	"github.com/slipstream-go/slipstream/iso8601"
)

// extTime is the type of timestamps.
const extTime = -1

// The years 0 to 9999, in seconds since 1970.
var (
	firstSecond = time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC).Unix()
	afterLast   = time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC).Unix()
)

// ext appends the ext at i, whose n bytes of data begin at start, behind its type.
func (r *reader) ext(out []byte, i, start int, n uint64) ([]byte, int) {
	next := r.span(i, start, n)
	if next < 0 {
		return out, next
	}
	id, data := int8(r.b[start-1]), r.b[start:next]
	if id == extTime {
		if t, ok := timeOf(data); ok {
			out = iso8601.Append(append(out, '"'), t)
			return append(out, '"'), next
		}
	}
	switch {
	case r.flags&ExtAsObject != 0:
		out = decimal.AppendInt(append(out, `{"type":`...), int64(id))
		out = appendBase64(append(out, `,"data":`...), data)
		return append(out, '}'), next
	case r.flags&ExtAsNull != 0:
		return append(out, "null"...), next
	case id == extTime:
		return out, r.fail(i, errTime)
	}
	return out, r.fail(i, extError(id))
}

// timeOf is the time in the data of a timestamp, if it lies between the years 0 and 9999. As in package msgpack, nanoseconds beyond a
// second carry over.
//
//	32 bits of seconds                               1970 to 2106
//	30 bits of nanoseconds, 34 bits of seconds       1970 to 2514
//	32 bits of nanoseconds, 64 bits of seconds       any time
func timeOf(data []byte) (t time.Time, ok bool) {
	var s, ns int64
	switch len(data) {
	case 4:
		s = int64(wire.BE32(data, 0))
	case 8:
		v := wire.BE64(data, 0)
		s, ns = int64(v&(1<<34-1)), int64(v>>34)
	case 12:
		s, ns = int64(wire.BE64(data, 4)), int64(wire.BE32(data, 0))
	default:
		return t, false
	}
	const second = 1e9
	if carry := ns / second; s >= firstSecond-carry && s < afterLast-carry {
		return time.Unix(s, ns).UTC(), true
	}
	return t, false
}
