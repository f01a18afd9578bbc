package ingest

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"

	"github.com/slipstream-go/slipstream/server/access"
	"github.com/slipstream-go/slipstream/server/admission"
	"github.com/slipstream-go/slipstream/server/names"
	"github.com/slipstream-go/slipstream/server/refusal"
	"github.com/slipstream-go/slipstream/server/registry"
	"github.com/slipstream-go/slipstream/server/rows"
	"github.com/slipstream-go/slipstream/server/table"
	"github.com/slipstream-go/slipstream/server/wal"
)

// request is a write request in progress. Its resources are released when the request ends. An
// asynchronous request ends when the log has written it.
type request struct {
	handler *Handler
	record  wal.Record
	codec   codec
	held    admission.Hold
	body    *admission.Buffer // the body as received; stored in the log
	plain   *admission.Buffer // decompressed; nil if the body is not compressed
	job     rows.Job
	schema  *registry.Version // schema of the body, for the format Schema

	partial bool
	async   bool // the sender has chosen durability=async
	owned   bool // the log owns the request, and the method `stored` ends it
	keyed   bool // the request contains a key
	holds   bool // the request has claimed its key, and no batch is stored under the key yet
	id      batchID
	batch   batch  // the batch that is stored under the key
	again   *batch // the batch that was stored before under the key, or nil
	told    bool   // the response may contain information about all databases

	logged func(error) // q.stored; set once, because a method value costs an allocation
}

var requests = sync.Pool{New: func() any { return new(request) }}

// end releases all resources of the request.
func (q *request) end() {
	if q.holds {
		q.handler.batches.free(q.id)
		q.holds = false
	}
	q.job.Free()
	q.held.Release()
	q.body.Free()
	q.plain.Free()
	q.body, q.plain, q.schema = nil, nil, nil
	q.job.Body, q.job.Known, q.job.Take, q.job.Schema = nil, nil, nil, nil
	q.record, q.again = wal.Record{}, nil
	requests.Put(q)
}

// writeArc handles Arc's endpoint. A header contains the name of the database, and the first bytes
// of the body indicate the compression.
func (h *Handler) writeArc(w http.ResponseWriter, r *http.Request, g *access.Grant) *rows.Format {
	return h.write(w, r, g, table.Name{DB: databaseOf(r)}, rows.Arc)
}

// databaseOf returns the database of a request to Arc's endpoint.
func databaseOf(r *http.Request) string {
	return cmp.Or(r.Header.Get("X-Arc-Database"), "default")
}

func (h *Handler) writeTable(w http.ResponseWriter, r *http.Request, g *access.Grant) *rows.Format {
	return h.write(w, r, g, table.Name{DB: r.PathValue("db"), Table: r.PathValue("table")}, nil)
}

// write handles one write request, and returns its format. If f is nil, the Content-Type determines
// the format.
func (h *Handler) write(w http.ResponseWriter, r *http.Request, g *access.Grant, name table.Name, f *rows.Format) *rows.Format {
	q := requests.Get().(*request)
	q.handler, q.held, q.told = h, h.flight.Of(r.RemoteAddr), g.SeesAll()
	q.codec = codec{format: f}
	gone := false // the log owns q
	defer func() {
		if !gone {
			q.end()
		}
	}()
	err := q.admit(r, g, name)
	f = q.codec.format // the log may end q before the response is sent
	if err == nil {
		err = q.read(w, r)
	}
	if err == nil {
		gone, err = q.store(r.Context())
	}
	switch {
	case err != nil:
		refused := refusal.Of(err)
		h.counters.count(refused.Outcome)
		h.refuse(w, r, refused)
	case !gone && q.again != nil:
		h.counters.again.Add(1)
		q.answerAgain(w)
	case gone || len(q.job.Rejected.Rows) == 0:
		h.counters.count(refusal.Stored)
		w.WriteHeader(http.StatusNoContent)
	default:
		h.counters.count(refusal.StoredPartly)
		refusal.WriteJSON(w, http.StatusOK, q.report())
	}
	return f
}

