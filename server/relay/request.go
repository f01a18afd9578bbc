package relay

import (
	"errors"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/slipstream-go/slipstream/remotewrite"
	"github.com/slipstream-go/slipstream/server/admission"
)

// request is the state of a request in the relay. The object and its buffers are reused.
//
//	head ──▶ dialect ──▶ raw, as received ──▶ plain ──▶ splitter: parts ──▶ parcels ──▶ results ──▶ answer
type request struct {
	relay      *Relay
	head       *http.Request
	dialect    dialect
	credential *credential

	held       admission.Hold // reserved memory; the limit for the client applies until the body has been read
	pace       pace
	leftUnread bool              // a part of the body is unread
	raw        *admission.Buffer // the body, as received
	encoding   Encoding          // the actual encoding of the body
	plain      *admission.Buffer // the decompressed body
	parts      *admission.Buffer // copies of the body's series, by tenant

	splitter remotewrite.Splitter
	accept   func(key []byte, s *remotewrite.SeriesView) error // q.acceptSeries; set once, because a method value costs an allocation
	rules    *Rules
	key      []byte  // see keyOf
	last     *tenant // tenant of the last call of acceptSeries
	hashed   int     // number of bytes of labels that were hashed
	outside  int     // number of series that exceed limits
	parcels  []parcel
	group    int // number of consecutive parcels of one tenant: see replicate
	done     sync.WaitGroup
	losses   losses // series that are not delivered
	copied   int    // copied bytes of parts
	metadata []byte // encoded metadata of version 1
	entries  int    // number of metadata entries
	written  counts
}

// end releases the memory of the request, and returns the object to the pool.
func (q *request) end() {
	q.held.Release()
	for i := range q.parcels {
		if p := &q.parcels[i]; p.held && q.group > 1 {
			q.parcels[i-i%q.group].held = true // the first parcel owns the body that the whole group posts
		}
	}
	for i := range q.parcels {
		switch p := &q.parcels[i]; {
		case p.held && p.made == nil:
			q.raw = nil
		case !p.held && p.made != nil: // otherwise the garbage collector frees it
			p.made.Free()
		}
	}
	q.splitter.Reset()
	clear(q.parcels)
	q.parcels = q.parcels[:0]
	for _, b := range []*admission.Buffer{q.raw, q.plain, q.parts} {
		b.Free()
	}
	q.raw, q.plain, q.parts, q.pace = nil, nil, nil, pace{}
	q.relay, q.head, q.credential, q.rules, q.last, q.leftUnread = nil, nil, nil, nil, nil, false
	q.hashed, q.outside, q.group = 0, 0, 1
	q.losses.reset()
	if q.metadata = q.metadata[:0]; cap(q.metadata) > keptMetadata {
		q.metadata = nil
	}
	q.written, q.copied, q.entries = counts{}, 0, 0
	requests.Put(q)
}

var errBusy = refuse(Overloaded, "all memory for requests is in use: retry later")

const (
	keptMetadata = 64 << 10
	firstWait    = 5 * time.Second // time limit for the start of a body
	slowest      = 64 << 10        // minimum average rate of a sender, in bytes/s
)

// read reads the whole body. The sender must begin within firstWait, and then keep a minimum rate.
func (q *request) read(w http.ResponseWriter) *refusal {
	limit, length := q.relay.o.Bounds.Body, q.head.ContentLength
	if length > limit {
		return errBody(limit)
	}
	q.pace = pace{control: http.NewResponseController(w), begin: time.Now(), due: slowest}
	var err error
	q.raw, err = q.held.Read(q.head.Body, length, limit, 0, &q.pace)
	switch {
	case err == nil:
	case errors.Is(err, admission.ErrTooLarge):
		return errBody(limit)
	case admission.Busy(err):
		return errBusy
	default:
		return errReading(err, len(q.raw.B))
	}
	q.leftUnread = false
	q.held.Unshare() // from now on, limits apply to tenants (see admit), because a proxy forwards requests of many clients
	q.pace.control.SetReadDeadline(time.Time{})
	return nil
}

// pace enforces the minimum rate of a body. The minimum applies to the average rate since the time
// firstWait after the start. So a small body may pause for the time firstWait.
type pace struct {
	control  *http.ResponseController
	begin    time.Time
	got, due int // numbers of bytes; when `got` reaches `due`, the value of `due` doubles, and the deadline moves accordingly
}

// Arrived counts the next n bytes of the body. After each doubling of the count, it extends the
// deadline.
func (p *pace) Arrived(n int) {
	if p.got += n; p.got < p.due {
		return
	}
	for p.got >= p.due {
		p.due *= 2
	}
	p.control.SetReadDeadline(p.begin.Add(firstWait + time.Duration(p.due)*time.Second/slowest))
}

func errBody(limit int64) *refusal {
	return refuse(TooLarge, "the body is larger than %d bytes: send smaller batches", limit)
}

func errReading(err error, got int) *refusal {
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return refuse(Interrupted, "the body did not arrive in time: reading stopped after %d bytes", got)
	}
	return refuse(Interrupted, "the body ended early: %v", err)
}

// decode decompresses the body. vmagent's queue may contain bodies in both encodings, but vmagent
// sends all of them with the same headers. So if the body is not in the encoding of the header,
// decode tries the other encoding.
func (q *request) decode() *refusal {
	q.encoding = q.dialect.encoding
	if len(q.raw.B) == 0 {
		return refuse(Invalid, "the body is empty")
	}
	err := q.decodeAs(q.encoding)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, admission.ErrTooLarge):
		return refuse(TooLarge, "the body of %d bytes decompresses to more than %d bytes: send smaller batches", len(q.raw.B), q.most())
	case admission.Busy(err):
		return errBusy
	}
	if q.decodeAs(q.encoding.other()) == nil {
		q.encoding = q.encoding.other()
		return nil
	}
	return refuse(Invalid, "the body is not valid %v: %v", q.dialect.encoding, err)
}

// The method most returns the maximum size of the decompressed body.
func (q *request) most() int {
	b := &q.relay.o.Bounds
	return min(b.Decoded, max(1<<20, b.Ratio*len(q.raw.B)))
}

func (q *request) decodeAs(e Encoding) (err error) {
	q.plain, err = q.held.Inflate(e.compression(), q.raw.B, int64(q.most()))
	return err
}
