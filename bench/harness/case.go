package harness

import (
	"context"
	"errors"
	"fmt"
	"slices"
)

// Suite is the benchmark of one part of this project.
type Suite struct {
	Name   string  // as in the flag -pkg, and in file names
	Title  string  // a heading
	About  string  // a paragraph for the report: what the cases have in common
	Rivals []Rival // in the order of columns and colours
	Means  []Mean
	Cases  []Case
}

// Rival is another library.
type Rival struct {
	Name    string // short: a column's heading
	Module  string // its module path, or Std
	Version string // of what is not built in, but quoted; else it is read from the build
}

// Std stands where a rival's module path may: it is a package of the standard library.
const Std = "std"

// Case is one row. It is timed, and has Sides: the same work done by us and by rivals. Or it is
// observed, and has Observe: then it measures by itself, and its figures come in units of their
// own. A group holds cases of one of the two.
type Case struct {
	Group string // rows of one group stand in one table
	Name  string
	Note  string // what a reader must know to judge the row; may be empty
	Bytes int    // that an operation of a timed case reads or writes, if its throughput is to be shown
	Items int    // likewise what it reads or writes, counted
	Item  string // what is counted, in the plural

	Bars  []Bar    // of a timed case; a figure brings its own
	Means []string // names of the means that a timed case counts in

	// Sides builds the input and those who work on it. Ours comes first; it alone has no Rival.
	Sides func() ([]Side, error)

	// Observe measures, for about as long as Options.Load says, and gives up when ctx is done.
	Observe func(ctx context.Context, o Options) ([]Figure, error)
}

// Side is one way to do the work of a case.
type Side struct {
	Rival string // the name of a Rival, or empty when the code is ours
	How   string // which of several ways, for instance "low-level loop"; may be empty

	// Mark says why the side does not compare like with like, for instance that its strings alias
	// the input. A marked side is shown, and never counts as the best rival.
	Mark string

	Run   func() error // the work, once
	Check func() error // does the work once and reports what is wrong with the outcome
}

// Ours is the label of this project's code.
const Ours = "slipstream"

// Label is how tables and bars call the side.
func (s Side) Label() string {
	name := s.Rival
	if name == "" {
		name = Ours
	}
	if s.How != "" {
		name += " " + s.How
	}
	return name
}

// BestRival stands where a side's label may, in a bar or a mean: the fastest unmarked rival, in
// each row its own.
const BestRival = "the best rival"

// Bar is what a row promises: a ratio to one side, our throughput, or a bound on our allocations.
type Bar struct {
	Against string  // a side's label, or BestRival; empty for the other bars
	AtLeast float64 // the least ratio
	Speed   float64 // the least throughput in GB/s, if it is a bar on that
	AtMost  float64 // the most allocations per operation
}

// Faster is a bar on the ratio to the side with that label, or to BestRival.
func Faster(label string, atLeast float64) Bar { return Bar{Against: label, AtLeast: atLeast} }

// Throughput is a bar on ours, of a case that states its Bytes. Unlike a ratio it depends on the
// machine.
func Throughput(gigabytes float64) Bar { return Bar{Speed: gigabytes} }

// Allocs is a bar on our allocations per operation.
func Allocs(atMost float64) Bar { return Bar{AtMost: atMost} }

func (b Bar) String() string {
	switch {
	case b.Against != "":
		return fmt.Sprintf("≥ %g× %s", b.AtLeast, b.Against)
	case b.Speed > 0:
		return fmt.Sprintf("≥ %g GB/s", b.Speed)
	}
	return fmt.Sprintf("≤ %g allocs", b.AtMost)
}

// allocNoise is what the runtime's own allocations may add to ours per operation.
const allocNoise = 0.01

// judge measures the bar against a row, which has a side that the bar is about.
func (b Bar) judge(row *Row) Verdict {
	v := Verdict{Bar: b.String()}
	switch {
	case b.Against != "":
		v.Got = row.side(b.Against).Ratio
		v.Holds = v.Got >= b.AtLeast
	case b.Speed > 0:
		v.Got, v.Unit = float64(row.Bytes)/row.Sides[0].Ns, "GB/s"
		v.Holds = v.Got >= b.Speed
	default:
		v.Got = row.Sides[0].Allocs
		v.Holds = v.Got <= b.AtMost+allocNoise
	}
	return v
}

