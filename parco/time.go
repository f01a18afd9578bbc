package parco

import (
	"time"

	"github.com/slipstream-go/slipstream/schema"
)

// TimeUTC returns a type for times. The encoding is the number of nanoseconds since 1970, in 8
// bytes. Parse returns times in UTC. The zero time survives a round trip. All other times before
// 1678 or after 2261 cannot be written.
func TimeUTC() Type[time.Time] { return plain(8, schema.Time) }

// TimeLocation is like [TimeUTC], but the encoding also contains the name of the zone, which the
// reader must know. The name Local means the zone of the reader.
func TimeLocation() Type[time.Time] { return plain(8, schema.TimeZone) }

func timeType(withLocation bool) Type[time.Time] {
	if withLocation {
		return TimeLocation()
	}
	return TimeUTC()
}
