package queue

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/slipstream-go/slipstream/server/testkit"
	"github.com/slipstream-go/slipstream/server/wal"
)

// filesOf returns the contents of all files in dir.
func filesOf(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	files := make(map[string][]byte)
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if files[e.Name()], err = os.ReadFile(filepath.Join(dir, e.Name())); err != nil {
			t.Fatal(err)
		}
	}
	return files
}

// Inspect describes the items that a new start would deliver, and changes no file.
func TestInspect(t *testing.T) {
	dir := testkit.MemDir(t)
	o := testOptions(deadTarget())
	q := mustOpen(t, dir, o)
	begin := time.Now()
	for i := range 20 {
		mustPut(t, q,
			Item{Tenant: "dead", Note: [4]uint32{1, 2, 0, 1}, Body: body("d", 20<<10)},
			Item{Tenant: "fine", Body: body("x", 20<<10)})
		if i == 0 {
			if _, err := Inspect(dir); err == nil {
				t.Fatal("an open queue was read")
			}
		}
	}
	for n := 0; q.Stats().Rewritten == 0; n++ { // until items of the dead tenant are moved
		if mustPut(t, q, Item{Tenant: "fine", Body: body("x", 20<<10)}); n > 10_000 {
			t.Fatal("no items are moved")
		}
	}
	eventually(t, "the other tenant is served", func() bool { return q.Stats().Items == 20 })
	mustClose(t, q)
	before := filesOf(t, dir)
	got, err := Inspect(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Lines) != 1 || got.Unreadable != 0 || len(got.Log.Damage) > 0 {
		t.Fatalf("%+v", got)
	}
	l := got.Lines[0]
	if l.Tenant != "dead" || l.Items != (Count{20, [4]uint64{20, 40, 0, 20}}) || l.Bytes != 20*20<<10 || l.Oldest.Before(begin.Add(-time.Second)) || l.Oldest.After(time.Now()) {
		t.Errorf("%+v", l)
	}
	if after := filesOf(t, dir); len(after) != len(before) {
		t.Errorf("%d files, before %d", len(after), len(before))
	} else {
		for name, b := range before {
			if !bytes.Equal(after[name], b) {
				t.Errorf("%s was changed", name)
			}
		}
	}
	q = mustOpen(t, dir, o)
	if st := q.Stats(); st.Items != 20 {
		t.Errorf("a new start found %d items", st.Items)
	}
}

// Inspect reads past damage, and counts records that it cannot decode.
func TestInspectDamage(t *testing.T) {
	dir := testkit.MemDir(t)
	log, err := wal.Open(dir, wal.Options{})
	if err != nil {
		t.Fatal(err)
	}
	log.Start()
	for i, text := range []string{"1", "2", "3"} {
		it := &item{tenant: &tenant{name: "t"}, size: 1000, sum: bodySum(body(text, 1000))}
		r := &wal.Record{Type: typeItems, Codec: version, Payload: appendEntry(nil, it, body(text, 1000), false)}
		if i == 2 {
			r.Codec++
		}
		if err := log.Append(r, nil); err != nil {
			t.Fatal(err)
		}
	}
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	spoil(t, dir, body("1", 1000))
	got, err := Inspect(dir)
	if err != nil || len(got.Lines) != 1 || got.Lines[0].Items.Items != 1 || got.Unreadable != 1 || len(got.Log.Damage) != 1 {
		t.Errorf("%+v, %v", got, err)
	}
	if _, err := Inspect(filepath.Join(dir, "none")); err == nil {
		t.Error("a directory that does not exist was read")
	}
}
