package queue

import (
	"errors"
	"fmt"

	"github.com/slipstream-go/slipstream/server/wal"
)

var (
	// ErrFull reports that a limit of the queue is reached. The error is a [*FullError].
	ErrFull = errors.New("queue: full")

	// ErrClosed reports that the queue is closed.
	ErrClosed = errors.New("queue: closed")
)

// FullError reports an item that exceeds a limit of the queue. The Put that returns the error has
// accepted none of its items.
type FullError struct {
	Tenant string
	Held   int64 // queued bytes: of the tenant, of its group or of all tenants
	Limit  int64 // Options.MaxTenantBytes, MaxGroupBytes or MaxBytes; minus the reserve if Kept
	All    bool  // the limit is MaxBytes
	Group  bool  // the limit is MaxGroupBytes
	Kept   bool  // the rest of the limit is reserved for tenants whose items are currently accepted
	Never  bool  // the item alone exceeds the limit: waiting does not help

	// Next reports the next item of the same Put that exceeds a limit, or is nil if there is none.
	// The list contains each item whose tenant is at MaxTenantBytes, whose group is at
	// MaxGroupBytes, for which only the reserve remains, or which alone exceeds a limit. So a
	// caller can omit all such items before the next attempt.
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

// Explain returns the text of an error of Put, without file paths, for responses to senders.
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
