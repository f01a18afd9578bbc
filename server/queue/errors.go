package queue

import (
	"errors"
	"fmt"

	"github.com/slipstream-go/slipstream/server/wal"
)

var (
	// ErrFull: a limit of the queue is reached. The error is a [*FullError].
	ErrFull = errors.New("queue: full")

	// ErrClosed: the queue is closed.
	ErrClosed = errors.New("queue: closed")
)

// FullError reports the tenant of an item that has no room. No item of its Put was accepted.
type FullError struct {
	Tenant string
	Held   int64 // bytes that wait, of the tenant or of all
	Limit  int64 // Options.MaxTenantBytes or MaxBytes
	All    bool  // it is MaxBytes
	Group  bool  // it is MaxGroupBytes
	Kept   bool  // there is room, which is kept for tenants whose items are taken at present
	Never  bool  // the item alone exceeds the bound: waiting does not help

	// Next is the error of the next item of the Put that has no room either: its tenant is at
	// MaxTenantBytes, its group at MaxGroupBytes, the room is reserved for other tenants, or it
	// exceeds a limit alone. It is nil if there is none. So a caller can omit all such items at
	// once.
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

// Explain returns the text of an error of Put without paths, for answers to senders.
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
