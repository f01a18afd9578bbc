package table

import (
	"bytes"
	"context"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// lockedBuffer is a buffer that many goroutines may write to.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

// lines are those with each of the parts.
func (b *lockedBuffer) lines(parts ...string) (found []string) {
	b.mu.Lock()
	defer b.mu.Unlock()
lines:
	for line := range strings.Lines(b.b.String()) {
		for _, part := range parts {
			if !strings.Contains(line, part) {
				continue lines
			}
		}
		found = append(found, line)
	}
	return found
}

// The log tells of each unit that has landed to those who debug, and to others once a minute what
// has landed since.
func TestLandingsAreLogged(t *testing.T) {
	dir := t.TempDir()
	text := new(lockedBuffer)
	o := testOptions(dir, &dirSink{dir: filepath.Join(dir, "tables")})
	o.Logger = slog.New(slog.NewTextHandler(text, &slog.HandlerOptions{Level: slog.LevelDebug}))
	s := openStore(t, o)
	for id, table := range []string{"cpu", "mem", "cpu"} {
		mustAppend(t, s, row{Table: table, Time: exampleHour, ID: int64(id)}, row{Table: table, Time: exampleHour + 2*hour, ID: int64(10 + id)})
		if err := s.Flush(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	if each := text.lines("level=DEBUG", `msg="rows flushed"`, "rows=2", "files=2", "seconds="); len(each) != 3 ||
		!strings.Contains(each[0], "table=db.cpu") || !strings.Contains(each[1], "table=db.mem") {
		t.Errorf("%q", each)
	}
	began := time.Now()
	if s.report(began); len(text.lines("level=INFO")) != 0 {
		t.Errorf("before a minute is over: %q", text.lines("level=INFO"))
	}
	for range 2 { // nothing lands between the reports
		began = began.Add(reportInterval)
		s.report(began)
	}
	if all := text.lines("level=INFO", `msg="flushed in the last minute"`, "units=3", "rows=6", "files=6", "bytes="); len(all) != 1 {
		t.Errorf("%q", all)
	}
	mustClose(t, s)
}
