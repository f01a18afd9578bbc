package schema

import (
	"math"
	"path"
	"sync"
	"time"

	"github.com/slipstream-go/slipstream/internal/mem"
)

// zeroNanos is the encoding of the zero time, as in Parco. The zero time is too early for an int64
// of nanoseconds since 1970. The number zeroNanos actually denotes an instant in 1754, so this
// instant cannot be written.
const zeroNanos = -6795364578871345152

// If the seconds of a time are in the range from minSeconds to maxSeconds, its nanoseconds since
// 1970 fit 64 bits.
const (
	minSeconds = math.MinInt64 / 1_000_000_000
	maxSeconds = math.MaxInt64/1_000_000_000 - 1
)

// nanoseconds returns the encoding of t, and reports whether t can be encoded.
func nanoseconds(t *time.Time) (n uint64, ok bool) {
	if s := t.Unix(); minSeconds <= s && s <= maxSeconds {
		n := s*1e9 + int64(t.Nanosecond())
		return uint64(n), n != zeroNanos
	}
	last := t.UnixNano()
	return uint64(last), time.Unix(0, last).Equal(*t) || t.IsZero()
}

// instant returns the time whose encoding is n.
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

// zoneNamed reports whether t may be encoded with the given name of a zone. A reader that knows
// this zone must read t with the same offset from UTC.
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

// zones caches look-ups of zones. A look-up may read files, and the name comes from the sender. So
// unknown names are cached, too, and the map is emptied when it contains maxZones names. There are
// fewer than maxZones zone files, so a sender cannot make the reader load the same zone repeatedly.
// Each load allocates 6 KB, which the times in the message keep alive.
var zones struct {
	sync.RWMutex
	named map[string]*time.Location
}

const maxZones = 4096

// zoneOf returns the zone with this name. If the name is unknown, it returns nil. It copies names
// that it caches. The name of a zone is the path of a file, but zoneOf accepts only the shortest
// path. For example, it rejects Europe//Berlin and ./Europe/Berlin, because otherwise the number of
// names would be unlimited.
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
