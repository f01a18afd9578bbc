package table

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strconv"
	"time"

	"github.com/slipstream-go/slipstream/column"
	"github.com/slipstream-go/slipstream/server/wal"
)

// landing is the progress of a unit, a group of rows of one table, on its way to files. If a lander
// (a goroutine that writes units) fails, it returns the unit to the queue, and the next attempt
// continues from the failed step. The next attempt uses the same files, because the Intent note in
// the log names them.
//
//	plan ─▶ intent on disk ─▶ file, file, … ─▶ landed on disk ─▶ memory and log released
type landing struct {
	files    []*File // nil if the files are not planned yet
	intended bool
	begun    bool // an attempt to write files[done] has begun, so the file may exist
	done     int
	bytes    int64

	err      error // error of the first failed attempt
	failures int
	stuck    bool // the unit could not be written to any sink that it may use
	pause    time.Duration

	aside         bool     // the last attempt used the sink Aside
	asideIntended bool     // an Intent note for the sink Aside is on disk; if files[done] exists, it is in that sink
	exiled        []string // files that were written to the sink Aside
}

// intent is the payload of a typeIntent record. It names files that may exist from now on. Until a
// typeLanded record of the same table follows, these files do not count, and recovery removes them.
type intent struct {
	From  uint64   `json:"from"`
	To    uint64   `json:"to"`
	Paths []string `json:"paths"`
	Aside []string `json:"aside,omitempty"` // paths of the files in the sink Aside
}

// landed is the payload of a typeLanded record. It means that all rows of its table in records up
// to the number To are in files.
type landed struct {
	To   uint64 `json:"to"`
	Rows int    `json:"rows"`

	// Settled is the sequence number up to which the rows of all tables are in files. Recovery need
	// not decode the records up to this number.
	Settled uint64 `json:"settled"`

	Total *Totals `json:"total,omitempty"` // totals of the table, including the rows that have just been written to files; earlier versions did not write this field
}

const firstPause, longestPause = 100 * time.Millisecond, 10 * time.Second

// runLander writes one unit after another to files, until the store's context ends.
func (s *Store) runLander() {
	defer s.running.Done()
	var o orderer
	for {
		u := s.nextUnit()
		if u == nil {
			return
		}
		switch err := s.land(u, &o); {
		case err == nil:
			s.settle(u)
		case !errors.Is(err, errParked):
			s.postpone(u, err)
		}
	}
}

// nextUnit waits until a table has a sealed unit and no other lander works on the table. It returns
// the first unit of the table. It returns nil if the store's context has ended.
func (s *Store) nextUnit() *unit {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.ready) == 0 && s.ctx.Err() == nil {
		s.work.Wait()
	}
	if s.ctx.Err() != nil {
		return nil
	}
	t := s.ready[0]
	s.ready = s.ready[1:]
	return t.waiting[0]
}

// land writes a unit to files. It continues from the step at which the previous attempt failed, and
// returns an error if a step fails.
func (s *Store) land(u *unit, o *orderer) error {
	l, t := &u.landing, u.table
	aside := s.goesAside(u)
	if err := s.clearAside(t); err != nil {
		return err
	}
	if !aside {
		if err := s.goHome(u); err != nil {
			return err
		}
		if err := s.clear(t); err != nil {
			return err
		}
	}
	if l.files == nil {
		sc := t.schema.Load()
		if s.park(t, sc) {
			return errParked
		}
		l.files = s.plan(u, o, sc)
	}
	if aside {
		return s.landAside(u)
	}
	if !l.intended {
		if err := s.avoidTaken(u); err != nil {
			return err
		}
		if err := s.catalog.save(); err != nil { // the log still has the columns of these rows, but may soon be released
			return fmt.Errorf("table %s: writing the catalog: %w", u.table.name, err)
		}
		in := intent{From: u.from, To: u.to, Paths: []string{}}
		for _, f := range l.files[l.done:] {
			in.Paths = append(in.Paths, f.Path)
		}
		if err := s.note(typeIntent, u.table.name, in); err != nil {
			return fmt.Errorf("table %s: recording the files to be written: %w", u.table.name, err)
		}
		l.intended = true
	}
	for l.done < len(l.files) {
		f := l.files[l.done]
		if l.begun {
			if err := s.o.Sink.Remove(f.Path); err != nil {
				return fmt.Errorf("table %s: removing %s before writing it again: %w", u.table.name, f.Path, err)
			}
		}
		l.begun = true
		size, err := s.o.Sink.Land(s.ctx, f)
		if errors.Is(err, fs.ErrExist) { // the file is not ours: it must not be removed, and the next attempt chooses a new name
			l.begun, l.intended = false, false
		}
		if err != nil {
			return fmt.Errorf("table %s: writing %s: %w", u.table.name, f.Path, err)
		}
		l.begun, l.pause = false, 0
		l.bytes += size
		l.done++
	}
	return s.noteLanded(u)
}

