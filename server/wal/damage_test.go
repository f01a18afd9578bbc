package wal

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/slipstream-go/slipstream/server/disk"
	"github.com/slipstream-go/slipstream/server/testkit"
)

func appendSum(b []byte) []byte {
	return binary.LittleEndian.AppendUint32(bytes.Clone(b), crc32.Checksum(b, castagnoli))
}

// place is the position of a record.
type place struct {
	file     string
	off, end int64
	rec      *Record
	commit   uint64
}

// layout finds the records in the image of an undamaged log.
func layout(t testing.TB, img image) (places []place) {
	t.Helper()
	for _, name := range img.names() {
		b := img[name]
		var s segment
		if err := s.parseHeader(b[:segmentHeader]); err != nil {
			t.Fatal(err)
		}
		sc := newScanner(bytes.NewReader(b), int64(len(b)), &s)
		off := sc.off
		for sc.scan() {
			r := sc.rec
			r.Payload = bytes.Clone(r.Payload)
			places = append(places, place{name, off, sc.off, &r, sc.commit})
			off = sc.off
		}
		if sc.reason != nil || sc.err != nil {
			t.Fatal(sc.reason, sc.err)
		}
	}
	return places
}

// smallLog returns the image of a running log with several segments. The last segment ends with
// zeros, and each record is a separate commit.
func smallLog(t testing.TB) (image, []place) {
	dir := testkit.MemDir(t)
	l := mustOpen(t, dir, Options{SegmentBytes: 360})
	for i := range 11 {
		mustAppend(t, l, sample(i))
	}
	img := snap(t, dir)
	mustClose(t, l)
	places := layout(t, img)
	if len(img) != 3 || len(places) != 11 || places[10].end == int64(len(img[places[10].file])) {
		t.Fatalf("%d segments, %d records", len(img), len(places))
	}
	return img, places
}

// verify opens the log in dir. The touched records may be missing or unreadable; all other records
// must be there. If records are missing that are not at the end of the log, the log must not open
// before a repair.
func verify(t *testing.T, dir string, places []place, touched func(place) bool) {
	t.Helper()
	var all, intact []*Record
	for _, p := range places {
		all = append(all, p.rec)
		if !touched(p) {
			intact = append(intact, p.rec)
		}
	}
	got, err := replay(dir)
	if err == nil {
		wantRecords(t, got, all[:len(got)])
		if len(got) < len(intact) {
			t.Fatalf("records %v were lost silently, only those from %v on were touched", seqs(all[len(got):]), seqs(intact))
		}
		return
	}
	damage := new(DamageError)
	if !errors.As(err, &damage) {
		t.Fatalf("neither records nor damage: %v", err)
	}
	for _, word := range []string{damage.Segment, "lost", "slipctl wal repair"} {
		if !strings.Contains(err.Error(), word) {
			t.Fatalf("%q does not say %q", err, word)
		}
	}
	rep, err := Repair(dir)
	if err != nil {
		t.Fatal(err)
	}
	got, err = replay(dir)
	if err != nil {
		t.Fatalf("after the repair: %v\n%v", err, rep)
	}
	wantRecords(t, got, intact)
	if rep, err := Check(dir); err != nil || len(rep.Damage) > 0 {
		t.Fatalf("after the repair: %v, %v", rep, err)
	}
	goOn(t, dir, all[len(all)-1].Seq, got)
}

// goOn appends to a repaired log, and checks that no sequence number is used twice.
func goOn(t *testing.T, dir string, last uint64, before []*Record) {
	t.Helper()
	l := mustOpen(t, dir, small)
	if n := len(before); n > 0 && before[n-1].Seq != last {
		last = before[n-1].Seq // the end of the log was touched
	}
	r := sample(5)
	mustAppend(t, l, r)
	mustClose(t, l)
	if r.Seq <= last {
		t.Fatalf("the next record is %d, but %d was given already", r.Seq, last)
	}
	got, err := replay(dir)
	if err != nil {
		t.Fatal(err)
	}
	wantRecords(t, got, append(before, r))
}

