package buffer

import "sync"

// Queue is a queue of bytes in chunks. A chunk lies in a page, which is ours, or is foreign: memory
// of the caller's that the queue refers to. Bytes are added at either end and taken from the front,
// none of which moves those that wait.
//
//	chunk   [page: read | unread      ]  [foreign]  [page: unread | free]
//	                     ^ the first                                ^ tail.used: where bytes are added
//
// Pages of PageSize come from a pool that all queues share. A page goes back when nothing refers to
// it any more, and the queue forgets it at that moment. A page of which a view was given out never
// goes back.
//
// The zero Queue is empty. It must not be copied while it holds bytes, and is not safe for
// concurrent use.
type Queue struct {
	ring   []chunk // its length is a power of two; the chunks in use are first, first+1, … modulo that
	first  int
	n      int   // chunks in use
	size   int   // bytes
	tail   *page // where bytes are added, or nil
	window *page // of the last Window, or nil
}

// chunk is a run of unread bytes. Its capacity reaches to the end of its page, so that it tells
// where in the page it lies.
type chunk struct {
	b    []byte // never empty
	page *page  // nil when b is foreign
}

// page is memory of ours. Chunks lie in it in the order of the queue.
type page struct {
	mem  []byte
	used int  // mem[used:] was never given to anyone
	refs int  // the chunks in it, and the queue for its tail and its window
	kept bool // a view of it was given out
}

const (
	// PageSize is the size of the pages of the pool. What is longer gets a page of its own size,
	// which is not pooled.
	PageSize = 4 << 10

	// headroom is left free at the start of an empty queue, so that a header can be prepended in
	// place.
	headroom = 64

	// unsplit is up to how many bytes are kept in one piece rather than split between two pages.
	unsplit = PageSize / 8
)

var pages = sync.Pool{New: func() any { return &page{mem: make([]byte, PageSize)} }}

// newPage is a page of at least n bytes with one reference to it.
func newPage(n int) *page {
	if n > PageSize {
		return &page{mem: make([]byte, n), refs: 1}
	}
	p := pages.Get().(*page)
	p.refs = 1
	return p
}

// release gives up one reference to p, which may be nil.
func (p *page) release() {
	if p == nil {
		return
	}
	if p.refs--; p.refs == 0 && !p.kept && len(p.mem) == PageSize {
		p.used = 0
		pages.Put(p)
	}
}

// at is the chunk with k chunks before it.
func (q *Queue) at(k int) *chunk { return &q.ring[(q.first+k)&(len(q.ring)-1)] }

// makeRoom makes sure that one more chunk fits into the ring.
func (q *Queue) makeRoom() {
	if q.n < len(q.ring) {
		return
	}
	q.resize(max(4, 2*len(q.ring)))
}

// resize moves the chunks to a ring of n, a power of two.
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

// unshift adds a chunk in front.
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

// Len is how many bytes wait.
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

// Grow makes sure that the next n bytes lie in one page.
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

// Room is the memory where bytes are added next. What is put there counts from Extend on.
func (q *Queue) Room() []byte {
	if q.tail == nil {
		return nil
	}
	return q.tail.mem[q.tail.used:]
}

// Extend adds the first n bytes of Room, which must be as many.
func (q *Queue) Extend(n int) {
	if n == 0 {
		return
	}
	p := q.tail
	from := p.used
	p.used += n
	q.size += n
	if q.n > 0 {
		if c := q.at(q.n - 1); c.page == p { // it ends where the free part begins
			c.b = c.b[:len(c.b)+n]
			return
		}
	}
	p.refs++
	q.push(chunk{p.mem[from:p.used], p})
}

// start is where in its page the chunk begins.
func (c *chunk) start() int { return len(c.page.mem) - cap(c.b) }

// Refer adds b itself at the end: it must not change until it is read.
func (q *Queue) Refer(b []byte) {
	if len(b) > 0 {
		q.push(chunk{b: b[:len(b):len(b)]})
		q.size += len(b)
	}
}

// Prepend adds a copy of b in front: before the first chunk if there is room that nobody looks at,
// else at the end of a page of its own.
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

// copied is a chunk of a copy of b, at the end of a page of its own.
func copied(b []byte) chunk {
	p := newPage(len(b))
	p.used = len(p.mem)
	from := len(p.mem) - len(b)
	copy(p.mem[from:], b)
	return chunk{p.mem[from:], p}
}

// First is the first chunk, or empty when there is none. It is a view: valid until its bytes are
// taken.
func (q *Queue) First() []byte {
	if q.n == 0 {
		return nil
	}
	c := q.at(0)
	return c.b[:len(c.b):len(c.b)]
}

// Window is First, but stays valid when its bytes are taken: until the next Window or Reset.
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

// Ours reports whether there is a first chunk that is not foreign.
func (q *Queue) Ours() bool { return q.n > 0 && q.at(0).page != nil }

// Keep makes views of the first chunk, which is ours, valid for ever.
func (q *Queue) Keep() { q.at(0).page.kept = true }

// Detach moves the first chunk to other memory: views of it are no longer views of what waits.
func (q *Queue) Detach() {
	if q.n > 0 {
		c := q.at(0)
		p := c.page
		*c = copied(c.b)
		p.release()
	}
}

// Copy copies bytes from the front into b, as many as fit or are there, and gives how many. They
// are not taken.
func (q *Queue) Copy(b []byte) int {
	n := 0
	for k := 0; k < q.n && n < len(b); k++ {
		n += copy(b[n:], q.at(k).b)
	}
	return n
}

// Discard takes n bytes from the front, of which there must be as many.
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

// Chunks appends the chunks to list, as views that are valid until their bytes are taken.
func (q *Queue) Chunks(list [][]byte) [][]byte {
	for k := range q.n {
		b := q.at(k).b
		list = append(list, b[:len(b):len(b)])
	}
	return list
}

// Reset takes everything. The queue keeps nothing but the room for a few chunks.
func (q *Queue) Reset() {
	for q.n > 0 {
		q.shift()
	}
	q.tail.release()
	q.window.release()
	q.first, q.size, q.tail, q.window = 0, 0, nil, nil
}

// ringMax is the ring that an empty queue keeps. A larger one shrinks as it empties.
const ringMax = 64
