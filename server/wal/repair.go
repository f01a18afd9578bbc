package wal

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/slipstream-go/slipstream/server/disk"
)

// Repair makes a damaged log readable. Each damaged segment is rewritten with all records that can
// be read, and with gap records for the lost sequence numbers. The old file is kept with the
// extension .damaged. The log must not be open. The report describes the log before the repair.
func Repair(dir string) (Report, error) {
	d := disk.OS
	unlock, err := lockDir(d, dir)
	if err != nil {
		return Report{}, err
	}
	defer unlock()
	if err := removeTemps(d, dir); err != nil {
		return Report{}, err
	}
	found, err := takeSurvey(d, dir, false)
	if err != nil || len(found.report.Damage) == 0 {
		return found.report, err
	}
	if err := found.repair(d, dir); err != nil {
		return found.report, err
	}
	after, err := takeSurvey(d, dir, false)
	if err == nil && len(after.report.Damage) > 0 {
		err = errStill(after.report.Damage[0])
	}
	return found.report, err
}

// errStill returns the error for damage that remains after a repair.
func errStill(d *DamageError) error {
	return fmt.Errorf("wal: the log is still damaged after the repair; the disk may be failing: %w", d)
}

// repair rewrites the damaged segments of the log in dir.
func (v *survey) repair(d disk.Disk, dir string) error {
	// The repair needs space, so it removes all spares and the reserve. Open creates the reserve
	// again when there is enough space.
	var old spares
	if err := old.find(d, dir, 0, slog.Default()); err != nil {
		return fmt.Errorf("wal: %w", err)
	}
	if err := d.Remove(filepath.Join(dir, reserveName)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("wal: %w", err)
	}
	for _, s := range v.segments {
		if !s.damaged {
			continue
		}
		if err := s.rewrite(d); err != nil {
			return fmt.Errorf("wal: repairing %s: %w; the repair can be run again without loss", s.path, err)
		}
	}
	if err := forgetMissing(d, dir, v.segments); err != nil {
		return fmt.Errorf("wal: %w", err)
	}
	return nil
}

// forgetMissing makes the oldest existing segment the first segment of the log. A log without
// segments starts over.
func forgetMissing(d disk.Disk, dir string, segs []*segment) error {
	if len(segs) > 0 {
		return writeFirst(d, dir, segs[0])
	}
	err := d.Remove(filepath.Join(dir, firstName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return errors.Join(err, d.SyncDir(dir))
}

// rewrite replaces the segment by a segment with the records from s.start up to s.next. Gap records
// replace the records that cannot be read.
func (s *segment) rewrite(d disk.Disk) error {
	temp := s.path + tempSuffix
	f, err := d.Open(temp, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, disk.FileMode())
	if err != nil {
		return err
	}
	defer f.Close()
	err = s.salvage(d, f)
	if err == nil {
		// The old file gets a second name before the new file replaces its first name. So the
		// segment is never missing.
		err = keepDamaged(d, s.path)
	}
	if err != nil {
		d.Remove(temp)
		return err
	}
	return publish(d, f, temp, s.path)
}

// salvage writes the readable records of the segment, and gap records for the others.
func (s *segment) salvage(d disk.Disk, to io.Writer) error {
	salt := newSalt()
	w := bufio.NewWriterSize(to, windowSize) // keeps its first error until Flush
	buf := appendSegmentHeader(nil, s.start, salt)
	_, _ = w.Write(buf)
	due := s.start // sequence number after the last written record
	put := func(r *Record) {
		buf = appendRecord(buf[:0], r, salt)
		_, _ = w.Write(buf)
		due = r.due()
	}
	err := s.each(d, func(r *Record) error {
		if due < r.Seq {
			put(newGap(due, r.Seq-1))
		}
		put(r)
		return nil
	})
	if err != nil {
		return err
	}
	if due < s.next {
		put(newGap(due, s.next-1))
	}
	return w.Flush()
}

// The method each calls fn for every readable record of the segment, including gap records, up to
// s.end. If fn returns an error, the method stops and returns the error.
func (s *segment) each(d disk.Disk, fn func(*Record) error) error {
	sc, f, err := s.open(d, s.end)
	if err != nil {
		return err
	}
	defer f.Close()
	sc.next = s.start
	for {
		for sc.scan() {
			if err := fn(&sc.rec); err != nil {
				return err
			}
		}
		if sc.reason == nil || !sc.resync() {
			return sc.err
		}
	}
}

// keepDamaged gives the file at path a second name: the first unused name in the series
// path.damaged, path.damaged.2, …
func keepDamaged(d disk.Disk, path string) error {
	name := path + damagedSuffix
	for n := 2; ; n++ {
		err := d.Link(path, name)
		if err == nil {
			return d.SyncDir(filepath.Dir(path))
		}
		if !errors.Is(err, fs.ErrExist) {
			return err
		}
		name = fmt.Sprintf("%s%s.%d", path, damagedSuffix, n)
	}
}
