package wal

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// Place is the position of a payload, or of a part of a payload, in the log. It is valid until the
// record is released.
type Place struct {
	Segment uint64 // number of the segment
	Offset  int64  // offset in the segment's file
}

// ReadAt reads len(b) bytes of a payload, starting at the position `at`. The record must be on
// disk, and must not be released before ReadAt returns. The checksum of the log covers a whole
// record, so a caller that reads parts needs its own checksums.
//
// If the bytes cannot be read, the error is [ErrUnreadable]. Other errors, such as disk errors, may
// be temporary.
func (l *Log) ReadAt(b []byte, at Place) error {
	f, err := l.disk.Open(segmentPath(l.dir, at.Segment), os.O_RDONLY, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%w: %w", ErrUnreadable, err)
	} else if err != nil {
		return fmt.Errorf("wal: %w", err)
	}
	defer f.Close()
	switch _, err := f.ReadAt(b, at.Offset); {
	case err == io.EOF:
		return fmt.Errorf("%w: %d bytes at offset %d of %s: %w", ErrUnreadable, len(b), at.Offset, f.Name(), err)
	case err != nil:
		return fmt.Errorf("wal: %w", err)
	}
	return nil
}
