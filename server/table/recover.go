package table

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/slipstream-go/slipstream/server/disk"
	"github.com/slipstream-go/slipstream/server/wal"
)

// Recovery reads the log twice: first the notes, then the rows that are not in files.
//
// All such rows fitted into the memory of the store that wrote the log. If the current store has
// less memory, the second pass pauses when the memory is full, until the rows in memory are written
// to files. If the rows of a table cannot be written, they stay in memory. As long as memory
// remains for the rows of all other tables, these rows do not delay recovery.

// notes contains the log's notes about files.
type notes struct {
	landed   map[Name]uint64   // all rows of a table in records up to this number are in files
	settled  uint64            // all rows in records up to this number are in files
	unlanded map[Name][]string // files that may exist, and must be removed
	aside    map[Name][]string // the same, for files in the sink Aside
	totals   map[Name]*Totals  // totals in a table's last Landed note
}

func (s *Store) recover(ctx context.Context) (err error) {
	if err := disk.MkdirAll(s.o.WAL.Disk, s.o.Dir); err != nil {
		return fmt.Errorf("table: %w", err)
	}
	if err := s.openLog(); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.end(err))
		}
	}()
	// The catalog is opened while the log is locked, so no other process changes it.
	if s.catalog, err = openCatalog(s.o.WAL.Disk, catalogPath(s.o.Dir)); err != nil {
		return err
	}
	if err := s.number(); err != nil {
		return err
	}
	if s.o.OnRecovery != nil {
		s.o.OnRecovery(s)
	}
	if err := s.replay(ctx); err != nil {
		return err
	}
	s.start()
	s.catalog.limits = limits{on: true, tables: s.o.MaxTables, columns: s.o.MaxColumns}
	s.reportReplay()
	return nil
}

// The method number gives the log a new number if the log is empty although there are tables. The
// number distinguishes the log from earlier logs.
func (s *Store) number() error {
	c := s.catalog
	if s.log.LastSeq() == 0 && c.size() > 0 {
		return s.renumber("")
	}
	s.setNode(c.header.Log)
	return nil
}

// setNode sets the prefix of file names. It consists of the node's name and, unless the log is the
// first log, the number of the log.
func (s *Store) setNode(log int) {
	node := s.o.Node
	if log > 0 {
		node += "." + strconv.Itoa(log)
	}
	s.node.Store(&node)
}

func (s *Store) nodeName() string {
	if node := s.node.Load(); node != nil {
		return *node
	}
	return ""
}

// renumber gives the log a new number. If the prefix of file names is no longer `old`, a lander has
// already renumbered the log, and renumber does nothing.
func (s *Store) renumber(old string) error {
	s.numbering.Lock()
	defer s.numbering.Unlock()
	if s.nodeName() != old {
		return nil
	}
	log, err := s.catalog.nextLog()
	if err != nil {
		return fmt.Errorf("table: writing the catalog: %w", err)
	}
	s.setNode(log)
	return nil
}

// start makes the log accept records. It starts the landers, which write rows to files, and the
// clock. Later calls do nothing.
func (s *Store) start() {
	s.starting.Do(func() {
		s.log.Start()
		s.reportAt = time.Now().Add(reportInterval)
		s.running.Add(1 + s.o.Landers)
		go s.runClock()
		s.resumeRewrites()
		for range s.o.Landers {
			go s.runLander()
		}
		if s.o.Aside != nil {
			s.running.Add(1)
			go s.runReturner()
		}
	})
}

// replay removes files that were not completed, and adds the rows that are in no file to the
// buffers again.
func (s *Store) replay(ctx context.Context) error {
	begin := time.Now()
	n, err := s.readNotes(ctx)
	if err != nil {
		return err
	}
	if err := s.readAside(n.aside); err != nil {
		return err
	}
	for _, name := range slices.SortedFunc(maps.Keys(n.unlanded), Name.compare) { // in an order that tests can reproduce
		if err := s.removeUnlanded(name, n.unlanded[name]); err != nil {
			return err
		}
	}
	all := s.catalog.all()
	for _, name := range slices.SortedFunc(maps.Keys(all), Name.compare) {
		if err := s.findTotals(ctx, all[name], n.totals[name]); err != nil {
			return err
		}
	}
	s.mu.Lock()
	s.delivered, s.partial = n.settled, true
	s.mu.Unlock()
	err = s.log.Replay(func(r *wal.Record) error {
		if r.Seq <= n.settled {
			return nil
		}
		if err := interrupted(ctx); err != nil {
			return err
		}
		if r.Type == typeRows {
			if err := s.redeliver(ctx, r, n); err != nil {
				return err
			}
		}
		s.mu.Lock()
		s.delivered = r.Seq
		s.mu.Unlock()
		return nil
	})
	s.mu.Lock()
	s.partial = err != nil
	s.total.ReplayTime += time.Since(begin)
	s.mu.Unlock()
	return err
}

// removeUnlanded removes the files that failed attempts to write units of a table have left. If a
// file cannot be removed now, the lander of the table's next unit removes the file first. There
// will be a next unit, because the file's rows are in the log.
func (s *Store) removeUnlanded(name Name, paths []string) error {
	for i, path := range paths {
		err := s.o.Sink.Remove(path)
		if err == nil {
			continue
		}
		err = fmt.Errorf("table %s: removing the incomplete file %s: %w", name, path, err)
		sc := s.catalog.lookup(name)
		if sc == nil {
			return err
		}
		s.o.Logger.Error("removing files of a table failed; the table is not flushed until it succeeds", "table", name.String(), "error", err)
		sc.table.unlanded = append(sc.table.unlanded, paths[i:]...)
		break
	}
	return nil
}

