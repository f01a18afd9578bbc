package wal

import (
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/slipstream-go/slipstream/server/disk"
)

// windowSize is the number of bytes that one read of a segment requests. If a record is larger, the
// read requests the whole record.
const windowSize = 1 << 20

// window reads a file from front to back through a buffer.
type window struct {
	file io.ReaderAt
	size int64  // size of the file, or of the part to read
	buf  []byte // the bytes that were read last
	at   int64  // offset of buf in the file
}

// bytes returns the n bytes at the offset `off`, which must be at most `size`. The bytes are valid
// until the next call. The method returns fewer than n bytes only at the end of the file.
func (w *window) bytes(off int64, n int64) ([]byte, error) {
	n = min(n, w.size-off)
	if off < w.at || off-w.at > int64(len(w.buf))-n {
		if err := w.fill(off, n); err != nil {
			return nil, err
		}
	}
	return w.buf[off-w.at:][:n], nil
}

func (w *window) fill(off int64, n int64) error {
	n = min(max(n, windowSize), w.size-off)
	w.buf, w.at = slices.Grow(w.buf[:0], int(n))[:n], off
	read, err := w.file.ReadAt(w.buf, off)
	if int64(read) == n {
		return nil
	}
	w.buf = w.buf[:read]
	if err == io.EOF {
		err = io.ErrUnexpectedEOF // the file has shrunk
	}
	return err
}

// scanner reads the records of a segment in order. It is used like a bufio.Scanner: call scan until
// it returns false, then check err and reason.
type scanner struct {
	win  window
	seg  uint64 // number of the segment
	salt uint32
	off  int64  // offset after rec
	next uint64 // the sequence number that is expected at off

	rec    Record // its payload is valid until the next scan
	commit uint64 // the sequence number of the first record in rec's commit

	reason error // why there is no record at off; nil when only zeros follow
	err    error // the file could not be read
}

// open opens the segment for reading up to the offset `limit`. The caller closes the file.
func (s *segment) open(d disk.Disk, limit int64) (*scanner, disk.File, error) {
	f, err := d.Open(s.path, os.O_RDONLY, 0)
	if err != nil {
		return nil, nil, fmt.Errorf("wal: %w", err)
	}
	return newScanner(f, limit, s), f, nil
}

func newScanner(f io.ReaderAt, limit int64, s *segment) *scanner {
	return &scanner{win: window{file: f, size: limit}, seg: s.number, salt: s.salt, off: min(segmentHeader, limit), next: s.start}
}

// scan reads the next record. It reports whether there is one.
func (s *scanner) scan() bool {
	h, reason := s.load(s.off)
	if s.err != nil {
		return false
	}
	if reason == nil && s.rec.Seq != s.next {
		reason = errOrder
	}
	s.reason = reason
	if reason != nil {
		if s.zerosFrom(s.off) {
			s.reason = nil
		}
		return false
	}
	s.off += h.size
	s.next = s.rec.due()
	return true
}

// resync searches for a readable record, starting at s.off. The sequence number of the record must
// be at least s.next. If there is such a record, resync moves to the first one, which the next scan
// reads. resync reports whether it has found a record.
func (s *scanner) resync() bool {
	for off := s.off; off < s.win.size && s.err == nil; off += align {
		if _, reason := s.load(off); reason == nil && s.err == nil && s.rec.Seq >= s.next {
			s.off, s.next = off, s.rec.Seq
			return true
		}
	}
	return false
}

// load reads the record at the offset `off` into `rec`. If the file cannot be read, load sets
// s.err.
func (s *scanner) load(off int64) (h header, reason error) {
	b, err := s.win.bytes(off, headerSize)
	if err != nil {
		s.err = err
		return h, nil
	}
	if h, reason = readHeader(b, s.salt); reason != nil {
		return h, reason
	}
	if h.size > s.win.size-off {
		return h, errShort
	}
	if b, err = s.win.bytes(off, h.size); err != nil {
		s.err = err
		return h, nil
	}
	if h, reason = readRecord(b, s.salt, &s.rec); reason == nil {
		s.commit = h.seq - uint64(h.nth)
		s.rec.Place = Place{s.seg, off + headerSize + int64(h.db+h.table)}
	}
	return h, reason
}

// zerosFrom reports whether all bytes from the offset `off` to the end are zero.
func (s *scanner) zerosFrom(off int64) bool {
	for off < s.win.size {
		b, err := s.win.bytes(off, windowSize)
		if err != nil {
			s.err = err
			return false
		}
		for _, c := range b {
			if c != 0 {
				return false
			}
		}
		off += int64(len(b))
	}
	return true
}
