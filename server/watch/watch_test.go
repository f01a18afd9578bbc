package watch

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// pair is a source of two files. The first file contains the name of the second.
type pair struct {
	dir   string
	value string
	loads int
}

func (p *pair) load(read func(string) ([]byte, error)) error {
	p.loads++
	name, err := read(filepath.Join(p.dir, "name"))
	if err != nil {
		return err
	}
	value, err := read(filepath.Join(p.dir, string(name)))
	if err != nil {
		return err
	}
	if string(value) == "wrong" {
		return errors.New("it is wrong")
	}
	p.value = string(value)
	return nil
}

func (p *pair) write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(p.dir, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestWatcher(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var logged bytes.Buffer
		w := &Watcher{Logger: slog.New(slog.NewTextHandler(&logged, nil))}
		p := &pair{dir: t.TempDir()}
		if err := w.Add("pair", p.load); !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
		p.write(t, "name", "a")
		p.write(t, "a", "1")
		if err := w.Add("pair", p.load); err != nil || p.value != "1" {
			t.Fatal(err, p.value)
		}
		p.loads = 0
		ctx, cancel := context.WithCancel(t.Context())
		go w.Run(ctx)
		step := func(value string, loads, failed int) {
			t.Helper()
			time.Sleep(2 * Interval) // the first check detects a change, and the next check finds that the change is complete
			synctest.Wait()
			w.loading.Lock() // held while p is loaded
			defer w.loading.Unlock()
			if p.value != value || p.loads != loads || w.Stats().Failed != failed {
				t.Fatalf("%+v %+v, want %s, %d loads, %d failed", p, w.Stats(), value, loads, failed)
			}
		}
		step("1", 0, 0)
		p.write(t, "a", "2") // of the same length, within one tick of the file system's clock
		step("2", 1, 0)
		p.write(t, "a", "2")
		step("2", 1, 0)
		p.write(t, "b", "3")
		step("2", 1, 0) // this file is not in use yet
		p.write(t, "name", "b")
		step("3", 2, 0)
		p.write(t, "a", "4")
		step("3", 2, 0) // this file is no longer in use
		p.write(t, "b", "wrong")
		step("3", 3, 1)
		step("3", 3, 1) // the error is reported once
		p.write(t, "b", "5")
		step("5", 4, 0)
		if err := os.Remove(filepath.Join(p.dir, "b")); err != nil {
			t.Fatal(err)
		}
		step("5", 5, 1)
		step("5", 5, 1)
		p.write(t, "b", "6")
		step("6", 6, 0)
		p.write(t, "c", "7")
		if err := os.Rename(filepath.Join(p.dir, "c"), filepath.Join(p.dir, "b")); err != nil {
			t.Fatal(err)
		}
		step("7", 7, 0)
		last := w.Stats().Last
		if time.Since(last) != 0 {
			t.Error(last)
		}
		w.Reload()
		if p.loads != 8 {
			t.Errorf("%d loads", p.loads)
		}
		cancel()
		synctest.Wait()
		p.write(t, "b", "8")
		step("7", 8, 0)
		if st := w.Stats(); st.Loads != 1+5+1 || st.Failures != 1+2 {
			t.Errorf("%+v", st)
		}
		if n := strings.Count(logged.String(), "level=ERROR"); n != 2 || !strings.Contains(logged.String(), `what=pair error="it is wrong"`) {
			t.Errorf("%d errors\n%s", n, &logged)
		}
	})
}

// A file that is written in several steps is loaded when it is complete.
func TestFileThatIsWrittenInSteps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &Watcher{Logger: slog.New(slog.DiscardHandler)}
		p := &pair{dir: t.TempDir()}
		p.write(t, "name", "a")
		p.write(t, "a", "first")
		if err := w.Add("pair", p.load); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		go w.Run(ctx)
		time.Sleep(Interval / 2)
		for _, text := range []string{"", "s", "se", "seco", "second"} {
			p.write(t, "a", text)
			time.Sleep(Interval)
			synctest.Wait()
			w.loading.Lock() // held while p is loaded
			if p.value != "first" {
				t.Errorf("%q was loaded", p.value)
			}
			w.loading.Unlock()
		}
		time.Sleep(Interval)
		synctest.Wait()
		w.loading.Lock()
		defer w.loading.Unlock()
		if p.value != "second" || p.loads != 2 {
			t.Errorf("%q after %d loads", p.value, p.loads)
		}
		cancel()
		synctest.Wait()
	})
}

// If the file system does not respond, Stats still returns the counts, which metrics show.
func TestStatsWhileALoadHangs(t *testing.T) {
	w := &Watcher{Logger: slog.New(slog.DiscardHandler)}
	begun, release := make(chan struct{}), make(chan struct{})
	hang := false
	err := w.Add("slow", func(func(path string) ([]byte, error)) error {
		if hang {
			close(begun)
			<-release
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	hang = true
	var loading sync.WaitGroup
	loading.Go(w.Reload)
	<-begun
	stats := make(chan Stats, 1)
	go func() { stats <- w.Stats() }()
	select {
	case st := <-stats:
		if st.Loads != 1 {
			t.Errorf("%+v", st)
		}
	case <-time.After(30 * time.Second):
		t.Error("the counts wait for the load")
	}
	close(release)
	loading.Wait()
}
