package table

import (
	"errors"
	"path/filepath"
	"testing"
	"testing/synctest"

	"github.com/slipstream-go/slipstream/column"
)

// A request that depends on what becomes of another one waits for that, and is then judged by what the catalog has.
func TestRequestWaitsForAPendingChange(t *testing.T) {
	for _, c := range []struct {
		name    string
		apply   bool   // whether the first request is committed
		second  string // a column
		refused bool
	}{
		{"the other type after a commit", true, "v:int64", true},
		{"the other type after a failure", false, "v:int64", false},
		{"the same type after a commit", true, "v:string", false},
		{"the same type after a failure", false, "v:string", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				cat := openTestCatalog(t, filepath.Join(t.TempDir(), "catalog.json"))
				name := Name{"db", "t"}
				_, first, err := cat.admit(nil, []Write{{name, shapeOf("v:string")}})
				if err != nil || first == nil {
					t.Fatal(first, err)
				}
				var second error
				done := false
				go func() {
					_, second = admit(cat, name, shapeOf(c.second))
					done = true
				}()
				synctest.Wait()
				if done || cat.lookup(name) != nil {
					t.Fatalf("the second request is through (%v), or the first has made a table", second)
				}
				if c.apply {
					cat.apply(first)
				} else {
					cat.drop(first)
				}
				synctest.Wait()
				if !done || errors.Is(second, ErrInvalid) != c.refused {
					t.Errorf("done %v, error %v", done, second)
				}
			})
		})
	}
}

// While a table changes, rows that fit it as it is pass, and so do those of other tables; the last table is for one request only.
func TestRequestsBesideAPendingChange(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cat := openTestCatalog(t, filepath.Join(t.TempDir(), "catalog.json"))
		cat.limits = limits{on: true, tables: 3, columns: 10}
		must := func(table string, b *column.Batch) *change {
			t.Helper()
			_, ch, err := cat.admit(nil, []Write{{Name{"db", table}, b}})
			if err != nil {
				t.Fatal(err)
			}
			return ch
		}
		cat.apply(must("a", shapeOf("v:int64")))
		widened := must("a", shapeOf("v:float64", "w:bool"))
		if ch := must("a", shapeOf("v:int64")); ch != nil {
			t.Error("a row that fits changes the table")
		}
		b := must("b", shapeOf())
		last := must("c", shapeOf())
		var fourth error
		done := false
		go func() {
			_, fourth = admit(cat, Name{"db", "d"}, shapeOf())
			done = true
		}()
		synctest.Wait()
		if done {
			t.Fatal("a fourth table was decided before the third")
		}
		cat.drop(b)
		synctest.Wait()
		if !done || fourth != nil {
			t.Errorf("done %v, error %v", done, fourth)
		}
		cat.apply(last)
		cat.apply(widened)
		if _, err := admit(cat, Name{"db", "e"}, shapeOf()); !errors.Is(err, ErrInvalid) {
			t.Errorf("a table beyond the limit: %v", err)
		}
		if got := printed(cat.lookup(Name{"db", "a"})); got != "time:time v:float64 w:bool" {
			t.Error(got)
		}
	})
}
