package wal

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// Place is where something lies in the log: a payload, or with a higher offset a part of one. It is
// good until the record is released.
type Place struct {
	Segment uint64 // its number
	Offset  int64  // in the segment's file
}

// ReadAt reads len(b) bytes of a payload again, at a place in it. The record must be on disk, and
// must not be released before ReadAt returns. The log's own sum is over the whole of a record: who
// reads parts keeps sums of them, and checks those.
//
// An error is ErrUnreadable when the bytes are not there. Any other, such as one of the disk, may
// pass.
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
		return fmt.Errorf("%w: %d bytes at %d of %s: %w", ErrUnreadable, len(b), at.Offset, f.Name(), err)
	case err != nil:
		return fmt.Errorf("wal: %w", err)
	}
	return nil
}