func TestEachByteFlipped(t *testing.T) {
	img, places := smallLog(t)
	dir := testkit.MemDir(t)
	for name, content := range img {
		for at := range content {
			for i, mask := range []byte{0x01, 0xff} {
				if testing.Short() && (at+i)%3 != 0 {
					continue
				}
				bad := bytes.Clone(content)
				bad[at] ^= mask
				img.restore(t, dir, name, bad)
				verify(t, dir, places, func(p place) bool { return p.file == name && p.off <= int64(at) && int64(at) < p.end })
				if t.Failed() {
					t.Fatalf("with byte %d of %s flipped by %#x", at, name, mask)
				}
			}
		}
	}
}

func TestTruncatedAtEachByte(t *testing.T) {
	img, places := smallLog(t)
	dir := testkit.MemDir(t)
	for name, content := range img {
		for at := range content {
			img.restore(t, dir, name, content[:at])
			verify(t, dir, places, func(p place) bool {
				return p.file == name && (p.end > int64(at) || at < segmentHalf)
			})
			if t.Failed() {
				t.Fatalf("with %s cut at byte %d", name, at)
			}
		}
	}
}

// Zeros or garbage may overwrite a header, or several records.
func TestOverwritten(t *testing.T) {
	img, places := smallLog(t)
	dir := testkit.MemDir(t)
	for name, content := range img {
		for from := segmentHeader; from < len(content); from += 8 {
			for _, length := range []int{8, 48, 200} {
				for _, fill := range []byte{0, 0xa5} {
					to := min(from+length, len(content))
					bad := bytes.Clone(content)
					for i := from; i < to; i++ {
						bad[i] = fill
					}
					img.restore(t, dir, name, bad)
					verify(t, dir, places, func(p place) bool {
						return p.file == name && !bytes.Equal(bad[p.off:p.end], content[p.off:p.end])
					})
				}
			}
		}
	}
}

func TestMissingSegment(t *testing.T) {
	img, places := smallLog(t)
	dir := testkit.MemDir(t)
	names := img.names()
	img.restore(t, dir, names[1], nil)
	_, err := replay(dir)
	damage := new(DamageError)
	if !errors.As(err, &damage) || damage.Lost() == 0 || filepath.Base(damage.Segment) != names[0] {
		t.Fatalf("with a segment missing: %v", err)
	}
	verify(t, dir, places, func(p place) bool { return p.file == names[1] })
}

func TestSwappedAndDoubledSegments(t *testing.T) {
	img, places := smallLog(t)
	dir := testkit.MemDir(t)
	names := img.names()
	img.restore(t, dir, names[1], img[names[0]]) // the second segment is a copy of the first
	verify(t, dir, places, func(p place) bool { return p.file == names[1] })

	swapped := image{names[0]: img[names[1]], names[1]: img[names[0]], names[2]: img[names[2]]}
	swapped.restore(t, dir, "", nil)
	if _, err := replay(dir); !errors.As(err, new(*DamageError)) {
		t.Errorf("with two segments swapped: %v", err)
	}
}

// Two adjacent segments are unreadable, at either end of the log or in its middle.
func TestUnreadableHeaders(t *testing.T) {
	dir := testkit.MemDir(t)
	l := mustOpen(t, dir, Options{SegmentBytes: 200})
	for i := range 12 {
		mustAppend(t, l, sample(i))
	}
	img := snap(t, dir)
	mustClose(t, l)
	places := layout(t, img)
	names := img.names()
	for i := range len(names) - 1 {
		bad := image{}
		for j, name := range names {
			bad[name] = bytes.Clone(img[name])
			if j == i || j == i+1 {
				clear(bad[name][:segmentHeader])
			}
		}
		bad.restore(t, dir, "", nil)
		verify(t, dir, places, func(p place) bool { return p.file == names[i] || p.file == names[i+1] })
	}
}

