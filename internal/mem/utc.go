package mem

import (
	"time"
	"unsafe"
)

// utc is the memory layout of a time.Time in UTC without a reading of the monotonic clock.
type utc struct {
	nanoseconds uint64
	seconds     int64 // seconds since the year 1
	zone        unsafe.Pointer
}

const untilUnix = 62135596800 // number of seconds from the year 1 to 1970

// SetUTC sets *t to the UTC time that is s seconds and ns nanoseconds after the start of 1970. The
// result equals time.Unix(s, ns).UTC(), but SetUTC neither sets the local zone first nor checks the
// range of ns. The caller must know that ns is less than 1e9, and that UTCWorks is true.
func SetUTC(t *time.Time, s int64, ns uint64) {
	*(*utc)(unsafe.Pointer(t)) = utc{ns, s + untilUnix, nil}
}

// UTCWorks reports whether a time.Time has the memory layout that SetUTC expects.
var UTCWorks = func() bool {
	t := time.Unix(1700000000, 123456789).UTC()
	return unsafe.Sizeof(t) == unsafe.Sizeof(utc{}) && *(*utc)(unsafe.Pointer(&t)) == utc{123456789, 1700000000 + untilUnix, nil}
}()
