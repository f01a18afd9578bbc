package load

import (
	"bytes"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
)

// ticksPerSecond defines the unit of times in /proc. On Linux, it is 100 on every architecture that
// Go supports.
const ticksPerSecond = 100

// process is a running process. Its data is read from /proc.
type process struct {
	proc fs.FS
	pid  int
}

func (p process) read(file string) ([]byte, error) {
	text, err := fs.ReadFile(p.proc, strconv.Itoa(p.pid)+"/"+file)
	if err != nil {
		return nil, fmt.Errorf("measuring process %d: %w", p.pid, err)
	}
	return text, nil
}

// cpuSeconds returns the CPU time of all threads of the process.
func (p process) cpuSeconds() (float64, error) {
	text, err := p.read("stat")
	if err != nil {
		return 0, err
	}
	// The text is 123 (a name) R 1 …, and the name may contain blanks and parentheses. The state R
	// is field 3; utime and stime are fields 14 and 15.
	words := bytes.Fields(text[bytes.LastIndexByte(text, ')')+1:])
	if len(words) < 13 {
		return 0, fmt.Errorf("measuring process %d: its stat has too few fields", p.pid)
	}
	var ticks int64
	for _, w := range words[11:13] {
		n, err := counter(string(w))
		if err != nil {
			return 0, fmt.Errorf("measuring process %d: %w", p.pid, err)
		}
		ticks += n
	}
	return float64(ticks) / ticksPerSecond, nil
}

// memory returns the current and the peak memory of the process, in bytes.
func (p process) memory() (now, peak int64, err error) {
	text, err := p.read("status")
	if err != nil {
		return 0, 0, err
	}
	for line, words := range fields(string(text)) {
		var to *int64
		switch words[0] {
		case "VmRSS:":
			to = &now
		case "VmHWM:":
			to = &peak
		default:
			continue
		}
		kib, err := counter(strings.Join(words[1:min(2, len(words))], ""))
		if err != nil {
			return 0, 0, fmt.Errorf("measuring process %d: line %d of its status: %w", p.pid, line, err)
		}
		*to = kib << 10
	}
	if peak == 0 {
		return 0, 0, fmt.Errorf("measuring process %d: its status contains no memory figures; has the process ended?", p.pid)
	}
	return now, peak, nil
}
