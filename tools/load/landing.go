package load

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"time"
)

const (
	flushTimeout = 5 * time.Minute
	settlePoll   = time.Second
	settleQuiet  = 10 * time.Second // the count is regarded as final if it has not changed for this time
)

// lander makes the server write its rows to files, and counts the rows in these files.
type lander struct {
	target *target
	dir    string
	count  func(dir string) (int64, error)
	before int64 // number of rows before the run
}

// errNoFlush reports that the server has no endpoint for a flush.
var errNoFlush = errors.New("the server has no /-/flush")

// baseline counts the rows that were in files before the run.
func (l *lander) baseline(ctx context.Context) error {
	if err := l.flush(ctx); err != nil && !errors.Is(err, errNoFlush) {
		return err
	}
	n, err := l.rows()
	l.before = n
	return err
}

// rows returns the number of rows that were written to files since the baseline.
func (l *lander) rows() (int64, error) {
	n, err := l.count(l.dir)
	if errors.Is(err, fs.ErrNotExist) {
		n, err = 0, nil // no row was ever written to a file there
	}
	if err != nil {
		return 0, fmt.Errorf("counting the rows below %s: %w", l.dir, err)
	}
	return n - l.before, nil
}

// flush makes the server write all acknowledged rows to files.
func (l *lander) flush(ctx context.Context) error {
	c := conn{target: l.target, timeout: flushTimeout}
	defer c.close()
	if err := c.open(ctx, time.Now()); err != nil {
		return fmt.Errorf("flushing: %w", err)
	}
	r, err := c.exchange(l.target.appendPost(nil, "/-/flush", "", 0))
	switch {
	case err != nil:
		return fmt.Errorf("flushing: %w", err)
	case r.ok():
		return nil
	case r.status == http.StatusNotFound || r.status == http.StatusMethodNotAllowed:
		return errNoFlush
	default:
		return fmt.Errorf("flushing: %s/-/flush answered %d: %s", l.target.base, r.status, r.text)
	}
}

// drain waits until all rows are in files. It flushes the server. If the server has no flush, drain
// waits until the count of rows reaches `acknowledged` or stops changing. The result `how` is the
// way in which it waited. The result `done` is the time when the last rows were in files.
func (l *lander) drain(ctx context.Context, acknowledged int64) (how string, done time.Time, err error) {
	err = l.flush(ctx)
	if !errors.Is(err, errNoFlush) {
		return "flush", time.Now(), err
	}
	if l.count == nil {
		return "none", time.Now(), nil
	}
	rows, done := int64(-1), time.Now()
	for rows < acknowledged && time.Since(done) < settleQuiet {
		n, err := l.rows()
		if err != nil {
			return "", done, err
		}
		if n != rows {
			rows, done = n, time.Now()
		}
		if err := sleep(ctx, settlePoll); err != nil {
			return "", done, err
		}
	}
	return "wait", done, nil
}
