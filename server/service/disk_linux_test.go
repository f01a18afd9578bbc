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

// mount makes a small file system at dir.
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

// fill takes room until so many bytes are left, and gives what frees it again.
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

// The disk of the log fills up: writes are refused with 503 and /ready says no. With room, the
// service goes on by itself.
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

// The disk of the files fills up, and so does that of the files aside: /ready says no, rows are
// taken for as long as there is memory, and land once there is room.
func TestTableDiskFull(t *testing.T) {
	dir := t.TempDir()
	tables := filepath.Join(dir, "tables")
	mount(t, tables, "32m") // room for what will have waited: a file for each batch
	mount(t, filepath.Join(dir, "aside"), "1m")
	c := start(t, dir, "--seal-age=10ms", "--max-buffered=256KiB")
	free := fill(t, tables, 0)
	fill(t, filepath.Join(dir, "aside"), 0)
	s := &sender{}
	status, text := 204, ""
	next := int64(0)
	for deadline := time.Now().Add(patience); status != 503 && time.Now().Before(deadline); next += perBatch {
		if status, text = write(t, c.url, s, next); status != 204 {
			time.Sleep(10 * time.Millisecond) // 429 until the first attempt to land has failed
		}
	}
	if status != 503 || !strings.Contains(text, "rows do not land at present") {
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

// The disk of the files fills up, and that of the log has room: the files are aside until they have
// room.
func TestTableDiskFullAside(t *testing.T) {
	dir := t.TempDir()
	tables := filepath.Join(dir, "tables")
	mount(t, tables, "32m")
	c := start(t, dir, "--seal-age=10ms", "--max-buffered=256KiB")
	free := fill(t, tables, 0)
	s := &sender{}
	for next := int64(0); len(s.acknowledged) < 20; next += perBatch { // more than there is memory for
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

// A small volume is enough for the default settings: they are scaled to it, so that writes are
// taken, and taken again when there is room.
func TestSmallVolumeRecovers(t *testing.T) {
	to := newTarget(t)
	dir := filepath.Join(t.TempDir(), "volume")
	mount(t, dir, "48m")
	c := start(t, filepath.Join(dir, "data"), "--seal-age=1h", "--wal-segment=128MiB", "--wal-min-free=64MiB", "--wal-reserve=64MiB",
		"--relay.target="+to.URL, "--relay.queue="+filepath.Join(dir, "queue"))
	taken := func() (int, string) { return push(t, http.DefaultClient, c.url, "", series("a")) }
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

// The queue is on a disk of its own, which fills up: /ready says so, although the log of rows has
// room.
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
