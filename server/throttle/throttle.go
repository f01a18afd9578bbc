// Package throttle limits the rate of repeated log lines.
package throttle

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

// interval is the minimum time between two lines with the same cause.
const interval = time.Second

// maxCauses is the maximum number of causes that are distinguished at the same time. There must be
// a maximum, because messages may contain text from clients, such as their addresses.
const maxCauses = 64

// handler passes records to another handler.
type handler struct {
	next   slog.Handler
	causes *causes
}

// New returns a handler that passes records to the handler `next`. It passes each record below
// slog.LevelWarn immediately. It passes other records at most once a second for each cause. A cause
// consists of a level, a message, and the value of the first attribute if this value is a string.
// Other records with the same cause are held back. At the end of the second, the handler passes
// only the last of these records. It adds the attribute named times, which contains the number of
// records that were held back in this second.
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

// causes contains the causes of the records in the last second.
type causes struct {
	mu sync.Mutex
	by map[causeKey]*cause
}

type causeKey struct {
	level            slog.Level
	message, subject string
}

// cause contains the records of one cause that are held back.
type cause struct {
	times int // number of records
	last  slog.Record
	next  slog.Handler // handler for the record `last`
}

// hold reports whether the record r must be held back. This is the case if a record with the same
// cause was passed within the last second.
func (cs *causes) hold(r slog.Record, next slog.Handler) bool {
	key := causeKey{r.Level, r.Message, subjectOf(r)}
	cs.mu.Lock()
	defer cs.mu.Unlock()
	c := cs.by[key]
	if c == nil && len(cs.by) >= maxCauses {
		key = causeKey{level: r.Level} // all further causes share one key
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

// pass passes the last record that was held back. If no record was held back, pass forgets the
// cause.
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
		_ = next.Handle(context.Background(), last) // the code that logged it has returned, and could not handle an error
	}
}

// subjectOf returns the subject of a record: the value of its first attribute, if that is a string.
func subjectOf(r slog.Record) (subject string) {
	r.Attrs(func(a slog.Attr) bool {
		if a.Value.Kind() == slog.KindString {
			subject = a.Value.String()
		}
		return false
	})
	return subject
}
