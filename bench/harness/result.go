package harness

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
)

// Result is a measured suite. It is kept as JSON, one file a suite, so that one suite can be
// measured again and the report still hold the others.
type Result struct {
	Suite   string
	Title   string
	About   string
	Command string
	Date    string // UTC, 2006-01-02
	Rounds  int    `json:",omitempty"` // none in a suite that is only observed
	Slot    string `json:",omitempty"`
	Load    string `json:",omitempty"` // none in a suite that has timed cases
	Procs   int    // GOMAXPROCS
	Quick   bool   // too short to quote
	Machine Machine
	Rivals  []Version
	Rows    []Row
	Means   []MeanResult `json:",omitempty"`
}

// Row is a measured case: sides when it was timed, and the first of them is ours; figures when it
// was observed.
type Row struct {
	Group   string
	Name    string
	Note    string     `json:",omitempty"`
	Bytes   int        `json:",omitempty"` // that an operation reads or writes, where throughput is shown
	Items   int        `json:",omitempty"` // likewise what it reads or writes, counted
	Item    string     `json:",omitempty"` // what is counted, in the plural
	Sides   []Measured `json:",omitempty"`
	Figures []Figure   `json:",omitempty"`
	Bars    []Verdict  `json:",omitempty"`
}

// Measured is what a side cost. Times are of one operation, and so are allocations and bytes.
type Measured struct {
	Rival  string `json:",omitempty"` // empty when the code is ours
	Label  string
	Mark   string  `json:",omitempty"`
	Ns     float64 // the least of the rounds
	Ratio  float64 // median over the rounds of this side's time ÷ ours: above 1 we are faster
	Low    float64 // the ratio's lower quartile
	High   float64 // and the upper one
	Allocs float64
	Bytes  float64
}

// Verdict is a bar and what was reached.
type Verdict struct {
	Bar     string
	Got     float64
	Unit    string `json:",omitempty"` // of Got; none for ratios and allocations
	Missing bool   `json:",omitempty"` // nothing was reached, as it could not be measured
	Holds   bool
}

// reached is what stands beside the bar.
func (v Verdict) reached() string {
	if v.Missing {
		return notMeasured
	}
	return amount(v.Got, v.Unit)
}

// MeanResult is a mean over rows.
type MeanResult struct {
	Name string
	Rows []string
	Verdict
}

func newResult(suite Suite, o Options) *Result {
	r := &Result{
		Suite: suite.Name, Title: suite.Title, About: suite.About,
		Date: time.Now().UTC().Format(time.DateOnly), Procs: runtime.GOMAXPROCS(0),
		Machine: thisMachine(), Rivals: versions(suite.Rivals),
	}
	if suite.Timed() {
		r.Rounds, r.Slot = o.Rounds, o.Slot.String()
		if o.Procs > 0 {
			r.Procs = o.Procs
		}
	} else {
		r.Load = o.Load.String()
	}
	return r
}

// Best is the fastest unmarked rival of the row, or nil.
func (r *Row) Best() *Measured {
	var best *Measured
	for i := range r.Sides {
		s := &r.Sides[i]
		if i > 0 && s.Mark == "" && (best == nil || s.Ratio < best.Ratio) {
			best = s
		}
	}
	return best
}

// side is the row's side with that label, or the best rival when it is BestRival; or nil.
func (r *Row) side(label string) *Measured {
	if label == BestRival {
		return r.Best()
	}
	i := slices.IndexFunc(r.Sides, func(s Measured) bool { return s.Label == label })
	if i < 0 {
		return nil
	}
	return &r.Sides[i]
}

// rates are what a time of the row's operation comes to, or none.
func (r *Row) rates(ns float64) []string {
	var rates []string
	if r.Bytes > 0 {
		rates = append(rates, throughput(float64(r.Bytes)/ns))
	}
	if r.Items > 0 {
		rates = append(rates, frequency(float64(r.Items)/ns, r.Item))
	}
	return rates
}

// figure is the row's figure of that name in that unit, or nil.
func (r *Row) figure(name, unit string) *Figure {
	i := slices.IndexFunc(r.Figures, func(f Figure) bool { return f.Name == name && f.Unit == unit })
	if i < 0 {
		return nil
	}
	return &r.Figures[i]
}

// Short lists the bars that do not hold, one line each.
func (r *Result) Short() []string {
	var short []string
	add := func(what string, v Verdict) {
		if !v.Holds {
			got := "got " + v.reached()
			if v.Missing {
				got = v.reached()
			}
			short = append(short, fmt.Sprintf("%s: %s (%s)", what, v.Bar, got))
		}
	}
	for _, row := range r.Rows {
		for _, v := range row.Bars {
			add(row.Group+", "+row.Name, v)
		}
	}
	for _, m := range r.Means {
		add(m.Name+", mean", m.Verdict)
	}
	return short
}

// Groups are the names of the groups, in the order of the rows.
func (r *Result) Groups() []string {
	var groups []string
	for _, row := range r.Rows {
		if !slices.Contains(groups, row.Group) {
			groups = append(groups, row.Group)
		}
	}
	return groups
}

// Save writes the result to dir, as {suite}.json.
func (r *Result) Save(dir string) error {
	text, err := json.MarshalIndent(r, "", "\t")
	if err != nil {
		return fmt.Errorf("bench: result of suite %s: %w", r.Suite, err)
	}
	return writeFile(filepath.Join(dir, r.Suite+".json"), append(text, '\n'))
}

// LoadAll reads every result in dir, in the order of the suites' names.
func LoadAll(dir string) ([]*Result, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("bench: results: %w", err)
	}
	var all []*Result
	for _, e := range entries {
		if e.IsDir() || !strings.HasSuffix(e.Name(), ".json") {
			continue
		}
		path := filepath.Join(dir, e.Name())
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, fmt.Errorf("bench: results: %w", err)
		}
		r := new(Result)
		if err := json.Unmarshal(text, r); err != nil {
			return nil, fmt.Errorf("bench: %s: %w; delete it and measure the suite again", path, err)
		}
		for _, row := range r.Rows {
			if len(row.Sides)+len(row.Figures) == 0 {
				return nil, fmt.Errorf("bench: %s: row %q has neither sides nor figures; delete the file and measure the suite again", path, row.Name)
			}
		}
		all = append(all, r)
	}
	return all, nil
}

// writeFile writes a file of the report, making its directory.
func writeFile(path string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("bench: %w", err)
	}
	if err := os.WriteFile(path, text, 0o644); err != nil {
		return fmt.Errorf("bench: %w", err)
	}
	return nil
}
