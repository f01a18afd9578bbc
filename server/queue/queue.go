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

// Options configures a queue. Deliver must be set.
type Options struct {
	// WAL contains the options of the log. The queue sets Committed and Salvage. The default of
	// SegmentBytes is 32 MiB. WAL.MaxBytes should be at least twice the queue's MaxBytes, because
	// delivered items leave the log with a delay. Moved items may exceed WAL.MaxBytes by a segment.
	WAL wal.Options

	// Deliver is called by workers: concurrently for many tenants, but only one call at a time for
	// a tenant.
	Deliver DeliverFunc

	// Workers limits the concurrent calls of Deliver. A call that takes longer than 50 ms, or 25 ms
	// for a new tenant, becomes a slow call. MaxSlow limits the slow calls, and Workers does not
	// count them. If the last call for a tenant was slow and failed, its calls count as slow from
	// the start until one of them is quick. New tenants get at most half of Workers, or three
	// quarters while MaxSlow allows enough further slow calls. New tenants, and tenants whose last
	// call was slow and failed, together get at most half of MaxSlow. So if the target has answered
	// calls for a tenant, the calls for this tenant do not wait for calls that hang, however many
	// there are. Defaults: 16, 1024.
	Workers int
	MaxSlow int

	// MaxJoinItems, MaxJoinBytes and MaxJoinWeight limit one call of Deliver: the number of its
	// items, the bytes of their bodies, and their weight. The items of one call belong to the same
	// tenant and have the same codec. A single item may exceed the limits. The weight of an item is
	// one plus the sum of the counts in [Item.Note]. Verdicts can reduce the maximum weight for a
	// tenant: see [Verdict.Fewer]. Defaults: 128, 1 MiB, no limit.
	MaxJoinItems  int
	MaxJoinBytes  int64
	MaxJoinWeight int64

	// Joins, if not nil, reports whether items of a codec may be delivered together. If it reports
	// false, they are delivered one by one.
	Joins func(codec uint8) bool

	// Memory limits the size of the bodies in memory, in bytes, including bodies that are being
	// written to disk. Other bodies are read from the log for delivery. This takes additional
	// memory: up to Workers × MaxJoinBytes, plus one body for each call. The default is 64 MiB. If
	// it is negative, no bodies are kept in memory.
	Memory int64

	// MaxTenantBytes limits the queued bytes of each tenant, and MaxBytes limits the queued bytes
	// of all tenants. An item counts as its body plus 128 bytes. Zero means no limit. The last
	// eighth of MaxBytes and of MaxGroupBytes is reserved for tenants whose last call did not end
	// with Retry.
	MaxTenantBytes int64
	MaxBytes       int64

	// Group, if not nil, returns the group of a tenant, and MaxGroupBytes limits the queued bytes
	// of each group. So the tenants of a target that is down do not use up MaxBytes for other
	// tenants. There should be few groups, because they are never forgotten.
	Group         func(tenant string) string
	MaxGroupBytes int64

	// MaxAge is the maximum time that an item may wait. It applies only if DropOldest is set.
	MaxAge time.Duration

	// DropOldest drops the oldest items of a tenant if new items would exceed a limit. By default,
	// new items are rejected with [ErrFull]. Items that are being delivered are not dropped.
	DropOldest bool

	Logger *slog.Logger // slog.Default() when nil

	// Jitter returns a duration that is less than its argument. The queue shortens the delay before
	// a retry by this duration. The default is random.
	Jitter func(below time.Duration) time.Duration

	// Tests set shorter durations.
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
		o.WAL.SegmentBytes = min(o.WAL.SegmentBytes, max(o.WAL.MaxBytes/4, 1)) // like the log itself
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

	ctx     context.Context // passed to Deliver
	cancel  context.CancelFunc
	working sync.WaitGroup
	nudge   chan struct{} // wakes the keeper
	ending  chan struct{} // closed to end the keeper
	ended   chan struct{} // closed when the keeper has ended

	mu      sync.Mutex
	closed  bool
	groups  map[string]*group
	tenants map[string]*tenant // tenants with items, and tenants in idle
	idle    *list.List         // list of *tenant: tenants without items; the most recently used is at the back
	schedule
	segments []*segment        // oldest first; the last is the one that the log writes to
	unnoted  map[string]uint64 // progress of tenants that is in no progress note yet

	items     int
	bytes     int64 // cost of all items, including items on their way to the disk
	memory    int64 // bytes of bodies in memory
	live      int64 // bytes of entries in the log that are still needed
	taken     Count
	counts    [outcomes]Count
	retries   int64
	rewritten int64
	blamed    [outcomes + 1]blame // used for the keeper's reports; the last element is used for retries
}

// Open opens the queue in dir, and creates dir if it does not exist. Undelivered items in the log
// will be delivered. If the log is damaged, intact items will be delivered; damaged parts are kept
// in separate files in the directory, logged, and counted in Stats. Other errors come from
// [wal.Open].
func Open(dir string, o Options) (*Queue, error) {
	if err := o.setDefaults(); err != nil {
		return nil, err
	}
	q := &Queue{
		o:     o,
		nudge: make(chan struct{}, 1), ending: make(chan struct{}), ended: make(chan struct{}),
		groups: make(map[string]*group), tenants: make(map[string]*tenant), idle: list.New(), unnoted: make(map[string]uint64),
	}
	q.o.WAL.Committed, q.o.WAL.Salvage = q.committed, true
	log, err := wal.Open(dir, q.o.WAL)
	if err != nil {
		return nil, fmt.Errorf("queue: %w", err)
	}
	q.log = log
	q.o.WAL.SegmentBytes = log.SegmentBytes() // which depends on the disk
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

// Close starts no more deliveries, waits for the current deliveries, records the progress and
// closes the log. Undelivered items stay on disk. When ctx ends, Close also cancels the context of
// the current deliveries.
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

// endPauses stops the timers of all pauses.
func (q *Queue) endPauses() {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, t := range q.tenants {
		if t.timer != nil {
			t.timer.Stop()
		}
	}
}
