package ingest

import (
	"net/netip"
	"sync"
	"sync/atomic"
)

// Budget is the memory that all current requests may occupy together.
//
// A client leaves at least as much of it free as its own requests hold: one client gets half of it,
// two get a third each. So however many clients send however much, there is room for the next one.
// A request that holds all that is in use may exceed the budget: otherwise one that is larger could
// never be served.
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

// Free returns how many bytes may be taken. It is negative where a request that is alone has
// exceeded the budget.
func (b *Budget) Free() int64 { return b.limit - b.used.Load() }

// Used returns how many bytes are taken.
func (b *Budget) Used() int64 { return b.used.Load() }

// Hold is what one request holds of a budget.
type Hold struct {
	budget *Budget
	from   netip.Prefix
	client *client // nil: no client's share bounds it
	bytes  int64
}

// Of begins a request of the client at addr. It holds nothing yet, and must end with Release.
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

// Take adds n bytes to what the request holds. It returns a refusal if the budget or the client's
// share does not allow it. If n is below 0, it gives bytes back.
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

// Bytes returns how many bytes the request holds.
func (h *Hold) Bytes() int64 { return h.bytes }

// Unshare has no client's share bound the request from now on, and its bytes count for none:
// something else bounds it.
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

// Release gives everything back and ends the request.
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
