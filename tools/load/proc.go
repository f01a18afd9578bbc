package load

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"
)

// procFS returns the file system that contains the kernel's counters.
func procFS() fs.FS { return os.DirFS("/proc") }

// proc is a source that reads the counters of this machine. In each interval, it supplies one
// request per table.
type proc struct {
	proc     fs.FS
	builder  *builder
	interval time.Duration
	due      time.Time
	counters counters
	queue    []*request
}

// procTable describes a table, and the file from which its rows are read.
type procTable struct {
	name, file string
	read       func(*counters, string) error
}

var procTables = [...]procTable{
	{"cpu", "stat", (*counters).cpu},
	{"mem", "meminfo", (*counters).mem},
	{"disk", "diskstats", (*counters).disk},
	{"net", "net/dev", (*counters).net},
}

// newProc returns a source of counters. It returns an error if no counters can be read.
func newProc(files fs.FS, t *target, o *Options) (*proc, error) {
	host, err := os.Hostname()
	if err != nil {
		return nil, fmt.Errorf("finding this machine's name: %w", err)
	}
	b, err := newBuilder(t, o)
	if err != nil {
		return nil, err
	}
	p := &proc{proc: files, builder: b, interval: o.Interval, due: time.Now()}
	p.counters.host = host
	if err := p.read(p.due); err != nil {
		return nil, err
	}
	p.due = p.due.Add(p.interval)
	return p, nil
}

func (p *proc) next(ctx context.Context) (*request, error) {
	for len(p.queue) == 0 {
		if err := sleep(ctx, time.Until(p.due)); err != nil {
			return nil, err
		}
		now := time.Now()
		if err := p.read(now); err != nil {
			return nil, err
		}
		// After a late reading, the next readings do not come closer together.
		for !p.due.After(now) {
			p.due = p.due.Add(p.interval)
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	r := p.queue[0]
	p.queue = p.queue[1:]
	return r, nil
}

// read reads the counters, and queues one request for each table that currently has rows.
func (p *proc) read(now time.Time) error {
	found := false
	p.queue = p.queue[:0]
	p.counters.now = now.UnixMicro()
	for _, t := range procTables {
		text, err := fs.ReadFile(p.proc, t.file)
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
			continue // containers hide some of the files
		}
		if err != nil {
			return fmt.Errorf("reading /proc/%s: %w", t.file, err)
		}
		found = true
		p.counters.reset()
		if err := t.read(&p.counters, string(text)); err != nil {
			return fmt.Errorf("/proc/%s: %w", t.file, err)
		}
		if p.counters.batch.Rows == 0 {
			continue
		}
		r, err := p.builder.build(t.name, &p.counters.batch)
		if err != nil {
			return err
		}
		p.queue = append(p.queue, r)
	}
	if !found {
		return errors.New("no counters can be read below /proc: --source=proc needs Linux; use --source=synthetic")
	}
	return nil
}

// sleep waits for d, or until ctx is done.
func sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
