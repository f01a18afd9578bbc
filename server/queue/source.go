package queue

import (
	"errors"
	"fmt"
	"slices"

	"github.com/slipstream-go/slipstream/server/wal"
)

// source is the location of an item's body, for reading it without the lock. If the body must be
// read from a segment, the segment is pinned, because the item may move or leave the queue during
// the read.
type source struct {
	body    []byte
	segment *segment // nil if no segment must be read
	offset  int64
	lost    error // why the body cannot be read from the log
}

var errLost = fmt.Errorf("%w: reading the item failed before its segment was released", wal.ErrUnreadable)

// pin returns the location of the item's body and pins its segment. The caller must hold the lock,
// and must later unpin the source.
func pin(it *item) source {
	src := source{body: it.body, offset: it.offset}
	switch {
	case it.lost:
		src.lost = errLost
	case it.body == nil && it.size > 0:
		src.segment = it.segment
		src.segment.pins++
	}
	return src
}

// unpin unpins the segment of a source.
func (q *Queue) unpin(src source) {
	if s := src.segment; s != nil {
		s.pins--
		q.wakeIfFree(s)
	}
}

// read sets the source's body, if it is not in memory. It appends the body to buf. If the body is
// damaged or missing, it sets the field `lost`. Any other error may be temporary.
func (q *Queue) read(src *source, it *item, buf []byte) ([]byte, error) {
	if src.segment == nil {
		return buf, nil
	}
	from := len(buf)
	buf = slices.Grow(buf, int(it.size))[:from+int(it.size)]
	src.body = buf[from:len(buf):len(buf)]
	at := wal.Place{Segment: src.segment.number, Offset: src.offset}
	err := q.log.ReadAt(src.body, at)
	if err == nil && bodySum(src.body) != it.sum {
		err = fmt.Errorf("%w: the checksum of %d bytes at offset %d of segment %d does not match",
			wal.ErrUnreadable, it.size, at.Offset, at.Segment)
	}
	if errors.Is(err, wal.ErrUnreadable) {
		src.lost, err = err, nil
	}
	return buf, err
}
