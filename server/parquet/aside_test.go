package parquet

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"syscall"
	"testing"

	"github.com/slipstream-go/slipstream/column"
	"github.com/slipstream-go/slipstream/server/disk/faulty"
)

// After Return, the file is complete in its own directory, and no longer exists in the directory of
// the Aside. This is true with links, without links, and between two file systems, and after a
// crash at any call.
func TestAsideReturns(t *testing.T) {
	const path = "db/t/utc_date=2025-01-01/utc_hour=00/n-1-2.parquet"
	for name, fault := range map[string]error{"links": nil, "no links": errors.ErrUnsupported, "two file systems": syscall.EXDEV} {
		t.Run(name, func(t *testing.T) {
			for call := 0; ; call++ {
				var crash bool
				d := faulty.New(uint64(call), faulty.Options{})
				open := func() (*Aside, *Sink) {
					home, err := New("/tables", Options{Codec: Uncompressed, Disk: d})
					if err != nil {
						t.Fatal(err)
					}
					a, err := NewAside("/aside", home)
					if err != nil {
						t.Fatal(err)
					}
					return a, home
				}
				a, _ := open()
				land(t, a.Sink, path, telemetry(100))
				d.Set(faulty.Options{Crashed: func(faulty.Call) { crash = true }, Fail: firstLink(fault)})
				if call > 0 {
					d.CrashAt(call)
				}
				err := a.Return(path)
				if (err == nil) == crash {
					t.Fatalf("call %d: crash %v, %v", call, crash, err)
				}
				d = d.Crash()
				a, home := open()
				aside, err := a.Files(".")
				if err != nil {
					t.Fatal(err)
				}
				there, err := home.Exists(path)
				if err != nil {
					t.Fatal(err)
				}
				if !there && len(aside) == 0 || !crash && (!there || len(aside) > 0) {
					t.Fatalf("call %d: %q is aside, and the file is at home: %v", call, aside, there)
				}
				for range aside {
					if err := a.Return(path); err != nil {
						t.Fatalf("call %d: again: %v", call, err)
					}
				}
				if b := readBack(t, d, "/tables/"+path); b.Rows != 100 {
					t.Errorf("%d rows", b.Rows)
				}
				if call > 0 && !crash {
					return
				}
			}
		})
	}
}

// firstLink returns a function that makes the first link fail.
func firstLink(fault error) func(faulty.Call) error {
	return func(c faulty.Call) error {
		if c.Name != "Link" {
			return nil
		}
		defer func() { fault = nil }()
		return fault
	}
}

func readBack(t *testing.T, d *faulty.Disk, path string) *column.Batch {
	t.Helper()
	b, _, err := Read(d, path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// If a different file exists at the path, Return changes neither that file nor the file in the
// directory of the Aside.
func TestAsideReplacesNothing(t *testing.T) {
	d := faulty.New(1, faulty.Options{})
	home, err := New("/tables", Options{Codec: Uncompressed, Disk: d})
	if err != nil {
		t.Fatal(err)
	}
	a, err := NewAside("/aside", home)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 2 {
		path := fmt.Sprint("db/t/", i, ".parquet")
		land(t, a.Sink, path, telemetry(100))
		land(t, home, path, telemetry(50))
		for _, fault := range []error{nil, syscall.EXDEV} {
			d.Set(faulty.Options{Fail: firstLink(fault)})
			if err := a.Return(path); !errors.Is(err, fs.ErrExist) {
				t.Error(err)
			}
		}
		d.Set(faulty.Options{})
		if b := readBack(t, d, "/tables/"+path); b.Rows != 50 {
			t.Errorf("%d rows", b.Rows)
		}
	}
	if paths, err := a.Files("."); err != nil || !slices.Equal(paths, []string{"db/t/0.parquet", "db/t/1.parquet"}) {
		t.Errorf("%q, %v", paths, err)
	}
}
