package wal

import (
	"errors"
	"fmt"
)

// Why an append was refused, or nothing was read. The errors that come back say more; use
// errors.Is.
var (
	// ErrFull means that the log is at its MaxBytes: records must land before it takes more.
	ErrFull = errors.New("wal: full")

	// ErrLowDisk means that the file system is nearly full. The log goes on when there is room
	// again.
	ErrLowDisk = errors.New("wal: low disk")

	// ErrFailed means that a write or a sync has failed. It stays until the log is opened again.
	ErrFailed = errors.New("wal: failed")

	// ErrUnreadable means that ReadAt could not read what should be there.
	ErrUnreadable = errors.New("wal: unreadable")

	// ErrClosed means that the log was closed.
	ErrClosed = errors.New("wal: closed")
)

// DamageError says that records which were once on disk cannot be read.
type DamageError struct {
	Segment  string // path
	Offset   int64  // where in it
	Reason   string
	From, To uint64 // sequence numbers that are lost; From > To: none
}

// Lost is how many sequence numbers have no record.
func (e *DamageError) Lost() uint64 {
	return e.To + 1 - e.From
}

func (e *DamageError) Error() string {
	lost, kept := "no record is lost", "all of them"
	switch e.Lost() {
	case 0:
	case 1:
		lost, kept = fmt.Sprintf("record %d is lost", e.From), "all others"
	default:
		lost, kept = fmt.Sprintf("records %d to %d are lost", e.From, e.To), "all others"
	}
	return fmt.Sprintf("wal: %s is damaged at byte %d: %s; %s; stop the service and run `slipstream wal repair`, which keeps %s",
		e.Segment, e.Offset, e.Reason, lost, kept)
}
