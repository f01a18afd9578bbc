package admission

import (
	"errors"
	"net/netip"
	"sync"
	"sync/atomic"
)

// Budget is the memory for all current requests.
//
// The requests of one client can use at most half of the memory that all other requests leave free.
// So a single client can use half of the budget, and two clients can use a third each; memory
// always remains for a further client. A single request may exceed the budget if there are no other
// requests. Otherwise, a request that is larger than the budget could never be served.
type Budget struct {
	limit int64
	used  atomic.Int64

	mu      sync.Mutex
	clients map[netip.Prefix]*client // clients with current requests
}

// client contains the number of current requests of one client, and the bytes that they use.
type client struct {
	used     atomic.Int64
	requests int
}

// NewBudget returns a budget of `limit` bytes.
func NewBudget(limit int64) *Budget {
	return &Budget{limit: limit, clients: make(map[netip.Prefix]*client)}
}

// Free returns the number of free bytes. The number is negative while a single request exceeds the
// budget.
func (b *Budget) Free() int64 { return b.limit - b.used.Load() }

// Used returns the number of used bytes.
func (b *Budget) Used() int64 { return b.used.Load() }

// The method Of returns the Hold of a new request from the client at the given address. The request
// does not use any bytes yet. The caller must call Release at the end of the request.
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

// The method Own returns the Hold of a new request that is exempt from the limit for a single
// client. The caller must call Release at the end of the request.
func (b *Budget) Own() Hold { return Hold{budget: b} }

// network returns the part of an address that identifies a client. For IPv4, this is the whole
// address. For IPv6, it is the first 64 bits, because a host can choose the other 64 bits itself.
// All peers without an address count as one client.
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

// Hold is the part of a budget that one request uses. The zero Hold belongs to no budget, so it
// does not limit memory.
type Hold struct {
	budget *Budget
	from   netip.Prefix
	client *client // nil if the limit for a client does not apply to the request
	bytes  int64
}

// Take charges n bytes to the request. If this would exceed the budget or the limit for the client,
// Take returns a [BudgetError] and charges nothing. If n is negative, Take releases -n bytes, and
// always succeeds.
func (h *Hold) Take(n int64) error {
	if h.budget == nil {
		return nil
	}
	now, own := h.add(n)
	most := h.budget.limit
	switch {
	case n <= 0, now == h.bytes, now <= most && own <= most-now:
		return nil
	}
	h.add(-n)
	if now <= most {
		return ErrShare
	}
	return ErrFull
}

// add adds n bytes to the request, and returns two sums: the bytes that all requests now use, and
// the bytes that the client's requests now use.
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

// Unshare exempts the request from the limit for its client. The bytes of the request no longer
// count for the client. Unshare is for requests to which another limit applies instead.
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

// Release returns all bytes of the request to the budget, and ends the request.
func (h *Hold) Release() {
	if h.budget == nil {
		return
	}
	h.Unshare()
	h.add(-h.bytes)
	*h = Hold{}
}

// BudgetError is the error for a request that needs more memory than the budget or the limit for
// the client allows. Its text is sent to the client.
type BudgetError struct{ text string }

func (e *BudgetError) Error() string { return e.text }

// Busy reports whether err is a [BudgetError].
func Busy(err error) bool {
	var e *BudgetError
	return errors.As(err, &e)
}

// These are the two values of [BudgetError].
var (
	ErrFull  = &BudgetError{"all memory for requests is in use: retry later"}
	ErrShare = &BudgetError{"your other requests use this client's whole share of the memory: send fewer requests at a time, and retry this one later"}
)