func TestRepairKeepsWhatItReplaces(t *testing.T) {
	img, places := smallLog(t)
	dir := testkit.MemDir(t)
	img.restore(t, dir, "", nil)
	name := img.names()[0]
	for round, kept := range []string{name + damagedSuffix, name + damagedSuffix + ".2"} {
		path := filepath.Join(dir, name)
		bad, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		bad[places[round].off+9] ^= 4
		if err := os.WriteFile(path, bad, 0o644); err != nil {
			t.Fatal(err)
		}
		rep, err := Repair(dir)
		if err != nil || len(rep.Damage) != 1 || rep.Lost() != 1 || !strings.Contains(rep.String(), "lost") {
			t.Errorf("repair: %v, %v", rep, err)
		}
		if b, err := os.ReadFile(filepath.Join(dir, kept)); err != nil || !bytes.Equal(b, bad) {
			t.Errorf("%s is not the damaged segment: %v", kept, err)
		}
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != disk.FileMode() {
			t.Errorf("the segment that replaces it has the mode %v: %v", info.Mode(), err)
		}
	}
	if rep, err := Check(dir); err != nil || rep.WrittenOff != 2 {
		t.Errorf("after two repairs: %v, %v", rep, err)
	}
	if rep, err := Repair(dir); err != nil || len(rep.Damage) > 0 {
		t.Errorf("repair of a log without damage: %v, %v", rep, err)
	}
}

// groups returns the image of a running log whose commits contain 1, 4, 1 and 5 records.
func groups(t *testing.T) (image, []place) {
	dir := testkit.MemDir(t)
	entered, release := make(chan bool), make(chan bool)
	l := mustOpen(t, dir, Options{SegmentBytes: 2000})
	pause := func(error) {
		entered <- true
		<-release
	}
	for n, size := range []int{4, 5} {
		// While the committer waits, the records are queued. They become one commit.
		for i := range size + 1 {
			done := pause // for the first record of each commit
			if i > 1 {
				done = nil
			}
			if err := l.AppendAsync(sample(10*n+i), done); err != nil {
				t.Fatal(err)
			}
			if i == 0 {
				<-entered
			}
		}
		release <- true
		<-entered
		release <- true
	}
	for l.LastSeq() < 11 {
		time.Sleep(time.Millisecond)
	}
	img := snap(t, dir)
	mustClose(t, l)
	places := layout(t, img)
	if len(places) != 11 || places[10].commit != 7 || places[4].commit != 2 {
		t.Fatalf("%d records, the last commit began with %d", len(places), places[10].commit)
	}
	return img, places
}

// A power failure may leave any subset of the last commit's pages on the disk. That is a torn tail.
// A hole in an earlier commit is damage, because a commit begins only when the commit before it is
// on disk.
func TestTornCommit(t *testing.T) {
	img, places := groups(t)
	dir := testkit.MemDir(t)
	name := places[0].file
	for i, hole := range places {
		bad := bytes.Clone(img[name])
		clear(bad[hole.off:hole.end])
		img.restore(t, dir, name, bad)
		got, err := replay(dir)
		if last := hole.commit == 7; last != (err == nil) {
			t.Errorf("with record %d zeroed: %v", i+1, err)
		} else if last && len(got) != i {
			t.Errorf("with record %d zeroed: %d records", i+1, len(got))
		}
		if err != nil {
			verify(t, dir, places, func(p place) bool { return p.off == hole.off })
		}
	}
}

// One segment contains damage in the middle and a torn tail. Repair keeps the undamaged records,
// and Open cuts off the torn tail.
func TestDamageBeforeTornCommit(t *testing.T) {
	img, places := groups(t)
	dir := testkit.MemDir(t)
	name := places[0].file
	bad := bytes.Clone(img[name])
	clear(bad[places[2].off:places[2].end])
	bad[places[8].off]++
	img.restore(t, dir, name, bad)
	rep, err := Check(dir)
	if err != nil || rep.Torn == 0 || len(rep.Damage) != 1 || rep.Lost() != 1 || rep.Records != 7 {
		t.Fatalf("Check: %v, %v", rep, err)
	}
	if _, err := Repair(dir); err != nil {
		t.Fatal(err)
	}
	got, err := replay(dir)
	if want := []uint64{1, 2, 4, 5, 6, 7, 8}; err != nil || !slices.Equal(seqs(got), want) {
		t.Errorf("after the repair: %v, %v, want %v", seqs(got), err, want)
	}
}

