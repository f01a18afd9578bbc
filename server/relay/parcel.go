package relay

import (
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/slipstream-go/slipstream/remotewrite"
	"github.com/slipstream-go/slipstream/server/admission"
)

// counts contains the numbers of series, samples, histograms and exemplars in a request, or the
// numbers that a target has written.
type counts struct{ Series, Samples, Histograms, Exemplars int64 }

func (c *counts) add(d counts) {
	c.Series += d.Series
	c.Samples += d.Samples
	c.Histograms += d.Histograms
	c.Exemplars += d.Exemplars
}

// weight returns one plus the sum of these numbers. The relay limits the total weight of the
// parcels in a post. A queued item has the same weight as its parcel.
func (c counts) weight() int64 { return 1 + c.Series + c.Samples + c.Histograms + c.Exemplars }

// none reports whether the numbers of samples, histograms and exemplars are all zero.
func (c counts) none() bool { return c.Samples == 0 && c.Histograms == 0 && c.Exemplars == 0 }

// parcel is the part of a request that belongs to one tenant.
type parcel struct {
	tenant  *tenant
	version remotewrite.Version
	counts  counts

	// The tenant's request. The field `plain` contains it uncompressed, or the field `whole`
	// contains it compressed with encoding, or both. The bytes are valid until the parcel is
	// finished.
	plain    []byte
	whole    []byte
	encoding Encoding
	bytes    int               // length of plain
	entire   bool              // the parcel is the whole received request
	stored   bool              // the parcel comes from the queue, which owns the bytes
	made     *admission.Buffer // buffer that contains whole, if the relay compressed it

	ctx     context.Context // done when the sender stops waiting
	attempt string          // value of the sender's Retry-Attempt header
	sum     uint64          // hash of the tenant and the body, for Relay.memory; 0 if not computed

	share    int // bytes of the request's memory that are attributed to the group; see admit
	result   result
	finished bool
	held     bool // the transport may still read the slice `whole`: do not reuse its memory
	done     *sync.WaitGroup
}

// body returns p.plain, or p.whole if p.plain is nil.
func (p *parcel) body() []byte {
	if p.plain != nil {
		return p.plain
	}
	return p.whole
}

// finish sets the result of the parcel, and signals that the parcel is finished.
func (p *parcel) finish(r result) {
	p.result, p.finished = r, true
	p.done.Done()
}

// verdict is the outcome of a parcel.
type verdict uint8

const (
	taken     verdict = iota // accepted by the target, the queue or the log
	refused                  // a retry does not help
	forbidden                // rejected because of the tenant or of the relay's credentials: a setting of the target or of the relay is wrong
	limited                  // a rate is exceeded
	failed                   // no target accepted the parcel; a retry may succeed

	verdicts
)

var verdictNames = [verdicts]string{taken: "taken", refused: "refused", forbidden: "forbidden", limited: "limited", failed: "failed"}

func (v verdict) String() string { return verdictNames[v] }

// result is the outcome of a parcel, with details.
type result struct {
	verdict verdict
	status  int           // status code of the target's response; 0 if there was no response
	after   time.Duration // time until a retry, if the target requests one
	text    string        // error text; empty only if verdict == taken
	written counts
	told    bool // the target has reported the counts in the field `written`, so it supports version 2
	bare    bool // the target rejected a series because it has no samples, only exemplars; version 1 allows such series
	again   bool // the parcel was accepted in an earlier request
	missed  bool // the field `policy` is set because one of several targets did not receive the series
	policy  bool // the series are lost, but the settings require that the sender gets no error
	down    bool // the target accepts no connections, or its circuit is open; the tenant is not the cause
	late    bool // the response did not come in time: the target may have stored the request, or may store it later
}

// tooLarge reports whether the target rejected the request because of its size.
func (res *result) tooLarge() bool { return res.status == http.StatusRequestEntityTooLarge }

// smaller reports whether a smaller request may succeed. A rate limit may reject a request because
// it contains too many samples. A slow target may be able to process half of the request in time.
func (res *result) smaller() bool { return res.tooLarge() || res.verdict == limited || res.late }

// The method of returns the result of the parcel p. The receiver is the result of the whole post.
// If the target accepted the post, the result contains the counts of p as the written counts.
func (res result) of(p *parcel) result {
	if res.verdict == taken {
		res.written = p.counts
	}
	return res
}
