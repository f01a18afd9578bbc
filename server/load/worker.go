package load

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"
)

// Pauses before something is tried again.
const (
	errorPause = 100 * time.Millisecond // after a broken connection or a 5xx, and after a 429 or 503 that names no time
	maxPause   = time.Second            // at most, whatever Retry-After says
)

// worker sends one request after the other over one connection.
type worker struct {
	source   source
	pace     time.Duration // from the start of one request to that of the next; 0: at once
	requests int           // to send; 0: any number
	resend   bool          // also what is in doubt
	timeline *timeline
	conn     conn
	tally    *tally
}

// run sends its requests, or until `sending` is done, and lets the request under way then finish.
// When ctx is done, it is given up too. An error says that going on is pointless.
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

// post sends a request until it is acknowledged, or in doubt and not to be sent again, or time is
// up. Its latency counts from started.
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

// try sends a request once, counts what comes of it, and says whether to send it again, and after
// which pause to go on. An error is a refusal that no pause will change.
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
		// What is wrong with this request is wrong with all of them.
		return false, 0, errors.New(w.refusal(reply))
	}
}

// pauseAfter is how long to wait after a reply that is no success.
func pauseAfter(r response) time.Duration {
	if r.retryAfter < 0 {
		return errorPause
	}
	return min(r.retryAfter, maxPause)
}

// fail counts an error, unless it only says that the run was cancelled.
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
