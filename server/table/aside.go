package table

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/slipstream-go/slipstream/server/disk"
)

// If a table's directory cannot be written, the table's rows would stay in memory and in the log,
// until both are full for all tables. So after some failed attempts, the units of the table (groups
// of its rows) land aside: their files are written to a second sink, Options.Aside. As soon as
// possible, these files return: they are moved to the table's own directory.
//
//	unit ──fails, asideAfter times──▶ files aside ──landed on disk──▶ memory and log released
//	                                      └──▶ retried: incomplete files are removed, then the files return
//
// As long as a table has files in the sink Aside, its later units are written there at the first
// attempt. So no unit waits for a failing directory, and readers see the rows of a table in the
// order of their arrival.

// Aside is a sink for the files of tables whose own directory cannot be written. After a crash,
// each of its files is complete, or an Intent note in the log names the file.
type Aside interface {
	Sink

	// Files returns the paths of the files below a directory. The path "." means the root
	// directory.
	Files(dir string) ([]string, error)

	// Return moves a file to the store's Sink, under the same path. After a crash, the file exists
	// in one of the two sinks, or in both.
	Return(path string) error
}

// asideAfter is the number of failed attempts after which a unit is written to the sink Aside.
// These attempts, and the growing pauses between them, take about 3 s. When memory is half full,
// one failed attempt is enough, because other tables need the memory.
const asideAfter = 5

// exile describes the files of a table that are in the sink Aside. The store's lock guards this
// data, except in steps that only the goroutine of runReturner makes.
type exile struct {
	files  []string // files in the sink Aside, in the order in which they were written
	err    error    // reason why the table's own directory cannot be used
	moving bool     // files[0] is being moved back

	unlanded []string // files that an earlier process may have left in the sink Aside; they must be removed
}

