package table

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

// removeLog removes everything from a data directory except the tables.
func removeLog(t *testing.T, dir string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.Name() != "tables" {
			if err := os.RemoveAll(filepath.Join(dir, e.Name())); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// copyLog copies everything in a data directory except the tables.
func copyLog(t *testing.T, to, from string) {
	t.Helper()
	all := os.DirFS(from)
	err := fs.WalkDir(all, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if path == "tables" {
			return fs.SkipDir
		}
		if d.IsDir() {
			return os.MkdirAll(filepath.Join(to, path), 0o755)
		}
		text, err := fs.ReadFile(all, path)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, path), text, 0o644)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// Existing files remain unchanged when the log is lost. The log is deleted, with or without the
// catalog, or replaced by an older copy, several times in a row. After that, sequence numbers are
// repeated.
func TestLandingNeverOverwrites(t *testing.T) {
	soon, cancel := context.WithTimeout(context.Background(), time.Minute) // enough for a few rows
	defer cancel()
	for name, lose := range map[string]func(t *testing.T, dir, older string){
		"the log and the catalog are deleted": func(t *testing.T, dir, _ string) { removeLog(t, dir) },
		"both are replaced by an older copy": func(t *testing.T, dir, older string) {
			removeLog(t, dir)
			copyLog(t, dir, older)
		},
		"the log is deleted": func(t *testing.T, dir, _ string) {
			catalog, err := os.ReadFile(filepath.Join(dir, "catalog.json"))
			if err != nil {
				t.Fatal(err)
			}
			removeLog(t, dir)
			if err := os.WriteFile(filepath.Join(dir, "catalog.json"), catalog, 0o644); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir, older := t.TempDir(), t.TempDir()
			sink := &dirSink{dir: filepath.Join(dir, "tables")}
			o := testOptions(dir, sink)
			mustClose(t, openStore(t, o))
			copyLog(t, older, dir)
			var want []row
			id := int64(0)
			for range 4 {
				s := openStore(t, o)
				for range 3 {
					var all sync.WaitGroup
					for _, table := range []string{"cpu", "mem"} {
						id++
						r := row{Table: table, Time: exampleHour, ID: id}
						mustAppend(t, s, r)
						want = append(want, r)
						all.Go(func() {
							if err := s.Flush(soon); err != nil {
								t.Error(err)
							}
						})
					}
					all.Wait()
					if t.Failed() {
						stop(t, s)
						return
					}
				}
				mustClose(t, s)
				checkOnce(t, name, landedRows(t, sink.dir), want)
				lose(t, dir, older)
			}
		})
	}
}

// If another program creates a file after its name was chosen and before the rows are written, that
// file is kept. The rows are written to a file with another name.
func TestNameIsTakenMeanwhile(t *testing.T) {
	dir := t.TempDir()
	sink := &dirSink{dir: filepath.Join(dir, "tables")}
	taken := ""
	sink.step = func(_ context.Context, what, path string) error {
		if what == "temp" && taken == "" {
			taken = filepath.Join(sink.dir, path)
			return os.WriteFile(taken, []byte(`{"id":77,"host":"of another"}`+"\n"), 0o644)
		}
		return nil
	}
	s := openStore(t, testOptions(dir, sink))
	mustAppend(t, s, row{Table: "cpu", ID: 1})
	soon, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := s.Close(soon); err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(taken); err != nil || string(text) != `{"id":77,"host":"of another"}`+"\n" {
		t.Errorf("the other's file: %q, %v", text, err)
	}
	if err := os.Remove(taken); err != nil {
		t.Fatal(err)
	}
	checkOnce(t, "ours", landedRows(t, sink.dir), []row{{Table: "cpu", ID: 1}})
}
