package parco

import (
	"time"

	"github.com/slipstream-go/slipstream/schema"
)

// TimeUTC is an instant: nanoseconds since 1970, in 8 bytes. It is read in UTC. The zero time comes
// back as itself; other times before 1678 or after 2261 cannot be written.
func TimeUTC() Type[time.Time] { return plain(8, schema.Time) }

// TimeLocation is the same and the name of its zone, which the reader must know. Local is the
// reader's.
func TimeLocation() Type[time.Time] { return plain(8, schema.TimeZone) }

func timeType(withLocation bool) Type[time.Time] {
	if withLocation {
		return TimeLocation()
	}
	return TimeUTC()
}