// goesAside reports whether the next attempt to write a unit uses the sink Aside. If such an
// attempt has failed, and the table has no files in that sink, the next attempt uses the table's
// own directory. That directory may have been repaired in the meantime.
func (s *Store) goesAside(u *unit) bool {
	if s.o.Aside == nil {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	l, exiled := &u.landing, len(u.table.exile.files) > 0
	back := l.aside && !exiled
	l.aside = exiled || !back && (l.failures >= asideAfter || l.failures > 0 && s.tight())
	return l.aside
}

// goHome prepares the remaining files of a unit for an attempt to write them to the table's own
// directory. It is called after an attempt with the sink Aside.
func (s *Store) goHome(u *unit) error {
	l := &u.landing
	if !l.asideIntended {
		return nil
	}
	if l.begun {
		if err := s.o.Aside.Remove(l.files[l.done].Path); err != nil {
			return fmt.Errorf("table %s: removing the incomplete file %s from the aside directory: %w", u.table.name, l.files[l.done].Path, err)
		}
	}
	l.begun, l.intended, l.asideIntended = false, false, false
	return nil
}

// landAside writes the remaining files of a unit to the sink Aside.
func (s *Store) landAside(u *unit) error {
	l, t := &u.landing, u.table
	if l.begun && !l.asideIntended { // the sink reports that the file does not exist, but a failing disk may be wrong
		s.mu.Lock()
		t.unlanded = append(t.unlanded, l.files[l.done].Path)
		s.mu.Unlock()
		l.begun = false
	}
	if err := s.saveUnlanded(); err != nil {
		return fmt.Errorf("table %s: recording incomplete files: %w", t.name, err)
	}
	if !l.asideIntended {
		if err := s.catalog.save(); err != nil {
			return fmt.Errorf("table %s: writing the catalog: %w", t.name, err)
		}
		in := intent{From: u.from, To: u.to, Paths: []string{}}
		for _, f := range l.files[l.done:] {
			in.Aside = append(in.Aside, f.Path)
		}
		if err := s.note(typeIntent, t.name, in); err != nil {
			return fmt.Errorf("table %s: recording the files to be written to the aside directory: %w", t.name, err)
		}
		l.asideIntended = true
	}
	for l.done < len(l.files) {
		f := l.files[l.done]
		if l.begun {
			if err := s.o.Aside.Remove(f.Path); err != nil {
				return fmt.Errorf("table %s: removing %s from the aside directory before writing it again: %w", t.name, f.Path, err)
			}
		}
		l.begun = true
		size, err := s.o.Aside.Land(s.ctx, f)
		if errors.Is(err, fs.ErrExist) { // a file of an earlier log has this name
			l.begun, l.asideIntended = false, false
			if err := s.renumber(u.node); err != nil {
				return fmt.Errorf("table %s: choosing a new log number because the aside directory already contains %s: %w", t.name, f.Path, err)
			}
			s.rename(u)
		}
		if err != nil {
			return fmt.Errorf("table %s: writing %s to the aside directory: %w", t.name, f.Path, err)
		}
		l.begun, l.pause = false, 0
		l.bytes += size
		l.done++
		l.exiled = append(l.exiled, f.Path)
	}
	return s.noteLanded(u)
}

// exiled appends the files that a unit has in the sink Aside to the list exile.files of its table.
// The caller holds the lock.
func (s *Store) exiled(u *unit) {
	t, l := u.table, &u.landing
	if len(l.exiled) == 0 {
		return
	}
	if len(t.exile.files) == 0 {
		s.o.Logger.Error("table directory not writable; files are written to the aside directory", "table", t.name.String(), "error", l.err)
	}
	t.exile.files = append(t.exile.files, l.exiled...)
	if t.exile.err == nil {
		t.exile.err = l.err
	}
}

// runReturner moves files back every returnPause, until the store's context ends.
func (s *Store) runReturner() {
	defer s.running.Done()
	for {
		select {
		case <-s.ctx.Done():
			return
		case <-time.After(returnPause):
			_ = s.returnFiles() // the error is stored in the table
		}
	}
}

const returnPause = 5 * time.Second

// returnFiles moves as many files as possible from the sink Aside to their tables' own directories.
// Its error contains the reasons why the other files cannot return.
func (s *Store) returnFiles() (err error) {
	s.returning.Lock()
	defer s.returning.Unlock()
	s.mu.Lock()
	var list []*table
	for _, t := range s.tables {
		if len(t.exile.files) > 0 {
			list = append(list, t)
		}
	}
	s.mu.Unlock()
	for _, t := range list {
		e := s.returnOf(t)
		s.mu.Lock()
		if e != nil {
			t.exile.err = e
		} else if len(t.exile.files) == 0 {
			t.exile = exile{unlanded: t.exile.unlanded}
			s.o.Logger.Info("files moved back from the aside directory", "table", t.name.String())
		}
		s.mu.Unlock()
		err = errors.Join(err, e)
	}
	return err
}

// returnOf moves the files of one table back.
func (s *Store) returnOf(t *table) error {
	if err := s.clear(t); err != nil {
		return err
	}
	for {
		path := s.nextReturn(t)
		if path == "" {
			return nil
		}
		err := s.o.Aside.Return(path)
		s.mu.Lock()
		if t.exile.moving = false; err == nil {
			t.exile.files = t.exile.files[1:]
		}
		s.mu.Unlock()
		if err != nil {
			return fmt.Errorf("table %s: moving %s back from the aside directory: %w", t.name, path, err)
		}
	}
}

// nextReturn returns the path of the next file that must be moved back to the directory of a table.
// It returns an empty string if there is no such file, or while a rewrite of the table's existing
// files is due.
func (s *Store) nextReturn(t *table) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(t.exile.files) == 0 {
		return ""
	}
	if sc := t.schema.Load(); !sc.uniform() {
		if !t.queued { // else a lander begins the rewrite
			s.rewriteFiles(t, sc)
		}
		return ""
	}
	t.exile.moving = true
	return t.exile.files[0]
}

// clear removes the files that failed attempts to write units of a table may have left. A later
// file may have the same name as one of these files. So no unit of the table is written before the
// name is removed from unlanded.json.
func (s *Store) clear(t *table) error {
	for {
		s.mu.Lock()
		path, unsaved := "", t.cleared
		if len(t.unlanded) > 0 {
			path = t.unlanded[0]
		}
		s.mu.Unlock()
		if path == "" && !unsaved {
			return nil
		}
		if path == "" {
			if err := s.saveUnlanded(); err != nil {
				return fmt.Errorf("table %s: recording that all incomplete files are removed: %w", t.name, err)
			}
		} else if err := s.o.Sink.Remove(path); err != nil {
			return fmt.Errorf("table %s: removing the incomplete file %s: %w", t.name, path, err)
		}
		s.mu.Lock()
		t.cleared = path != ""
		if t.cleared {
			t.unlanded = t.unlanded[1:]
		}
		s.mu.Unlock()
	}
}

