package queue

import (
	"errors"
	"fmt"
	"slices"

	"github.com/slipstream-go/slipstream/server/wal"
)

// source is where to find an item's body without holding the lock. A segment that must be read for
// it is pinned: the item may move or leave meanwhile.
type source struct {
	body    []byte
	segment *segment // nil: body is all there is
	offset  int64
	lost    error // why the log does not give the body
}

var errLost = fmt.Errorf("%w when its segment was to be released", wal.ErrUnreadable)

// pin tells where the item's body is. The caller holds the lock, reads it and unpins it.
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

// unpin lets go of the segment.
func (q *Queue) unpin(src source) {
	if s := src.segment; s != nil {
		s.pins--
		q.wakeIfFree(s)
	}
}

// read fills in the source's body, after what buf has, if it is not in memory. A body that is
// damaged or missing is lost; another error may pass.
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
		err = fmt.Errorf("%w: the checksum of %d bytes at %d of segment %d does not match",
			wal.ErrUnreadable, it.size, at.Offset, at.Segment)
	}
	if errors.Is(err, wal.ErrUnreadable) {
		src.lost, err = err, nil
	}
	return buf, err
}
