package table

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/slipstream-go/slipstream/column"
	"github.com/slipstream-go/slipstream/server/disk"
	"github.com/slipstream-go/slipstream/server/wal"
)

// Options are the options of a store. Dir, Sink and Decode must be set.
type Options struct {
	// Dir is the directory that contains catalog.json, its journal, and the directory named wal.
	Dir string

	// WAL contains the options of the log. The store sets Committed. The catalog also uses
	// WAL.Disk.
	WAL wal.Options

	Sink Sink

	// Aside, if not nil, is used for the files of a table when Sink fails to write them. The files
	// are moved to Sink when it works again.
	Aside Aside

	// Decode decodes the payload of a record after a restart. The batches must not refer to the
	// payload. They may come from Pool; when their rows are in files, the store returns them to
	// Pool.
	Decode func(r *wal.Record) ([]Write, error)

	Carrier Carrier // keeps data that must outlive records of the log; nil if there is none

	Pool *Pool // source of the batches of [Store.Batch]; created if nil

	// SealRows, SealBytes and SealAge define when the open unit of a table is sealed. They limit
	// the number of rows, the size of the rows in memory, and the age of the first row. The sealed
	// unit is then written to files. Defaults: 1 Mi rows, 128 MiB, 10 s.
	SealRows  int
	SealBytes int
	SealAge   time.Duration

	// MaxBuffered limits the memory for rows that wait to be written to the log or to files. If the
	// limit would be exceeded, Append returns ErrBusy. But if no other rows wait, a request that is
	// larger than MaxBuffered is accepted. When more than half of MaxBuffered is used, Append
	// delays requests by up to 10 ms. The default is 512 MiB.
	MaxBuffered int64

	MaxTables  int // default 10,000
	MaxColumns int // maximum number of columns in a table; default 4096
	MaxHours   int // maximum number of distinct hours in a batch; each hour becomes a file; default 1000

	// OnRecovery, if not nil, is called when recovery begins. Its argument is the store that Open
	// will return. Until Open returns, only the methods Stats, Tables, Log and Err may be called.
	OnRecovery func(*Store)

	Landers int    // maximum number of tables whose rows are written to files at the same time; default 1
	Node    string // file-name prefix, unique among machines; default "node"
	Logger  *slog.Logger

	firstPause time.Duration // pause before the first retry; only for tests
}

func (o *Options) setDefaults() error {
	if o.Dir == "" || o.Sink == nil || o.Decode == nil {
		return errors.New("table: Options.Dir, Sink and Decode must be set")
	}
	setDefault(&o.SealRows, 1<<20)
	o.SealRows = min(o.SealRows, maxSealRows)
	setDefault(&o.SealBytes, 128<<20)
	setDefault(&o.SealAge, 10*time.Second)
	setDefault(&o.MaxBuffered, 512<<20)
	setDefault(&o.MaxTables, 10_000)
	setDefault(&o.MaxColumns, 4096)
	setDefault(&o.MaxHours, 1000)
	setDefault(&o.Landers, 1)
	setDefault(&o.firstPause, firstPause)
	if o.Node == "" {
		o.Node = "node"
	}
	if err := checkPathName(o.Node); err != nil {
		return fmt.Errorf("table: Options.Node: %w", err)
	}
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	if o.WAL.Disk == nil {
		o.WAL.Disk = disk.OS
	}
	if o.Pool == nil {
		o.Pool = NewPool(int(min(o.MaxBuffered/4, 1<<30)))
	}
	return nil
}

func setDefault[T int | int64 | time.Duration](v *T, value T) {
	if *v <= 0 {
		*v = value
	}
}

// Store accepts rows from requests and writes them to files. Its methods may be called
// concurrently. The package comment describes the path of a row.
type Store struct {
	o         Options
	pool      *Pool
	catalog   *catalog
	log       *wal.Log
	node      atomic.Pointer[string] // Options.Node, followed by the number of the log unless this is the first log
	numbering disk.Mutex             // held while the log gets a new number

	held  atomic.Int64 // bytes of the batches, from Append until their rows are in files
	async atomic.Int64 // records that AppendAsync has accepted and that are not committed yet

	databases sync.Map     // string → *database: counters of each database
	several   atomic.Int32 // number of these databases

	gate   disk.RWMutex // held for reading during Append, so that Close can wait for running calls
	closed bool

	ctx     context.Context // ends with Close, or when the log fails; the cause of the context distinguishes the two
	cancel  context.CancelCauseFunc
	running sync.WaitGroup // landers and the clock

	starting sync.Once // used to start the landers and the clock once

	returning disk.Mutex // held while files are moved back from Options.Aside
	saving    disk.Mutex // held while unlanded.json is written
	saved     []string   // the list in unlanded.json

	mu        sync.Mutex
	work      sync.Cond // ready has a table, or ctx has ended
	tables    []*table  // tables that had a row or a problem at some time
	ready     []*table  // tables with a unit that a lander can work on
	waiting   int       // number of sealed units
	rewrites  []*table  // tables whose files are to be rewritten
	rewriter  bool      // the rewriter is running
	rewriting int       // number of tables with a rewrite that has not ended
	delivered uint64    // the rows of all records up to this number are in the buffers or in files
	partial   bool      // records after `delivered` have not been replayed yet, so commits do not change `delivered`
	total     Stats
	reported  Stats // statistics at the last report
	reportAt  time.Time
}