// After a torn tail has been cut off, records that are appended later are not mistaken for its
// continuation.
func TestTornTailIsCut(t *testing.T) {
	img, places := smallLog(t)
	dir := testkit.MemDir(t)
	last := places[len(places)-1]
	bad := bytes.Clone(img[last.file])
	bad[last.end-1]++
	img.restore(t, dir, last.file, bad)
	for want := 10; want < 13; want++ {
		l, err := Open(dir, small)
		if err != nil {
			t.Fatal(err)
		}
		got, err := records(l)
		if err != nil || len(got) != want {
			t.Fatalf("%d records, %v, want %d", len(got), err, want)
		}
		l.Start()
		mustAppend(t, l, sample(50))
		mustClose(t, l)
	}
}

// A payload that looks like records is never read as records, even if the record that contains it
// is damaged.
func TestForgedPayload(t *testing.T) {
	dir := testkit.MemDir(t)
	l := mustOpen(t, dir, small)
	var forged []byte
	for seq := uint64(1); seq < 40; seq++ {
		r := sample(int(seq))
		r.Seq = seq
		forged = appendRecord(forged, r, 0) // a sender does not know the salt
	}
	mustAppend(t, l, &Record{Type: 1, Payload: forged}, sample(1))
	img := snap(t, dir)
	mustClose(t, l)
	places := layout(t, img)
	bad := bytes.Clone(img[places[0].file])
	bad[segmentHeader+1]++
	img.restore(t, dir, places[0].file, bad)
	verify(t, dir, places, func(p place) bool { return p.rec.Seq == 1 })
}

// The remains of a cut commit are not read as records, although a new record replaces the first
// record of that commit.
func TestCutCommitDoesNotComeBack(t *testing.T) {
	img, places := groups(t)
	dir := testkit.MemDir(t)
	first := places[6]
	bad := bytes.Clone(img[first.file])
	clear(bad[first.off:first.end])
	img.restore(t, dir, first.file, bad)
	l := mustOpen(t, dir, small)
	again := *first.rec
	mustAppend(t, l, &again)
	after := snap(t, dir)
	mustClose(t, l)
	after.restore(t, dir, "", nil)
	if got, err := replay(dir); err != nil || len(got) != 7 || !equal(got[6], first.rec) {
		t.Errorf("records %v, %v, want 1 to 7", seqs(got), err)
	}
}

// If one of the two copies of a header is damaged, no record is lost, but the damage is reported.
func TestFlawedHeader(t *testing.T) {
	img, places := smallLog(t)
	dir := testkit.MemDir(t)
	for _, at := range []int{3, segmentHalf + 3} {
		bad := bytes.Clone(img[places[0].file])
		bad[at]++
		img.restore(t, dir, places[0].file, bad)
		if rep, err := Check(dir); err != nil || len(rep.Damage) != 1 || rep.Lost() != 0 || rep.Records != len(places) {
			t.Errorf("with byte %d of a header changed: %v, %v", at, rep, err)
		}
		if _, err := replay(dir); err == nil || !strings.Contains(err.Error(), "no record is lost") {
			t.Errorf("with byte %d of a header changed: %v", at, err)
		}
		verify(t, dir, places, func(place) bool { return false })
	}
}

func TestReplayFindsLateDamage(t *testing.T) {
	img, places := smallLog(t)
	dir := testkit.MemDir(t)
	img.restore(t, dir, "", nil)
	l, err := Open(dir, small)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	f, err := os.OpenFile(filepath.Join(dir, places[1].file), os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteAt([]byte{0xff}, places[1].off); err != nil {
		t.Fatal(err)
	}
	got, err := records(l)
	if damage := new(DamageError); !errors.As(err, &damage) || damage.Offset != places[1].off || len(got) != 1 {
		t.Errorf("%d records, %v", len(got), err)
	}
}
