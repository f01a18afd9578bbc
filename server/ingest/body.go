package ingest

import (
	"errors"
	"io"
	"net/http"
	"os"
	"time"
)

const (
	firstBuffer = 32 << 10 // for a body that has yet to arrive
	keptBuffer  = 1 << 20  // larger ones are left to the garbage collector
)

// readBody reads the whole body into q.body, with room for what stands after it in the log. The
// budget is charged for memory as bytes arrive, and not for what the head announces: for at most
// twice as many, and firstBuffer.
func (q *request) readBody(w http.ResponseWriter, r *http.Request) error {
	p := q.handler.newPacer(w)
	err := q.readPaced(&p, r)
	if err == nil {
		p.stop() // and not otherwise: net/http reads what is left of a body before it answers
	}
	return err
}

func (q *request) readPaced(p *pacer, r *http.Request) error {
	most, length, suffix := q.handler.limits.Body, r.ContentLength, int64(q.suffix())
	end := most + 1
	if length >= 0 {
		end = length // admit has compared it with the limit
	}
	q.body = q.body[:0]
	for charged := int64(0); ; {
		have := int64(len(q.body))
		if have == end && length >= 0 {
			return nil
		}
		if have == charged {
			more := min(max(have, firstBuffer), end-have)
			if err := q.take(more); err != nil {
				return err
			}
			charged += more
			if int64(cap(q.body)) < charged+suffix {
				q.body = append(make([]byte, 0, charged+suffix), q.body...)
			}
		}
		n, err := r.Body.Read(q.body[have:charged])
		q.body = q.body[:have+int64(n)]
		p.arrived(n)
		switch {
		case int64(len(q.body)) > most:
			return errBodyLimit(most)
		case err == io.EOF && (length < 0 || int64(len(q.body)) == length):
			return nil
		case err != nil:
			return errReading(err, len(q.body), int(length))
		}
	}
}

// window is how long a body may stand still. In each window as many bytes must arrive as the
// minimum rate wants.
const window = 5 * time.Second

// pacer bounds how slowly a body may arrive: its bytes occupy memory that others want.
//
//	begin ──── window ────┬──── window ────┬── … ──▶ end
//	            rate × window bytes, or the read ends with a deadline exceeded
type pacer struct {
	control *http.ResponseController
	window  time.Duration
	end     time.Time // of the time for the whole body; zero: there is none
	quota   int64     // bytes that must arrive in a window; 0: no minimum
	got     int64     // in the present window
}

func (h *Handler) newPacer(w http.ResponseWriter) pacer {
	p := pacer{control: http.NewResponseController(w), window: h.window}
	now := time.Now()
	if h.readTimeout > 0 {
		p.end = now.Add(h.readTimeout)
	}
	if h.limits.MinRate > 0 {
		p.quota = max(1, int64(float64(h.limits.MinRate)*h.window.Seconds()))
	}
	p.open(now)
	return p
}

// open begins a window. Writers without deadlines, as those of tests, have bodies that do not wait.
func (p *pacer) open(now time.Time) {
	p.got = 0
	deadline := p.end
	if p.quota > 0 {
		if next := now.Add(p.window); deadline.IsZero() || next.Before(deadline) {
			deadline = next
		}
	}
	p.control.SetReadDeadline(deadline)
}

// arrived counts bytes of the body, and begins the next window when there are enough.
func (p *pacer) arrived(n int) {
	if p.quota == 0 {
		return
	}
	if p.got += int64(n); p.got >= p.quota {
		p.open(time.Now())
	}
}

// stop takes the deadline away: it would end the connection while the request is being decoded and
// written.
func (p *pacer) stop() { p.control.SetReadDeadline(time.Time{}) }

func errBodyLimit(most int64) error {
	return refuse(TooLarge, "the body has more than %d bytes: send smaller batches, or compress them", most)
}

func errReading(err error, got, want int) error {
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return refuse(TimedOut, "the body did not arrive in time: %d bytes did", got)
	case want >= 0:
		return invalid("the body ended after %d of %d bytes: send it again", got, want)
	}
	return invalid("the body ended after %d bytes, in the middle: send it again", got)
}

// inflate decompresses q.body into q.plain.
func (q *request) inflate(c Compression) error {
	if err := q.take(int64(cap(q.plain))); err != nil {
		return err
	}
	var err error
	q.plain, err = inflate(q.plain, q.body, c, q.handler.limits.decompressed(len(q.body)), q.take)
	return err
}

// take takes n more bytes from the budget, or gives -n back.
func (q *request) take(n int64) error { return q.held.Take(n) }
