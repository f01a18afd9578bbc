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

// Options are the options of a queue. Deliver must be set.
type Options struct {
	// WAL has the options of the log. The queue sets OnCommit and OnFail. The default of
	// SegmentBytes is 32 MiB. MaxBytes of the log should be at least twice that of the queue,
	// because delivered items leave the log with a delay. Items that are moved may exceed it by a
	// segment.
	WAL wal.Options

	// Deliver is called by workers, concurrently for many tenants, but one call at a time for a
	// tenant.
	Deliver DeliverFunc

	// Workers is the maximum number of concurrent calls of Deliver, and MaxSlow the maximum of
	// those that take longer than 50 ms, which do not count as Workers. A tenant whose last call
	// was slow and failed gets only slow calls until one is quick. New tenants get at most half of
	// Workers. Both together get at most half of MaxSlow. So tenants that the target has answered
	// before do not wait for others, however many of these hang. Defaults: 16, 1024.
	Workers int
	MaxSlow int

	// MaxJoinItems, MaxJoinBytes and MaxJoinWeight limit the number of items, the bytes of bodies
	// and the weight of a call, which delivers items of one tenant and codec. A single item may
	// exceed them. The weight of an item is one plus the sum of its notes. Verdicts reduce the
	// weight for a tenant: see [Verdict.Fewer]. Defaults: 128, 1 MiB, no limit.
	MaxJoinItems  int
	MaxJoinBytes  int64
	MaxJoinWeight int64

	// Joins, if not nil, reports whether items of a codec may be delivered together. Otherwise they
	// are delivered one by one.
	Joins func(codec uint8) bool

	// Memory limits the bodies in memory, including those that are being written to disk. Other
	// bodies are read from the log when they are delivered, which takes up to Workers ×
	// MaxJoinBytes, and one body for each call in addition. The default is 64 MiB. If it is
	// negative, no bodies are kept.
	Memory int64

	// MaxTenantBytes and MaxBytes limit the queued bytes of one tenant and in total. An item counts
	// as its body and 128 bytes. Zero means no limit. The last eighth of the room that tenants
	// share is reserved for those whose last call did not end with Retry.
	MaxTenantBytes int64
	MaxBytes       int64

	// Group, if not nil, returns the group of a tenant, and MaxGroupBytes limits the queued bytes
	// of each group. So tenants that share a target that is down do not use up MaxBytes for others.
	// There should be few groups, because they are never forgotten.
	Group         func(tenant string) string
	MaxGroupBytes int64

	// MaxAge is the maximum time that an item may wait. It applies only with DropOldest.
	MaxAge time.Duration

	// DropOldest drops the oldest items of a tenant if new ones would exceed a limit. By default,
	// new items are refused with [ErrFull]. Items that are being delivered are not dropped.
	DropOldest bool

	Logger *slog.Logger // slog.Default() when nil

	// Jitter returns a duration less than its argument, by which the delay before a retry is
	// reduced. The default is random.
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

// Queue keeps items until they are delivered. Its methods may be called concurrently.
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

// Open opens the queue in dir, and creates dir if it does not exist. Items in the log are
// delivered. If the log is damaged, intact items are delivered; damaged parts are set aside in the
// directory, logged, and counted in Stats. Other errors are those of [wal.Open].
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

// Close ends deliveries, records their progress and closes the log. Other items stay on disk. It
// waits for current deliveries; when ctx ends, so does theirs.
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
