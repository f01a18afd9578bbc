package parquet

import (
	"errors"
	"io/fs"
	"testing"

	"github.com/slipstream-go/slipstream/server/disk/faulty"
)

// A file that Remove has removed does not reappear after a power failure. This is true even if an
// earlier process removed the file and ended before the removal was durable.
func TestRemoveIsDurable(t *testing.T) {
	const path = "db/cpu/utc_date=2023-11-14/utc_hour=22/n-1-1.parquet"
	for _, there := range []bool{true, false} {
		for seed := range uint64(20) {
			d := faulty.New(seed, faulty.Options{})
			sink, err := New("/tables", Options{Disk: d})
			if err != nil {
				t.Fatal(err)
			}
			var b builder
			b.row(1, map[string]any{"v": int64(1)})
			if _, err := sink.Land(t.Context(), fileOf(path, &b.Batch)); err != nil {
				t.Fatal(err)
			}
			if !there {
				if err := d.Remove("/tables/" + path); err != nil {
					t.Fatal(err)
				}
				d = d.Kill()
				if sink, err = New("/tables", Options{Disk: d}); err != nil {
					t.Fatal(err)
				}
			}
			if err := sink.Remove(path); err != nil {
				t.Fatal(err)
			}
			if _, err := d.Crash().Lstat("/tables/" + path); !errors.Is(err, fs.ErrNotExist) {
				t.Fatalf("seed %d, the file was there: %v; after a power cut %v", seed, there, err)
			}
		}
	}
}
