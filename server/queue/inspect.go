package queue

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/slipstream-go/slipstream/server/wal"
)

// Line describes the undelivered items of a tenant.
type Line struct {
	Tenant string
	Bytes  int64     // size of the bodies
	Items  Count     // number of items, and totals of the counts in Item.Note
	Oldest time.Time // when the oldest item was put into the queue
}

// Contents is the result of [Inspect].
type Contents struct {
	Lines      []Line     // sorted by tenant
	Unreadable int        // records that cannot be decoded, for example records of a later version
	Log        wal.Report // contains the damage of the log, if any
}

// Inspect reads the queue in dir and changes nothing. The queue must not be open. If the log is
// damaged, Inspect describes the items that can be read.
func Inspect(dir string) (Contents, error) {
	var found Contents
	all := make(backlogs)
	report, err := wal.Read(dir, func(r *wal.Record) error {
		if all.replay(r, nil) != nil {
			found.Unreadable++
		}
		return nil
	})
	if found.Log = report; err != nil {
		return found, err
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		b := all[name]
		if b.finish(); len(b.items) == 0 {
			continue
		}
		oldest := slices.MinFunc(b.items, func(x, y *item) int { return cmp.Compare(x.time, y.time) })
		line := Line{Tenant: name, Oldest: time.UnixMicro(oldest.time)}
		for _, it := range b.items {
			line.Items.add(it)
			line.Bytes += int64(it.size)
		}
		found.Lines = append(found.Lines, line)
	}
	return found, nil
}