// admit checks the request line and the headers, and returns an error if the body must not be read.
func (q *request) admit(r *http.Request, g *access.Grant, name table.Name) error {
	h := q.handler
	if r.ContentLength > h.limits.Body {
		return errBodyLimit(h.limits.Body)
	}
	if err := q.readHead(r, g, name); err != nil {
		return err
	}
	if h.store.Load() == nil || h.failed.Load() {
		return errNotReady()
	}
	return nil
}

// suffix returns the number of bytes that follow the body in the log. The number does not include
// the list of rejected rows, because the list is not known yet.
func (q *request) suffix() int {
	n := 0
	if q.schema != nil {
		n += len(q.schema.Notation) + 4 // see appendSchema
	}
	if q.keyed {
		n += batchSize + 4 // see appendKey
	}
	return n
}

// readHead reads the URL and the headers.
func (q *request) readHead(r *http.Request, g *access.Grant, name table.Name) (err error) {
	if err := names.CheckDatabase(name.DB); err != nil {
		return err
	}
	if q.codec.format == nil {
		if err := names.CheckTable(name.Table); err != nil {
			return err
		}
		var params map[string]string
		if q.codec.format, params, err = rows.FormatOf(r.Header.Get("Content-Type")); err != nil {
			return err
		}
		if q.codec.format == rows.Schema {
			if err = q.readSchema(r, g, params); err != nil {
				return err
			}
		}
		if q.codec.compression, err = compressionOf(r.Header.Get("Content-Encoding")); err != nil {
			return err
		}
	}
	q.partial, q.async = false, false
	var query url.Values
	if r.URL.RawQuery != "" {
		if query, err = q.readQuery(r); err != nil {
			return err
		}
	}
	if err := q.readKey(r, query, name.DB); err != nil {
		return err
	}
	q.record = wal.Record{Time: q.handler.clock().UnixMicro(), DB: name.DB, Table: name.Table}
	return nil
}

func (q *request) readQuery(r *http.Request) (url.Values, error) {
	query, err := parametersOf(r, "batch_id", "durability", "partial", "time_unit")
	if err != nil {
		return nil, err
	}
	switch v := query.Get("durability"); v {
	case "", "sync":
	case "async":
		q.async = true
	default:
		return nil, refusal.Errorf("durability=%q: use sync or async", refusal.Clip(v)).In("durability")
	}
	if v := query.Get("partial"); v != "" {
		if q.partial, err = strconv.ParseBool(v); err != nil {
			return nil, refusal.Errorf("partial=%q: use true or false", refusal.Clip(v)).In("partial")
		}
	}
	if v := query.Get("time_unit"); v != "" {
		q.codec.unit, err = rows.UnitOf(v)
	}
	return query, err
}

// readKey reads the idempotency key of a request, if there is one.
func (q *request) readKey(r *http.Request, query url.Values, db string) error {
	key, err := keyOf(r, query.Get("batch_id"), query.Has("batch_id"))
	if err != nil {
		return err
	}
	if q.keyed = key != ""; !q.keyed {
		return nil
	}
	if q.handler.batches == nil {
		return refusal.Errorf("idempotency keys are disabled: see --idempotency-window").In("Idempotency-Key")
	}
	q.id = idOf(db, key)
	return nil
}

// read reads the body. For Arc's endpoint, it also detects the compression.
func (q *request) read(w http.ResponseWriter, r *http.Request) error {
	if err := q.readBody(w, r); err != nil {
		return err
	}
	if len(q.body.B) == 0 {
		return refusal.Errorf("the body is empty")
	}
	if q.codec.format == rows.Arc {
		q.codec.compression = sniff(q.body.B)
	}
	return nil
}

const (
	largeBody       = 1 << 20
	largeCompressed = 64 << 10

	tries = 3 // maximum number of attempts to store a partial request; each attempt omits the rows that the catalog does not accept, and the catalog may change between attempts
)

