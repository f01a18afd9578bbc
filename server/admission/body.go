package admission

import (
	"errors"
	"io"
)

const (
	firstRead   = leastBuffer // size of the buffer until the first bytes of a body arrive; not charged
	firstBuffer = 64 << 10    // minimum size of the buffer after that
)

// ErrTooLarge is the error for a body that exceeds its limit, either as received or after
// decompression.
var ErrTooLarge = errors.New("admission: the body exceeds its limit")

// Pace checks that a body arrives fast enough.
type Pace interface {
	// Arrived is called after each read with the number of bytes that the read returned.
	Arrived(n int)
}

// Read reads the whole body of a request. If `length` is not negative, the body has this number of
// bytes. Otherwise, the body ends at the end of src. The parameter `most` is the maximum size of
// the body in bytes. The caller must ensure that `length` is not greater than `most`. After the
// body, the returned buffer has spare capacity for `suffix` bytes. If Read returns an error, the
// buffer contains the bytes that were received. The caller must free the buffer in either case.
//
// Until the first bytes of the body arrive, Read charges nothing. After that, it charges the size
// of the buffer. This size is about twice the number of received bytes, or up to 64 KiB if fewer
// than 32 KiB have arrived.
//
// The error is [ErrTooLarge], a [BudgetError], or an error from src. If src ends before the body is
// complete, the error is io.ErrUnexpectedEOF.
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
