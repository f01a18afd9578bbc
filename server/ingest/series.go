package ingest

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/klauspost/compress/s2"

	"github.com/slipstream-go/slipstream/server/admission"
	"github.com/slipstream-go/slipstream/server/refusal"
	"github.com/slipstream-go/slipstream/server/series"
	"github.com/slipstream-go/slipstream/server/wal"
)

// Remote Write requests come from the relay. The relay reads each request, splits it by tenant, and
// checks the rights of its sender.

// AppendSeries stores all parts, or no part, as one record of the log. After AppendSeries has
// returned, the caller may reuse the bodies of the parts.
//
//	verdict  after       meaning
//	Stored   0           everything is on disk; parts without data need no storage
//	Invalid  0           the rows are invalid or too many, and will never be accepted
//	Busy     1 s         nothing is stored: too many bytes are in flight, or wait to land
//	Failed   1 s or 5 s  nothing is stored: the service is not ready, or rows do not land
//	Failed   0           the disk failed during the write: the rows may or may not be stored
//
// The parts may belong to several tenants, and may be of both versions of Remote Write. Parts of
// the same tenant are stored in the given order.
func (h *Handler) AppendSeries(parts []series.Part) series.Result {
	q := requests.Get().(*request)
	q.handler, q.held, q.told = h, h.flight.Own(), false
	defer q.end()
	err := q.storeSeries(parts)
	if err == nil {
		h.counters.count(refusal.Stored)
		return series.Result{}
	}
	refused := refusal.Of(err)
	h.counters.count(refused.Outcome)
	res := series.Result{Verdict: series.Invalid, RetryAfter: refused.Outcome.RetryAfter(), Err: refused}
	switch status := refused.Outcome.Status(); {
	case status == http.StatusTooManyRequests:
		res.Verdict = series.Busy
	case status >= 500:
		res.Verdict = series.Failed
	}
	return res
}

// storeSeries stores parts as a record. It does the same work for parts as the methods `admit`,
// `read` and `store` do for HTTP requests.
func (q *request) storeSeries(parts []series.Part) error {
	h := q.handler
	if h.store.Load() == nil || h.failed.Load() {
		return errNotReady()
	}
	if err := q.join(parts); err != nil {
		return err
	}
	q.partial, q.async = false, false
	q.codec = codec{format: series.Format}
	q.record = wal.Record{Time: h.clock().UnixMicro(), DB: series.Database}
	q.job.Take = q.held.Take
	writes, err := q.decode()
	if err != nil {
		var at *series.PartError
		if !errors.As(err, &at) {
			return err
		}
		r := refusal.Of(at.Err)
		r.Text = fmt.Sprintf("tenant %q: %s", refusal.Clip(parts[at.Part].Tenant), r.Text)
		return r
	}
	if len(writes) == 0 {
		return nil
	}
	rows, size := rowsOf(writes), len(q.body.B)
	q.compress()
	if err := q.append(writes, false); err != nil {
		return err
	}
	h.counters.stored(rows, 0, size)
	return nil
}

// maxParts is the maximum total size of all parts in bytes. It ensures that the parts fit into a
// record of the log; the maximum size of a record is 1 GiB.
const maxParts = 768 << 20

// join combines the parts into one body. The documentation of package series describes the format
// of this body.
func (q *request) join(parts []series.Part) error {
	most := min(q.handler.limits.Decompressed, maxParts)
	size := int64(0)
	for i := range parts {
		if size += int64(len(parts[i].Body)); size > most {
			return refusal.New(refusal.TooLarge, "the request has more than %d bytes when decompressed: send smaller batches", most)
		}
	}
	q.body = admission.NewBuffer(int(size) + len(parts)*series.MaxHead)
	for i := range parts {
		p := &parts[i]
		q.body.B = series.Append(q.body.B, p)
	}
	return nil
}

// compress compresses the body for the log.
func (q *request) compress() {
	small := admission.NewBuffer(s2.MaxEncodedLen(len(q.body.B)))
	small.B = s2.EncodeSnappy(small.B[:cap(small.B)], q.body.B)
	q.body, q.plain = small, q.body
	q.codec.compression = admission.Snappy
}