// interrupted returns an error if ctx has ended, because recovery must then stop. Otherwise it
// returns nil.
func interrupted(ctx context.Context) error {
	if ctx.Err() == nil {
		return nil
	}
	return fmt.Errorf("table: recovery was interrupted; rows that are not yet in files stay in the log, and are written to files after the next start: %w", context.Cause(ctx))
}

func (s *Store) readNotes(ctx context.Context) (*notes, error) {
	n := &notes{landed: make(map[Name]uint64), unlanded: make(map[Name][]string), aside: make(map[Name][]string), totals: make(map[Name]*Totals)}
	err := s.log.Replay(func(r *wal.Record) error {
		if err := interrupted(ctx); err != nil {
			return err
		}
		name := Name{DB: r.DB, Table: r.Table}
		switch r.Type {
		case typeRows, typeCarried:
			return s.recall(r)
		case typeIntent:
			var in intent
			if err := json.Unmarshal(r.Payload, &in); err != nil {
				return fmt.Errorf("table: record %d of the log is not a valid intent: %w", r.Seq, err)
			}
			n.unlanded[name] = append(n.unlanded[name], in.Paths...)
			n.aside[name] = append(n.aside[name], in.Aside...)
		case typeLanded:
			var la landed
			if err := json.Unmarshal(r.Payload, &la); err != nil {
				return fmt.Errorf("table: record %d of the log is not a valid landed note: %w", r.Seq, err)
			}
			// A table's units land in order. So an earlier Intent note belongs to the same unit, or
			// is older than the last start, which removed its files.
			delete(n.unlanded, name)
			delete(n.aside, name)
			n.landed[name] = max(n.landed[name], la.To)
			n.settled = max(n.settled, la.Settled)
			n.totals[name] = la.Total
		default:
			return fmt.Errorf("table: record %d of the log has the unknown type %d: use the program that wrote it", r.Seq, r.Type)
		}
		return nil
	})
	return n, err
}

// redeliver decodes a record and delivers those rows that are not in files. It waits while the rows
// do not fit into memory.
func (s *Store) redeliver(ctx context.Context, r *wal.Record, n *notes) error {
	writes, err := s.o.Decode(r)
	if err != nil {
		return fmt.Errorf("table: record %d of the log, for table %s.%s, cannot be decoded; use the program version that wrote it: %w",
			r.Seq, r.DB, r.Table, err)
	}
	kept := writes[:0]
	for _, w := range writes {
		if r.Seq <= n.landed[w.Name] {
			s.pool.Put(w.Batch)
		} else {
			kept = append(kept, w)
		}
	}
	var d delivery
	err = s.prepare(&d, kept, math.MaxInt)
	if err == nil {
		err = s.claim(&d)
	}
	if err != nil {
		return fmt.Errorf("table: record %d of the log: %w", r.Seq, err)
	}
	for _, it := range d.items {
		if it.table.totals.Load() != nil {
			continue
		}
		if err := s.findTotals(ctx, it.table, n.totals[it.name]); err != nil { // a table that the catalog's file does not have
			s.catalog.settle(d.claims, false)
			s.freeDelivery(&d)
			return err
		}
	}
	held := d.held()
	for now := s.held.Add(held); now > s.o.MaxBuffered && now != held; now = s.held.Add(held) {
		s.held.Add(-held)
		if err := s.makeRoom(ctx); err != nil {
			s.catalog.settle(d.claims, false)
			s.freeDelivery(&d)
			return err
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.catalog.settle(d.claims, true)
	before := s.total.Accepted
	s.count(&d, true)
	s.deliver(r.Seq, &d, time.Now())
	s.total.Replayed += s.total.Accepted - before
	return nil
}

// roomTick is the interval at which makeRoom checks the memory.
const roomTick = 5 * time.Millisecond

// makeRoom writes the rows in memory to files, except for tables whose rows currently cannot be
// written. If memory contains no other rows, makeRoom waits for these tables.
func (s *Store) makeRoom(ctx context.Context) error {
	s.start()
	held := s.held.Load()
	s.mu.Lock()
	for _, t := range s.tables {
		s.seal(t)
	}
	s.relieve()
	s.mu.Unlock()
	tick := time.NewTicker(roomTick)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return errors.Join(interrupted(ctx), s.landError())
		case <-s.ctx.Done():
			return s.unlanded(context.Cause(s.ctx))
		case <-tick.C:
		}
		if s.held.Load() < held && !s.landing() {
			return nil
		}
	}
}

// landing reports whether there is a table with sealed units for which landError returns nil.
func (s *Store) landing() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.ContainsFunc(s.tables, func(t *table) bool { return len(t.waiting) > 0 && t.landError() == nil })
}

func (s *Store) reportReplay() {
	st := s.Stats()
	if st.Replayed == 0 {
		return
	}
	s.o.Logger.Info("unflushed rows recovered from the log", "rows", st.Replayed, "seconds", st.ReplayTime.Seconds(),
		"rows_per_second", int64(float64(st.Replayed)/max(st.ReplayTime.Seconds(), 1e-9)))
}
