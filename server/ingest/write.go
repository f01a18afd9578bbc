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
	"time"

	"github.com/slipstream-go/slipstream/server/access"
	"github.com/slipstream-go/slipstream/server/table"
	"github.com/slipstream-go/slipstream/server/wal"
)

// request is a write on its way: what it holds is given back when it ends, which for an
// asynchronous one is when the log has committed it.
type request struct {
	handler *Handler
	record  wal.Record
	codec   codec
	held    Hold   // of the budget
	body    []byte // as received: what the log gets
	plain   []byte // decompressed
	job     job

	partial bool
	async   bool // as the sender wants it
	logged  bool // the log ends it
	keyed   bool // it has a key
	holds   bool // the key, which nobody else has stored
	id      batchID
	batch   batch  // what is remembered of it
	again   *batch // it was stored before: how it was
	told    bool   // the sender may be told of all databases
}

var requests = sync.Pool{New: func() any { return new(request) }}

// end gives everything back.
func (q *request) end() {
	if q.holds {
		q.handler.batches.free(q.id)
		q.holds = false
	}
	q.job.free()
	q.held.Release()
	if cap(q.body) > keptBuffer {
		q.body = nil
	}
	if cap(q.plain) > keptBuffer {
		q.plain = nil
	}
	q.job.body, q.job.known, q.job.take, q.job.schema = nil, nil, nil, nil
	q.record, q.again = wal.Record{}, nil
	requests.Put(q)
}

// writeArc is Arc's endpoint: the database comes in a header, and the compression is told by the
// body's first bytes.
func (h *Handler) writeArc(w http.ResponseWriter, r *http.Request, g *access.Grant) *Format {
	return h.write(w, r, g, table.Name{DB: databaseOf(r)}, Arc)
}

// databaseOf is the database of a request to Arc's endpoint.
func databaseOf(r *http.Request) string {
	return cmp.Or(r.Header.Get("X-Arc-Database"), "default")
}

func (h *Handler) writeTable(w http.ResponseWriter, r *http.Request, g *access.Grant) *Format {
	return h.write(w, r, g, table.Name{DB: r.PathValue("db"), Table: r.PathValue("table")}, nil)
}

// write takes one request, and returns its format. The format f is nil where the Content-Type says
// it.
func (h *Handler) write(w http.ResponseWriter, r *http.Request, g *access.Grant, name table.Name, f *Format) *Format {
	q := requests.Get().(*request)
	q.handler, q.held, q.told = h, h.flight.Of(r.RemoteAddr), g.SeesAll()
	q.codec = codec{format: f}
	gone := false // q is the log's
	defer func() {
		if !gone {
			q.end()
		}
	}()
	err := q.admit(r, g, name)
	f = q.codec.format // the log may end q before the answer
	if err == nil {
		err = q.read(w, r)
	}
	if err == nil {
		gone, err = q.store(r.Context())
	}
	switch {
	case err != nil:
		refused := asRefusal(err)
		h.counters.count(refused.outcome)
		h.refuse(w, r, refused)
	case !gone && q.again != nil:
		h.counters.again.Add(1)
		q.answerAgain(w)
	case gone || len(q.job.rejected.rows) == 0:
		h.counters.count(Stored)
		w.WriteHeader(http.StatusNoContent)
	default:
		h.counters.count(StoredPartly)
		writeJSON(w, http.StatusOK, q.report())
	}
	return f
}

// admit decides by the head of the request whether its body is wanted.
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
	return q.take(int64(q.suffix()))
}

// suffix is how many bytes follow the body in the log, but for a list of rejected rows, which
// nobody knows yet.
func (q *request) suffix() int {
	n := 0
	if q.job.schema != nil {
		n += len(q.job.schema.notation) + 4 // see appendSchema
	}
	if q.keyed {
		n += batchSize + 4 // see appendKey
	}
	return n
}

