package harness

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// sample returns a result with all parts that a report shows: two groups, a mark, a note, a bar
// that holds and a bar that does not.
func sample(suite string) *Result {
	marked := side("v5", 0.8)
	marked.Label, marked.Mark = "v5 zero-copy", "aliases its <input> & more"
	first := row("Unmarshal <any>", "small | big", 3, side("v5", 3.5), side("msgp", 1.25), marked)
	first.Bars = []Verdict{{Bar: "≥ 3.3× v5", Got: 3.5, Holds: true}, {Bar: "≥ 1.3× msgp", Got: 1.25}}
	first.Note = "a remark."
	second := row("Marshal", "small", 1, side("v5", 44))
	second.Bytes, second.Items, second.Item = 150, 22, "series"
	return &Result{
		Suite: suite, Title: "The suite " + suite, About: "About it.", Cover: "Unmarshal <any>", Command: "go run ./cmd/bench -pkg " + suite, Date: "2026-01-02",
		Rounds: 31, Slot: "3ms", Procs: 1, Machine: Machine{"A CPU", 2, "linux/amd64 6.1", "go1.26", "default"},
		Rivals: []Version{{"v5", "example.com/v5", "v5.4.1"}, {"msgp", "example.com/msgp", "v1.6.5"}},
		Rows:   []Row{first, second},
		Means:  []MeanResult{{"all", []string{"small"}, Verdict{Bar: "≥ 2× msgp", Got: 1.9}}},
	}
}

// load reads the only result that is saved in dir.
func load(t *testing.T, dir, suite string) *Result {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, suite+".json"))
	r := new(Result)
	if err == nil {
		err = json.Unmarshal(text, r)
	}
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestSave(t *testing.T) {
	dir := t.TempDir()
	want := sample("json")
	if err := want.Save(dir); err != nil {
		t.Fatal(err)
	}
	if got := load(t, dir, "json"); !reflect.DeepEqual(got, want) {
		t.Errorf("loaded %+v\nsaved %+v", got, want)
	}
}

func TestShort(t *testing.T) {
	short := strings.Join(sample("json").Short(), "\n")
	want := `table "Unmarshal <any>", case "small | big": required ≥ 1.3× msgp, measured 1.25` + "\n" + `mean "all": required ≥ 2× msgp, measured 1.90`
	if short != want {
		t.Errorf("short:\n%s\nwant:\n%s", short, want)
	}
}

// When one suite is measured again, the sections of the other suites are kept.
func TestWriteReportKeepsOtherSections(t *testing.T) {
	dir := t.TempDir()
	if err := WriteReport(dir, []*Result{sample("json"), sample("msgpack")}); err != nil {
		t.Fatal(err)
	}
	again := sample("msgpack")
	again.Date = "2027-12-31"
	if err := WriteReport(dir, []*Result{again}); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "RESULTS.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"## The suite json", "## The suite msgpack", "2026-01-02", "2027-12-31"} {
		if strings.Count(string(text), want) != 1 {
			t.Errorf("%q is in the report %d times, want once", want, strings.Count(string(text), want))
		}
	}
	if got, want := chartFiles(t, dir), []string{"json.svg", "msgpack.svg"}; !slices.Equal(got, want) {
		t.Errorf("charts %q, want %q", got, want)
	}
	if err := WriteReport(dir, nil); err != nil {
		t.Fatal(err)
	}
	if same, err := os.ReadFile(filepath.Join(dir, "RESULTS.md")); err != nil || string(same) != string(text) {
		t.Errorf("without fresh results the report changes: %v\n%s", err, same)
	}
}

func chartFiles(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(dir, "charts"))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func TestReport(t *testing.T) {
	text := section(sample("json"))
	for _, want := range []string{
		"| command | `go run ./cmd/bench -pkg json` |",
		"| machine | A CPU, 2 cores, linux/amd64 6.1 |",
		"| v5 | example.com/v5 v5.4.1 |",
		"![The suite json: Unmarshal <any>](charts/json.svg)\n", "\n### Unmarshal <any>\n\n| case |",
		"Bars that do not hold: 2\n",
		`small \| big`,
		"**×1.25** msgp",
		"350 ns ×3.50<br><sub>0 B",
		"100 ns<br><sub>1.50 GB/s, 220 M series/s, 0 B",
		"4400 ns ×44.0<br><sub>34.1 MB/s, 5.00 M series/s, 0 B",
		"v5 zero-copy†: aliases its",
		"3.50 ✓",
		"**1.25 short**",
		"small | big: a remark.",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the report lacks %q", want)
		}
	}
	if strings.Contains(text, "quick run") {
		t.Error("the report calls a full run quick")
	}
	checkTables(t, text)

	quick := sample("json")
	quick.Quick = true
	if !strings.Contains(section(quick), "quick run") {
		t.Error("the report does not say that the run was quick")
	}
}

// checkTables fails the test if a row has more or fewer cells than the row above it.
func checkTables(t *testing.T, text string) {
	t.Helper()
	cells := 0
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, "|") {
			cells = 0
			continue
		}
		n := strings.Count(strings.ReplaceAll(line, `\|`, ""), "|")
		if cells != 0 && n != cells {
			t.Errorf("a row of %d cells under one of %d: %s", n, cells, line)
		}
		cells = n
	}
}

// parseChart returns the number of rectangles in a chart, and its text.
func parseChart(t *testing.T, svg []byte) (bars int, text string) {
	t.Helper()
	dec := xml.NewDecoder(bytes.NewReader(svg))
	var all strings.Builder
	for {
		token, err := dec.Token()
		if errors.Is(err, io.EOF) {
			return bars, all.String()
		}
		if err != nil {
			t.Fatalf("not well-formed: %v", err)
		}
		switch token := token.(type) {
		case xml.StartElement:
			if token.Name.Local == "rect" {
				bars++
			}
		case xml.CharData:
			all.Write(token)
		}
	}
}

func TestChart(t *testing.T) {
	for cover, want := range map[string]struct {
		bars int
		text []string
	}{
		// The page, three colours in the legend, and four bars.
		"Unmarshal <any>": {1 + 3 + 4, []string{"The suite json: Unmarshal <any>", "small | big", "×3.50", "100 ns", "v5 zero-copy†"}},
		// The page, two colours, two bars, and the stub of the bar that exceeds the axis.
		"Marshal": {1 + 2 + 2 + 1, []string{"The suite json: Marshal", "×44.0", "100 ns"}},
	} {
		r := sample("json")
		r.Cover = cover
		bars, text := parseChart(t, Chart(covered(r)))
		if bars != want.bars {
			t.Errorf("%s: %d rectangles, want %d", cover, bars, want.bars)
		}
		for _, want := range want.text {
			if !strings.Contains(text, want) {
				t.Errorf("%s lacks %q:\n%s", cover, want, text)
			}
		}
	}
	for _, cover := range []string{"", "none"} {
		r := sample("json")
		r.Cover = cover
		if covered(r) != nil {
			t.Errorf("a chart of the group %q, which does not exist", cover)
		}
	}
}

func TestPlaceIsLinear(t *testing.T) {
	if place(0) != barStart || place(axisMost) != barEnd || !near(place(1)-place(0), place(3)-place(2)) {
		t.Errorf("0 lies at %v, %v at %v", place(0), axisMost, place(axisMost))
	}
}
