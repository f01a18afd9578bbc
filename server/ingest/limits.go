package ingest

import (
	"cmp"

	"github.com/slipstream-go/slipstream/server/rows"
)

// Limits contains the limits of a request, and the limits of all current requests together. A field
// that is 0 is set to its default, which follows the colon in the field's comment. A negative field
// is also set to its default, except MinRate.
type Limits struct {
	Body         int64 // maximum bytes of a body as received: 64 MiB
	Decompressed int64 // maximum bytes of a body after decompression: 256 MiB
	Ratio        int64 // maximum decompression ratio, enforced after the first MiB: 200
	InFlight     int64 // maximum bytes of all bodies that are being received, decoded or written: 256 MiB
	MinRate      int64 // minimum bytes per second of an arriving body, over 5 s: 4 KiB; negative: no minimum

	rows.Limits // limits of the rows in a body
}

func (l *Limits) setDefaults() {
	l.Body = cmp.Or(max(l.Body, 0), 64<<20)
	l.Decompressed = cmp.Or(max(l.Decompressed, 0), 256<<20)
	l.Ratio = cmp.Or(max(l.Ratio, 0), 200)
	l.InFlight = cmp.Or(max(l.InFlight, 0), 256<<20)
	l.MinRate = cmp.Or(l.MinRate, 4<<10)
	l.Limits.SetDefaults()
}

// decompressed returns the maximum decompressed size of a body of n bytes.
func (l *Limits) decompressed(n int) int64 {
	const free = 1 << 20
	return min(l.Decompressed, max(free, l.Ratio*int64(n)))
}
