package load

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/slipstream-go/slipstream/column"
)

var testTarget = &target{base: "http://localhost", addr: netip.MustParseAddrPort("127.0.0.1:9"), headers: "Host: localhost\r\n"}

// The same options give the same requests, for any number of workers. A row is as large as a row of
// Arc.
func TestSynthetic(t *testing.T) {
	now := time.UnixMicro(1_700_000_000_000_000)
	var all [2][][]byte
	for i, workers := range []int{1, 5} {
		o := smallOptions("")
		o.Workers, o.Rows, o.Tables = workers, 1000, 6
		sources, err := newSynthetic(testTarget, &o, now)
		if err != nil {
			t.Fatal(err)
		}
		for _, src := range sources {
			for _, r := range src.requests {
				all[i] = append(all[i], r.wire)
			}
		}
	}
	if len(all[0]) != 16 || !slices.EqualFunc(all[0], all[1], bytes.Equal) {
		t.Fatalf("%d and %d requests, or they differ", len(all[0]), len(all[1]))
	}
	if n := len(all[0][0]); n < 45_000 || n > 48_000 {
		t.Errorf("a request of 1000 rows has %d bytes, want about 46 a row", n)
	}
	for i, want := range []string{"cpu", "mem", "disk", "net", "cpu_2", "mem_2", "cpu"} {
		_, body, _ := bytes.Cut(all[0][i], []byte("\r\n\r\n"))
		times, err := decodeBody("", body)
		if err != nil || len(times[want]) != 1000 || times[want][999] != now.UnixMicro()+999 {
			t.Errorf("request %d: %d times for %s, %v", i, len(times[want]), want, err)
		}
	}
}

// Setting the times of a request changes nothing else, in every form.
func TestSetTimes(t *testing.T) {
	for _, f := range []form{{}, {rows: true}, {v1: true}, {v1: true, rows: true}, {v1: true, coded: true}} {
		for _, rows := range []int{1, 2, 15, 16, 300} {
			o := smallOptions("")
			o.Rows, o.Hosts, o.Workers, o.Pregenerate = rows, 123_456, 1, 1
			o.Endpoint, o.Format = "arc", "columnar"
			path := ""
			if f.v1 {
				o.Endpoint, path = "v1", "/v1/write/default/cpu"
			}
			if f.rows {
				o.Format = "row"
			}
			decode := decodeBody
			if f.coded {
				o.Format, decode = "schema", decodeCoded
			}
			make := func(start int64) *request {
				sources, err := newSynthetic(testTarget, &o, time.UnixMicro(start))
				if err != nil {
					t.Fatal(err)
				}
				return sources[0].requests[0]
			}
			old, want := make(1), make(-5)
			old.setTimes(-5)
			if !bytes.Equal(old.wire, want.wire) {
				t.Errorf("%+v, %d rows: patched and made request differ", f, rows)
			}
			_, body, _ := bytes.Cut(old.wire, []byte("\r\n\r\n"))
			times, err := decode(path, body)
			if err != nil || len(times["cpu"]) != rows || times["cpu"][rows-1] != int64(rows)-6 {
				t.Errorf("%+v, %d rows: times %v, %v", f, rows, times, err)
			}
			if at := old.times.first; !f.coded && (old.wire[at-1] != 0xd3 || int64(binary.BigEndian.Uint64(old.wire[at:])) != -5) {
				t.Errorf("%+v, %d rows: no time at %d", f, rows, at)
			}
		}
	}
}

// The clock never returns a time twice, even if the wall clock stands still or runs back.
func TestClock(t *testing.T) {
	var c clock
	for i, step := range []struct{ now, n, want int64 }{{100, 10, 100}, {105, 10, 110}, {50, 1, 120}, {500, 3, 500}} {
		if got := c.take(step.now, int(step.n)); got != step.want {
			t.Errorf("step %d: %d, want %d", i, got, step.want)
		}
	}
}

var fixtures = fstest.MapFS{
	"stat": {Data: []byte(`cpu  2630 0 749 133424 417 0 32 4 0 0
cpu0 806 1 294 67487 11 2 13 2 0 0
cpu1 1824 0 455 65936 405 0 18446744073709551615
intr 12 13
ctxt 99
`)},
	"meminfo": {Data: []byte("MemTotal:       1000 kB\nMemFree:         300 kB\nMemAvailable:    250 kB\nHugePages_Total:       0\n")},
	"diskstats": {Data: []byte(`   7       0 loop0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0
 253       0 vda 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17
   8       1 sda1 1 2 3 4 5 6 7 8 9 10 11
`)},
	"net/dev": {Data: []byte(`Inter-|   Receive                                                |  Transmit
 face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed
    lo:    3245      30    0    0    0     0          0         0     3245      30    0    0    0     0       0          0
  eth0:99 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16
`)},
}