// decode decompresses and decodes the body. Large bodies use much memory, so only a limited number
// of them are decoded at the same time.
func (q *request) decode() ([]table.Write, error) {
	n, compressed := len(q.body.B), q.codec.compression != admission.Identity
	if n > largeBody || n > largeCompressed && compressed {
		q.handler.large <- struct{}{}
		defer func() { <-q.handler.large }()
	}
	j := &q.job
	j.Body = q.body.B
	if compressed {
		if err := q.inflate(); err != nil {
			return nil, err
		}
		j.Body = q.plain.B
	}
	j.Target = table.Name{DB: q.record.DB, Table: q.record.Table}
	j.Unit, j.Received, j.Partial = q.codec.unit, q.record.Time, q.partial
	j.Limits, j.Pool = &q.handler.limits.Limits, q.handler.pool
	j.MaxText = q.handler.limits.decompressed(len(j.Body))
	return j.Decode(q.codec.format)
}

// store decodes the body, and passes the rows and the body to the store. If the result `gone` is
// true, the log owns the request, and the method `stored` ends it.
func (q *request) store(ctx context.Context) (gone bool, err error) {
	h := q.handler
	writes, err := q.decode()
	if err == nil && q.keyed && len(writes) > 0 {
		if err = q.hold(ctx); err != nil || q.again != nil {
			h.freeAll(writes)
			return false, err
		}
	}
	for try := 1; err == nil; try++ {
		rejected := len(q.job.Rejected.Rows)
		if len(writes) == 0 {
			h.counters.stored(0, rejected, 0)
			return false, nil
		}
		rows, size := rowsOf(writes), len(q.body.B)
		async := q.async && rejected == 0 // the response that lists rejected rows needs the request
		if err = q.append(writes, async); err == nil {
			h.counters.stored(rows, rejected, size)
			return async, nil
		}
		var conflict *table.TypeError
		typed := errors.As(err, &conflict)
		if !typed && refusal.Of(err).Outcome != refusal.Invalid {
			break
		}
		if !q.partial || try == tries {
			if typed {
				err = q.job.Conflict(q.codec.format, conflict)
			}
			break
		}
		q.job.Known = h.store.Load().Bounds // decoding again rejects the rows that the table cannot accept
		writes, err = q.job.Decode(q.codec.format)
	}
	return false, err
}

// hold claims the key of the request. If a request with this key was stored before, hold sets the
// field q.again instead.
func (q *request) hold(ctx context.Context) (err error) {
	q.batch = batch{digest: q.digest()}
	q.again, err = q.handler.batches.claim(ctx, q.record.DB, q.id, q.batch.digest)
	q.holds = err == nil && q.again == nil
	return err
}

// digest returns a hash of the content of the request. It does not depend on the compression of the
// body.
func (q *request) digest() digest {
	notation := ""
	if q.schema != nil {
		notation = q.schema.Notation
	}
	return sum([]byte(q.record.Table), []byte{q.codec.format.Code, byte(q.codec.unit)}, []byte(notation), q.job.Body)
}

// answerAgain responds to a request that was stored before. The response is the same as the earlier
// response, but without the list of rejected rows.
func (q *request) answerAgain(w http.ResponseWriter) {
	w.Header().Set("Idempotent-Replayed", "true")
	if q.again.rejected == 0 {
		q.handler.counters.count(refusal.Stored)
		w.WriteHeader(http.StatusNoContent)
		return
	}
	q.handler.counters.count(refusal.StoredPartly)
	refusal.WriteJSON(w, http.StatusOK, report{Rows: q.again.rows, Rejected: []rows.Rejection{}, More: q.again.rejected})
}

func (h *Handler) freeAll(writes []table.Write) {
	for _, w := range writes {
		h.pool.Put(w.Batch)
	}
}

