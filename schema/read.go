package schema

import (
	"io"
	"sync"

	"github.com/slipstream-go/slipstream/internal/mem"
)

// Read reads one message from r into v, as [Schema.Parse] does. It reads no byte after the message.
// At the end of r, it returns io.EOF. To read several messages, use a [Reader].
func (s *Schema[T]) Read(r io.Reader, v *T) error {
	if s.n.hasTail() {
		return &Error{Cause: ErrEnd}
	}
	_ = *v // see Append
	q := readings.Get().(*reading)
	q.feed = s.feed(r, true)
	var d decoder
	d.b, d.feed = q.b, &q.feed
	d.next(s.pg, &s.options)
	outer, nested := r.(*source)
	if nested {
		d.depth, d.items = outer.d.depth, outer.d.items
	}
	var err error
	if d.depth > d.o.depth {
		err = &Error{Cause: tooDeep(d.o)}
	} else if d.run(s.pg, s.n.place(mem.PointerTo(v)), 1, 0) < 0 {
		err = d.fault.error(0)
		if len(d.b) == 0 && q.feed.err == ErrShort {
			err = io.EOF
		}
	}
	if nested {
		outer.d.items = d.items
	}
	q.feed, q.b = feed{}, nil
	if s.options.text != inputText && cap(d.b) <= maxPooled {
		q.b = d.b[:0]
	}
	readings.Put(q)
	return err
}

// reading contains the source and the buffer for reading one message. While a reading is in the
// pool, its buffer is empty.
type reading struct {
	feed feed
	b    []byte
}

var readings = sync.Pool{New: func() any { return new(reading) }}