// Batch returns an empty batch from the store's pool. A batch that is passed to Append goes back to
// the pool when its rows are in files. A caller that does not append the batch must call Free.
func (s *Store) Batch() *column.Batch { return s.pool.Get() }

// Free puts a batch back into the store's pool. It is for batches that were not passed to Append.
func (s *Store) Free(b *column.Batch) { s.pool.Put(b) }

// Append writes a record to the log, and adds its decoded rows to the buffers of their tables.
// After the call, the store owns the batches, even if Append returns an error. If durable is true,
// the rows are on disk when Append returns nil. If durable is false, the rows will be on disk soon,
// and the caller must not change the record or the payload until the log calls `done`.
//
// If the function `done` is not nil, the log calls it after the rows were added to the buffers, as
// described for [wal.Log.Append] and [wal.Log.AppendAsync]. If there are no rows, Append writes
// nothing and returns nil, and `done` is not called.
//
// The error is [ErrInvalid], [ErrBusy], [ErrClosed], or an error from the log. Each *[TypeError]
// wraps ErrInvalid. After [wal.ErrFailed], the rows may be stored nevertheless. After any other
// error, the rows are not stored, and the catalog is unchanged.
func (s *Store) Append(r *wal.Record, writes []Write, durable bool, done func(error)) error {
	s.gate.RLock()
	defer s.gate.RUnlock()
	if s.closed {
		s.freeAll(writes)
		return ErrClosed
	}
	if len(writes) == 0 {
		return nil
	}
	d := deliveries.Get().(*delivery)
	if d.logged == nil {
		d.logged = d.finish
	}
	if err := s.prepare(d, writes, s.o.MaxHours); err != nil {
		d.recycle()
		s.freeAll(writes)
		return err
	}
	held := d.held()
	now := s.held.Add(held)
	err := ErrBusy
	if now <= s.o.MaxBuffered || now == held {
		err = s.claim(d)
	}
	if err == nil {
		if s.count(d, true); s.crowds(d, now) {
			err = ErrBusy
		}
	}
	if err != nil {
		s.drop(d)
		d.recycle()
		return err
	}
	s.pace(now)
	r.Type, r.UseReserve = typeRows, false
	d.store, d.record, d.done = s, r, done
	if durable {
		err = s.log.Append(r, d.logged)
	} else {
		d.async = true
		s.async.Add(1)
		if err = s.log.AppendAsync(r, d.logged); err == nil {
			return nil // the log owns d
		}
		s.async.Add(-1)
	}
	if err != nil {
		s.drop(d)
	}
	d.recycle()
	return err
}

// longestPace is the maximum delay of a request.
const longestPace = 10 * time.Millisecond

// pace delays a request when rows arrive faster than they are written to files. While at least half
// of the memory is free, there is no delay. When less is free, the delay grows as the free memory
// shrinks. So senders that wait for responses slow down before any request must be rejected.
func (s *Store) pace(held int64) {
	free := s.o.MaxBuffered / 2
	if over := min(held-free, free); over > 0 {
		time.Sleep(time.Duration(float64(longestPace) * float64(over) / float64(free)))
	}
}

func (s *Store) freeAll(writes []Write) {
	for _, w := range writes {
		s.pool.Put(w.Batch)
	}
}

// drop releases the claims, the memory and the batches of a delivery that failed.
func (s *Store) drop(d *delivery) {
	s.catalog.settle(d.claims, false)
	s.held.Add(-d.held())
	s.count(d, false)
	s.freeDelivery(d)
}

func (s *Store) freeDelivery(d *delivery) {
	for _, it := range d.items {
		s.pool.Put(it.piece.batch)
	}
}

// finish is called by the log when the record of the delivery is durable, or, for an asynchronous
// record, when it could not be written.
func (d *delivery) finish(err error) {
	s, r, done := d.store, d.record, d.done
	if err == nil {
		s.commit(r.Seq, d)
	} else {
		s.drop(d)
		s.o.Logger.Error("rows lost that were acknowledged with durability=async", "db", r.DB, "table", r.Table, "error", err)
	}
	if d.async {
		s.async.Add(-1)
		d.recycle()
	}
	if done != nil {
		done(err)
	}
}

// commit is called for each durable record, in the order of the log. It adds the rows of the
// delivery d to the buffers. For a record without rows, d is nil.
func (s *Store) commit(seq uint64, d *delivery) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if d != nil {
		s.catalog.settle(d.claims, true)
		s.deliver(seq, d, time.Now())
	}
	if !s.partial {
		s.delivered = seq
	}
}

