package load

import (
	"errors"
	"fmt"
	"iter"
	"math"
	"strconv"
	"strings"
)

// The methods of the type counters parse the kernel's tables, which are described in the manual
// page proc_stat(5) and in similar pages. Each method appends rows to the batch. It requires the
// columns that exist in every kernel since 2.6, and ignores further columns at the end of a line.

// counters reads a machine's counters into a batch. The batch contains rows of one table, all with
// the same time and host.
type counters struct {
	filler
	now  int64
	host string
}

func (c *counters) beginRow() {
	c.time(c.now)
	c.text("host", c.host)
}

// numbers appends one integer cell for each name. If a name is empty, numbers skips the value.
func (c *counters) numbers(names, values []string) error {
	if len(values) < len(names) {
		return fmt.Errorf("has %d values, want at least %d", len(values), len(names))
	}
	for i, name := range names {
		if name == "" {
			continue
		}
		v, err := counter(values[i])
		if err != nil {
			return err
		}
		c.int64(name, v)
	}
	return nil
}

// counter parses s. For a value that exceeds an int64, it returns the maximum int64.
func counter(s string) (int64, error) {
	v, err := strconv.ParseUint(s, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%q is not a counter", s)
	}
	return int64(min(v, math.MaxInt64)), nil
}

var cpuColumns = []string{"user", "nice", "system", "idle", "iowait", "irq", "softirq"}

// cpu reads /proc/stat. It appends one row for each processor, with times in ticks of 1/100 s.
//
//	cpu0 806 0 294 67487 11 0 13 2 0 0
func (c *counters) cpu(text string) error {
	for line, words := range fields(text) {
		name := words[0]
		if !strings.HasPrefix(name, "cpu") || name == "cpu" {
			continue // the sum of all processors, or not a processor
		}
		c.beginRow()
		c.text("cpu", name)
		if err := c.numbers(cpuColumns, words[1:]); err != nil {
			return fmt.Errorf("line %d %w", line, err)
		}
		c.closeRow()
	}
	return c.err
}

var memColumns = map[string]string{
	"MemTotal:": "total", "MemFree:": "free", "MemAvailable:": "available", "Buffers:": "buffers", "Cached:": "cached",
	"SwapTotal:": "swap_total", "SwapFree:": "swap_free", "Dirty:": "dirty", "Slab:": "slab",
}

// mem reads /proc/meminfo. It appends one row, with sizes in bytes and the percentage of used
// memory.
//
//	MemTotal:       24684096 kB
func (c *counters) mem(text string) error {
	c.beginRow()
	var total, available int64
	for line, words := range fields(text) {
		name, ok := memColumns[words[0]]
		if !ok {
			continue
		}
		if len(words) < 2 {
			return fmt.Errorf("line %d has no value", line)
		}
		kib, err := counter(words[1])
		if err != nil {
			return fmt.Errorf("line %d: %w", line, err)
		}
		bytes := min(kib, math.MaxInt64>>10) << 10
		c.int64(name, bytes)
		switch name {
		case "total":
			total = bytes
		case "available":
			available = bytes
		}
	}
	if total == 0 {
		return errors.New("has no MemTotal")
	}
	c.float64("used_percent", 100*float64(total-available)/float64(total))
	c.closeRow()
	return c.err
}

var diskColumns = []string{"reads", "reads_merged", "read_sectors", "read_ms", "writes", "writes_merged", "written_sectors",
	"write_ms", "in_flight", "io_ms", "weighted_ms"}

// disk reads /proc/diskstats. It appends one row for each device that was ever used. A sector is
// 512 bytes.
//
//	259 0 nvme0n1 88291 1202 6120381 21027 30298 20731 4421786 44021 0 33120 65048
func (c *counters) disk(text string) error {
	for line, words := range fields(text) {
		if len(words) < 3 {
			return fmt.Errorf("line %d has no device", line)
		}
		if allZero(words[3:]) {
			continue
		}
		c.beginRow()
		c.text("device", words[2])
		if err := c.numbers(diskColumns, words[3:]); err != nil {
			return fmt.Errorf("line %d %w", line, err)
		}
		c.closeRow()
	}
	return c.err
}

var netColumns = []string{"rx_bytes", "rx_packets", "rx_errors", "rx_dropped", "", "", "", "rx_multicast",
	"tx_bytes", "tx_packets", "tx_errors", "tx_dropped"}

// net reads /proc/net/dev. It appends one row for each interface.
//
//	eth0: 3245 30 0 0 0 0 0 0 3245 30 0 0 0 0 0 0
func (c *counters) net(text string) error {
	for n, line := range lines(text) {
		// Old kernels put no space after the colon.
		name, values, ok := strings.Cut(line, ":")
		if !ok {
			continue // the two lines of headings
		}
		c.beginRow()
		c.text("interface", strings.TrimSpace(name))
		if err := c.numbers(netColumns, strings.Fields(values)); err != nil {
			return fmt.Errorf("line %d %w", n, err)
		}
		c.closeRow()
	}
	return c.err
}

// lines yields the lines of the text that are not blank, each with its number.
func lines(text string) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		n := 0
		for line := range strings.Lines(text) {
			n++
			if strings.TrimSpace(line) != "" && !yield(n, line) {
				return
			}
		}
	}
}

// fields yields the words of each line that is not blank, with the line's number.
func fields(text string) iter.Seq2[int, []string] {
	return func(yield func(int, []string) bool) {
		for n, line := range lines(text) {
			if !yield(n, strings.Fields(line)) {
				return
			}
		}
	}
}

func allZero(words []string) bool {
	for _, w := range words {
		if w != "0" {
			return false
		}
	}
	return true
}
