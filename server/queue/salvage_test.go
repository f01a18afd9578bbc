package queue

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/slipstream-go/slipstream/server/disk"
	"github.com/slipstream-go/slipstream/server/testkit"
	"github.com/slipstream-go/slipstream/server/wal"
)

// badSector is the system's disk, but some bytes of one file cannot be read.
type badSector struct {
	disk.Disk
	file     fs.FileInfo
	from, to int64
}

func (d badSector) Open(path string, flag int, perm fs.FileMode) (disk.File, error) {
	f, err := d.Disk.Open(path, flag, perm)
	if err != nil {
		return nil, err
	}
	return badFile{f, d}, nil
}

type badFile struct {
	disk.File
	d badSector
}

func (f badFile) ReadAt(b []byte, off int64) (int, error) {
	info, err := f.Stat()
	if end := off + int64(len(b)); err == nil && os.SameFile(info, f.d.file) && off < f.d.to && end > f.d.from {
		return 0, &fs.PathError{Op: "read", Path: f.Name(), Err: syscall.EIO}
	}
	return f.File.ReadAt(b, off)
}

// A damaged log does not prevent a start of the queue. Intact items are delivered. The damaged
// parts are set aside in files, counted and logged.
func TestOpenSalvages(t *testing.T) {
	const items = 60
	edit := func(fn func(b []byte) []byte) func(*testing.T, string) {
		return func(t *testing.T, path string) {
			b, err := os.ReadFile(path)
			if err == nil {
				err = os.WriteFile(path, fn(b), 0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	in := func(path string) (list []string) { // returns the IDs of the items in a segment
		b, err := os.ReadFile(path)
		for _, id := range ids("", 1, items) {
			if err == nil && bytes.Contains(b, body(id, 1000)) {
				list = append(list, id)
			}
		}
		return list
	}
	for name, c := range map[string]struct {
		damage func(t *testing.T, path string)
		lost   func(of []string) []string // items of the segment that may be lost
		bad    bool                       // the segment contains a bad sector
	}{
		"a byte of a body":          {damage: edit(func(b []byte) []byte { b[3000] ^= 1; return b }), lost: func(of []string) []string { return of[2:3] }},
		"a kilobyte of zeros":       {damage: edit(func(b []byte) []byte { clear(b[3000:4000]); return b }), lost: func(of []string) []string { return of[2:4] }},
		"one header of a segment":   {damage: edit(func(b []byte) []byte { b[9] ^= 1; return b }), lost: func(of []string) []string { return nil }},
		"both headers":              {damage: edit(func(b []byte) []byte { clear(b[:64]); return b }), lost: func(of []string) []string { return of }},
		"cut off":                   {damage: edit(func(b []byte) []byte { return b[:3000] }), lost: func(of []string) []string { return of[2:] }},
		"missing":                   {damage: func(t *testing.T, path string) { os.Remove(path) }, lost: func(of []string) []string { return of }},
		"a sector that is not read": {bad: true, lost: func(of []string) []string { return of[3:9] }},
	} {
		for _, which := range []int{0, 1, -1} {
			t.Run(fmt.Sprint(name, " of segment ", which), func(t *testing.T) {
				dir := testkit.MemDir(t)
				g := newTarget()
				letGo := hold(g)
				o := testOptions(g)
				o.WAL.SegmentBytes = 16 << 10
				q := mustOpen(t, dir, o)
				for _, id := range ids("", 1, items) {
					mustPut(t, q, Item{Tenant: "t", Body: body(id, 1000)})
				}
				mustClose(t, q)
				paths, err := filepath.Glob(filepath.Join(dir, "*.wal"))
				if err != nil || len(paths) < 4 {
					t.Fatal(paths, err)
				}
				path := paths[(which+len(paths))%len(paths)]
				of := in(path)
				if c.bad {
					info, err := os.Stat(path)
					if err != nil {
						t.Fatal(err)
					}
					o.WAL.Disk = badSector{disk.OS, info, 4 << 10, 8 << 10}
				} else {
					c.damage(t, path)
				}
				var log bytes.Buffer
				o.Logger = slog.New(slog.NewTextHandler(&log, nil))
				q = mustOpen(t, dir, o)
				found := q.Stats().Salvaged
				letGo()
				drained(t, q)
				checkStats(t, q)
				lost := c.lost(of)
				got := g.delivered("t")
				for _, id := range ids("", 1, items) {
					if !slices.Contains(got, id) && !slices.Contains(lost, id) {
						t.Errorf("%s is lost", id)
					}
				}
				mustClose(t, q)
				gone := items - len(got)
				end := which == -1 && (name == "cut off" || name == "missing") // the log cannot detect this damage; see package wal
				if !end && (found.Places == 0 || int(found.Records) < gone || !strings.Contains(log.String(), "DAMAGED")) {
					t.Errorf("%d items are gone, and the queue tells of %+v\n%s", gone, found, &log)
				}
				aside, _ := filepath.Glob(filepath.Join(dir, "*.wal.*"))
				aside = slices.DeleteFunc(aside, func(path string) bool { return strings.HasSuffix(path, ".spare") })
				if name != "missing" && len(aside) == 0 || found.Files != len(aside) {
					t.Errorf("set aside: %v, and the queue tells of %+v\n%s", aside, found, &log)
				}
				if strings.Contains(log.String(), "never acknowledged") {
					t.Error(log.String())
				}
				q = mustOpen(t, dir, o) // the damaged parts are no longer in the log
				if again := q.Stats().Salvaged; again.Places != 0 || again.Files != found.Files {
					t.Errorf("the next start finds %+v", again)
				}
			})
		}
	}
}

// Every intact record of a commit that looks torn is delivered, because the commit may have been
// acknowledged before the damage.
func TestTornCommitIsSalvaged(t *testing.T) {
	dir := testkit.MemDir(t)
	g := newTarget()
	o := testOptions(g)
	log, err := wal.Open(dir, o.WAL)
	if err != nil {
		t.Fatal(err)
	}
	log.Start()
	for i := range 5 {
		it := &item{tenant: &tenant{name: "t"}, size: 1000, sum: bodySum(body(fmt.Sprint(i+1), 1000))}
		r := &wal.Record{Type: typeItems, Codec: version, Payload: appendEntry(nil, it, body(fmt.Sprint(i+1), 1000), false)}
		if err := log.AppendAsync(r, nil); err != nil {
			t.Fatal(err)
		}
	}
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	spoil(t, dir, body("3", 1000))
	if found, err := Inspect(dir); err != nil || len(found.Lines) != 1 || found.Lines[0].Items.Items != 4 || len(found.Log.Damage) != 1 {
		t.Errorf("Inspect: %+v, %v", found, err)
	}
	q := mustOpen(t, dir, o)
	drained(t, q)
	if got := g.delivered("t"); !slices.Equal(got, []string{"1", "2", "4", "5"}) {
		t.Errorf("got %v", got)
	}
}

// Records that this package did not write contain no items. They are set aside, and the other
// records are delivered.
func TestStrangeRecords(t *testing.T) {
	for _, r := range []*wal.Record{
		{Type: typeItems, Codec: version, Payload: []byte{1}},
		{Type: typeMoved, Codec: version, Payload: []byte{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}},
		{Type: typeProgress, Codec: version, Payload: []byte{1, 't'}},
		{Type: typeProgress, Codec: version + 1, Payload: []byte("of the future")},
		{Type: 9, Codec: version, Payload: appendEntry(nil, &item{tenant: &tenant{name: "t"}, sum: bodySum(nil)}, nil, false)},
	} {
		dir := testkit.MemDir(t)
		g := newTarget()
		o := testOptions(g)
		log, err := wal.Open(dir, o.WAL)
		if err != nil {
			t.Fatal(err)
		}
		log.Start()
		if err := errors.Join(log.Append(r, nil), log.Close()); err != nil {
			t.Fatal(err)
		}
		for range 2 { // the record stays in the log until its segment is released
			var text bytes.Buffer
			o.Logger = slog.New(slog.NewTextHandler(&text, nil))
			q := mustOpen(t, dir, o)
			if st := q.Stats().Salvaged; st != (wal.Salvaged{Places: 1, Records: 1, Files: 1}) || !strings.Contains(text.String(), "record-1.unread") {
				t.Errorf("%+v: %+v\n%s", r, st, &text)
			}
			mustPut(t, q, Item{Tenant: "t", Body: body("1", 10)})
			drained(t, q)
			mustClose(t, q)
		}
		if got := g.delivered("t"); !slices.Equal(got, []string{"1", "1"}) {
			t.Errorf("%+v: got %v", r, got)
		}
		kept, err := os.ReadFile(filepath.Join(dir, "record-1.unread"))
		if err != nil || !bytes.Equal(kept, r.Payload) {
			t.Errorf("%+v: kept are %q, %v", r, kept, err)
		}
	}
}
