package service

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// mount mounts a small file system at dir.
func mount(t *testing.T, dir, size string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := unix.Mount("tmpfs", dir, "tmpfs", 0, "size="+size); err != nil {
		t.Skipf("a small file system is needed, which only root may mount: %v", err)
	}
	t.Cleanup(func() { unix.Unmount(dir, unix.MNT_DETACH) })
}

// fill fills the file system until only `left` bytes are free. The returned function frees the
// space again.
func fill(t *testing.T, dir string, left int64) (free func()) {
	t.Helper()
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "ballast")
	if err := os.WriteFile(path, make([]byte, max(int64(st.Bavail)*int64(st.Bsize)-left, 0)), 0o644); err != nil {
		t.Fatal(err)
	}
	return func() { os.Remove(path) }
}

func ready(t *testing.T, url string) (int, string) {
	t.Helper()
	resp, err := http.Get(url + "/ready")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	b := make([]byte, 1000)
	n, _ := resp.Body.Read(b)
	return resp.StatusCode, string(b[:n])
}

// When the disk of the log is full, writes get 503, and /ready reports it. When space is free
// again, the service continues without a restart.
func TestLogDiskFull(t *testing.T) {
	for name, args := range map[string][]string{
		"below the minimum":  {"--wal-min-free=8MiB"},
		"to the last byte":   nil,
		"reserve given back": {"--wal-reserve=2MiB"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "data")
			mount(t, dir, "32m")
			c := start(t, dir, append([]string{"--seal-age=1h"}, args...)...)
			s := &sender{}
			if status, text := write(t, c.url, s, 0); status != 204 {
				t.Fatal(status, text)
			}
			free := fill(t, dir, 0)
			status, text := 204, ""
			next := int64(perBatch)
			for deadline := time.Now().Add(patience); status == 204 && time.Now().Before(deadline); next += perBatch {
				status, text = write(t, c.url, s, next)
			}
			if status != 503 || !strings.Contains(text, "nothing was stored") {
				t.Fatalf("with a full disk: %d %s", status, text)
			}
			if name != "to the last byte" {
				if status, text := ready(t, c.url); status != 503 || !strings.Contains(text, "disk") {
					t.Errorf("/ready with a full disk: %d %s", status, text)
				}
			}
			free()
			for deadline := time.Now().Add(patience); ; next += perBatch {
				if status, text = write(t, c.url, s, next); status == 204 {
					break
				}
				if time.Now().After(deadline) {
					t.Fatalf("with room again: %d %s", status, text)
				}
				time.Sleep(50 * time.Millisecond)
			}
			if status, text := ready(t, c.url); status != 200 {
				t.Errorf("/ready with room again: %d %s", status, text)
			}
			c.stop()
			wantIDs(t, idsOf(t, filepath.Join(dir, "tables")), []*sender{s})
		})
	}
}

// When the disk of the tables and the disk of the directory aside are full, /ready reports it. Rows
// are accepted while there is memory. They land when space is free again.
func TestTableDiskFull(t *testing.T) {
	dir := t.TempDir()
	tables := filepath.Join(dir, "tables")
	mount(t, tables, "32m") // enough for a file for each waiting batch
	mount(t, filepath.Join(dir, "aside"), "1m")
	c := start(t, dir, "--seal-age=10ms", "--max-buffered=256KiB")
	free := fill(t, tables, 0)
	fill(t, filepath.Join(dir, "aside"), 0)
	s := &sender{}
	status, text := 204, ""
	next := int64(0)
	for deadline := time.Now().Add(patience); status != 503 && time.Now().Before(deadline); next += perBatch {
		if status, text = write(t, c.url, s, next); status != 204 {
			time.Sleep(10 * time.Millisecond) // 429 until the first landing has failed
		}
	}
	if status != 503 || !strings.Contains(text, "writing rows to files fails at present") {
		t.Fatalf("with a full disk: %d %s", status, text)
	}
	if status, text := ready(t, c.url); status != 503 || !strings.Contains(text, "no space left") {
		t.Errorf("/ready with a full disk: %d %s", status, text)
	}
	free()
	untilReady(t, c.url)
	if status, text := write(t, c.url, s, next); status != 204 {
		t.Errorf("with room again: %d %s", status, text)
	}
	c.stop()
	wantIDs(t, idsOf(t, tables), []*sender{s})
}

