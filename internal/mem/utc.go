package mem

import (
	"time"
	"unsafe"
)

// utc is a time.Time in UTC that has no reading of the monotonic clock.
type utc struct {
	nanoseconds uint64
	seconds     int64 // since the year 1
	zone        unsafe.Pointer
}

const untilUnix = 62135596800 // seconds from the year 1 to 1970

// SetUTC makes *t the time so many seconds and nanoseconds after the start of 1970, in UTC. It is
// what time.Unix(s, ns).UTC() gives, without the local zone and the range of ns in between: the
// caller knows that ns is below 1e9, and that UTCWorks.
func SetUTC(t *time.Time, s int64, ns uint64) {
	*(*utc)(unsafe.Pointer(t)) = utc{ns, s + untilUnix, nil}
}

// UTCWorks tells whether a time.Time is as SetUTC takes it to be.
var UTCWorks = func() bool {
	t := time.Unix(1700000000, 123456789).UTC()
	return unsafe.Sizeof(t) == unsafe.Sizeof(utc{}) && *(*utc)(unsafe.Pointer(&t)) == utc{123456789, 1700000000 + untilUnix, nil}
}()
