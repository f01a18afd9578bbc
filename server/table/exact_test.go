package table

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestAcknowledgedIntegersAreNotRounded writes ints and floats to one column, in separate batches.
// The column accepts either floats or integers that a float64 would round, whichever arrive first.
// The same is true after the rows have landed, and after the store was opened again.
func TestAcknowledgedIntegersAreNotRounded(t *testing.T) {
	const big = 1<<53 + 1
	type step struct {
		value any
		want  string // of the error; empty if the value is accepted
	}
	for _, c := range []struct {
		name  string
		steps []step
		lands []string
	}{
		{"integer first", []step{
			{int64(1), ""},
			{int64(big), ""},
			{20.5, `table db.cpu: column "value" contains integers that float64 cannot represent exactly, so it cannot store 20.5: send integers, or use another column name`},
			{int64(big + 2), ""},
		}, []string{`"value":1}`, `"value":9007199254740993}`, `"value":9007199254740995}`}},
		{"float first", []step{
			{0.5, ""},
			{int64(1 << 53), ""},
			{int64(big), `table db.cpu: column "value" contains float64 values, so it cannot store 9007199254740993, which float64 cannot represent exactly: send it as a string, or use another column name`},
			{int64(2), ""},
		}, []string{`"value":0.5}`, `"value":9007199254740992}`, `"value":2}`}},
		{"integers that a float64 holds", []step{{int64(1 << 54), ""}, {0.25, ""}, {int64(-1 << 53), ""}},
			[]string{`"value":18014398509481984}`, `"value":0.25}`, `"value":-9007199254740992}`}},
	} {
		for _, between := range []string{"", "flush", "open"} {
			t.Run(c.name+" "+between, func(t *testing.T) {
				dir := t.TempDir()
				o := testOptions(dir, &dirSink{dir: filepath.Join(dir, "tables")})
				s := openStore(t, o)
				for i, step := range c.steps {
					err := appendRows(s, true, row{Table: "cpu", Time: int64(i), ID: int64(i), Host: "a"},
						row{Table: "cpu", Time: int64(i), ID: int64(10 + i), Host: "a", Value: step.value})
					if (step.want == "") != (err == nil) || err != nil && (err.Error() != step.want || !errors.Is(err, ErrInvalid)) {
						t.Fatalf("%v: %v, want %q", step.value, err, step.want)
					}
					var conflict *TypeError
					if errors.As(err, &conflict) && (conflict.Row != 1 || conflict.Cell != fmt.Sprint(step.value)) {
						t.Errorf("%+v", conflict)
					}
					switch between {
					case "flush":
						if err := s.Flush(context.Background()); err != nil {
							t.Fatal(err)
						}
					case "open":
						mustClose(t, s)
						s = openStore(t, o)
					}
				}
				mustClose(t, s)
				landed := landedText(t, o.Sink.(*dirSink).dir)
				for _, want := range c.lands {
					if !strings.Contains(landed, want) {
						t.Errorf("%s did not land: %s", want, landed)
					}
				}
			})
		}
	}
}

// landedText returns the concatenated text of all files of a sink.
func landedText(t *testing.T, dir string) string {
	var all strings.Builder
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		all.Write(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all.String()
}

// A log may contain rows of a program that did not check for rounded integers. The catalog accepts
// all of them.
func TestReplayTakesWhatTheLogHas(t *testing.T) {
	c := openTestCatalog(t, filepath.Join(t.TempDir(), "catalog.json"))
	for _, values := range [][]any{{int64(1<<53 + 1)}, {0.5}, {int64(1<<53 + 1)}} {
		writes, err := writesOf([]row{{Table: "cpu", Value: values[0]}}, newBatch)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.admit(writes[0].Name, writes[0].Batch); err != nil {
			t.Error(err)
		}
	}
}
