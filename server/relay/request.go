package relay

import (
	"errors"
	"io"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/slipstream-go/slipstream/remotewrite"
	"github.com/slipstream-go/slipstream/server/ingest"
)

// request is one on its way through the relay. It is used again, with its memory.
//
//	head ──▶ dialect ──▶ raw, as received ──▶ plain ──▶ splitter: parts ──▶ parcels ──▶ results ──▶ answer
type request struct {
	relay      *Relay
	head       *http.Request
	dialect    dialect
	credential *credential

	held       ingest.Hold // of the budget; the share of the client ends with the body
	leftUnread bool        // something of the body has not been read
	first      [firstRead]byte
	raw        *buffer  // the body, as received
	encoding   Encoding // that it turned out to have
	plain      *buffer  // decompressed
	parts      *buffer  // what was copied out of it for tenants

	splitter remotewrite.Splitter
	accept   func(key []byte, s *remotewrite.SeriesView) error // acceptSeries, bound once
	rules    *Rules
	key      []byte  // see keyOf
	last     *tenant // that acceptSeries was asked for last
	hashed   int     // bytes of labels
	outside  int     // series out of bounds
	parcels  []parcel
	group    int // so many parcels, one after the other, are of one tenant: see replicate
	done     sync.WaitGroup
	losses   losses // what goes nowhere
	copied   int    // bytes of parts
	metadata []byte // of version 1
	entries  int    // of it
	written  counts
}

// end gives everything back.
func (q *request) end() {
	q.held.Release()
	for i := range q.parcels {
		if p := &q.parcels[i]; p.held && q.group > 1 {
			q.parcels[i-i%q.group].held = true // which has made what all of them post
		}
	}
	for i := range q.parcels {
		switch p := &q.parcels[i]; {
		case p.held && p.made == nil:
			q.raw = nil
		case !p.held && p.made != nil: // else it is left to the garbage collector
			p.made.free()
		}
	}
	q.splitter.Reset()
	clear(q.parcels)
	q.parcels = q.parcels[:0]
	for _, b := range []**buffer{&q.raw, &q.plain, &q.parts} {
		if *b != nil {
			(*b).free()
			*b = nil
		}
	}
	q.relay, q.head, q.credential, q.rules, q.last, q.leftUnread = nil, nil, nil, nil, nil, false
	q.hashed, q.outside, q.group = 0, 0, 1
	q.losses.reset()
	if q.metadata = q.metadata[:0]; cap(q.metadata) > firstBuffer {
		q.metadata = nil
	}
	q.written, q.copied, q.entries = counts{}, 0, 0
	requests.Put(q)
}

// take takes memory from the budget of all requests.
func (q *request) take(n int) error {
	if q.held.Take(int64(n)) != nil {
		return errBusy
	}
	return nil
}

var errBusy = refuse(Overloaded, "the memory for requests is in use: retry later")

const (
	firstRead   = 512
	firstBuffer = 64 << 10        // for a body of unknown length
	firstWait   = 5 * time.Second // for a body to begin, and more for it to go on
	slowest     = 64 << 10        // bytes in a second, on the average, that a sender must manage
)

// read reads the whole body. The sender has a while to begin, and then must manage a rate; until it
// has begun it occupies nothing. The memory is taken from the budget before it is used, and not for
// what a head only announces.
func (q *request) read(w http.ResponseWriter) *refusal {
	limit, length := q.relay.o.Bounds.Body, q.head.ContentLength
	if length > limit {
		return errBody(limit)
	}
	control := http.NewResponseController(w)
	begin := time.Now()
	n, err := q.head.Body.Read(q.first[:])
	b, e := takeBuffer(int(min(max(length+1, firstRead), firstBuffer)), q.take)
	if e != nil {
		return errBusy
	}
	q.raw = b
	b.b = append(b.b, q.first[:n]...)
	for err == nil {
		if len(b.b) == cap(b.b) {
			more, e := takeBuffer(2*cap(b.b), q.take)
			if e != nil {
				return errBusy
			}
			more.b = append(more.b, b.b...)
			b.free()
			q.raw, b = more, more
			control.SetReadDeadline(begin.Add(firstWait + time.Duration(cap(b.b))*time.Second/slowest))
		}
		n, err = q.head.Body.Read(b.b[len(b.b):cap(b.b)])
		if b.b = b.b[:len(b.b)+n]; int64(len(b.b)) > limit {
			return errBody(limit)
		}
	}
	if err != io.EOF {
		return errReading(err, len(b.b))
	}
	q.leftUnread = false
	q.held.Unshare() // from now on tenants have shares, see admit: a proxy brings the requests of many
	control.SetReadDeadline(time.Time{})
	return nil
}

func errBody(limit int64) *refusal {
	return refuse(TooLarge, "the body is larger than %d bytes: send smaller batches", limit)
}

func errReading(err error, got int) *refusal {
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return refuse(Interrupted, "the body did not arrive in time: after %d bytes it was given up", got)
	}
	return refuse(Interrupted, "the body ended early: %v", err)
}

// decode decompresses the body. As vmagent's queue may hold bodies of both encodings, under headers
// of the time when they are sent, the other encoding is tried when the one that the head tells is
// not it.
func (q *request) decode() *refusal {
	q.encoding = q.dialect.encoding
	if len(q.raw.b) == 0 {
		return refuse(Invalid, "the body is empty")
	}
	err := q.decodeAs(q.encoding)
	if err != nil && !isFinal(err) {
		if q.decodeAs(q.encoding.other()) == nil {
			q.encoding = q.encoding.other()
			return nil
		}
	}
	switch {
	case err == nil:
		return nil
	case errors.Is(err, errDecoded):
		return refuse(TooLarge, "the body of %d bytes decompresses to more than %d: send smaller batches", len(q.raw.b), q.most())
	case err == errBusy:
		return errBusy
	}
	return refuse(Invalid, "the body is not %v: %v", q.dialect.encoding, err)
}

// isFinal reports whether another encoding is not to be tried.
func isFinal(err error) bool { return err == errBusy || errors.Is(err, errDecoded) }

// most is how much the body may decompress to.
func (q *request) most() int {
	b := &q.relay.o.Bounds
	return min(b.Decoded, max(1<<20, b.Ratio*len(q.raw.b)))
}

func (q *request) decodeAs(e Encoding) (err error) {
	q.plain, err = e.decode(q.raw.b, q.most(), q.take)
	return err
}
