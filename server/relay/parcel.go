package relay

import (
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/slipstream-go/slipstream/remotewrite"
)

// counts are what a request holds, or what of it was written.
type counts struct{ Series, Samples, Histograms, Exemplars int64 }

func (c *counts) add(d counts) {
	c.Series += d.Series
	c.Samples += d.Samples
	c.Histograms += d.Histograms
	c.Exemplars += d.Exemplars
}

// weight is what the parcel counts for where several go together: as an item of the queue does.
func (c counts) weight() int64 { return 1 + c.Series + c.Samples + c.Histograms + c.Exemplars }

// none reports whether nothing was written.
func (c counts) none() bool { return c.Samples == 0 && c.Histograms == 0 && c.Exemplars == 0 }

// parcel is what a request brings for one tenant.
type parcel struct {
	tenant  *tenant
	version remotewrite.Version
	counts  counts

	// The request of the tenant: plain, or compressed as encoding says, or both. They are good
	// until the parcel is done.
	plain    []byte
	whole    []byte
	encoding Encoding
	bytes    int     // of plain
	entire   bool    // it is the whole request that came
	stored   bool    // it comes from the queue, whose bytes they are
	made     *buffer // whose whole is, if it was compressed here

	ctx     context.Context // ends when the sender will not wait any longer
	attempt string          // the sender's Retry-Attempt
	sum     uint64          // of the tenant and plain, for the memory of deliveries; 0: not computed

	share    int // of the memory of the request, in bytes; see admit
	result   result
	finished bool
	held     bool // something may still read whole: its memory must not be used again
	done     *sync.WaitGroup
}

// body is what there is of it: plain, or else compressed.
func (p *parcel) body() []byte {
	if p.plain != nil {
		return p.plain
	}
	return p.whole
}

// finish tells the request how the parcel has fared.
func (p *parcel) finish(r result) {
	p.result, p.finished = r, true
	p.done.Done()
}

// verdict is how a parcel fared.
type verdict uint8

const (
	taken     verdict = iota // by the target, the queue or the log
	refused                  // sending it again does not help
	forbidden                // refused for who the tenant is, or who we are: a setting is wrong, there or here
	limited                  // a rate is exceeded
	failed                   // no target took it, and another time one may

	verdicts
)

var verdictNames = [verdicts]string{taken: "taken", refused: "refused", forbidden: "forbidden", limited: "limited", failed: "failed"}

func (v verdict) String() string { return verdictNames[v] }

// result is how a parcel fared, and what there is to tell of it.
type result struct {
	verdict verdict
	status  int           // of the target; 0: none answered
	after   time.Duration // when to come again, if the target said it
	text    string        // for people: never empty unless taken
	written counts
	told    bool // written is what the target says: it knows version 2
	bare    bool // a series without samples, one of exemplars alone, was refused: version 1 has no such rule
	again   bool // it was taken when it came before
	missed  bool // policy is that one of several targets may miss it
	policy  bool // it is lost, and the settings want the sender to be told that all is well
	down    bool // the target takes no connections, or is given a rest: no fault of the tenant's
	late    bool // no answer came in time: the target may have stored the request, or may store it later
}

// tooLarge reports whether the target refused the request for its size.
func (res *result) tooLarge() bool { return res.status == http.StatusRequestEntityTooLarge }

// smaller reports whether a smaller request may pass. A limit on a rate also limits the samples of
// one request, and a target that is too slow for a request may be in time for its halves.
func (res *result) smaller() bool { return res.tooLarge() || res.verdict == limited || res.late }

// of is the result for p, when all of it was taken.
func (res result) of(p *parcel) result {
	if res.verdict == taken {
		res.written = p.counts
	}
	return res
}
