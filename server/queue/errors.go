package queue

import (
	"errors"
	"fmt"
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

	// Next is the error of the next item of the Put whose tenant is at MaxTenantBytes, or nil. So a
	// caller that puts the items of the other tenants finds all that it must leave out at once.
	Next *FullError
}

func (e *FullError) Error() string {
	who := "it holds"
	if e.All {
		who = "all tenants hold"
	}
	return fmt.Sprintf("%v: no room for tenant %q: %s %d bytes and the bound is %d; wait, or raise it",
		ErrFull, e.Tenant, who, e.Held, e.Limit)
}

func (e *FullError) Unwrap() error { return ErrFull }
