package ingest

import (
	"errors"
	"net/http"
	"os"
	"time"

	"github.com/slipstream-go/slipstream/server/admission"
	"github.com/slipstream-go/slipstream/server/refusal"
)

// readBody reads the whole body into q.body. The buffer has enough spare capacity for the bytes
// that the log stores after the body.
func (q *request) readBody(w http.ResponseWriter, r *http.Request) error {
	p := q.handler.newPacer(w)
	most := q.handler.limits.Body
	var err error
	q.body, err = q.held.Read(r.Body, r.ContentLength, most, q.suffix(), &p)
	switch got := len(q.body.B); {
	case err == nil:
		p.stop() // not after an error: then net/http reads the rest of the body before it responds
		return nil
	case errors.Is(err, admission.ErrTooLarge):
		return errBodyLimit(most)
	case admission.Busy(err):
		return err
	default:
		return errReading(err, got, r.ContentLength)
	}
}

func errReading(err error, got int, want int64) error {
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return refusal.New(refusal.TimedOut, "the body did not arrive in time: only %d bytes arrived", got)
	case want >= 0:
		return refusal.Errorf("the body ended after %d of %d bytes: send it again", got, want)
	}
	return refusal.Errorf("the body ended early, after %d bytes: send it again", got)
}

func errBodyLimit(most int64) error {
	return refusal.New(refusal.TooLarge, "the body has more than %d bytes: send smaller batches, or compress them", most)
}

// window is the period in which a body must arrive with at least the minimum rate.
const window = 5 * time.Second

// pacer enforces the minimum rate of a body, because a slow body occupies memory that other
// requests need.
//
//	begin ──── window ────┬──── window ────┬── … ──▶ end
//	            rate × window bytes, or the read ends with a deadline exceeded
type pacer struct {
	control *http.ResponseController
	window  time.Duration
	end     time.Time // deadline for the whole body; zero if there is no deadline
	quota   int64     // minimum number of bytes in a window; 0 if there is no minimum
	got     int64     // bytes that arrived in the current window
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

// open begins a window. It ignores the error of SetReadDeadline, because only the response writers
// in tests do not support deadlines, and bodies in tests never block.
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

// The method Arrived adds n to the number of bytes that have arrived. It begins the next window
// when enough bytes have arrived.
func (p *pacer) Arrived(n int) {
	if p.quota == 0 {
		return
	}
	if p.got += int64(n); p.got >= p.quota {
		p.open(time.Now())
	}
}

// stop removes the deadline. Otherwise the deadline could close the connection while the request is
// decoded and written.
func (p *pacer) stop() { p.control.SetReadDeadline(time.Time{}) }