// When the disk of the tables is full, but the disk of the log is not, files are written to the
// directory aside. They are moved when space is free again.
func TestTableDiskFullAside(t *testing.T) {
	dir := t.TempDir()
	tables := filepath.Join(dir, "tables")
	mount(t, tables, "32m")
	c := start(t, dir, "--seal-age=10ms", "--max-buffered=256KiB")
	free := fill(t, tables, 0)
	s := &sender{}
	for next := int64(0); len(s.acknowledged) < 20; next += perBatch { // more rows than fit in memory
		if status, text := write(t, c.url, s, next); status == 503 {
			t.Fatal(text)
		} else if status != 204 {
			time.Sleep(10 * time.Millisecond)
		}
	}
	aside := func(status int, text string) bool {
		if status != 200 {
			t.Fatalf("/ready with a full disk: %d %s", status, text)
		}
		return strings.Contains(text, "aside")
	}
	waitFor(t, "a file is aside", func() bool { return aside(ready(t, c.url)) })
	free()
	waitFor(t, "no file is aside", func() bool { return !aside(ready(t, c.url)) })
	c.stop()
	wantIDs(t, idsOf(t, tables), []*sender{s})
}

func untilReady(t *testing.T, url string) {
	t.Helper()
	for deadline := time.Now().Add(patience); ; time.Sleep(50 * time.Millisecond) {
		status, text := ready(t, url)
		if status == 200 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatal("not ready with room again:", text)
		}
	}
}

// The default settings are scaled down for a small volume, so that it accepts writes. After it was
// full, it accepts writes again when space is free.
func TestSmallVolumeRecovers(t *testing.T) {
	to := newTarget(t)
	dir := filepath.Join(t.TempDir(), "volume")
	mount(t, dir, "48m")
	c := start(t, filepath.Join(dir, "data"), "--seal-age=1h", "--wal-segment=128MiB", "--wal-min-free=64MiB", "--wal-reserve=64MiB",
		"--relay.target="+to.URL, "--relay.queue="+filepath.Join(dir, "queue"))
	taken := func() (int, string) { return push(t, http.DefaultClient, c.url, "", seriesFor("a")) }
	if status, text := taken(); status != 204 {
		t.Fatalf("on an empty volume: %d %s", status, text)
	}
	if status, text := ready(t, c.url); status != 200 {
		t.Errorf("/ready on an empty volume: %d %s", status, text)
	}
	free := fill(t, dir, 0)
	waitFor(t, "the queue to refuse", func() bool { status, _ := taken(); return status == 503 })
	if _, text := taken(); strings.Contains(text, dir) || !strings.Contains(text, "disk") {
		t.Errorf("with a full volume senders are told %q", text)
	}
	free()
	waitFor(t, "the queue to take series again", func() bool { status, _ := taken(); return status == 204 })
	waitFor(t, "/ready to say yes", func() bool { status, _ := ready(t, c.url); return status == 200 })
	c.stop()
}

// When the queue's own disk is full, /ready reports it, even if the log of rows has space.
func TestReadyTellsOfTheQueuesDisk(t *testing.T) {
	to := newTarget(t)
	dir := t.TempDir()
	queue := filepath.Join(dir, "queue")
	mount(t, queue, "48m")
	c := start(t, filepath.Join(dir, "data"), "--wal-min-free=4MiB", "--relay.target="+to.URL, "--relay.queue="+queue)
	if status, text := ready(t, c.url); status != 200 {
		t.Fatalf("/ready with room: %d %s", status, text)
	}
	free := fill(t, queue, 0)
	waitFor(t, "/ready to say no", func() bool { status, _ := ready(t, c.url); return status == 503 })
	if _, text := ready(t, c.url); !strings.Contains(text, "the relay's queue") || !strings.Contains(text, "MiB") || strings.Contains(text, dir) {
		t.Errorf("/ready with a full disk: %s", text)
	}
	free()
	waitFor(t, "/ready to say yes", func() bool { status, _ := ready(t, c.url); return status == 200 })
	c.stop()
}
