package wal

import (
	"fmt"
	"strings"

	"github.com/slipstream-go/slipstream/server/disk"
)

// Report is the result of [Check].
type Report struct {
	Segments    int
	Bytes       int64  // size of the readable records
	Records     int    // number of the readable records
	First, Last uint64 // sequence numbers; Last < First if there is no record
	WrittenOff  uint64 // number of records that an earlier Repair has marked as lost
	Torn        int64  // bytes of an incomplete commit at the end, which Open cuts off
	Damage      []*DamageError
}

// Lost returns the number of records that were lost because of damage. It is an upper bound if the
// header of a segment cannot be read.
func (r Report) Lost() uint64 {
	n := uint64(0)
	for _, d := range r.Damage {
		n += d.Lost()
	}
	return n
}

func (r Report) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d segments, %d records with %d bytes in total", r.Segments, r.Records, r.Bytes)
	if r.First <= r.Last {
		fmt.Fprintf(&b, ", numbered %d to %d", r.First, r.Last)
	}
	if r.WrittenOff > 0 {
		fmt.Fprintf(&b, "; %d records were lost in an earlier repair", r.WrittenOff)
	}
	if r.Torn > 0 {
		fmt.Fprintf(&b, "; an incomplete commit of %d bytes at the end of the log; cause: "+tornCause, r.Torn)
	}
	for _, d := range r.Damage {
		fmt.Fprintf(&b, "\n%v", d)
	}
	return b.String()
}

// tornCause lists the possible causes of a torn tail. The log cannot distinguish them.
const tornCause = "the machine stopped during the write, before the records were acknowledged, or the end of the file was damaged or truncated later"

// Check reads the whole log in dir, and changes nothing. The log must not be open.
func Check(dir string) (Report, error) {
	unlock, err := lockDir(disk.OS, dir)
	if err != nil {
		return Report{}, err
	}
	defer unlock()
	v, err := takeSurvey(disk.OS, dir, false)
	return v.report, err
}

// Read calls fn for each record that Open would keep with Options.Salvage, in order. The record and
// its payload are valid until fn returns. An error from fn ends Read. The report contains the
// damage that Open would repair. Read changes nothing. The log must not be open.
func Read(dir string, fn func(*Record) error) (Report, error) {
	unlock, err := lockDir(disk.OS, dir)
	if err != nil {
		return Report{}, err
	}
	defer unlock()
	d := patient{disk.OS} // reads past sectors that cannot be read
	v, err := takeSurvey(d, dir, true)
	if err != nil {
		return v.report, err
	}
	for _, s := range v.segments {
		err := s.each(d, func(r *Record) error {
			if r.Type == gap {
				return nil
			}
			return fn(r)
		})
		if err != nil {
			return v.report, err
		}
	}
	return v.report, nil
}

// survey is the result of reading a whole log, for Open, Check, Read and Repair.
type survey struct {
	segments []*segment
	report   Report
	keeps    bool // complete records of a torn commit are kept, too
}

// takeSurvey reads the log in dir, which must be locked. For each segment it determines the
// sequence numbers, the end of the records, and whether the segment is damaged. If keeps is set, a
// torn commit with complete later records counts as damage. The returned survey is never nil. After
// an error it covers the log up to the position of the error.
func takeSurvey(d disk.Disk, dir string, keeps bool) (*survey, error) {
	segs, err := listSegments(d, dir)
	v := &survey{segments: segs, report: Report{Segments: len(segs), First: 1}, keeps: keeps}
	if err != nil {
		return v, err
	}
	oldest, err := readFirst(d, dir)
	if err != nil {
		return v, err
	}
	if d := oldest.missing(dir, segs); d != nil {
		v.report.Damage = append(v.report.Damage, d)
	}
	for i, s := range segs {
		if err := v.visit(d, i, s); err != nil {
			return v, err
		}
	}
	if n := len(segs); n > 0 {
		v.report.First, v.report.Last = segs[0].start, segs[n-1].next-1
	}
	return v, nil
}

