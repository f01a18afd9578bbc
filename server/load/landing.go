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
	settleQuiet  = 10 * time.Second // so long must the count stand still
)

// lander asks the server to land what it has, and counts the rows of its files.
type lander struct {
	target *target
	dir    string
	count  func(dir string) (int64, error)
	before int64 // rows that were there before the run
}

// errNoFlush says that the server has no way to be asked.
var errNoFlush = errors.New("the server has no /-/flush")

// baseline counts what was there before the run.
func (l *lander) baseline(ctx context.Context) error {
	if err := l.flush(ctx); err != nil && !errors.Is(err, errNoFlush) {
		return err
	}
	n, err := l.rows()
	l.before = n
	return err
}

// rows is how many rows have landed since the baseline.
func (l *lander) rows() (int64, error) {
	n, err := l.count(l.dir)
	if errors.Is(err, fs.ErrNotExist) {
		n, err = 0, nil // nothing has ever landed there
	}
	if err != nil {
		return 0, fmt.Errorf("counting the rows below %s: %w", l.dir, err)
	}
	return n - l.before, nil
}

// flush has the server land everything that it acknowledged.
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

// drain waits until everything has landed: by a flush, or, where the server has none, until the
// count reaches what was acknowledged or stands still. It returns how, and when the last of it was
// there.
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
