package wal

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/slipstream-go/slipstream/server/disk"
)

var quiet = slog.New(slog.DiscardHandler)

// small is for tests in which the size of the segments does not matter. Little space is allocated
// in advance.
var small = Options{SegmentBytes: 64 << 10, Logger: quiet}

// mustOpen opens the log in dir and starts it. The log is closed when the test ends, if the test
// has not closed it.
func mustOpen(t testing.TB, dir string, o Options) *Log {
	t.Helper()
	if o.Logger == nil {
		o.Logger = quiet
	}
	l, err := Open(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	l.Start()
	t.Cleanup(func() { l.Close() })
	return l
}

func mustAppend(t testing.TB, l *Log, recs ...*Record) {
	t.Helper()
	for _, r := range recs {
		if err := l.Append(r, nil); err != nil {
			t.Fatal(err)
		}
	}
}

func mustClose(t testing.TB, l *Log) {
	t.Helper()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
}

// sample returns a record whose fields all depend on n.
func sample(n int) *Record {
	return &Record{
		Type:    Type(n%3 + 1),
		Codec:   uint16(n * 257),
		Time:    int64(n) * -1e9,
		DB:      "db"[:n%3],
		Table:   fmt.Sprint("table", n/4),
		Payload: bytes.Repeat([]byte{byte(n + 1)}, n*7%23),
	}
}

func data(payload []byte) *Record {
	return &Record{Type: 1, DB: "d", Table: "t", Payload: payload}
}

// reserved returns a record that may use the reserve.
func reserved(payload []byte) *Record {
	return &Record{Type: 2, Payload: payload, UseReserve: true}
}

// replay opens the log in dir and returns copies of its records.
func replay(dir string) ([]*Record, error) {
	l, err := Open(dir, small)
	if err != nil {
		return nil, err
	}
	defer l.Close()
	return records(l)
}

func records(l *Log) (recs []*Record, err error) {
	err = l.Replay(func(r *Record) error {
		c := *r
		c.Payload = bytes.Clone(r.Payload)
		recs = append(recs, &c)
		return nil
	})
	return recs, err
}

func equal(a, b *Record) bool {
	return a.Seq == b.Seq && a.Type == b.Type && a.Codec == b.Codec && a.Time == b.Time && a.DB == b.DB && a.Table == b.Table &&
		bytes.Equal(a.Payload, b.Payload)
}

func seqs(recs []*Record) []uint64 {
	var s []uint64
	for _, r := range recs {
		s = append(s, r.Seq)
	}
	return s
}

// wantRecords fails the test if two lists of records differ.
func wantRecords(t testing.TB, got, want []*Record) {
	t.Helper()
	if !slices.EqualFunc(got, want, equal) {
		t.Fatalf("got records %v\nwant %v, or their contents differ", seqs(got), seqs(want))
	}
}

// image is the content of a log's segments, by file name.
type image map[string][]byte

// snap returns the segments that a crash at this moment would leave in dir.
func snap(t testing.TB, dir string) image {
	t.Helper()
	img := image{}
	names, err := filepath.Glob(filepath.Join(dir, "*"+suffix))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		img[filepath.Base(name)] = b
	}
	return img
}

func (img image) names() []string {
	var names []string
	for name := range img {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// restore replaces dir by the image, in which b replaces the content of the file called name. If b
// is nil, that file does not exist.
func (img image) restore(t testing.TB, dir, name string, b []byte) {
	t.Helper()
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for n, content := range img {
		if n == name {
			content = b
		}
		if content == nil {
			continue
		}
		if err := os.WriteFile(filepath.Join(dir, n), content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// faults counts the committer's writes and syncs, and makes them fail.
type faults struct {
	writes, syncs atomic.Int64
	write         atomic.Pointer[func(vecs [][]byte) (limit int, err error)] // limit is the number of bytes that are written
	sync          atomic.Pointer[func() error]
}

func (f *faults) onWrite(fn func(vecs [][]byte) (int, error)) { f.write.Store(&fn) }
func (f *faults) onSync(fn func() error)                      { f.sync.Store(&fn) }

// disk returns the system's disk. f counts the committer's writes and syncs, and makes them fail.
func (f *faults) disk() disk.Disk { return faultyDisk{disk.OS, f} }

type faultyDisk struct {
	disk.Disk
	*faults
}

func (d faultyDisk) Open(path string, flag int, perm fs.FileMode) (disk.File, error) {
	f, err := d.Disk.Open(path, flag, perm)
	if err != nil {
		return nil, err
	}
	return &faultyFile{f, d.faults}, nil
}

type faultyFile struct {
	disk.File
	*faults
}

func (f *faultyFile) WriteVec(vecs [][]byte, off int64) (int, error) {
	f.writes.Add(1)
	fn := f.faults.write.Load()
	if fn == nil {
		return f.File.WriteVec(vecs, off)
	}
	limit, fault := (*fn)(vecs)
	if fault == nil && limit < 0 {
		return f.File.WriteVec(vecs, off)
	}
	all := bytes.Join(vecs, nil)
	n, err := f.File.WriteVec([][]byte{all[:min(limit, len(all))]}, off)
	return n, errors.Join(err, fault)
}

func (f *faultyFile) Datasync() error {
	f.syncs.Add(1)
	if fn := f.faults.sync.Load(); fn != nil {
		if err := (*fn)(); err != nil {
			return err
		}
	}
	return f.File.Datasync()
}

// freeDisk is the system's disk, but free returns the number of free bytes.
type freeDisk struct {
	disk.Disk
	free func() (int64, error)
}

func (d freeDisk) Free(string) (int64, error) { return d.free() }

// sizedDisk is a freeDisk of a given size.
type sizedDisk struct {
	freeDisk
	size int64
}

func (d sizedDisk) Size(string) (int64, error) { return d.size, nil }
