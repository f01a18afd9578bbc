package table

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// If there is only one database, it may fill the catalog. If there are several, each must leave
// space for the others, but keeps the tables that it has.
func TestShareOfTables(t *testing.T) {
	path := filepath.Join(t.TempDir(), "catalog.json")
	c := openTestCatalog(t, path)
	c.limits = limits{on: true, tables: 10, columns: 10}
	n := 0
	add := func(db string) error {
		n++
		_, err := c.admit(Name{db, fmt.Sprint(db, n)}, shapeOf("x:bool"))
		return err
	}
	fill := func(db, why string, want int) {
		t.Helper()
		had := n
		err := error(nil)
		for err == nil {
			room := c.roomOf(db)
			if err = add(db); (err == nil) != (room > 0) {
				t.Fatalf("%s has room for %d, and the next table: %v", db, room, err)
			}
		}
		if got := n - had - 1; got != want || !errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), why) {
			t.Errorf("%s gets %d tables, want %d; %v", db, got, want, err)
		}
	}
	const full, share = "the maximum of 10 tables", "its share of the maximum of 10"
	fill("alone", full, 10)
	if err := add("late"); err == nil || !strings.Contains(err.Error(), full) {
		t.Error(err)
	}
	all := c.all()
	for name := range all {
		if err := c.replace(all[name], nil); err != nil {
			t.Fatal(err)
		}
	}
	if len(c.counts) > 0 {
		t.Errorf("after all tables were dropped, %v are there", c.counts)
	}
	if err := add("b"); err != nil {
		t.Fatal(err)
	}
	claimed, _, err := c.claim([]item{{name: Name{"a", "gone"}, piece: piece{batch: shapeOf()}}})
	if err != nil {
		t.Fatal(err)
	}
	c.settle(claimed, false)
	if _, _, err = c.claim([]item{{name: Name{"a", "gone"}, piece: piece{batch: shapeOf()}}, {name: Name{"a", "\n"}, piece: piece{batch: shapeOf()}}}); err == nil {
		t.Fatal("a name of control characters is taken")
	}
	if _, _, err = c.claim(tenTables("a")); err == nil || !strings.Contains(err.Error(), share) { // ten tables in one request
		t.Error(err)
	}
	fill("a", share, 7)
	fill("b", share, 1)
	if err := c.save(); err != nil {
		t.Fatal(err)
	}
	c = openTestCatalog(t, path)
	c.limits = limits{on: true, tables: 10, columns: 10}
	fill("a", share, 0)
	for name := range c.all() {
		if _, err := c.admit(name, shapeOf("y:bool")); err != nil { // the table exists
			t.Error(err)
		}
	}
	fill("c", full, 1)
	if len(c.counts) != 3 || c.counts["a"] != 7 || c.counts["b"] != 2 || c.counts["c"] != 1 {
		t.Errorf("%v", c.counts)
	}
}

// tenTables returns ten tables of a database.
func tenTables(db string) (items []item) {
	for i := range 10 {
		items = append(items, item{name: Name{db, fmt.Sprint("more", i)}, piece: piece{batch: shapeOf()}})
	}
	return items
}
