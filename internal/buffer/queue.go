package buffer

import "sync"

// Queue is a queue of bytes in chunks. A chunk is either part of a page that the queue owns, or
// foreign. A foreign chunk belongs to the caller, and the queue only refers to it. Bytes can be
// added at either end and removed from the front. Neither operation moves the queued bytes.
//
//	chunk   [page: read | unread      ]  [foreign]  [page: unread | free]
//	                     ^ the first                                ^ tail.used: where bytes are added
//
// Pages of the size PageSize come from a pool that all queues share. A page goes back to the pool
// as soon as neither the queue nor a chunk refers to it. A page that Keep has marked never goes
// back, because views of it stay valid.
//
// The zero Queue is empty. A Queue must not be copied while it contains bytes, and is not safe for
// concurrent use.
type Queue struct {
	ring   []chunk // its length is a power of two; the chunks in use are first, first+1, … modulo that length
	first  int
	n      int   // number of chunks in use
	size   int   // number of bytes in the queue
	tail   *page // the page to which bytes are added, or nil
	window *page // the page of the view that the last call of Window returned, or nil
}

// chunk is a sequence of consecutive unread bytes. The capacity of b extends to the end of its
// page, and so determines the position of b in the page.
type chunk struct {
	b    []byte // never empty
	page *page  // nil if b belongs to the caller
}

// page is memory that the queue owns. The chunks in a page have the same order as in the queue.
type page struct {
	mem  []byte
	used int  // mem[used:] was never part of a chunk
	refs int  // number of references to the page: from its chunks, and from the queue's fields `tail` and `window`
	kept bool // a view of the page stays valid forever
}

const (
	// PageSize is the size of the pages in the pool. For longer data, the queue allocates a page of
	// the required size, which does not go back to the pool.
	PageSize = 4 << 10

	// headroom is the number of bytes left free at the start of an empty queue, so that a header
	// can be prepended in place.
	headroom = 64

	// unsplit is the maximum length of data that Append always puts into a single page.
	unsplit = PageSize / 8
)

var pages = sync.Pool{New: func() any { return &page{mem: make([]byte, PageSize)} }}

// newPage returns a page of at least n bytes with one reference to it.
func newPage(n int) *page {
	if n > PageSize {
		return &page{mem: make([]byte, n), refs: 1}
	}
	p := pages.Get().(*page)
	p.refs = 1
	return p
}

// release drops one reference to p. The receiver may be nil.
func (p *page) release() {
	if p == nil {
		return
	}
	if p.refs--; p.refs == 0 && !p.kept && len(p.mem) == PageSize {
		p.used = 0
		pages.Put(p)
	}
}

// at returns the chunk with the index k, counted from the front.
func (q *Queue) at(k int) *chunk { return &q.ring[(q.first+k)&(len(q.ring)-1)] }

// makeRoom ensures that one more chunk fits into the ring.
func (q *Queue) makeRoom() {
	if q.n < len(q.ring) {
		return
	}
	q.resize(max(4, 2*len(q.ring)))
}

// resize moves the chunks to a ring of length n, a power of two.
func (q *Queue) resize(n int) {
	ring := make([]chunk, n)
	for k := range q.n {
		ring[k] = *q.at(k)
	}
	q.ring, q.first = ring, 0
}

// push adds a chunk at the end.
func (q *Queue) push(c chunk) {
	q.makeRoom()
	*q.at(q.n) = c
	q.n++
}

// unshift adds a chunk at the front.
func (q *Queue) unshift(c chunk) {
	q.makeRoom()
	q.first = (q.first - 1) & (len(q.ring) - 1)
	*q.at(0) = c
	q.n++
}

// shift drops the first chunk.
func (q *Queue) shift() {
	c := q.at(0)
	p := c.page
	*c = chunk{}
	q.first = (q.first + 1) & (len(q.ring) - 1)
	if q.n--; len(q.ring) > ringMax && q.n <= len(q.ring)/4 {
		q.resize(len(q.ring) / 2)
	}
	p.release()
	if q.n == 0 {
		q.tail.release()
		q.tail = nil
	}
}

// Len returns the number of bytes in the queue.
func (q *Queue) Len() int { return q.size }

// Append adds a copy of b at the end.
func (q *Queue) Append(b []byte) {
	for len(b) > 0 {
		room := q.Room()
		if len(room) < len(b) && (len(room) == 0 || len(b) <= unsplit) {
			q.Grow(len(b))
			room = q.Room()
		}
		n := copy(room, b)
		q.Extend(n)
		b = b[n:]
	}
}

// Grow ensures that the next n added bytes will lie in one page.
func (q *Queue) Grow(n int) {
	if n <= len(q.Room()) {
		return
	}
	q.tail.release()
	start := 0
	if q.n == 0 && n <= PageSize-headroom {
		start = headroom
	}
	q.tail = newPage(n)
	q.tail.used = start
}

