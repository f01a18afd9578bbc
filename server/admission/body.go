package admission

import (
	"errors"
	"io"
)

const (
	firstRead   = leastBuffer // for a body that has yet to arrive; it is not charged
	firstBuffer = 64 << 10    // for a body that has begun to arrive
)

// ErrTooLarge is the error for a body that is larger than its limit, as received or decompressed.
var ErrTooLarge = errors.New("admission: the body exceeds its limit")

// Pace limits how slowly a body may arrive.
type Pace interface {
	// Arrived is called after each read with the number of bytes that it returned.
	Arrived(n int)
}

// Read reads the whole body of a request: length bytes or, if length is negative, all bytes up to
// the end of src. The caller has compared length with most, the limit. The returned buffer has room
// for suffix more bytes after the body, and holds the bytes that have arrived also if there is an
// error. The caller frees it.
//
// A body that has not begun to arrive is not charged. After that, its buffer has about twice the
// size of the bytes that have arrived, or 64 KiB.
//
// The error is [ErrTooLarge], a [BudgetError], or the error of src; if the body is shorter than
// length, that is io.ErrUnexpectedEOF.
func (h *Hold) Read(src io.Reader, length, most int64, suffix int, pace Pace) (*Buffer, error) {
	if h.budget != nil && h.budget.Free() <= 0 {
		return NewBuffer(0), ErrFull // without waiting for the body
	}
	end := most + 1 // the byte that is too many
	if length >= 0 {
		end = length
	}
	b := NewBuffer(int(min(end, firstRead)) + suffix)
	for charged := false; int64(len(b.B)) != length; {
		have := int64(len(b.B))
		limit := min(int64(cap(b.B)-suffix), end)
		if have == limit {
			if err := h.grow(&b, int(min(max(2*have, firstBuffer), end))+suffix); err != nil {
				return b, err
			}
			limit = min(int64(cap(b.B)-suffix), end)
		}
		n, err := src.Read(b.B[have:limit])
		b.B = b.B[:have+int64(n)]
		if n > 0 && !charged {
			if err := h.Take(int64(cap(b.B))); err != nil {
				return b, err
			}
			charged = true
		}
		pace.Arrived(n)
		switch got := int64(len(b.B)); {
		case got > most:
			return b, ErrTooLarge
		case err == io.EOF && (length < 0 || got == length):
			return b, nil
		case err == io.EOF:
			return b, io.ErrUnexpectedEOF
		case err != nil:
			return b, err
		}
	}
	return b, nil
}