func TestCounters(t *testing.T) {
	for table, want := range map[string][]string{
		"cpu": {"cpu=cpu0 user=806 nice=1 system=294 idle=67487 iowait=11 irq=2 softirq=13",
			"cpu=cpu1 user=1824 nice=0 system=455 idle=65936 iowait=405 irq=0 softirq=9223372036854775807"},
		"mem": {"total=1024000 free=307200 available=256000 used_percent=75"},
		"disk": {"device=vda reads=1 reads_merged=2 read_sectors=3 read_ms=4 writes=5 writes_merged=6 written_sectors=7 write_ms=8 in_flight=9 io_ms=10 weighted_ms=11",
			"device=sda1 reads=1 reads_merged=2 read_sectors=3 read_ms=4 writes=5 writes_merged=6 written_sectors=7 write_ms=8 in_flight=9 io_ms=10 weighted_ms=11"},
		"net": {"interface=lo rx_bytes=3245 rx_packets=30 rx_errors=0 rx_dropped=0 rx_multicast=0 tx_bytes=3245 tx_packets=30 tx_errors=0 tx_dropped=0",
			"interface=eth0 rx_bytes=99 rx_packets=2 rx_errors=3 rx_dropped=4 rx_multicast=8 tx_bytes=9 tx_packets=10 tx_errors=11 tx_dropped=12"},
	} {
		c := counters{now: 42, host: "here"}
		i := slices.IndexFunc(procTables[:], func(p procTable) bool { return p.name == table })
		text, _ := fixtures.ReadFile(procTables[i].file)
		if err := procTables[i].read(&c, string(text)); err != nil {
			t.Errorf("%s: %v", table, err)
			continue
		}
		var got []string
		for row := range c.batch.Rows {
			got = append(got, rowText(&c.batch, row))
		}
		for i := range want {
			want[i] = "time=42 host=here " + want[i]
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s:\n%s\nwant\n%s", table, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	}
}

func rowText(b *column.Batch, row int) string {
	var cells []string
	for _, c := range b.Columns {
		var v any
		switch {
		case c.IsNull(row):
		case c.Kind == column.Float64:
			v = c.Floats[row]
		case c.Kind == column.String:
			v = string(c.StringAt(row))
		default:
			v = c.Ints[row]
		}
		cells = append(cells, fmt.Sprintf("%s=%v", c.Name, v))
	}
	return strings.Join(cells, " ")
}

func TestCountersErrors(t *testing.T) {
	for _, c := range []struct {
		read func(*counters, string) error
		text string
		want string
	}{
		{(*counters).cpu, "cpu  1\ncpu0 1 2 3\n", "line 2 has 3 values"},
		{(*counters).cpu, "cpu0 1 2 3 x 5 6 7\n", `"x" is not a counter`},
		{(*counters).mem, "MemFree: 1 kB\n", "no MemTotal"},
		{(*counters).mem, "\nMemTotal:\n", "line 2 has no value"},
		{(*counters).mem, "MemTotal: -1 kB\n", "line 1"},
		{(*counters).disk, "8 0\n", "line 1 has no device"},
		{(*counters).disk, "8 0 sda 1\n", "line 1 has 1 values"},
		{(*counters).net, "a | b\n eth0: 1 2\n", "line 2 has 2 values"},
	} {
		var cs counters
		if err := c.read(&cs, c.text); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %s", c.text, err, c.want)
		}
	}
}

// There is one request for each table and interval, in each form. Tables that cannot be read are
// omitted.
func TestProc(t *testing.T) {
	for _, endpoint := range []string{"arc", "v1"} {
		for _, format := range []string{"columnar", "row"} {
			o := smallOptions("")
			o.Endpoint, o.Format, o.Interval = endpoint, format, time.Millisecond
			files := fstest.MapFS{"stat": fixtures["stat"], "net/dev": fixtures["net/dev"], "meminfo": fixtures["meminfo"]}
			p, err := newProc(files, testTarget, &o)
			if err != nil {
				t.Fatal(err)
			}
			for i, table := range []string{"cpu", "mem", "net", "cpu", "mem"} {
				r, err := p.next(context.Background())
				if err != nil {
					t.Fatal(err)
				}
				head, body, _ := bytes.Cut(r.wire, []byte("\r\n\r\n"))
				path := strings.Fields(string(head))[1]
				times, err := decodeBody(path, body)
				if err != nil || len(times[table]) != r.rows || len(times) != 1 {
					t.Errorf("%s %s: request %d, for %s: %v, %v", endpoint, format, i, table, times, err)
				}
			}
			ctx, cancel := context.WithCancel(context.Background())
			cancel()
			if _, err := p.next(ctx); !errors.Is(err, context.Canceled) {
				t.Errorf("after cancelling: %v", err)
			}
		}
	}
	o := smallOptions("")
	if _, err := newProc(fstest.MapFS{}, testTarget, &o); err == nil || !strings.Contains(err.Error(), "needs Linux") {
		t.Errorf("without /proc: %v", err)
	}
	bad := fstest.MapFS{"stat": &fstest.MapFile{Data: []byte("cpu0 1\n")}, "meminfo": &fstest.MapFile{Mode: fs.ModeDir}}
	if _, err := newProc(bad, testTarget, &o); err == nil || !strings.Contains(err.Error(), "/proc/stat: line 1") {
		t.Errorf("with a short line: %v", err)
	}
}