// readHead reads what the URL and the headers say.
func (q *request) readHead(r *http.Request, g *access.Grant, name table.Name) (err error) {
	if err := checkDatabase(name.DB); err != nil {
		return err
	}
	if q.codec.format == nil {
		if err := checkTable(name.Table); err != nil {
			return err
		}
		var params map[string]string
		if q.codec.format, params, err = formatOf(r.Header.Get("Content-Type")); err != nil {
			return err
		}
		if q.codec.format == Schema {
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
	q.record = wal.Record{Type: wal.Data, Time: time.Now().UnixMicro(), DB: name.DB, Table: name.Table}
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
		return nil, invalid("durability=%q: use sync or async", clip(v)).in("durability")
	}
	if v := query.Get("partial"); v != "" {
		if q.partial, err = strconv.ParseBool(v); err != nil {
			return nil, invalid("partial=%q: use true or false", clip(v)).in("partial")
		}
	}
	if v := query.Get("time_unit"); v != "" {
		q.codec.unit, err = unitOf(v)
	}
	return query, err
}

// readKey reads the key of a request, if it has one.
func (q *request) readKey(r *http.Request, query url.Values, db string) error {
	key, err := keyOf(r, query.Get("batch_id"), query.Has("batch_id"))
	if err != nil {
		return err
	}
	if q.keyed = key != ""; !q.keyed {
		return nil
	}
	if q.handler.batches == nil {
		return invalid("keys of requests are not remembered here: see --idempotency-window").in("Idempotency-Key")
	}
	q.id = idOf(db, key)
	return nil
}

// read gets the body and decompresses it.
func (q *request) read(w http.ResponseWriter, r *http.Request) error {
	if err := q.readBody(w, r); err != nil {
		return err
	}
	if len(q.body) == 0 {
		return invalid("the body is empty")
	}
	if q.codec.format == Arc {
		q.codec.compression = sniff(q.body)
	}
	return nil
}

const (
	largeBody       = 1 << 20
	largeCompressed = 64 << 10

	tries = 3 // to leave out the rows that do not fit the catalog, which may change meanwhile
)

// decode decompresses and decodes the body. Large ones take turns, so that the memory they need at
// once is bounded.
func (q *request) decode() ([]table.Write, error) {
	n := len(q.body)
	if n > largeBody || n > largeCompressed && q.codec.compression != Identity {
		q.handler.large <- struct{}{}
		defer func() { <-q.handler.large }()
	}
	j := &q.job
	j.body = q.body
	if q.codec.compression != Identity {
		if err := q.inflate(q.codec.compression); err != nil {
			return nil, err
		}
		j.body = q.plain
	}
	j.target = table.Name{DB: q.record.DB, Table: q.record.Table}
	j.unit, j.received, j.partial = q.codec.unit, q.record.Time, q.partial
	j.limits, j.pool = &q.handler.limits, q.handler.pool
	return j.decode(q.codec.format)
}

// store decodes the body, and hands the rows and the body to the store. When it returns true, the
// request belongs to the log, which ends it.
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
		rejected := len(q.job.rejected.rows)
		if len(writes) == 0 {
			h.counters.stored(0, rejected, 0)
			return false, nil
		}
		rows, size := rowsOf(writes), len(q.body)
		async := q.async && rejected == 0 // the reply that lists rejected rows needs the request
		if err = q.append(writes, async); err == nil {
			h.counters.stored(rows, rejected, size)
			return async, nil
		}
		var conflict *table.TypeError
		typed := errors.As(err, &conflict)
		if !typed && asRefusal(err).outcome != Invalid {
			break
		}
		if !q.partial || try == tries {
			if typed {
				err = q.job.conflict(q.codec.format, conflict)
			}
			break
		}
		q.job.known = h.store.Load().Bounds // the rows that the table cannot take are found, and left out
		writes, err = q.job.decode(q.codec.format)
	}
	return false, err
}

// hold claims the request's key, or finds that the request was stored before.
func (q *request) hold(ctx context.Context) (err error) {
	q.batch = batch{digest: q.digest()}
	q.again, err = q.handler.batches.claim(ctx, q.record.DB, q.id, q.batch.digest)
	q.holds = err == nil && q.again == nil
	return err
}

// digest stands for what the request wants stored. Bodies that were compressed in two ways are the
// same.
func (q *request) digest() digest {
	notation := ""
	if q.job.schema != nil {
		notation = q.job.schema.notation
	}
	return sum([]byte(q.record.Table), []byte{q.codec.format.Code, byte(q.codec.unit)}, []byte(notation), q.job.body)
}

// answerAgain answers a request that was stored before as it was answered then, but does not list
// the rows that were rejected.
func (q *request) answerAgain(w http.ResponseWriter) {
	w.Header().Set("Idempotent-Replayed", "true")
	if q.again.rejected == 0 {
		q.handler.counters.count(Stored)
		w.WriteHeader(http.StatusNoContent)
		return
	}
	q.handler.counters.count(StoredPartly)
	writeJSON(w, http.StatusOK, report{Rows: q.again.rows, Rejected: []Rejection{}, More: q.again.rejected})
}

func (h *Handler) freeAll(writes []table.Write) {
	for _, w := range writes {
		h.pool.Put(w.Batch)
	}
}

