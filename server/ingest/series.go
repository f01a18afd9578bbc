package ingest

import (
	"encoding/binary"
	"fmt"
	"time"

	"github.com/klauspost/compress/s2"

	"github.com/slipstream-go/slipstream/remotewrite"
	"github.com/slipstream-go/slipstream/server/wal"
)

// Requests of Remote Write, which come from the relay: it has read them, taken them apart by
// tenant, and knows who may send.

// Series is a decompressed request of one tenant.
type Series struct {
	Tenant  string
	Version remotewrite.Version
	Body    []byte
}

// SeriesDatabase is the database of all tenants' tables.
const SeriesDatabase = "metrics"

// AppendSeries stores all parts or none of them, as one record of the log. The caller may reuse the
// bodies when it returns.
//
//	status    err  retryAfter
//	204       nil  0           everything is on disk; parts without data need no storage
//	400, 413  set  0           the rows are invalid or too many, and will never be accepted. The error has the tenant
//	429, 503  set  1 s or 5 s  nothing is stored: retry after this time
//	500       set  0           the disk failed during the write: the rows may or may not be stored
//
// The parts may have several versions and tenants. Parts of the same tenant keep their order.
func (h *Handler) AppendSeries(parts []Series) (status int, retryAfter time.Duration, err error) {
	q := requests.Get().(*request)
	q.handler, q.held, q.told = h, Hold{budget: h.flight}, false
	defer q.end()
	outcome := Stored
	if err = q.storeSeries(parts); err != nil {
		refused := asRefusal(err)
		outcome, err = refused.outcome, refused
	}
	h.counters.count(outcome)
	return outcome.Status(), outcomeTable[outcome].retry, err
}

// storeSeries is the way of a record of series: what HTTP requests have in admit, read and store.
func (q *request) storeSeries(parts []Series) error {
	h := q.handler
	if h.store.Load() == nil || h.failed.Load() {
		return errNotReady()
	}
	if err := q.join(parts); err != nil {
		return err
	}
	q.partial, q.async = false, false
	q.codec = codec{format: RemoteWrite}
	q.record = wal.Record{Type: wal.Data, Time: time.Now().UnixMicro(), DB: SeriesDatabase}
	q.job.take = q.take
	writes, err := q.decode()
	if err != nil {
		r := asRefusal(err)
		r.text = fmt.Sprintf("tenant %q: %s", clip(parts[q.job.series.part].Tenant), r.text)
		return r
	}
	if len(writes) == 0 {
		return nil
	}
	rows, size := rowsOf(writes), len(q.body)
	q.compress()
	if err := q.append(writes, false); err != nil {
		return err
	}
	h.counters.stored(rows, 0, size)
	return nil
}

// maxParts bounds the bytes of all parts, so that they fit a record of the log, which has 1 GiB.
const maxParts = 768 << 20

// join makes one body of the parts; see the package comment.
func (q *request) join(parts []Series) error {
	most := min(q.handler.limits.Decompressed, maxParts)
	q.body = q.body[:0]
	for i := range parts {
		p := &parts[i]
		if int64(len(q.body))+int64(len(p.Body)) > most {
			return refuse(TooLarge, "the request has more than %d bytes when decompressed: send smaller batches", most)
		}
		q.body = appendPart(q.body, seriesPart{[]byte(tableOf(p.Tenant)), p.Version, p.Body})
	}
	return nil
}

// compress makes the body what the log gets.
func (q *request) compress() {
	q.body, q.plain = s2.EncodeSnappy(q.plain[:0], q.body), q.body
	q.codec.compression = Snappy
}

// seriesPart is what a body has for one tenant.
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

// cutPart takes the first part off a body.
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
