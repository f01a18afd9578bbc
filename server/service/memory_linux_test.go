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

	"github.com/slipstream-go/slipstream/server/testkit"
)

// A decompression bomb uses at most twice the maximum size of a decompressed request. This includes
// all memory that the process gets from the system, not only the Go heap.
func TestBombMemory(t *testing.T) {
	const limit = 256 << 20
	for _, c := range []struct {
		encoding string
		bomb     func(part []byte, n int) []byte // returns n parts without their total size
		padding  []byte                          // decompresses to nothing
	}{
		{"zstd", stream, append([]byte{0x50, 0x2a, 0x4d, 0x18, 0, 0, 1, 0}, make([]byte, 1<<16)...)},
		{"gzip", func(part []byte, n int) []byte { return bytes.Repeat(testkit.Gzipped(part), n) }, bytes.Repeat(testkit.Gzipped(nil), 1<<10)},
	} {
		t.Run(c.encoding, func(t *testing.T) {
			s := start(t, t.TempDir())
			status := fmt.Sprintf("/proc/%d/status", s.cmd.Process.Pid)
			before := peakMemory(t, status)
			noise := make([]byte, 1<<20) // not only zeros, so that the limit of the size applies and not the limit of the ratio
			for i := range noise[:4<<10] {
				noise[i*256] = byte(i * i >> 3)
			}
			bomb := c.bomb(noise, limit>>20+10)
			for len(bomb) < limit/150 {
				bomb = append(bomb, c.padding...)
			}
			r, err := http.NewRequest("POST", s.url+"/v1/write/db/t", bytes.NewReader(bomb))
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("Content-Type", "application/msgpack")
			r.Header.Set("Content-Encoding", c.encoding)
			resp, err := http.DefaultClient.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			resp.Body.Close()
			if resp.StatusCode != http.StatusRequestEntityTooLarge {
				t.Error(resp.Status)
			}
			if took := peakMemory(t, status) - before; took > 2*limit || took < limit/8 {
				t.Errorf("a bomb takes %d MiB; one request may become %d", took>>20, limit>>20)
			}
			s.stop()
		})
	}
}

// stream returns n parts in one zstd frame.
func stream(part []byte, n int) []byte {
	var out bytes.Buffer
	w, _ := zstd.NewWriter(&out)
	for range n {
		w.Write(part)
		w.Flush()
	}
	w.Close()
	return out.Bytes()
}

// peakMemory returns the maximum memory that a process has used, in bytes. It reads the status file
// of the process.
func peakMemory(t *testing.T, file string) int {
	t.Helper()
	status, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
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
