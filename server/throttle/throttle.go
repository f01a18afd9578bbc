// Package throttle limits the rate of repeated log lines.
package throttle

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

// interval is the time between two lines of one cause.
const interval = time.Second

// maxCauses is how many causes are told apart at a time: messages may hold what clients choose,
// such as their addresses.
const maxCauses = 64

// handler passes records on.
type handler struct {
	next   slog.Handler
	causes *causes
}

// New returns a handler that passes records to next: those below slog.LevelWarn as they come, the
// others at most once a second for each cause. A cause is a level, a message, and the value of the
// first attribute if that is a string. Of the records that are held back the last one follows when
// the second is over, with the attribute times: how many records it stands for.
func New(next slog.Handler) slog.Handler {
	return &handler{next, &causes{by: make(map[causeKey]*cause)}}
}

func (h *handler) Enabled(ctx context.Context, level slog.Level) bool {
	return h.next.Enabled(ctx, level)
}

func (h *handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &handler{h.next.WithAttrs(attrs), h.causes}
}

func (h *handler) WithGroup(name string) slog.Handler {
	return &handler{h.next.WithGroup(name), h.causes}
}

func (h *handler) Handle(ctx context.Context, r slog.Record) error {
	if r.Level >= slog.LevelWarn && h.causes.hold(r, h.next) {
		return nil
	}
	return h.next.Handle(ctx, r)
}

// causes are those of the last second.
type causes struct {
	mu sync.Mutex
	by map[causeKey]*cause
}

type causeKey struct {
	level            slog.Level
	message, subject string
}

// cause is what is held back.
type cause struct {
	times int // records
	last  slog.Record
	next  slog.Handler // of last
}

// hold reports whether r is held back, because another record of its cause has passed within the
// last second.
func (cs *causes) hold(r slog.Record, next slog.Handler) bool {
	key := causeKey{r.Level, r.Message, subjectOf(r)}
	cs.mu.Lock()
	defer cs.mu.Unlock()
	c := cs.by[key]
	if c == nil && len(cs.by) >= maxCauses {
		key = causeKey{level: r.Level} // all further ones are one
		c = cs.by[key]
	}
	if c == nil {
		cs.by[key] = new(cause)
		cs.passAfter(key)
		return false
	}
	c.times++
	c.last, c.next = r.Clone(), next
	return true
}

func (cs *causes) passAfter(key causeKey) { time.AfterFunc(interval, func() { cs.pass(key) }) }

// pass passes on what was held back, or forgets the cause if that is nothing.
func (cs *causes) pass(key causeKey) {
	cs.mu.Lock()
	c := cs.by[key]
	last, next, times := c.last, c.next, c.times
	if times == 0 {
		delete(cs.by, key)
	} else {
		*c = cause{}
		cs.passAfter(key)
	}
	cs.mu.Unlock()
	if times > 0 {
		last.AddAttrs(slog.Int("times", times))
		next.Handle(context.Background(), last) // who logged it is gone, and could not do anything about an error
	}
}

// subjectOf returns what the record is about: the value of its first attribute, if that is a
// string.
func subjectOf(r slog.Record) (subject string) {
	r.Attrs(func(a slog.Attr) bool {
		if a.Value.Kind() == slog.KindString {
			subject = a.Value.String()
		}
		return false
	})
	return subject
}
