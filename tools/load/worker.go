package load

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"
)

// These constants are pauses before a retry.
const (
	errorPause = 100 * time.Millisecond // pause after a broken connection or a 5xx, and after a 429 or 503 without Retry-After
	maxPause   = time.Second            // maximum pause, even if Retry-After is longer
)

// worker sends one request after the other over one connection.
type worker struct {
	source   source
	pace     time.Duration // time from the start of one request to the start of the next; 0 means no pause
	requests int           // number of requests to send; 0 means no limit
	resend   bool          // resend requests with an unknown outcome
	timeline *timeline
	conn     conn
	tally    *tally
}

// run sends requests until their number is reached or the context `sending` is done. It then lets
// the current request finish, but aborts this request when ctx is done. An error means that it is
// useless to continue.
func (w *worker) run(ctx, sending context.Context) error {
	defer func() {
		w.conn.close()
		w.tally.connections = w.conn.dials
	}()
	due := time.Now()
	for n := 0; w.requests == 0 || n < w.requests; n++ {
		r, err := w.source.next(sending)
		if sending.Err() != nil {
			return nil
		}
		if err != nil {
			return err
		}
		started := time.Now()
		if w.pace > 0 {
			if sleep(sending, due.Sub(started)) != nil {
				return nil
			}
			started = due
			due = due.Add(w.pace)
		}
		if err := w.post(ctx, sending, r, started); err != nil {
			return err
		}
	}
	return nil
}

// post sends a request, and repeats it if needed. It stops when the request is acknowledged or the
// time is up. It also stops if the outcome is unknown and the request must not be sent again. The
// latency of the request is measured from the time `started`.
func (w *worker) post(ctx, sending context.Context, r *request, started time.Time) error {
	for {
		again, pause, err := w.try(ctx, r, started)
		if err != nil || sleep(sending, pause) != nil || !again {
			return err
		}
		if w.pace == 0 {
			started = time.Now()
		}
	}
}

// try sends a request once and counts the outcome. The result `again` reports whether the request
// must be sent again. The result `pause` is the pause before the next attempt or request. An error
// means that the server has rejected the request and would reject it again.
func (w *worker) try(ctx context.Context, r *request, started time.Time) (again bool, pause time.Duration, err error) {
	if err := w.conn.open(ctx, time.Now()); err != nil {
		w.fail(ctx, err)
		return true, errorPause, nil
	}
	reply, err := w.conn.exchange(r.wire)
	if err != nil {
		w.tally.inDoubt += int64(r.rows)
		w.fail(ctx, err)
		return w.resend, errorPause, nil
	}
	w.tally.answered(reply.status)
	switch status := reply.status; {
	case reply.ok():
		ended := time.Now()
		w.tally.acknowledge(r, ended.Sub(started))
		w.timeline.add(ended, r.rows)
		return false, 0, nil
	case status == http.StatusTooManyRequests, status == http.StatusServiceUnavailable, status == http.StatusRequestTimeout:
		w.tally.retries++
		return true, pauseAfter(reply), nil
	case status >= 500:
		w.tally.inDoubt += int64(r.rows)
		w.tally.note(w.refusal(reply))
		return w.resend, pauseAfter(reply), nil
	default:
		// The other requests have the same fault as this one.
		return false, 0, errors.New(w.refusal(reply))
	}
}

// pauseAfter returns the pause after an unsuccessful reply.
func pauseAfter(r response) time.Duration {
	if r.retryAfter < 0 {
		return errorPause
	}
	return min(r.retryAfter, maxPause)
}

// fail counts an error, unless its cause is that the run was canceled.
func (w *worker) fail(ctx context.Context, err error) {
	if ctx.Err() != nil {
		return
	}
	w.tally.errors++
	w.tally.note(err.Error())
}

func (w *worker) refusal(r response) string {
	if r.text == "" {
		r.text = http.StatusText(r.status)
	}
	return fmt.Sprintf("%s answered %d: %s", w.conn.target.base, r.status, r.text)
}