func (s *Store) noteLanded(u *unit) error {
	if err := s.note(typeLanded, u.table.name, landed{To: u.to, Rows: u.rows, Settled: s.settled(u), Total: u.table.totalWith(u)}); err != nil {
		return fmt.Errorf("table %s: recording the written files: %w", u.table.name, err)
	}
	return nil
}

// avoidTaken renames the unit's files if their names are already in use. If the log was deleted or
// replaced by an older copy, the same sequence numbers are assigned again. In that case, files of
// the earlier log may already have these names.
func (s *Store) avoidTaken(u *unit) error {
	l := &u.landing
	for _, f := range l.files[l.done:] {
		for {
			taken, err := s.o.Sink.Exists(f.Path)
			if err != nil {
				return fmt.Errorf("table %s: checking whether %s exists: %w", u.table.name, f.Path, err)
			}
			if !taken {
				break
			}
			if err := s.renumber(u.node); err != nil {
				return fmt.Errorf("table %s: choosing a new log number because %s exists: %w", u.table.name, f.Path, err)
			}
			s.o.Logger.Warn("file names already exist; choosing a new log number. Was the log deleted or restored from an older copy?",
				"file", f.Path, "node", s.nodeName())
			s.rename(u)
		}
	}
	return nil
}

// rename changes the names of the unit's files, so that they begin with the current node name.
func (s *Store) rename(u *unit) {
	l := &u.landing
	u.node = s.nodeName()
	for _, f := range l.files[l.done:] {
		f.Path = path.Join(path.Dir(f.Path), u.fileName())
		f.Meta["slipstream.node"] = u.node
	}
}

// plan sorts the unit's rows by time, and returns a description of the file for each hour.
func (s *Store) plan(u *unit, o *orderer, sc *schema) []*File {
	name := u.table.name
	absent := conform(u.pieces, sc)
	chunks, parts := o.order(u.pieces)
	files, columns := make([]*File, len(parts)), sc.inFiles()
	u.node = s.nodeName()
	for i, p := range parts {
		files[i] = &File{
			Path:    u.path(p.hour),
			Columns: columns,
			Rows:    p.rows,
			Meta: map[string]string{
				"slipstream.db":    name.DB,
				"slipstream.table": name.Table,
				"slipstream.node":  u.node,
				"slipstream.from":  strconv.FormatUint(u.from, 10),
				"slipstream.to":    strconv.FormatUint(u.to, 10),
			},
			Gather: newGatherer(chunks, sc.fields, absent, p).gather,
		}
		for _, f := range sc.fields {
			if f.As != "" {
				files[i].Meta["slipstream.column."+f.As] = f.Name
			}
		}
	}
	return files
}

// conform widens the batches' columns to the kinds of the schema, and reports for each field of the
// schema whether it is absent from all batches.
func conform(pieces []piece, sc *schema) (absent []bool) {
	absent = make([]bool, len(sc.fields))
	for i := range absent {
		absent[i] = true
	}
	for _, p := range pieces {
		for _, c := range p.batch.Columns {
			if c.Kind == column.Null {
				continue
			}
			i := sc.index[c.Name]
			absent[i] = false
			if sc.fields[i].Kind == column.Float64 && c.Kind == column.Int64 {
				c.Widen()
			}
		}
	}
	return absent
}