// Mean is a geometric mean of ratios to one side, over the rows that name it, and the bar that it
// must reach. Means against different sides may share a name, and with it the rows.
type Mean struct {
	Name    string
	Against string // a side's label, or BestRival
	AtLeast float64
}

// judge takes the mean over rows. Without rows it has no value, and no verdict.
func (m Mean) judge(suite Suite, rows []Row) (MeanResult, bool) {
	r := MeanResult{Name: m.Name}
	var ratios []float64
	for _, c := range suite.Cases {
		if !slices.Contains(c.Means, m.Name) {
			continue
		}
		for _, row := range rows {
			if row.Group != c.Group || row.Name != c.Name {
				continue
			}
			if s := row.side(m.Against); s != nil {
				ratios = append(ratios, s.Ratio)
				r.Rows = append(r.Rows, row.Name)
			}
		}
	}
	if len(ratios) == 0 {
		return r, false
	}
	got := geomean(ratios)
	r.Verdict = Verdict{Bar: Faster(m.Against, m.AtLeast).String(), Got: got, Holds: got >= m.AtLeast}
	return r, true
}

// Timed reports whether some case of the suite is timed.
func (r Suite) Timed() bool {
	return slices.ContainsFunc(r.Cases, func(c Case) bool { return c.Sides != nil })
}

// validate finds the slips that would otherwise show only in the table.
func (r Suite) validate() error {
	var errs []error
	seen, observed := map[string]bool{}, map[string]bool{}
	for _, c := range r.Cases {
		id := c.Group + ": " + c.Name
		if seen[id] {
			errs = append(errs, fmt.Errorf("%s: two cases have this name", id))
		}
		seen[id] = true
		before, known := observed[c.Group]
		observed[c.Group] = c.Observe != nil
		switch {
		case (c.Sides == nil) == (c.Observe == nil):
			errs = append(errs, fmt.Errorf("%s: a case has either Sides or Observe", id))
		case c.Observe != nil && len(c.Bars)+len(c.Means) > 0:
			errs = append(errs, fmt.Errorf("%s: the bars of an observed case belong to its figures", id))
		case known && before != observed[c.Group]:
			errs = append(errs, fmt.Errorf("%s: the group has timed cases and observed ones", id))
		}
		if c.Bytes == 0 && slices.ContainsFunc(c.Bars, func(b Bar) bool { return b.Speed > 0 }) {
			errs = append(errs, fmt.Errorf("%s: a bar on the throughput, and no Bytes", id))
		}
		for _, name := range c.Means {
			if !slices.ContainsFunc(r.Means, func(m Mean) bool { return m.Name == name }) {
				errs = append(errs, fmt.Errorf("%s: the suite has no mean %q", id, name))
			}
		}
	}
	return errors.Join(errs...)
}

// validateSides checks what only a built case shows.
func (r Suite) validateSides(c Case, sides []Side) error {
	if len(sides) == 0 {
		return errors.New("the case has no sides")
	}
	labels := map[string]bool{}
	for i, s := range sides {
		if i > 0 && s.Mark == "" {
			labels[BestRival] = true
		}
		known := slices.ContainsFunc(r.Rivals, func(v Rival) bool { return v.Name == s.Rival })
		switch {
		case i == 0 && s.Rival != "":
			return fmt.Errorf("the first side is %s, and must be ours", s.Label())
		case s.Rival != "" && !known:
			return fmt.Errorf("the suite does not list the rival %q", s.Rival)
		case i > 0 && s.Rival == "" && s.Mark == "":
			return fmt.Errorf("the side %q is ours too, and must be marked", s.Label())
		case labels[s.Label()]:
			return fmt.Errorf("two sides are called %q", s.Label())
		case s.Run == nil || s.Check == nil:
			return fmt.Errorf("the side %q lacks Run or Check", s.Label())
		}
		labels[s.Label()] = true
	}
	for _, b := range c.Bars {
		if b.Against != "" && !labels[b.Against] {
			return fmt.Errorf("the bar %q names a side that the case does not have", b)
		}
	}
	return nil
}
