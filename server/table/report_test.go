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

// lockedBuffer is a buffer for concurrent writers.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

// lines returns the lines that contain all of the parts.
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

// At level debug, the log reports each landed unit. At level info, it reports the sum of the landed
// units once a minute.
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
	for range 2 { // no unit lands between the reports
		began = began.Add(reportInterval)
		s.report(began)
	}
	if all := text.lines("level=INFO", `msg="flushed in the last minute"`, "units=3", "rows=6", "files=6", "bytes="); len(all) != 1 {
		t.Errorf("%q", all)
	}
	mustClose(t, s)
}
