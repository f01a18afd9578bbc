package ingest

import (
	"net/netip"
	"sync"
	"sync/atomic"
)

// Budget is the memory for all current requests.
//
// A client always leaves as much of it free as its own requests use: one client can use half, two
// clients a third each. So there is always room for another client. A request that is alone may
// exceed the budget, because otherwise a larger request could never be served.
type Budget struct {
	limit int64
	used  atomic.Int64

	mu      sync.Mutex
	clients map[netip.Prefix]*client // with current requests
}

// client is the current requests of one client.
type client struct {
	used     atomic.Int64
	requests int
}

// NewBudget returns a budget of limit bytes.
func NewBudget(limit int64) *Budget {
	return &Budget{limit: limit, clients: make(map[netip.Prefix]*client)}
}

// Free returns the number of free bytes. It is negative if a request that is alone has exceeded the
// budget.
func (b *Budget) Free() int64 { return b.limit - b.used.Load() }

// Used returns the number of used bytes.
func (b *Budget) Used() int64 { return b.used.Load() }

// Hold is the part of a budget that one request uses.
type Hold struct {
	budget *Budget
	from   netip.Prefix
	client *client // nil: no client's share bounds it
	bytes  int64
}

// Of begins a request of the client at addr. It uses no bytes yet. The caller must call Release.
func (b *Budget) Of(addr string) Hold {
	from := network(addr)
	b.mu.Lock()
	defer b.mu.Unlock()
	c := b.clients[from]
	if c == nil {
		c = new(client)
		b.clients[from] = c
	}
	c.requests++
	return Hold{budget: b, from: from, client: c}
}

// network returns what tells clients apart: an address of IPv4, or a network of IPv6, whose 64 last
// bits a host chooses for itself. Peers without an address are one client.
func network(addr string) netip.Prefix {
	ap, err := netip.ParseAddrPort(addr)
	if err != nil {
		return netip.Prefix{}
	}
	ip := ap.Addr().Unmap().WithZone("")
	bits := 64
	if ip.Is4() {
		bits = 32
	}
	p, _ := ip.Prefix(bits)
	return p
}

// Take adds n bytes. It returns an error for the client if the budget or the client's share does
// not allow it. If n is negative, it returns bytes.
func (h *Hold) Take(n int64) error {
	now, own := h.add(n)
	most := h.budget.limit
	switch {
	case n <= 0, now == h.bytes, now <= most && own <= most-now:
		return nil
	}
	h.add(-n)
	if now <= most {
		return errShare()
	}
	return errInFlight()
}

// add changes what the request holds, and returns what is held of the budget, and by the client.
func (h *Hold) add(n int64) (all, own int64) {
	h.bytes += n
	all = h.budget.used.Add(n)
	if h.client != nil {
		own = h.client.used.Add(n)
	}
	return all, own
}

// Bytes returns the number of bytes that the request uses.
func (h *Hold) Bytes() int64 { return h.bytes }

// Unshare exempts the request from its client's share, and its bytes from the client's use, because
// something else limits it.
func (h *Hold) Unshare() {
	c, b := h.client, h.budget
	if c == nil {
		return
	}
	c.used.Add(-h.bytes)
	b.mu.Lock()
	defer b.mu.Unlock()
	if c.requests--; c.requests == 0 {
		delete(b.clients, h.from)
	}
	h.client = nil
}

// Release returns all bytes and ends the request.
func (h *Hold) Release() {
	if h.budget == nil {
		return
	}
	h.Unshare()
	h.add(-h.bytes)
	*h = Hold{}
}

func errInFlight() error {
	return refuse(Overloaded, "the memory for requests is in use: retry later")
}

func errShare() error {
	return refuse(Overloaded, "your other requests hold this client's share of the memory: send fewer at a time, and this one again later")
}
