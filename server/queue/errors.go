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

// FullError reports an item that exceeds a limit of the queue. A call of Put that returns this
// error has accepted none of its items.
type FullError struct {
	Tenant string
	Held   int64 // queued bytes: of the tenant, of its group or of all tenants
	Limit  int64 // Options.MaxTenantBytes, MaxGroupBytes or MaxBytes; minus the reserve if Kept
	All    bool  // the limit is MaxBytes
	Group  bool  // the limit is MaxGroupBytes
	Kept   bool  // the rest of the limit is reserved for tenants whose items are currently accepted
	Never  bool  // the item alone exceeds the limit: waiting does not help

	// Next reports the next item of the same call of Put that exceeds a limit, or is nil if there
	// is none. The list contains an item if its tenant is at MaxTenantBytes, or if its group is at
	// MaxGroupBytes. It also contains an item if only the reserve of a limit remains, or if the
	// item alone exceeds a limit. So a caller can omit all these items before the next attempt.
	Next *FullError
}

func (e *FullError) Error() string {
	if e.Never {
		return fmt.Sprintf("%v: one item of tenant %q exceeds the limit of %d bytes; send smaller items, or raise the limit", ErrFull, e.Tenant, e.Limit)
	}
	if e.Kept {
		return fmt.Sprintf("%v: no space for tenant %q, whose deliveries fail at present: %d bytes are queued, and the space above %d bytes is reserved for other tenants; retry later",
			ErrFull, e.Tenant, e.Held, e.Limit)
	}
	who := "this tenant has"
	switch {
	case e.All:
		who = "all tenants together have"
	case e.Group:
		who = "the tenants of its group have"
	}
	return fmt.Sprintf("%v: no space for tenant %q: %s %d queued bytes, and the limit is %d; retry later, or raise the limit",
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
		return "queue: the disk has failed: the items may or may not be stored, and no items are accepted until the service is restarted"
	}
	return "queue: the items were not accepted; the service logs the cause"
}