// committed runs after each commit of the log.
func (s *Store) committed() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.relieve()
}

// Flush writes to files all rows that were appended before the call to Flush. If files of a table
// stay in Options.Aside, Flush returns an error.
func (s *Store) Flush(ctx context.Context) error {
	err := s.flush(ctx)
	if err == nil && s.o.Aside != nil {
		err = s.returnFiles()
	}
	return err
}

// flush is like Flush, but returns no error if files were written to Options.Aside.
func (s *Store) flush(ctx context.Context) error {
	if err := s.settleAsync(); err != nil {
		return err
	}
	var last []*unit // the last unit of each table
	s.mu.Lock()
	for _, t := range s.tables {
		s.seal(t)
		if n := len(t.waiting); n > 0 {
			last = append(last, t.waiting[n-1])
		}
	}
	s.mu.Unlock()
	for _, u := range last {
		select {
		case <-u.done:
		case <-ctx.Done():
			return s.unlanded(ctx.Err())
		case <-s.ctx.Done():
			return s.unlanded(context.Cause(s.ctx))
		}
	}
	return nil
}

// settleAsync waits until the rows that were queued before the call are in the buffers.
func (s *Store) settleAsync() error {
	if s.async.Load() == 0 {
		return nil
	}
	// When this empty intent is on disk, all rows that were queued before it are in the buffers.
	return s.note(typeIntent, Name{}, intent{})
}

// unlanded returns the error of a flush that ended early.
func (s *Store) unlanded(cause error) error {
	return errors.Join(fmt.Errorf("table: %d rows are not yet in files; they stay in the log, and are written to files after the next start: %w",
		s.Stats().Pending, cause), s.landError())
}

// stopGrace is the maximum time that Close waits until a sink reacts to the end of its context.
const stopGrace = 5 * time.Second

// Close writes all rows to files and closes the log. If ctx ends first, the remaining rows stay in
// the log. Files that are still in Options.Aside are moved to their tables' own directories after
// the next start.
func (s *Store) Close(ctx context.Context) error {
	s.gate.Lock()
	closed := s.closed
	s.closed = true
	s.gate.Unlock()
	if closed {
		return nil
	}
	err := s.flush(ctx)
	if err == nil && s.o.Aside != nil {
		if err := s.returnFiles(); err != nil {
			s.o.Logger.Error("moving files back from the aside directory failed; they stay there until the next start", "error", err)
		}
	}
	return errors.Join(err, s.end(ErrClosed))
}

// end stops the landers and closes the log.
func (s *Store) end(cause error) (err error) {
	s.stop(cause)
	stopped := make(chan struct{})
	go func() {
		s.running.Wait()
		close(stopped)
	}()
	select {
	case <-stopped:
	case <-time.After(stopGrace):
		err = errors.New("table: the sink did not return in time; the log is closed anyway")
	}
	if s.catalog != nil {
		if err := s.catalog.close(); err != nil { // the totals must outlive the log
			s.o.Logger.Warn("writing row and file counts to the catalog failed", "error", err)
		}
	}
	return errors.Join(err, s.log.Close())
}

// Err returns the reason why rows cannot be written to files, or nil. The reason is that the log
// has failed, or that a unit could be written neither to the table's own directory nor to
// Options.Aside. See [Store.Trouble].
func (s *Store) Err() error {
	if err := s.log.Err(); err != nil {
		return err
	}
	return s.landError()
}

func (s *Store) landError() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, t := range s.tables {
		if err := t.landError(); err != nil {
			return err
		}
	}
	return nil
}

// Log returns the counters of the log.
func (s *Store) Log() wal.Stats { return s.log.Stats() }

// Open opens the store and its log. It removes files that were not completed. When it returns, all
// rows in the log that are not in files are in the buffers.
func Open(o Options) (*Store, error) { return OpenContext(context.Background(), o) }

// OpenContext is like Open, but returns an error if ctx ends before recovery is complete. Rows that
// are not in files at that time stay in the log, and are written to files after the next start.
func OpenContext(ctx context.Context, o Options) (*Store, error) {
	if err := o.setDefaults(); err != nil {
		return nil, err
	}
	s := &Store{o: o, pool: o.Pool}
	s.work.L = &s.mu
	s.ctx, s.cancel = context.WithCancelCause(context.Background())
	if err := s.recover(ctx); err != nil {
		return nil, err
	}
	return s, nil
}

func (s *Store) openLog() error {
	o := s.o.WAL
	o.Committed = s.committed
	if o.Logger == nil {
		o.Logger = s.o.Logger
	}
	log, err := wal.Open(filepath.Join(s.o.Dir, "wal"), o)
	if err != nil {
		return err
	}
	s.mu.Lock()
	s.log = log
	s.mu.Unlock()
	return nil
}
