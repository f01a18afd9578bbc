package iso8601

import (
	"math"
	"sync/atomic"
	"time"
)

// mostMinutes is the largest accepted offset, in minutes. Like time.Parse, Parse accepts offsets of
// up to 24 hours and 60 minutes.
const mostMinutes = 24*60 + 60

// zones contains the fixed zones that have been used, from the largest western offset to the
// largest eastern offset. It keeps all of these zones, which take up to half a megabyte.
var zones [2*mostMinutes + 1]atomic.Pointer[time.Location]

// meet returns the fixed zone with the given offset in minutes. It stores the zone in zones, unless
// another goroutine has just done so.
func meet(minutes int) *time.Location {
	known := &zones[minutes+mostMinutes]
	known.CompareAndSwap(nil, time.FixedZone("", minutes*60))
	return known.Load()
}

// in returns the time in a zone with the given offset in minutes. This zone is the local zone if
// the local zone has the same offset at that time. Otherwise, it is a fixed zone.
func in(unix, fraction int64, minutes int) time.Time {
	unix -= int64(minutes) * 60
	t := time.Unix(unix, fraction)
	// Looking up the local offset takes a third of the time of Parse, so offsets are cached.
	s := spans[uint64(unix)>>23%uint64(len(spans))].Load()
	offset := 0
	if s != nil && s.local == time.Local && uint64(unix-s.from) < s.seconds {
		offset = s.offset
	} else {
		offset = findOffset(t, unix, s)
	}
	if offset == minutes*60 {
		// The time t is already in the local zone. However, if a program has set time.Local to
		// time.UTC, the method Local removes the pointer to the location, as time.Parse does.
		return t.Local()
	}
	z := zones[minutes+mostMinutes].Load()
	if z == nil {
		z = meet(minutes)
	}
	return t.In(z)
}

// A span is a time interval in which the offset of the local zone is constant.
type span struct {
	local   *time.Location // time.Local, which a program may set
	from    int64
	seconds uint64 // length of the interval
	offset  int
}

// spans caches the spans that have been used. Each place in the cache corresponds to about a
// quarter of a year. If the place of a span is occupied by another span, the offset is looked up
// each time.
var spans [64]atomic.Pointer[span]

// findOffset returns the offset of the local zone at the time t. The argument `unix` is the Unix
// time of t, and `old` is the span in t's place in the cache. findOffset is called if `old` does
// not contain t. It replaces `old` only if time.Local has changed, so that the total number of
// allocations is limited.
func findOffset(t time.Time, unix int64, old *span) int {
	_, offset := t.Zone()
	if old == nil || old.local != time.Local {
		first, end := int64(math.MinInt64), int64(math.MaxInt64)
		from, to := t.ZoneBounds()
		if !from.IsZero() {
			first = from.Unix()
		}
		if !to.IsZero() {
			end = to.Unix()
		}
		spans[uint64(unix)>>23%uint64(len(spans))].Store(&span{time.Local, first, uint64(end - first), offset})
	}
	return offset
}
