package harness

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"time"
)

// Result is the result of a suite. It can be saved as JSON.
type Result struct {
	Suite   string
	Title   string
	About   string
	Cover   string `json:",omitempty"`
	Command string
	Date    string // UTC, 2006-01-02
	Rounds  int    `json:",omitempty"` // 0 if all cases of the suite are observed
	Slot    string `json:",omitempty"`
	Load    string `json:",omitempty"` // empty if the suite has timed cases
	Procs   int    // GOMAXPROCS
	Quick   bool   // too short to quote
	Machine Machine
	Rivals  []Version
	Rows    []Row
	Means   []MeanResult `json:",omitempty"`
}

// Row is the result of a case. A timed case has sides, ours first. An observed case has figures.
type Row struct {
	Group   string
	Name    string
	Note    string     `json:",omitempty"`
	Bytes   int        `json:",omitempty"` // bytes that an operation reads or writes, if throughput is shown
	Items   int        `json:",omitempty"` // items that an operation reads or writes, if a rate is shown
	Item    string     `json:",omitempty"` // name of the items, in the plural
	Sides   []Measured `json:",omitempty"`
	Figures []Figure   `json:",omitempty"`
	Bars    []Verdict  `json:",omitempty"`
}

// Measured is the result of a side. Times, allocations and bytes are per operation.
type Measured struct {
	Rival  string `json:",omitempty"` // empty for our side
	Label  string
	Mark   string  `json:",omitempty"`
	Ns     float64 // minimum over the rounds
	Ratio  float64 // median over the rounds of this side's time ÷ our time; above 1 we are faster
	Low    float64 // lower quartile of the ratio
	High   float64 // upper quartile of the ratio
	Allocs float64
	Bytes  float64
}

// Verdict is a bar with the measured value.
type Verdict struct {
	Bar     string
	Got     float64
	Unit    string `json:",omitempty"` // unit of Got; empty for ratios and allocations
	Missing bool   `json:",omitempty"` // the value could not be measured
	Holds   bool
}

// reached returns the measured value as text.
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
		Suite: suite.Name, Title: suite.Title, About: suite.About, Cover: suite.Cover,
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

// Best returns the fastest unmarked rival of the row, or nil.
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

// side returns the row's side with that label, or the best rival for BestRival. It returns nil if
// there is no such side.
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

// rates returns the throughput and the item rate for a time per operation, if the row has them.
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

// figure returns the row's figure with that name and unit, or nil.
func (r *Row) figure(name, unit string) *Figure {
	i := slices.IndexFunc(r.Figures, func(f Figure) bool { return f.Name == name && f.Unit == unit })
	if i < 0 {
		return nil
	}
	return &r.Figures[i]
}

// Short returns the bars that do not hold, one line for each.
func (r *Result) Short() []string {
	var short []string
	add := func(what string, v Verdict) {
		if !v.Holds {
			got := "measured " + v.reached()
			if v.Missing {
				got = v.reached()
			}
			short = append(short, fmt.Sprintf("%s: required %s, %s", what, v.Bar, got))
		}
	}
	for _, row := range r.Rows {
		for _, v := range row.Bars {
			add(fmt.Sprintf("table %q, case %q", row.Group, row.Name), v)
		}
	}
	for _, m := range r.Means {
		add(fmt.Sprintf("mean %q", m.Name), m.Verdict)
	}
	return short
}

// Groups returns the names of the groups, in the order of the rows.
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

// writeFile writes a file of the report, and creates its directory if necessary.
func writeFile(path string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("bench: %w", err)
	}
	if err := os.WriteFile(path, text, 0o644); err != nil {
		return fmt.Errorf("bench: %w", err)
	}
	return nil
}
