package queue

import (
	"errors"
	"fmt"

	"github.com/slipstream-go/slipstream/server/wal"
)

var (
	// ErrFull means that a bound of the queue is reached; the error is a [*FullError].
	ErrFull = errors.New("queue: full")

	// ErrClosed means that the queue was closed.
	ErrClosed = errors.New("queue: closed")
)

// FullError says which tenant's item found no room. Nothing of its Put was taken.
type FullError struct {
	Tenant string
	Held   int64 // bytes that wait, of the tenant or of all
	Limit  int64 // Options.MaxTenantBytes or MaxBytes
	All    bool  // it is MaxBytes
	Group  bool  // it is MaxGroupBytes
	Kept   bool  // there is room, which is kept for tenants whose items are taken at present
	Never  bool  // the item alone exceeds the bound: waiting does not help

	// Next is the error of the next item of the Put whose tenant is at MaxTenantBytes, whose group
	// is at MaxGroupBytes, for whom no room is kept, or that never fits, or nil. So a caller that
	// puts the items of the other tenants finds all that it must leave out at once.
	Next *FullError
}

func (e *FullError) Error() string {
	if e.Never {
		return fmt.Sprintf("%v: an item of tenant %q is too large: it alone takes more than %d bytes; send smaller ones, or raise the bound", ErrFull, e.Tenant, e.Limit)
	}
	if e.Kept {
		return fmt.Sprintf("%v: no room for tenant %q, whose items are not taken at present: %d bytes wait, and from %d on room is kept for other tenants; wait",
			ErrFull, e.Tenant, e.Held, e.Limit)
	}
	who := "it holds"
	switch {
	case e.All:
		who = "all tenants hold"
	case e.Group:
		who = "the tenants of its group hold"
	}
	return fmt.Sprintf("%v: no room for tenant %q: %s %d bytes and the bound is %d; wait, or raise it",
		ErrFull, e.Tenant, who, e.Held, e.Limit)
}

func (e *FullError) Unwrap() error { return ErrFull }

// Explain returns what may be told to strangers of an error of Put, which by itself names paths.
func Explain(err error) string {
	var full *FullError
	switch {
	case errors.As(err, &full):
		return full.Error()
	case errors.Is(err, wal.ErrLowDisk):
		return "queue: the disk is nearly full"
	case errors.Is(err, wal.ErrFull):
		return "queue: the log is full"
	case errors.Is(err, ErrClosed):
		return "queue: the service is stopping"
	case errors.Is(err, wal.ErrFailed):
		return "queue: the disk has failed: the items may be stored or not, and nothing is taken until the service is restarted"
	}
	return "queue: the items are not taken; the log of the service says why"
}
