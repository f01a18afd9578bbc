package queue

import (
	"encoding/binary"
	"errors"
	"math"

	"github.com/slipstream-go/slipstream/server/wal"
)

// The types of the queue's records. They are part of the log's format.
const (
	typeItems    wal.Type = 1 // items of a Put
	typeMoved    wal.Type = 2 // items that were written again
	typeProgress wal.Type = 3 // a progress note
)

// version is the codec of the records that this package writes.
const version = 1

var errPayload = errors.New("the payload is malformed")

// entry is an item decoded from a record.
type entry struct {
	tenant []byte
	codec  uint8
	note   [4]uint32
	order  uint64 // set only in moved entries; for others, it follows from the position in the log
	time   int64  // set only in moved entries; for others, it is the time of the record
	sum    uint32
	head   int // bytes before the body
	body   []byte
}

// appendEntry appends the entry of an item with the given body. A moved entry also contains the
// item's order and time.
func appendEntry(b []byte, it *item, body []byte, moved bool) []byte {
	b = appendText(b, it.tenant.name)
	b = append(b, it.codec)
	for _, n := range it.note {
		b = binary.AppendUvarint(b, uint64(n))
	}
	if moved {
		b = binary.AppendUvarint(b, it.order)
		b = binary.AppendVarint(b, it.time)
	}
	b = binary.LittleEndian.AppendUint32(b, it.sum)
	b = binary.AppendUvarint(b, uint64(len(body)))
	return append(b, body...)
}

func appendText(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

// readEntry reads the entry at the beginning of b. The entry refers to the memory of b.
func readEntry(b []byte, moved bool) (e entry, rest []byte, err error) {
	r := reader{b: b}
	e.tenant = r.bytes(r.uvarint())
	if c := r.bytes(1); len(c) == 1 {
		e.codec = c[0]
	}
	for i := range e.note {
		n := r.uvarint()
		r.bad = r.bad || n > math.MaxUint32
		e.note[i] = uint32(n)
	}
	if moved {
		e.order = r.uvarint()
		e.time = r.varint()
	}
	if sum := r.bytes(4); len(sum) == 4 {
		e.sum = binary.LittleEndian.Uint32(sum)
	}
	size := r.uvarint()
	e.head = len(b) - len(r.b)
	e.body = r.bytes(size)
	if r.bad {
		return entry{}, nil, errPayload
	}
	return e, r.b, nil
}

// appendNote appends the progress of a tenant: all its items up to the order `to` are complete.
func appendNote(b []byte, tenant string, to uint64) []byte {
	return binary.AppendUvarint(appendText(b, tenant), to)
}

// readNote reads the progress of a tenant that appendNote has written. The tenant's name refers to
// the memory of b.
func readNote(b []byte) (tenant []byte, to uint64, rest []byte, err error) {
	r := reader{b: b}
	tenant = r.bytes(r.uvarint())
	to = r.uvarint()
	if r.bad {
		return nil, 0, nil, errPayload
	}
	return tenant, to, r.b, nil
}

// reader reads values from the front of b. After a missing or invalid value, bad is true and the
// reader returns zeros.
type reader struct {
	b   []byte
	bad bool
}

func (r *reader) uvarint() uint64 {
	v, n := binary.Uvarint(r.b)
	return advance(r, v, n)
}

func (r *reader) varint() int64 {
	v, n := binary.Varint(r.b)
	return advance(r, v, n)
}

// advance skips the n bytes of the value v and returns v. If n ≤ 0, the value could not be read.
func advance[T uint64 | int64](r *reader, v T, n int) T {
	if n <= 0 || r.bad {
		r.bad = true
		return 0
	}
	r.b = r.b[n:]
	return v
}

func (r *reader) bytes(n uint64) []byte {
	if n > uint64(len(r.b)) || r.bad {
		r.bad = true
		return nil
	}
	b := r.b[:n:n]
	r.b = r.b[n:]
	return b
}
