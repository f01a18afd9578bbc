package wal

import (
	"bytes"
	"log/slog"
	"os"
	"strings"
	"testing"
)

// A last segment that was cut off after its last commit was acknowledged looks like a segment whose
// last commit was never finished. Neither the log nor the report claims to know which of the two
// happened.
func TestCutOffCommitMayHaveBeenAcknowledged(t *testing.T) {
	dir := t.TempDir()
	paths := severalSegments(t, dir) // all records were acknowledged
	last := paths[len(paths)-1]
	info, err := os.Stat(last)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(last, info.Size()-8); err != nil {
		t.Fatal(err)
	}
	report, err := Check(dir)
	if err != nil || report.Torn == 0 {
		t.Fatalf("%+v, %v", report, err)
	}
	var text bytes.Buffer
	l := mustOpen(t, dir, Options{SegmentBytes: 512, Logger: slog.New(slog.NewTextHandler(&text, nil))})
	mustClose(t, l)
	for what, said := range map[string]string{"the report": report.String(), "the log": text.String()} {
		if !strings.Contains(said, "or the end of the file was damaged or truncated later") {
			t.Errorf("%s says %s", what, said)
		}
	}
}