// clearAside removes the incomplete files of a table that an earlier process has left in the sink
// Aside. After the table's next Landed note, recovery ignores the Intent notes that name these
// files. So no unit of the table is written before these files are removed.
func (s *Store) clearAside(t *table) error {
	for {
		s.mu.Lock()
		path := ""
		if len(t.exile.unlanded) > 0 {
			path = t.exile.unlanded[0]
		}
		s.mu.Unlock()
		if path == "" {
			return nil
		}
		if err := s.o.Aside.Remove(path); err != nil {
			return fmt.Errorf("table %s: removing the incomplete file %s from the aside directory: %w", t.name, path, err)
		}
		s.mu.Lock()
		if t.exile.unlanded = t.exile.unlanded[1:]; len(t.exile.files)+len(t.exile.unlanded) == 0 {
			t.exile.err = nil
		}
		s.mu.Unlock()
	}
}

// The file unlanded.json lists the files that must be removed before other files of their table are
// written or moved back. The log names these files, too, but may be released earlier.

func (s *Store) unlandedPath() string { return filepath.Join(s.o.Dir, "unlanded.json") }

func (s *Store) saveUnlanded() error {
	if s.o.Aside == nil {
		return nil // the log names them until rows of their table are written to files
	}
	s.saving.Lock()
	defer s.saving.Unlock()
	var list []string
	s.mu.Lock()
	for _, t := range s.tables {
		list = append(list, t.unlanded...)
	}
	s.mu.Unlock()
	slices.Sort(list)
	if slices.Equal(list, s.saved) {
		return nil
	}
	text, err := json.Marshal(list)
	if err != nil {
		return err
	}
	if err := disk.WriteFile(s.o.WAL.Disk, s.unlandedPath(), append(text, '\n')); err != nil {
		return err
	}
	s.saved = list
	return nil
}

// readAside is called when the store is opened. It finds the files in the sink Aside, and reads the
// list in unlanded.json. If an Intent note names files in the sink Aside, and no Landed note
// follows, it removes these files.
func (s *Store) readAside(intended map[Name][]string) error {
	if s.o.Aside == nil {
		return nil
	}
	tables := make(map[string]*table)
	for name, t := range s.catalog.all() {
		tables[name.dir()] = t
	}
	tableOf := func(path string) *table { // returns the table of a file and adds it to Store.tables; nil if the catalog does not have it
		parts := strings.SplitN(path, "/", 3)
		if len(parts) < 3 {
			return nil
		}
		t := tables[parts[0]+"/"+parts[1]]
		if t != nil {
			s.mu.Lock()
			s.list(t)
			s.mu.Unlock()
		}
		return t
	}
	for _, name := range slices.SortedFunc(maps.Keys(intended), Name.compare) {
		for _, path := range intended[name] {
			err := s.o.Aside.Remove(path)
			if err == nil {
				continue
			}
			err = fmt.Errorf("table: removing the incomplete file %s from the aside directory: %w", path, err)
			t := tableOf(path)
			if t == nil {
				return err
			}
			s.o.Logger.Error("removing an incomplete file failed; its table is not flushed until the removal succeeds", "error", err)
			t.exile.unlanded = append(t.exile.unlanded, path)
			t.exile.err = err
		}
	}
	text, err := disk.ReadFile(s.o.WAL.Disk, s.unlandedPath())
	var unlanded []string
	if err == nil {
		err = json.Unmarshal(text, &unlanded)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("table: reading %s: %w", s.unlandedPath(), err)
	}
	s.saved = slices.Sorted(slices.Values(unlanded))
	files, err := s.o.Aside.Files(".")
	if err != nil {
		return fmt.Errorf("table: listing the files in the aside directory: %w", err)
	}
	for _, path := range unlanded {
		if t := tableOf(path); t != nil && !slices.Contains(t.unlanded, path) {
			t.unlanded = append(t.unlanded, path)
		}
	}
	for _, path := range files {
		t := tableOf(path)
		if t == nil {
			s.o.Logger.Error("file in the aside directory belongs to no table; left in place", "file", path)
			continue
		}
		if slices.Contains(t.exile.unlanded, path) {
			continue
		}
		t.exile.files = append(t.exile.files, path)
		t.exile.err = fmt.Errorf("table %s: %s has been in the aside directory since an earlier run", t.name, path)
	}
	return nil
}