// Room returns the free memory at the end of the queue. The caller writes bytes to this memory, and
// then calls Extend to add them to the queue.
func (q *Queue) Room() []byte {
	if q.tail == nil {
		return nil
	}
	return q.tail.mem[q.tail.used:]
}

// Extend adds the first n bytes of Room's result to the queue. This result must have at least n
// bytes.
func (q *Queue) Extend(n int) {
	if n == 0 {
		return
	}
	p := q.tail
	from := p.used
	p.used += n
	q.size += n
	if q.n > 0 {
		if c := q.at(q.n - 1); c.page == p { // then c ends where the free part begins
			c.b = c.b[:len(c.b)+n]
			return
		}
	}
	p.refs++
	q.push(chunk{p.mem[from:p.used], p})
}

// start returns the offset of the chunk in its page.
func (c *chunk) start() int { return len(c.page.mem) - cap(c.b) }

// Refer adds b at the end without copying it. The caller must not change b until the bytes have
// been read.
func (q *Queue) Refer(b []byte) {
	if len(b) > 0 {
		q.push(chunk{b: b[:len(b):len(b)]})
		q.size += len(b)
	}
}

// Prepend adds a copy of b at the front. The copy is placed directly before the first chunk, if the
// memory there is free and no view needs it. Otherwise it is placed at the end of a new page.
func (q *Queue) Prepend(b []byte) {
	if len(b) == 0 {
		return
	}
	q.size += len(b)
	if q.n > 0 {
		if c := q.at(0); c.page != nil && !c.page.kept && c.page != q.window && c.start() >= len(b) {
			at := c.start()
			c.b = c.page.mem[at-len(b) : at+len(c.b)]
			copy(c.b, b)
			return
		}
	}
	q.unshift(copied(b))
}

// copied returns a chunk with a copy of b, at the end of a new page.
func copied(b []byte) chunk {
	p := newPage(len(b))
	p.used = len(p.mem)
	from := len(p.mem) - len(b)
	copy(p.mem[from:], b)
	return chunk{p.mem[from:], p}
}

// First returns the first chunk, or nil if the queue is empty. The result is a view, which is valid
// until its bytes are removed.
func (q *Queue) First() []byte {
	if q.n == 0 {
		return nil
	}
	c := q.at(0)
	return c.b[:len(c.b):len(c.b)]
}

// Window is like First, but the view stays valid until the next call of Window or Reset, even if
// its bytes are removed.
func (q *Queue) Window() []byte {
	q.window.release()
	q.window = nil
	if q.n > 0 {
		if p := q.at(0).page; p != nil {
			p.refs++
			q.window = p
		}
	}
	return q.First()
}

// Ours reports whether the queue owns the memory of its first chunk. If the queue is empty, it
// returns false.
func (q *Queue) Ours() bool { return q.n > 0 && q.at(0).page != nil }

// Keep makes views of the first chunk valid forever. The queue must own the memory of this chunk:
// see Ours.
func (q *Queue) Keep() { q.at(0).page.kept = true }

// Detach moves the first chunk to other memory. After that, earlier views of the chunk no longer
// refer to queued bytes.
func (q *Queue) Detach() {
	if q.n > 0 {
		c := q.at(0)
		p := c.page
		*c = copied(c.b)
		p.release()
	}
}

// Copy copies bytes from the front into b, until b is full or the queue ends. It returns the number
// of copied bytes. The bytes stay in the queue.
func (q *Queue) Copy(b []byte) int {
	n := 0
	for k := 0; k < q.n && n < len(b); k++ {
		n += copy(b[n:], q.at(k).b)
	}
	return n
}

// Discard removes n bytes from the front. The queue must contain at least n bytes.
func (q *Queue) Discard(n int) {
	q.size -= n
	for n > 0 {
		c := q.at(0)
		if n < len(c.b) {
			c.b = c.b[n:]
			return
		}
		n -= len(c.b)
		q.shift()
	}
}

// Chunks appends the chunks to the slice `list`, as views that are valid until their bytes are
// removed.
func (q *Queue) Chunks(list [][]byte) [][]byte {
	for k := range q.n {
		b := q.at(k).b
		list = append(list, b[:len(b):len(b)])
	}
	return list
}

// Reset removes all bytes. The queue keeps only the memory of a small ring.
func (q *Queue) Reset() {
	for q.n > 0 {
		q.shift()
	}
	q.tail.release()
	q.window.release()
	q.first, q.size, q.tail, q.window = 0, 0, nil, nil
}

// ringMax is the length of the largest ring that an empty queue keeps. When the queue becomes
// empty, a larger ring is replaced by a smaller ring.
const ringMax = 64
