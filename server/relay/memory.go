package relay

import (
	"hash/maphash"
	"sync"
	"sync/atomic"
	"time"
)

// memory records which parcels were accepted although their request failed because of other
// parcels. A parcel is the part of a request that belongs to one tenant. When the sender repeats
// the whole request, the relay does not post the recorded parcels again. The number of entries is
// limited, and entries are removed after some time. If the entry of a parcel was removed, the
// parcel is posted twice. This has no other effects.
type memory struct {
	some atomic.Bool
	mu   sync.Mutex
	new  map[uint64]struct{}
	old  map[uint64]struct{}
	born time.Time // creation time of the field `new`
}

const (
	maxMemory = 64 << 10
	remembers = 5 * time.Minute
)

// has reports whether the memory contains the parcel p.
func (m *memory) has(p *parcel) bool {
	if !m.some.Load() {
		return false
	}
	p.sign()
	m.mu.Lock()
	defer m.mu.Unlock()
	m.turn()
	_, ok := m.new[p.sum]
	if !ok {
		_, ok = m.old[p.sum]
	}
	return ok
}

// note records each of the given parcels that was accepted.
func (m *memory) note(parcels []parcel) {
	for i := range parcels {
		p := &parcels[i]
		if p.result.verdict != taken || p.counts == (counts{}) {
			continue
		}
		p.sign()
		m.mu.Lock()
		if m.new == nil {
			m.new, m.born = make(map[uint64]struct{}), time.Now()
		}
		if len(m.new) >= maxMemory {
			m.old, m.new, m.born = m.new, make(map[uint64]struct{}), time.Now()
		}
		m.new[p.sum] = struct{}{}
		m.some.Store(true)
		m.mu.Unlock()
	}
}

// turn removes old entries.
func (m *memory) turn() {
	if age := time.Since(m.born); age > 2*remembers {
		m.new, m.old = nil, nil
		m.some.Store(false)
	} else if age > remembers {
		m.old, m.new, m.born = m.new, make(map[uint64]struct{}), time.Now()
	}
}

// sign sets the field `sum` of the parcel.
func (p *parcel) sign() {
	if p.sum != 0 {
		return
	}
	var h maphash.Hash
	h.SetSeed(seed)
	h.WriteString(p.tenant.line())
	h.WriteByte(0)
	h.Write(p.body()) // compression is deterministic, so equal parcels have equal sums
	p.sum = h.Sum64()
}
