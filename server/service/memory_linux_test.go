package service

import (
	"bytes"
	"fmt"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// A bomb takes at most twice what one request may become, of the system's memory and not only of the collector's.
func TestBombMemory(t *testing.T) {
	c := start(t, t.TempDir())
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", c.cmd.Process.Pid))
	if err != nil {
		t.Fatal(err)
	}
	before := peakMemory(t, status)
	var bomb bytes.Buffer
	w, err := zstd.NewWriter(&bomb) // as a stream, which does not say how long it is
	if err != nil {
		t.Fatal(err)
	}
	const limit = 256 << 20
	noise := make([]byte, 1<<20) // so that the limit counts, and not the ratio
	for i := range noise[:4<<10] {
		noise[i*256] = byte(i * i >> 3)
	}
	for range limit>>20 + 10 {
		w.Write(noise)
		w.Flush()
	}
	w.Close()
	for bomb.Len() < limit/150 { // frames that are skipped
		bomb.Write(append([]byte{0x50, 0x2a, 0x4d, 0x18, 0, 0, 1, 0}, make([]byte, 1<<16)...))
	}
	r, err := http.NewRequest("POST", c.url+"/v1/write/db/t", &bomb)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/msgpack")
	r.Header.Set("Content-Encoding", "zstd")
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusRequestEntityTooLarge {
		t.Error(resp.Status)
	}
	if status, err = os.ReadFile(fmt.Sprintf("/proc/%d/status", c.cmd.Process.Pid)); err != nil {
		t.Fatal(err)
	}
	if took := peakMemory(t, status) - before; took > 2*limit {
		t.Errorf("a bomb takes %d MiB; one request may become %d", took>>20, limit>>20)
	}
	c.stop()
}

// peakMemory reads the most memory that a process had, in bytes, of its status.
func peakMemory(t *testing.T, status []byte) int {
	t.Helper()
	m := regexp.MustCompile(`VmHWM:\s+(\d+) kB`).FindSubmatch(status)
	if m == nil {
		t.Fatalf("no VmHWM in %s", status)
	}
	n, err := strconv.Atoi(string(m[1]))
	if err != nil {
		t.Fatal(err)
	}
	return n << 10
}
