package iso8601

import (
	"math"
	"sync/atomic"
	"time"
)

// mostMinutes is the greatest offset that is read, in minutes. Like time.Parse, Parse takes 24 hours and 60 minutes.
const mostMinutes = 24*60 + 60

// zones are the fixed zones that have been met, from the greatest offset west to the greatest east. None is forgotten: all of
// them are half a megabyte.
var zones [2*mostMinutes + 1]atomic.Pointer[time.Location]

// meet makes the fixed zone of that offset in minutes, unless another goroutine just has.
func meet(minutes int) *time.Location {
	known := &zones[minutes+mostMinutes]
	known.CompareAndSwap(nil, time.FixedZone("", minutes*60))
	return known.Load()
}

// in is the time in the zone of that offset in minutes: the local zone when its offset is the same at that time, else a fixed one.
func in(unix, fraction int64, minutes int) time.Time {
	t := time.Unix(unix-int64(minutes)*60, fraction)
	if localOffset(t, unix-int64(minutes)*60) == minutes*60 {
		// t is local already; but when a program has set time.Local to time.UTC, Local leaves the pointer out, as time.Parse does.
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
	local    *time.Location // time.Local, which a program may set
	from, to int64
	offset   int
}

// spans are those that have been met, a place for each quarter of a year or so. What does not fit is looked up again each time.
var spans [64]atomic.Pointer[span]

// localOffset is the offset of the local zone at t, whose Unix time is unix. To look it up takes a third of the time that Parse has.
func localOffset(t time.Time, unix int64) int {
	s := spans[uint64(unix)>>23%uint64(len(spans))].Load()
	if s != nil && s.local == time.Local && s.from <= unix && unix < s.to {
		return s.offset
	}
	return findOffset(t, unix, s)
}

// findOffset is localOffset where the span in the place of t is another. That is replaced only when time.Local is no longer what it
// was, so that nothing is allocated in the long run.
func findOffset(t time.Time, unix int64, old *span) int {
	_, offset := t.Zone()
	if old == nil || old.local != time.Local {
		met := &span{local: time.Local, from: math.MinInt64, to: math.MaxInt64, offset: offset}
		from, to := t.ZoneBounds()
		if !from.IsZero() {
			met.from = from.Unix()
		}
		if !to.IsZero() {
			met.to = to.Unix()
		}
		spans[uint64(unix)>>23%uint64(len(spans))].Store(met)
	}
	return offset
}
