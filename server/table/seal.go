package table

import "time"

// maxSealRows is the maximum of Options.SealRows. It ensures that an orderer can number the chunks
// of a unit (see maxPieces).
const maxSealRows = 1 << 28

// The caller of each function in this file must hold the store's lock. The exception is runClock.

// deliver adds the rows of the record with the sequence number seq to the buffers of their tables.
// Units are sealed only between records, so that a unit contains all rows of its table up to a
// sequence number.
func (s *Store) deliver(seq uint64, d *delivery, now time.Time) {
	for _, it := range d.items {
		t := it.table
		s.list(t)
		if t.open == nil {
			t.open = &unit{table: t, from: seq, opened: now, done: make(chan struct{})}
		}
		rows := int64(it.piece.batch.Rows)
		more := t.open.add(seq, it.piece, s.pool)
		s.held.Add(more)
		s.hold(t, more)
		t.accepted += rows
		s.total.Accepted += rows
	}
	for _, it := range d.items {
		if u := it.table.open; u != nil && s.full(u) {
			s.seal(it.table)
		}
	}
}

// list adds the table to Store.tables, unless it is already there.
func (s *Store) list(t *table) {
	if !t.listed {
		t.listed = true
		s.tables = append(s.tables, t)
	}
}

func (s *Store) full(u *unit) bool {
	return u.rows >= s.o.SealRows || u.bytes >= s.o.SealBytes || len(u.pieces) >= maxPieces ||
		min(u.lastHour-u.firstHour+1, int64(u.hours)) >= int64(s.o.MaxHours)
}

// seal closes a table's open unit, and gives it to the landers.
func (s *Store) seal(t *table) {
	if t.open == nil {
		return
	}
	t.waiting = append(t.waiting, t.open)
	t.open = nil
	s.waiting++
	if !t.queued {
		t.queued = true
		s.ready = append(s.ready, t)
		s.work.Signal()
	}
}

// relieve seals the largest open unit when memory is half full and no sealed unit waits to be
// written to files. Without this rule, the rows of many tables could fill the memory although no
// unit is full.
func (s *Store) relieve() {
	if !s.tight() {
		return
	}
	s.unparkAll()
	if s.waiting > 0 {
		return
	}
	var largest *table
	for _, t := range s.tables {
		if t.open != nil && (largest == nil || t.open.held > largest.open.held) {
			largest = t
		}
	}
	if largest != nil {
		s.seal(largest)
	}
}

// tight reports whether memory is half full.
func (s *Store) tight() bool { return s.held.Load() > s.o.MaxBuffered/2 }

const shortestTick, longestTick = 5 * time.Millisecond, time.Second

// runClock seals the open unit of each table after SealAge.
func (s *Store) runClock() {
	defer s.running.Done()
	tick := time.NewTicker(min(max(s.o.SealAge/8, shortestTick), longestTick))
	defer tick.Stop()
	for {
		select {
		case <-s.ctx.Done():
			return
		case now := <-tick.C:
			s.mu.Lock()
			for _, t := range s.tables {
				if t.open != nil && now.Sub(t.open.opened) >= s.o.SealAge {
					s.seal(t)
				}
				s.unparkLate(t, now)
			}
			s.mu.Unlock()
			s.report(now)
		}
	}
}
