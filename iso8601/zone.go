package iso8601

import (
	"math"
	"sync/atomic"
	"time"
)

// mostMinutes is the greatest offset that is read, in minutes. Like time.Parse, Parse takes 24
// hours and 60 minutes.
const mostMinutes = 24*60 + 60

// zones are the fixed zones that have been met, from the greatest offset west to the greatest east.
// None is forgotten: all of them are half a megabyte.
var zones [2*mostMinutes + 1]atomic.Pointer[time.Location]

// meet makes the fixed zone of that offset in minutes, unless another goroutine just has.
func meet(minutes int) *time.Location {
	known := &zones[minutes+mostMinutes]
	known.CompareAndSwap(nil, time.FixedZone("", minutes*60))
	return known.Load()
}

// in is the time in the zone of that offset in minutes: the local zone when its offset is the same
// at that time, else a fixed one.
func in(unix, fraction int64, minutes int) time.Time {
	unix -= int64(minutes) * 60
	t := time.Unix(unix, fraction)
	// To look the local offset up takes a third of the time that Parse has.
	s := spans[uint64(unix)>>23%uint64(len(spans))].Load()
	offset := 0
	if s != nil && s.local == time.Local && uint64(unix-s.from) < s.seconds {
		offset = s.offset
	} else {
		offset = findOffset(t, unix, s)
	}
	if offset == minutes*60 {
		// t is local already; but when a program has set time.Local to time.UTC, Local leaves the
		// pointer out, as time.Parse does.
		return t.Local()
	}
	z := zones[minutes+mostMinutes].Load()
	if z == nil {
		z = meet(minutes)
	}
	return t.In(z)
}

// A span is a time in which the local zone has one offset.
type span struct {
	local   *time.Location // time.Local, which a program may set
	from    int64
	seconds uint64 // that it lasts
	offset  int
}

// spans are those that have been met, a place for each quarter of a year or so. What does not fit
// is looked up again each time.
var spans [64]atomic.Pointer[span]

// findOffset is the offset of the local zone at t, whose Unix time is unix, where the span in its
// place is another. That is replaced only when time.Local is no longer what it was, so that nothing
// is allocated in the long run.
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
