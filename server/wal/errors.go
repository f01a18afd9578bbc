package wal

import (
	"errors"
	"fmt"
)

// These errors are the reasons why an append was rejected, or why nothing was read. Returned errors
// wrap them and add details; use errors.Is.
var (
	// ErrFull reports that the log has reached MaxBytes. Records must be released before the log
	// accepts more.
	ErrFull = errors.New("wal: full")

	// ErrLowDisk reports that the file system is nearly full. The log continues when there is space
	// again.
	ErrLowDisk = errors.New("wal: low disk")

	// ErrFailed reports that a write or a sync has failed. The log must be opened again.
	ErrFailed = errors.New("wal: failed")

	// ErrUnreadable reports that ReadAt could not read bytes of a record.
	ErrUnreadable = errors.New("wal: unreadable")

	// ErrClosed reports that the log is closed.
	ErrClosed = errors.New("wal: closed")
)

// DamageError is the error for records that were on disk but cannot be read.
type DamageError struct {
	Segment  string // path
	Offset   int64  // offset in the segment
	Reason   string
	From, To uint64 // lost sequence numbers; none if From > To
}

// Lost returns the number of lost sequence numbers.
func (e *DamageError) Lost() uint64 {
	return e.To + 1 - e.From
}

func (e *DamageError) Error() string {
	lost, kept := "no record is lost", "all records"
	switch e.Lost() {
	case 0:
	case 1:
		lost, kept = fmt.Sprintf("record %d is lost", e.From), "all other records"
	default:
		lost, kept = fmt.Sprintf("records %d to %d are lost", e.From, e.To), "all other records"
	}
	return fmt.Sprintf("wal: %s is damaged at byte %d: %s; %s; stop the service and run `slipctl wal repair`, which keeps %s",
		e.Segment, e.Offset, e.Reason, lost, kept)
}
