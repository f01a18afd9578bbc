package schema

import (
	"math"
	"path"
	"sync"
	"time"

	"github.com/slipstream-go/slipstream/internal/mem"
)

// zeroNanos is what Parco writes for the zero time, which is too early to be a number of
// nanoseconds since 1970. It stands for the zero time here too; the instant that it would be, in
// 1754, cannot be written.
const zeroNanos = -6795364578871345152

// All times whose seconds are from minSeconds to maxSeconds have a number of nanoseconds.
const (
	minSeconds = math.MinInt64 / 1_000_000_000
	maxSeconds = math.MaxInt64/1_000_000_000 - 1
)

// nanoseconds is t as it stands on the wire, and whether it can.
func nanoseconds(t *time.Time) (n uint64, ok bool) {
	if s := t.Unix(); minSeconds <= s && s <= maxSeconds {
		n := s*1e9 + int64(t.Nanosecond())
		return uint64(n), n != zeroNanos
	}
	last := t.UnixNano()
	return uint64(last), time.Unix(0, last).Equal(*t) || t.IsZero()
}

// instant is what stands on the wire as n.
func instant(n uint64) time.Time {
	if int64(n) == zeroNanos {
		return time.Time{}
	}
	return time.Unix(0, int64(n)).UTC()
}

// timeZone appends a time and the name of its zone.
func (e *encoder) timeZone(t *time.Time, b []byte) []byte {
	n, ok := nanoseconds(t)
	if !ok {
		return e.wrong(b, ErrTime)
	}
	name := t.Location().String()
	if !zoneNamed(*t, name) {
		return e.wrong(b, ErrZone)
	}
	all := b[:cap(b)]
	mem.Store64(all, len(b), n)
	mem.Store8(all, len(b)+8, 1)
	mem.Store8(all, len(b)+9, byte(len(name)))
	return append(all[:len(b)+10], name...)
}

// zoneNamed reports whether a reader that knows name reads t with the same offset.
func zoneNamed(t time.Time, name string) bool {
	zone := t.Location()
	if zone == time.UTC || zone == time.Local {
		return true
	}
	known := zoneOf(name)
	if known == nil || len(name) > math.MaxUint8 {
		return false
	}
	_, a := t.Zone()
	_, b := t.In(known).Zone()
	return a == b
}

// timeZone reads a time and the name of its zone.
func (d *decoder) timeZone(p *time.Time, i int) int {
	if mem.Load8(d.b, i+8) != 1 {
		return d.wrong(i+8, ErrOption)
	}
	n, at := int(mem.Load8(d.b, i+9)), i+10
	if len(d.b)-at < n && d.more(at, n) == nil {
		return d.wrong(i, d.ends())
	}
	zone := zoneOf(mem.String(d.b[at : at+n]))
	if zone == nil {
		return d.wrong(at, ErrZone)
	}
	*p = instant(mem.Load64(d.b, i)).In(zone)
	return at + n
}

// zones are the zones that were met. Finding one may read files, and its name comes from the
// sender; so names that were not found are kept too, and when there are maxZones, all are
// forgotten. There are fewer files than that, so that a sender cannot make one zone be read again
// and again: each time takes 6 KB, which the times of the message keep.
var zones struct {
	sync.RWMutex
	named map[string]*time.Location
}

const maxZones = 4096

// zoneOf is the zone of this name, which is copied if it is kept, or nil. A name is a path of a
// file, but of all paths that lead there it is the shortest: Europe//Berlin and ./Europe/Berlin are
// no names, or there would be any number of zones.
func zoneOf(name string) *time.Location {
	if name != "" && path.Clean(name) != name {
		return nil
	}
	switch name {
	case "UTC":
		return time.UTC
	case "Local":
		return time.Local
	}
	zones.RLock()
	zone, known := zones.named[name]
	zones.RUnlock()
	if known {
		return zone
	}
	name = string(mem.Bytes(name))
	zone, err := time.LoadLocation(name)
	if err != nil {
		zone = nil
	}
	zones.Lock()
	defer zones.Unlock()
	if zones.named == nil || len(zones.named) == maxZones {
		zones.named = make(map[string]*time.Location)
	}
	zones.named[name] = zone
	return zone
}
