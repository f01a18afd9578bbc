package relay

import (
	"net"
	"slices"
	"strings"
	"sync"
	"time"
)

// readMetadata collects the metadata in a request of version 1. In version 1, metadata does not
// belong to a series.
func (q *request) readMetadata() {
	r := q.relay
	for entry := range q.splitter.MetadataRaw {
		q.entries++
		if r.o.Metadata != ToNone {
			q.metadata = append(q.metadata, entry...)
		}
	}
	r.counters.metadata.Add(int64(q.entries))
	if r.o.Metadata == ToAll && q.splitter.Len() > 1 && q.splitter.Len()*len(q.metadata) > r.o.Bounds.Decoded {
		q.metadata = q.metadata[:0] // otherwise the copies might be too large, such as 1 MB for each of 1000 tenants
	}
}

// routeMetadata makes a parcel with the metadata for each tenant that gets the metadata according
// to the settings. It skips a tenant if another parcel of the tenant already contains the metadata.
// It rejects a request only if there are too many tenants.
func (q *request) routeMetadata() *refusal {
	r := q.relay
	if r.o.Metadata == ToAll {
		r.senders.note(q.sender(), q.parcels)
	}
	n := q.entries
	if len(q.metadata) > 0 {
		var keys []string
		switch had := slices.ContainsFunc(q.parcels, func(p parcel) bool { return q.hasMetadata(p.tenant) }); {
		case had:
			n = 0
		case r.o.Metadata == ToDefault && r.o.Tenants.Default != "":
			keys = []string{q.credential.prefix + r.o.Tenants.Default}
		case r.o.Metadata == ToAll && len(q.parcels) == 0:
			keys = r.senders.of(q.sender())
		}
		if len(keys)*len(q.metadata) > r.o.Bounds.Decoded {
			keys = nil
		}
		for _, key := range keys {
			if err := q.packMetadata(key, &n); err != nil {
				return err
			}
		}
	}
	r.counters.metadataDropped.Add(int64(n))
	return nil
}

// hasMetadata reports whether a parcel of the tenant t contains the metadata.
func (q *request) hasMetadata(t *tenant) bool {
	o := &q.relay.o
	return o.Metadata == ToAll || o.Metadata == ToDefault && t.key == q.credential.prefix+o.Tenants.Default
}

// packMetadata makes a parcel that contains only metadata. If it makes a parcel, it sets the
// variable to which `n` points to 0.
func (q *request) packMetadata(key string, n *int) *refusal {
	if name, ok := strings.CutPrefix(key, q.credential.prefix); !ok || !q.credential.allows([]byte(name)) {
		return nil
	}
	t, err := q.relay.tenant([]byte(key))
	if err != nil {
		return refuse(Overloaded, "%v", err)
	}
	if to := t.route.Load(); to.err != nil || to.rule.Drop {
		return nil
	}
	*n = 0
	p := q.newParcel(t)
	p.plain, p.bytes = q.metadata, len(q.metadata)
	return nil
}

// senders records, for each sender, the tenants for which the sender has recently written. Only
// these tenants may get metadata from this sender.
type senders struct {
	mu    sync.Mutex
	wrote map[string]*wrote
}

type wrote struct {
	tenants []string
	at      time.Time
}

const (
	maxSenders       = 10_000
	maxSenderTenants = 100
	recently         = 10 * time.Minute
)

// sender returns a name for the sender of the request: the name of its credential, or its address
// if it has no credential.
func (q *request) sender() string {
	if q.credential != anybody {
		return q.credential.name
	}
	host, _, err := net.SplitHostPort(q.head.RemoteAddr)
	if err != nil {
		return q.head.RemoteAddr
	}
	return host
}

func (s *senders) note(sender string, parcels []parcel) {
	if len(parcels) == 0 {
		return
	}
	now := time.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	w := s.wrote[sender]
	if w == nil || now.Sub(w.at) > recently {
		if s.wrote == nil {
			s.wrote = make(map[string]*wrote)
		}
		if len(s.wrote) >= maxSenders {
			clear(s.wrote) // senders are recorded again with their next requests
		}
		w = &wrote{}
		s.wrote[sender] = w
	}
	w.at = now
	for i := range parcels {
		if key := parcels[i].tenant.key; len(w.tenants) < maxSenderTenants && !slices.Contains(w.tenants, key) {
			w.tenants = append(w.tenants, key)
		}
	}
}

func (s *senders) of(sender string) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if w := s.wrote[sender]; w != nil && time.Since(w.at) <= recently {
		return slices.Clone(w.tenants)
	}
	return nil
}
