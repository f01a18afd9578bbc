package transcode

import (
	"time"

	"github.com/slipstream-go/slipstream/internal/decimal"
	"github.com/slipstream-go/slipstream/internal/msgpwire"
	"github.com/slipstream-go/slipstream/iso8601"
)

// Limits of the years 0 to 9999, in seconds since 1970.
var (
	firstSecond = time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC).Unix()
	afterLast   = time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC).Unix()
)

// ext appends the ext at i. The byte before the offset `start` is the type of the ext. The n bytes
// of its data begin at `start`.
func (r *reader) ext(out []byte, i, start int, n uint64) ([]byte, int) {
	next := r.span(i, start, n)
	if next < 0 {
		return out, next
	}
	id, data := int8(r.b[start-1]), r.b[start:next]
	if id == msgpwire.ExtTime {
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
	case id == msgpwire.ExtTime:
		return out, r.fail(i, errTime)
	}
	return out, r.fail(i, extError(id))
}

// timeOf returns the time in the data of a timestamp ext, and reports whether the year is from 0 to
// 9999.
func timeOf(data []byte) (time.Time, bool) {
	t, ok := msgpwire.TimeOf(data)
	s := t.Unix()
	return t.UTC(), ok && s >= firstSecond && s < afterLast
}
