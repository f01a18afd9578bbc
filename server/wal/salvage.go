package wal

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/slipstream-go/slipstream/server/disk"
)

const (
	tornSuffix   = ".torn"
	unreadSuffix = ".unread"
)

// Salvaged describes the damage that Open has repaired with Options.Salvage.
type Salvaged struct {
	Places  int    // number of damaged positions, plus the number of records for which SetAside was called
	Records uint64 // maximum number of lost records
	Files   int    // files with damaged or undecodable data, kept by this and earlier starts; an operator should inspect and remove them
}

// surveyed reads the log for Open. With Options.Salvage, it first repairs a damaged log. Without
// it, damage is an error.
func (l *Log) surveyed() (*survey, error) {
	d := l.disk
	if l.o.Salvage {
		d = patient{d}
	}
	found, err := takeSurvey(d, l.dir, l.o.Salvage)
	if err != nil || len(found.report.Damage) == 0 {
		return found, err
	}
	if !l.o.Salvage {
		return nil, found.report.Damage[0]
	}
	err = found.repair(d, l.dir)
	if disk.IsFull(err) { // a torn tail can be cut off without extra space
		if found, err := takeSurvey(d, l.dir, false); err == nil && len(found.report.Damage) == 0 {
			return found, nil
		}
	}
	if err != nil {
		return nil, err
	}
	l.tellDamage(found.report.Damage)
	l.salvaged.Places += len(found.report.Damage)
	l.salvaged.Records += found.report.Lost()
	found, err = takeSurvey(d, l.dir, false)
	if err == nil && len(found.report.Damage) > 0 {
		err = errStill(found.report.Damage[0])
	}
	return found, err
}

// tellDamage logs one line for each damaged segment.
func (l *Log) tellDamage(damage []*DamageError) {
	for len(damage) > 0 {
		first, lost, n := damage[0], uint64(0), 0
		for n < len(damage) && damage[n].Segment == first.Segment {
			lost += damage[n].Lost()
			n++
		}
		l.o.Logger.Error("wal: LOG DAMAGED; intact records kept, damaged file set aside", "segment", first.Segment, "places", n,
			"records_lost_at_most", lost, "first_offset", first.Offset, "reason", first.Reason, "set_aside", first.Segment+damagedSuffix)
		damage = damage[n:]
	}
}

// keepTorn copies the torn tail of s to a separate file, before the tail is cut off. If there is no
// space for the copy, the log is opened without it.
func (l *Log) keepTorn(s *segment, f disk.File) {
	name := ""
	b, err := tailOf(&patientFile{File: f}, s.end, s.size)
	if err == nil {
		name, err = l.setAside(s.path+tornSuffix, b)
	}
	if err != nil {
		l.o.Logger.Error("wal: setting the incomplete commit aside failed", "segment", s.path, "error", err)
		return
	}
	l.o.Logger.Warn("wal: incomplete commit set aside", "set_aside", name)
}

// tailOf reads the bytes of f between two offsets, without the zeros at the end.
func tailOf(f io.ReaderAt, from, to int64) ([]byte, error) {
	b := make([]byte, windowSize)
	for to > from {
		start := max(from, to-windowSize)
		part := b[:to-start]
		if _, err := f.ReadAt(part, start); err != nil {
			return nil, err
		}
		if n := len(bytes.TrimRight(part, "\x00")); n > 0 {
			to = start + int64(n)
			break
		}
		to = start
	}
	b = make([]byte, to-from)
	_, err := f.ReadAt(b, from)
	return b, err
}

// SetAside durably saves the payload of r to a file, and returns the name of the file. It is for
// records that the caller cannot decode. [Log.Salvaged] counts these records.
func (l *Log) SetAside(r *Record) (string, error) {
	l.salvaged.Places++
	l.salvaged.Records++
	return l.setAside(filepath.Join(l.dir, fmt.Sprintf("record-%d%s", r.Seq, unreadSuffix)), r.Payload)
}

// mostNames is the maximum number of names that setAside tries.
const mostNames = 1000

// setAside writes b to a new file, and returns the name of the file. The name is the first unused
// name in the series path, path.2, …. If one of these files already has the same content, setAside
// writes nothing and returns the name of that file.
func (l *Log) setAside(path string, b []byte) (string, error) {
	name := path
	for n := 2; ; n++ {
		old, err := disk.ReadFile(l.disk, name)
		if errors.Is(err, fs.ErrNotExist) {
			break
		}
		if err == nil && string(old) == string(b) {
			return name, nil
		}
		if n > mostNames {
			return "", cmp.Or(err, fmt.Errorf("wal: %d files named %s already exist", mostNames, path))
		}
		name = fmt.Sprintf("%s.%d", path, n)
	}
	return name, disk.WriteFile(l.disk, name, b)
}

// Salvaged returns the damage that was repaired when the log was opened.
func (l *Log) Salvaged() Salvaged {
	s := l.salvaged
	entries, err := l.disk.ReadDir(l.dir)
	if err != nil {
		return s
	}
	for _, e := range entries {
		for _, suffix := range []string{damagedSuffix, tornSuffix, unreadSuffix} {
			if strings.Contains(e.Name(), suffix) && !strings.HasPrefix(e.Name(), ".") {
				s.Files++
			}
		}
	}
	return s
}

// patient is a disk that reads a file again, sector by sector, when a read fails. So only the
// records in a bad sector are lost.
type patient struct{ disk.Disk }

func (d patient) Open(path string, flag int, perm fs.FileMode) (disk.File, error) {
	f, err := d.Disk.Open(path, flag, perm)
	if err != nil || flag&(os.O_WRONLY|os.O_RDWR) != 0 {
		return f, err
	}
	return &patientFile{File: f}, nil
}

type patientFile struct {
	disk.File
	bad bool // some sector could not be read, so later reads are not retried
}

// sector is the number of bytes that are lost when a sector cannot be read.
const sector = 4 << 10

// A failed read is tried again, with pauses. So no data is lost if a disk is unavailable for only a
// moment.
const (
	readTries = 5
	readPause = 100 * time.Millisecond
)

func (f *patientFile) tryReadAt(b []byte, off int64) (n int, err error) {
	for try := 1; ; try++ {
		if n, err = f.File.ReadAt(b, off); err == nil || err == io.EOF || f.bad || try == readTries {
			return n, err
		}
		time.Sleep(readPause)
	}
}

// ReadAt replaces unreadable bytes by bytes that are neither a record nor the zeros at the end of a
// log.
func (f *patientFile) ReadAt(b []byte, off int64) (n int, err error) {
	if n, err = f.tryReadAt(b, off); err == nil || err == io.EOF {
		return n, err
	}
	for n = 0; n < len(b); {
		part := b[n:min(len(b), n+sector-int(off+int64(n))%sector)]
		m, err := f.tryReadAt(part, off+int64(n))
		if err == io.EOF {
			return n + m, err
		}
		if err != nil {
			f.bad = true
			for i := range part {
				part[i] = 0xff
			}
		}
		n += len(part)
	}
	return n, nil
}