// path returns the path of the file for the rows of one hour.
func (u *unit) path(hour int64) string {
	return path.Join(u.table.name.dir(), partitionDir(hour), u.fileName())
}

func (u *unit) fileName() string { return fmt.Sprintf("%s-%020d-%020d.parquet", u.node, u.from, u.to) }

// note writes a record about a table to the log. When note returns nil, the record is on disk.
func (s *Store) note(kind wal.Type, name Name, v any) error {
	payload, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return s.append(&wal.Record{Type: kind, Time: time.Now().UnixMicro(), DB: name.DB, Table: name.Table, Payload: payload})
}

// append writes a record without rows. The record may use the log's reserve, because log space is
// released when rows are written to files.
func (s *Store) append(r *wal.Record) error {
	r.UseReserve = true
	return s.log.Append(r, func(error) { s.commit(r.Seq, nil) })
}

// settle records that u, the first unit of its table, is in files. It releases the unit's memory,
// and the segments of the log that are no longer needed.
func (s *Store) settle(u *unit) {
	t := u.table
	s.mu.Lock()
	t.waiting[0] = nil
	t.waiting = t.waiting[1:]
	s.waiting--
	if t.queued = len(t.waiting) > 0; t.queued {
		s.ready = append(s.ready, t)
		s.work.Signal()
	}
	s.exiled(u)
	t.landed += int64(u.rows)
	t.landedTo = u.to
	s.catalog.hasLanded(t, t.totalWith(u))
	s.total.Landed += int64(u.rows)
	s.total.Files += int64(len(u.landing.files))
	s.total.Bytes += u.landing.bytes
	s.total.Units++
	s.held.Add(-u.held)
	s.hold(t, -u.held)
	s.relieve()
	s.mu.Unlock()

	for _, p := range u.pieces {
		s.pool.Put(p.batch)
	}
	s.o.Logger.Debug("rows flushed", "table", t.name.String(), "rows", u.rows, "files", len(u.landing.files), "bytes", u.landing.bytes,
		"seconds", time.Since(u.opened).Seconds())
	s.release()
	close(u.done)
}

// postpone schedules the next attempt to write a unit to files, after a pause. Meanwhile, rows of
// other tables are written to files. If the log has failed, postpone stops all landers; the rows in
// the log are written to files after the next start.
func (s *Store) postpone(u *unit, err error) {
	if s.ctx.Err() != nil {
		return
	}
	if failed := s.log.Err(); failed != nil { // err may come from the catalog or a file
		err = failed
	}
	if errors.Is(err, wal.ErrFailed) || errors.Is(err, wal.ErrClosed) {
		s.stop(err)
		return
	}
	t, l := u.table, &u.landing
	s.mu.Lock()
	l.failures++
	l.stuck = l.stuck || l.aside || s.o.Aside == nil
	l.err = cmp.Or(l.err, err) // the first error is the cause: a retry may fail because of a file that the first attempt has left
	first := l.err
	l.pause = min(max(2*l.pause, s.o.firstPause), longestPause)
	pause := l.pause
	if s.o.Aside != nil && !l.aside && s.tight() {
		pause = s.o.firstPause
	}
	s.total.LandFailures++
	s.mu.Unlock()
	s.o.Logger.Error("flush failed; retrying", "table", t.name.String(), "rows", u.rows, "after", pause, "error", err, "first_error", first)
	time.AfterFunc(pause, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.ready = append(s.ready, t)
		s.work.Signal()
	})
}

// settled returns the sequence number up to which all rows are in files. It ignores the rows of the
// unit `except`.
func (s *Store) settled(except *unit) uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	seq := s.delivered
	for _, t := range s.tables {
		u := t.oldest()
		if u != nil && u == except {
			u = t.second()
		}
		if u != nil {
			seq = min(seq, u.from-1)
		}
	}
	return seq
}

// stop makes all landers end. The rows that are not in files are in the log.
func (s *Store) stop(cause error) {
	s.cancel(cause)
	s.mu.Lock()
	s.work.Broadcast()
	s.mu.Unlock()
}
