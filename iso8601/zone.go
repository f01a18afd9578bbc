package iso8601

import (
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
	if _, local := t.Zone(); local == minutes*60 {
		// t is local already; but when a program has set time.Local to time.UTC, Local leaves the pointer out, as time.Parse does.
		return t.Local()
	}
	z := zones[minutes+mostMinutes].Load()
	if z == nil {
		z = meet(minutes)
	}
	return t.In(z)
}
