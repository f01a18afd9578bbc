package table

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/slipstream-go/slipstream/server/disk"
	"github.com/slipstream-go/slipstream/server/disk/faulty"
	"github.com/slipstream-go/slipstream/server/wal"
)

// columnsOf returns the tables of the catalog with their columns, one table per line.
func columnsOf(s *Store) string {
	var b strings.Builder
	for _, info := range s.Tables() {
		fmt.Fprintln(&b, info.Name, info.Columns)
	}
	return b.String()
}

// Rejected rows leave no table, column or type in the catalog, for any reason of rejection. The
// same is true after a restart.
func TestRefusedLeavesNoTrace(t *testing.T) {
	stalled := func(o *Options) {
		o.Sink.(*dirSink).step = func(context.Context, string, string) error { return syscall.EIO }
		o.SealRows = 1
	}
	known := row{Table: "known", ID: 1, Value: int64(1)}
	fresh := []row{{Table: "known", ID: 2, Value: 0.5}, {Table: "new", ID: 3, Value: 1.5}}
	for name, c := range map[string]struct {
		options func(o *Options)
		prepare func(t *testing.T, s *Store, d *faulty.Disk)
		rows    []row
		want    error
	}{
		"the last table does not take it": {rows: append(fresh, row{Table: strings.Repeat("n", 200)}), want: ErrInvalid},
		"a type does not fit":             {rows: append(fresh, row{Table: "exact", ID: 4, Value: 0.5}), want: ErrInvalid},
		"too many tables":                 {options: func(o *Options) { o.MaxTables = 3 }, rows: append(fresh, row{Table: "more"}), want: ErrInvalid},
		"too many columns":                {options: func(o *Options) { o.MaxColumns = 3 }, rows: fresh, want: ErrInvalid},
		"too many hours":                  {options: func(o *Options) { o.MaxHours = 1 }, rows: append(fresh, row{Table: "new"}, row{Table: "new", Time: 2 * hour}), want: ErrInvalid},
		"the memory is full": {options: func(o *Options) { stalled(o); o.MaxBuffered = 16 << 10 }, prepare: func(t *testing.T, s *Store, _ *faulty.Disk) {
			for appendRows(s, true, known) == nil {
			}
		}, rows: fresh, want: ErrBusy},
		"the log is full": {options: func(o *Options) { stalled(o); o.WAL.MaxBytes, o.WAL.SegmentBytes = 16<<10, 4<<10 }, prepare: func(t *testing.T, s *Store, _ *faulty.Disk) {
			for appendRows(s, true, known) == nil {
			}
		}, rows: fresh, want: wal.ErrFull},
		"the disk is full": {options: func(o *Options) { o.WAL.SegmentBytes = 4 << 10 }, prepare: func(t *testing.T, s *Store, d *faulty.Disk) {
			d.Set(faulty.Options{Size: 24 << 10})
			for appendRows(s, true, known) == nil {
			}
		}, rows: fresh, want: wal.ErrLowDisk},
		"the store is closed": {prepare: func(t *testing.T, s *Store, _ *faulty.Disk) { mustClose(t, s) }, rows: fresh, want: ErrClosed},
	} {
		for _, durable := range []bool{true, false} {
			t.Run(fmt.Sprint(name, ", durable ", durable), func(t *testing.T) {
				dir := t.TempDir()
				d := faulty.New(1, faulty.Options{})
				if err := disk.MkdirAll(d, dir); err != nil {
					t.Fatal(err)
				}
				o := testOptions(dir, &dirSink{dir: filepath.Join(dir, "tables")})
				o.WAL.Disk = d
				if c.options != nil {
					c.options(&o)
				}
				s := openStore(t, o)
				if name != "too many columns" {
					mustAppend(t, s, known, row{Table: "exact", ID: 5, Value: int64(1<<53 + 1)})
				}
				if c.prepare != nil {
					c.prepare(t, s, d)
				}
				before := columnsOf(s)
				err := appendRows(s, durable, c.rows...)
				if err == nil && !durable { // the log has accepted the rows, and fails later
					eventually(t, "the log gives them back", func() bool { return s.async.Load() == 0 })
				} else if !errors.Is(err, c.want) {
					t.Fatalf("got %v, want %v", err, c.want)
				}
				if got := columnsOf(s); got != before {
					t.Errorf("the catalog was\n%sand is\n%s", before, got)
				}
				if n := len(s.catalog.claims); n > 0 || s.catalog.fresh != 0 {
					t.Errorf("%d claims are left", n)
				}
				o.WAL.Disk = d.Kill()
				o.Sink = &dirSink{dir: filepath.Join(dir, "tables")}
				if got := columnsOf(openStore(t, o)); got != before {
					t.Errorf("the catalog was\n%sand after a restart it is\n%s", before, got)
				}
			})
		}
	}
}

// After a crash, the catalog contains the columns of rows that are in no file, although the
// catalog's file does not contain these columns.
func TestCatalogComesFromTheLog(t *testing.T) {
	dir := t.TempDir()
	d := faulty.New(1, faulty.Options{})
	if err := disk.MkdirAll(d, dir); err != nil {
		t.Fatal(err)
	}
	o := testOptions(dir, &dirSink{dir: filepath.Join(dir, "tables")})
	o.WAL.Disk = d
	s := openStore(t, o)
	mustAppend(t, s, row{Table: "a", ID: 1, Value: int64(1)})
	mustAppend(t, s, row{Table: "a", ID: 2, Value: 1.5}, row{Table: "b", ID: 3})
	before := columnsOf(s)
	if _, err := disk.ReadFile(d, filepath.Join(dir, "catalog.json")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the catalog is written before rows land: %v", err)
	}
	o.WAL.Disk = d.Crash()
	again := openStore(t, o)
	if got := columnsOf(again); got != before {
		t.Errorf("the catalog was\n%sand after a crash it is\n%s", before, got)
	}
	mustClose(t, again)
	if got := columnsOf(openStore(t, o)); got != before {
		t.Errorf("the catalog was\n%sand when all has landed it is\n%s", before, got)
	}
}
