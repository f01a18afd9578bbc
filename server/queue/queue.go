package queue

import (
	"container/list"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/slipstream-go/slipstream/server/wal"
)

// Options are how a queue is opened. Deliver must be set.
type Options struct {
	// WAL is how the log is opened; OnCommit and OnFail are the queue's own, SegmentBytes is 32 MiB
	// unless set. A MaxBytes of the log should be at least twice that of the queue: what is done
	// with leaves the log with a delay. Items that move may exceed it by a segment.
	WAL wal.Options

	// Deliver is called by workers, for many tenants at once but never twice at a time for one.
	Deliver DeliverFunc

	// Workers bounds the calls of Deliver at once, and MaxSlow those that take longer than 50 ms:
	// these do not count as Workers. A tenant whose call was slow and failed gets only slow calls
	// until one is quick; one that is new gets at most half of Workers; and at most half of MaxSlow
	// is for both. So however many tenants the target hangs for, those that it answered before do
	// not wait for them. Defaults: 16, 1024.
	Workers int
	MaxSlow int

	// Waiting items of one tenant and codec are delivered together, up to this many items, bytes of
	// bodies, and weight; a single item may exceed the bounds. The weight of an item is one plus
	// the sum of its notes. Verdicts lower the weight for a tenant: see [Verdict.Fewer]. Defaults:
	// 128, 1 MiB, no bound.
	MaxJoinItems  int
	MaxJoinBytes  int64
	MaxJoinWeight int64

	// Joins, if set, is asked whether items of a codec may be delivered together; others come one
	// by one.
	Joins func(codec uint8) bool

	// Memory bounds the bodies that are held in memory, those on their way to the disk included;
	// others are read back from the log when they are due, which takes up to Workers ×
	// MaxJoinBytes, and one body for each call beyond. Default: 64 MiB; negative: none.
	Memory int64

	// Bounds of what waits, of one tenant and in all. An item counts as its body and 128 bytes.
	// Zero means no bound. The last eighth of what tenants share is for those whose last call did
	// not end with Retry.
	MaxTenantBytes int64
	MaxBytes       int64

	// Group, if set, returns the group of a tenant; MaxGroupBytes bounds what waits of each. So
	// that what some tenants share, as a target that is down, does not use up MaxBytes for the
	// others. There should be few groups: they are never forgotten.
	Group         func(tenant string) string
	MaxGroupBytes int64

	// MaxAge is how long an item may wait. It counts with DropOldest only.
	MaxAge time.Duration

	// DropOldest has the oldest items of a tenant dropped where its new ones would exceed a bound,
	// which otherwise are refused with ErrFull. Items that are with Deliver at the time stay.
	DropOldest bool

	Logger *slog.Logger // slog.Default() when nil

	// Jitter returns a duration below its argument, by which a pause before a retry is shorter.
	// Unless set, it is random.
	Jitter func(below time.Duration) time.Duration

	// Tests make it faster.
	noteInterval             time.Duration
	reportInterval           time.Duration
	firstPause, longestPause time.Duration
}

func (o *Options) setDefaults() error {
	if o.Deliver == nil {
		return errors.New("queue: Options.Deliver must be set")
	}
	setDefault(&o.Workers, 16)
	setDefault(&o.MaxSlow, 1024)
	if o.Jitter == nil {
		o.Jitter = rand.N[time.Duration]
	}
	setDefault(&o.MaxJoinItems, 128)
	setDefault(&o.MaxJoinBytes, 1<<20)
	setDefault(&o.MaxJoinWeight, 1<<48) // more than the items of a call can weigh
	setDefault(&o.WAL.SegmentBytes, 32<<20)
	if o.WAL.MaxBytes > 0 {
		o.WAL.SegmentBytes = min(o.WAL.SegmentBytes, max(o.WAL.MaxBytes/4, 1)) // as the log itself does
	}
	if o.Memory == 0 {
		o.Memory = 64 << 20
	}
	setDefault(&o.noteInterval, 250*time.Millisecond)
	setDefault(&o.reportInterval, time.Second)
	setDefault(&o.firstPause, 100*time.Millisecond)
	setDefault(&o.longestPause, 30*time.Second)
	if o.Logger == nil {
		o.Logger = slog.Default()
	}
	if o.WAL.Logger == nil {
		o.WAL.Logger = o.Logger
	}
	return nil
}

func setDefault[T int | int64 | time.Duration](v *T, value T) {
	if *v <= 0 {
		*v = value
	}
}

// Queue holds items until they are delivered. Its methods may be called from many goroutines.
type Queue struct {
	o   Options
	log *wal.Log

	ctx     context.Context // of Deliver
	cancel  context.CancelFunc
	working sync.WaitGroup
	nudge   chan struct{} // wakes the keeper
	ending  chan struct{} // closed to end the keeper
	ended   chan struct{} // closed by it

	mu      sync.Mutex
	closed  bool
	groups  map[string]*group
	tenants map[string]*tenant // those with items, and those in idle
	idle    *list.List         // of *tenant without items, the one that was used last at the back
	schedule
	segments []*segment        // oldest first; the last is the one that the log writes to
	unnoted  map[string]uint64 // how far tenants have come that was not noted yet

	items     int
	bytes     int64 // cost of all items, and of those that are coming
	memory    int64 // of bodies
	live      int64 // bytes of entries in the log that are needed
	taken     Count
	counts    [outcomes]Count
	retries   int64
	rewritten int64
	blamed    [outcomes + 1]blame // for the keeper's reports; the last is for retries
}

// Open opens the queue in dir, which is made when it is missing, and goes on where the last one
// stopped. Damage does not stop it: what is whole will be delivered, what is damaged is set aside
// in the directory, logged, and counted in [Stats]. Other errors are those of wal.Open.
func Open(dir string, o Options) (*Queue, error) {
	if err := o.setDefaults(); err != nil {
		return nil, err
	}
	q := &Queue{
		o:     o,
		nudge: make(chan struct{}, 1), ending: make(chan struct{}), ended: make(chan struct{}),
		groups: make(map[string]*group), tenants: make(map[string]*tenant), idle: list.New(), unnoted: make(map[string]uint64),
	}
	q.o.WAL.OnCommit, q.o.WAL.OnFail, q.o.WAL.Salvage = q.committed, nil, true
	log, err := wal.Open(dir, q.o.WAL)
	if err != nil {
		return nil, fmt.Errorf("queue: %w", err)
	}
	q.log = log
	q.o.WAL.SegmentBytes = log.SegmentBytes() // which goes by the disk
	if err := q.recover(); err != nil {
		return nil, errors.Join(fmt.Errorf("queue: %w", err), log.Close())
	}
	log.Start()
	q.ctx, q.cancel = context.WithCancel(context.Background())
	q.mu.Lock()
	q.dispatch()
	q.mu.Unlock()
	go q.keep()
	return q, nil
}

// Close ends deliveries, notes how far they have come and closes the log. What waits stays on disk.
// It waits for the deliveries that are under way; when ctx is done, so is theirs.
func (q *Queue) Close(ctx context.Context) error {
	q.mu.Lock()
	before := q.closed
	q.closed = true
	q.mu.Unlock()
	if before {
		return nil
	}
	stop := context.AfterFunc(ctx, q.cancel)
	defer stop()
	q.working.Wait()
	q.cancel()
	close(q.ending)
	<-q.ended
	q.endPauses()
	err := q.note()
	q.report()
	return errors.Join(err, q.log.Close())
}

// endPauses stops all timers.
func (q *Queue) endPauses() {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, t := range q.tenants {
		if t.timer != nil {
			t.timer.Stop()
		}
	}
}
