package parco

import (
	"time"

	"github.com/slipstream-go/slipstream/schema"
)

// TimeUTC returns the type of a time as nanoseconds since 1970, in 8 bytes. It is read in UTC. The
// zero time survives a round trip. Other times before 1678 or after 2261 cannot be written.
func TimeUTC() Type[time.Time] { return plain(8, schema.Time) }

// TimeLocation is like [TimeUTC], followed by the name of the zone, which the reader must know.
// Local is the zone of the reader.
func TimeLocation() Type[time.Time] { return plain(8, schema.TimeZone) }

func timeType(withLocation bool) Type[time.Time] {
	if withLocation {
		return TimeLocation()
	}
	return TimeUTC()
}
