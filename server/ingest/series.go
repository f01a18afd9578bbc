package ingest

import (
	"encoding/binary"
	"fmt"
	"net/http"
	"time"

	"github.com/klauspost/compress/s2"

	"github.com/slipstream-go/slipstream/remotewrite"
	"github.com/slipstream-go/slipstream/server/admission"
	"github.com/slipstream-go/slipstream/server/series"
	"github.com/slipstream-go/slipstream/server/wal"
)

// Requests of Remote Write come from the relay. The relay has read them, split them by tenant, and
// checked the rights of the sender.

// AppendSeries stores all parts, or no part, as one record of the log. After it returns, the caller
// may reuse the bodies.
//
//	verdict  after       meaning
//	Stored   0           everything is on disk; parts without data need no storage
//	Invalid  0           the rows are invalid or too many, and will never be accepted
//	Busy     1 s         nothing is stored: too many bytes are in flight, or wait to land
//	Failed   1 s or 5 s  nothing is stored: the service is not ready, or rows do not land
//	Failed   0           the disk failed during the write: the rows may or may not be stored
//
// The parts may belong to several tenants, and use different versions. Parts of the same tenant
// keep their order.
func (h *Handler) AppendSeries(parts []series.Part) series.Result {
	q := requests.Get().(*request)
	q.handler, q.held, q.told = h, h.flight.Own(), false
	defer q.end()
	err := q.storeSeries(parts)
	if err == nil {
		h.counters.count(Stored)
		return series.Result{}
	}
	refused := asRefusal(err)
	h.counters.count(refused.outcome)
	res := series.Result{Verdict: series.Invalid, RetryAfter: outcomeTable[refused.outcome].retry, Err: refused}
	switch status := refused.outcome.Status(); {
	case status == http.StatusTooManyRequests:
		res.Verdict = series.Busy
	case status >= 500:
		res.Verdict = series.Failed
	}
	return res
}

// storeSeries stores parts as a record. It does the work that admit, read and store do for HTTP
// requests.
func (q *request) storeSeries(parts []series.Part) error {
	h := q.handler
	if h.store.Load() == nil || h.failed.Load() {
		return errNotReady()
	}
	if err := q.join(parts); err != nil {
		return err
	}
	q.partial, q.async = false, false
	q.codec = codec{format: RemoteWrite}
	q.record = wal.Record{Type: wal.Data, Time: time.Now().UnixMicro(), DB: series.Database}
	q.job.take = q.held.Take
	writes, err := q.decode()
	if err != nil {
		r := asRefusal(err)
		r.text = fmt.Sprintf("tenant %q: %s", clip(parts[q.job.series.part].Tenant), r.text)
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

// join combines the parts into one body. The package comment describes its format.
func (q *request) join(parts []series.Part) error {
	most := min(q.handler.limits.Decompressed, maxParts)
	size := int64(0)
	for i := range parts {
		if size += int64(len(parts[i].Body)); size > most {
			return refuse(TooLarge, "the request has more than %d bytes when decompressed: send smaller batches", most)
		}
	}
	q.body = admission.NewBuffer(int(size) + len(parts)*maxPartHead)
	for i := range parts {
		p := &parts[i]
		q.body.B = appendPart(q.body.B, seriesPart{[]byte(tableOf(p.Tenant)), p.Version, p.Body})
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

// maxPartHead is the maximum number of bytes that appendPart adds before a body.
const maxPartHead = 2 + maxTenantTable + 1 + binary.MaxVarintLen64

// seriesPart is the part of a body for one tenant.
type seriesPart struct {
	table   []byte
	version remotewrite.Version
	body    []byte
}

func appendPart(b []byte, p seriesPart) []byte {
	b = append(binary.AppendUvarint(b, uint64(len(p.table))), p.table...)
	b = append(b, byte(p.version))
	return append(binary.AppendUvarint(b, uint64(len(p.body))), p.body...)
}

// cutPart reads the first part of a body.
func cutPart(b []byte) (p seriesPart, rest []byte, ok bool) {
	if p.table, b, ok = cutBytes(b); !ok || len(b) == 0 {
		return p, nil, false
	}
	p.version = remotewrite.Version(b[0])
	p.body, rest, ok = cutBytes(b[1:])
	return p, rest, ok
}

func cutBytes(b []byte) (field, rest []byte, ok bool) {
	n, k := binary.Uvarint(b)
	if k <= 0 || n > uint64(len(b)-k) {
		return nil, nil, false
	}
	b = b[k:]
	return b[:n:n], b[n:], true
}