func (v *survey) visit(d disk.Disk, i int, s *segment) error {
	first, last := s.start, i == len(v.segments)-1
	if i > 0 {
		s.start = v.segments[i-1].next
	}
	if first == 0 {
		v.passOver(i, s)
		return nil
	}
	if s.flawed {
		v.damage(s, 0, "one of the two copies of the segment header is invalid", 1, 0)
	}
	if first < s.start {
		v.damage(s, 0, fmt.Sprintf("the segment begins with record %d, want record %d", first, s.start), 1, 0)
	}
	following := uint64(0)
	if !last {
		following = v.segments[i+1].start
	}
	if err := v.read(d, s, last, following); err != nil {
		return err
	}
	if s.next < following {
		v.damage(s, s.end, fmt.Sprintf("the segment ends here, but the next segment begins with record %d", following), s.next, following-1)
		s.next = following
	}
	return nil
}

// passOver skips the segment s, whose header cannot be read. All records up to the next segment
// with a readable header are lost. If there is no such segment, sequence numbers continue after the
// highest number that the segment may have contained, so that no number is used twice.
func (v *survey) passOver(i int, s *segment) {
	following := uint64(0)
	for _, f := range v.segments[i+1:] {
		if following = f.start; following > 0 {
			break
		}
	}
	switch {
	case i == 0 && following > 0:
		s.start = following - min(following-1, s.capacity())
	case i == 0:
		s.start = 1
	}
	s.next = s.start + s.capacity()
	if following > 0 {
		s.next = max(s.start, following)
	}
	v.damage(s, 0, "the segment header cannot be read", s.start, s.next-1)
}

// capacity returns the maximum number of records that an unreadable segment may have contained.
func (s *segment) capacity() uint64 {
	return uint64(s.size)/headerSize + 1
}

func (v *survey) damage(s *segment, off int64, reason string, from, to uint64) {
	s.damaged = true
	v.report.Damage = append(v.report.Damage, &DamageError{Segment: s.path, Offset: off, Reason: reason, From: from, To: to})
}

// flaw describes a position where a record is expected but cannot be read.
type flaw struct {
	off    int64
	reason error
	due    uint64 // sequence number that is expected
	found  uint64 // sequence number of the next readable record; equal to due if there is none
	before Report // the report up to this position
}

// read reads the records of s. In the last segment, it distinguishes a torn tail from damage. After
// any other segment, it expects the record with the sequence number `following`.
func (v *survey) read(d disk.Disk, s *segment, last bool, following uint64) error {
	sc, f, err := s.open(d, s.size)
	if err != nil {
		return err
	}
	defer f.Close()
	sc.next = s.start

	var flaws []flaw
	commit := uint64(0) // sequence number of the first record of the last commit
	for {
		for sc.scan() {
			v.count(sc)
			commit = max(commit, sc.commit)
			s.end = sc.off
		}
		if sc.reason == nil || sc.err != nil {
			break
		}
		at := flaw{off: sc.off, reason: sc.reason, due: sc.next, before: v.report}
		found := sc.resync()
		if !found {
			sc.next = max(sc.next, following)
		}
		at.found = sc.next
		flaws = append(flaws, at)
		if !found {
			break
		}
	}
	if sc.err != nil {
		return fmt.Errorf("wal: %s: %w", s.path, sc.err)
	}
	s.next = sc.next
	for _, at := range flaws {
		if last && commit <= at.due && !(v.keeps && at.found > at.due) {
			before := at.before
			before.Damage, before.Torn = v.report.Damage, s.size-at.off
			v.report = before
			s.end, s.next = at.off, at.due
			return nil
		}
		v.damage(s, at.off, at.reason.Error(), at.due, at.found-1)
	}
	return nil
}

func (v *survey) count(sc *scanner) {
	if sc.rec.Type == gap {
		v.report.WrittenOff += sc.rec.due() - sc.rec.Seq
		return
	}
	v.report.Records++
	v.report.Bytes += recordSize(len(sc.rec.DB) + len(sc.rec.Table) + len(sc.rec.Payload))
}