// append hands the writes, which it takes over, and the body to the store. After an asynchronous
// append without an error the request is the log's.
func (q *request) append(writes []table.Write, async bool) error {
	h := q.handler
	q.record.Payload = q.body
	if q.job.schema != nil {
		q.record.Payload = appendSchema(q.record.Payload, q.job.schema.notation)
	}
	q.codec.rejected = len(q.job.rejected.rows) > 0
	if q.codec.rejected {
		q.record.Payload = appendRejected(q.record.Payload, q.job.rejected.rows)
	}
	if q.codec.keyed = q.holds; q.holds {
		q.batch.time, q.batch.rows, q.batch.rejected = q.record.Time, rowsOf(writes), len(q.job.rejected.rows)
		q.record.Payload = appendKey(q.record.Payload, q.id, &q.batch)
	}
	q.body = q.record.Payload[:len(q.body)] // with the room that was made
	q.record.Codec = q.codec.bits()
	q.record.Attach = nil
	if q.logged = async; async || q.holds {
		q.record.Attach = q
	}
	s := h.store.Load()
	err := s.Append(&q.record, writes, !async)
	var conflict *table.TypeError
	if err == nil || errors.As(err, &conflict) { // which a partial request can do something about
		return err
	}
	return h.explain(err, s.Err, q.told)
}

// explain says what an error of the store means for the client. landing is why rows do not land at
// present, if they do not; clients that may not be told of all databases get no details of it.
func (h *Handler) explain(err error, landing func() error, told bool) error {
	switch {
	case errors.Is(err, table.ErrInvalid):
		return invalid("%s", strings.TrimPrefix(err.Error(), "table: "))
	case errors.Is(err, table.ErrBusy), errors.Is(err, wal.ErrFull):
		return errFull(err, landing(), told)
	case errors.Is(err, wal.ErrLowDisk):
		return refuse(LowDisk, "the disk is nearly full: nothing was stored, send it again later")
	case errors.Is(err, table.ErrHeld):
		return refuse(Stalled, "nothing was stored: %v", err)
	case errors.Is(err, table.ErrClosed), errors.Is(err, wal.ErrClosed):
		return refuse(NotReady, "the service is stopping: nothing was stored, send it again later")
	}
	h.log.Error("write failed", "error", err)
	if errors.Is(err, wal.ErrFailed) {
		h.failed.Store(true) // what comes later is not in doubt: admit refuses it
		return refuse(InDoubt, "the disk failed while the rows were written: they may be stored or not; the service must be restarted")
	}
	return refuse(Stalled, "nothing was stored: %v", err)
}

// errFull is a budget that is used up: because rows come faster than they land, or because they do
// not land at all.
func errFull(err, landing error, told bool) error {
	switch {
	case landing != nil && told:
		return refuse(Stalled, "rows do not land at present: nothing was stored, send it again later (%v)", landing)
	case landing != nil:
		return refuse(Stalled, "rows do not land at present: nothing was stored, send it again later")
	case errors.Is(err, wal.ErrFull):
		return refuse(LogFull, "the log is full of rows that wait to land: send it again later")
	}
	return refuse(Backlogged, "too many rows wait to land: send it again later")
}

func rowsOf(writes []table.Write) int {
	n := 0
	for _, w := range writes {
		n += w.Batch.Rows
	}
	return n
}

// Committed must be called by the log's OnCommit, after the store's own. It releases the memory of
// asynchronous requests, and stores keys.
func (h *Handler) Committed(recs []*wal.Record) {
	for _, r := range recs {
		q, ok := r.Attach.(*request)
		if !ok {
			continue
		}
		if q.holds {
			q.batch.seq, q.holds = r.Seq, false
			h.batches.store(r.DB, q.id, q.batch)
		}
		if q.logged {
			q.end()
		}
	}
}

// Failed must be called by the log's OnFail.
func (h *Handler) Failed(r *wal.Record, err error) {
	if errors.Is(err, wal.ErrFailed) {
		h.failed.Store(true)
	}
	if q, ok := r.Attach.(*request); ok {
		q.end()
	}
}

// report is the JSON of a reply to a partial request.
type report struct {
	Rows     int         `json:"rows"`
	Rejected []Rejection `json:"rejected"`
	More     int         `json:"more_rejected,omitempty"` // rows that were rejected and are not listed
}

func (q *request) report() report {
	j := &q.job
	return report{
		Rows:     j.row - len(j.rejected.rows),
		Rejected: j.rejected.reasons,
		More:     len(j.rejected.rows) - len(j.rejected.reasons),
	}
}