// append passes the writes and the body to the store. After the call, the store owns the writes. If
// the argument `async` is true and append returns nil, the log owns the request.
func (q *request) append(writes []table.Write, async bool) error {
	h := q.handler
	q.record.Payload = q.body.B
	if q.schema != nil {
		q.record.Payload = appendSchema(q.record.Payload, q.schema.Notation)
	}
	q.codec.rejected = len(q.job.Rejected.Rows) > 0
	if q.codec.rejected {
		q.record.Payload = appendRejected(q.record.Payload, q.job.Rejected.Rows)
	}
	if q.codec.keyed = q.holds; q.holds {
		q.batch.time, q.batch.rows, q.batch.rejected = q.record.Time, rowsOf(writes), len(q.job.Rejected.Rows)
		q.record.Payload = appendKey(q.record.Payload, q.id, &q.batch)
	}
	q.body.B = q.record.Payload[:len(q.body.B)] // keeps the added capacity
	q.record.Codec = q.codec.bits()
	var done func(error)
	if q.owned = async; async || q.holds {
		if q.logged == nil {
			q.logged = q.stored
		}
		done = q.logged
	}
	s := h.store.Load()
	err := s.Append(&q.record, writes, !async, done)
	var conflict *table.TypeError
	if err == nil || errors.As(err, &conflict) { // a partial request can reject the rows and try again
		return err
	}
	return h.explain(err, s.Err, q.told)
}

// explain converts an error of the store to an error for the client. The function `landing` returns
// the reason why rows cannot be written to files at present, or nil. If the argument `told` is
// true, the client may get information about all databases, and the error contains this reason.
func (h *Handler) explain(err error, landing func() error, told bool) error {
	switch {
	case errors.Is(err, table.ErrInvalid):
		return refusal.Errorf("%s", strings.TrimPrefix(err.Error(), "table: "))
	case errors.Is(err, table.ErrBusy), errors.Is(err, wal.ErrFull):
		return errFull(err, landing(), told)
	case errors.Is(err, wal.ErrLowDisk):
		return refusal.New(refusal.LowDisk, "the disk is nearly full: nothing was stored, retry later")
	case errors.Is(err, table.ErrHeld):
		return refusal.New(refusal.Stalled, "nothing was stored: %v", err)
	case errors.Is(err, table.ErrClosed), errors.Is(err, wal.ErrClosed):
		return refusal.New(refusal.NotReady, "the service is stopping: nothing was stored, retry later")
	}
	h.log.Error("write failed", "error", err)
	if errors.Is(err, wal.ErrFailed) {
		h.failed.Store(true) // admit rejects later requests, so their outcome is not in doubt
		return refusal.New(refusal.InDoubt, "the disk failed while the rows were written: they may or may not be stored; the service must be restarted")
	}
	return refusal.New(refusal.Stalled, "nothing was stored: %v", err)
}

// errFull returns the error for exhausted memory or log space. Its text states the cause: rows
// arrive faster than they are written to files, or cannot be written to files at all.
func errFull(err, landing error, told bool) error {
	switch {
	case landing != nil && told:
		return refusal.New(refusal.Stalled, "writing rows to files fails at present: nothing was stored, retry later (%v)", landing)
	case landing != nil:
		return refusal.New(refusal.Stalled, "writing rows to files fails at present: nothing was stored, retry later")
	case errors.Is(err, wal.ErrFull):
		return refusal.New(refusal.LogFull, "the log is full of rows that are not yet in files: retry later")
	}
	return refusal.New(refusal.Backlogged, "too many rows wait to be written to files: retry later")
}

func rowsOf(writes []table.Write) int {
	n := 0
	for _, w := range writes {
		n += w.Batch.Rows
	}
	return n
}

// stored is called by the log when the record of the request is on disk. For an asynchronous
// request, the log also calls stored if the record could not be written. If the record is on disk,
// stored stores the key. If the request is asynchronous, stored ends it.
func (q *request) stored(err error) {
	switch {
	case err == nil && q.holds:
		q.batch.seq, q.holds = q.record.Seq, false
		q.handler.batches.store(q.record.DB, q.id, q.batch)
	case errors.Is(err, wal.ErrFailed):
		q.handler.failed.Store(true)
	}
	if q.owned {
		q.end()
	}
}

// report is the JSON form of the response to a partial request.
type report struct {
	Rows     int              `json:"rows"`
	Rejected []rows.Rejection `json:"rejected"`
	More     int              `json:"more_rejected,omitempty"` // number of rejected rows that are not listed
}

func (q *request) report() report {
	j := &q.job
	return report{
		Rows:     j.Row - len(j.Rejected.Rows),
		Rejected: j.Rejected.Reasons,
		More:     len(j.Rejected.Rows) - len(j.Rejected.Reasons),
	}
}
