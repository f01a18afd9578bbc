package harness

import (
	"context"
	"errors"
	"fmt"
	"slices"
)

// Suite is the benchmark of one part of this project.
type Suite struct {
	Name   string  // used in the flag -pkg, and in file names
	Title  string  // heading in the report
	About  string  // paragraph in the report that describes the cases
	Cover  string  // group that the chart shows; empty: the chart shows the observed cases
	Rivals []Rival // in the order of the columns and colours
	Means  []Mean
	Cases  []Case
}

// Rival is another library.
type Rival struct {
	Name    string // short, because it is the heading of a column
	Module  string // module path, or Std
	Version string // version of a rival that is only quoted; otherwise it is read from the build
}

// Std is used in place of a module path for a rival in the standard library.
const Std = "std"

// Case is one row of the report. A timed case has Sides, which are different ways to do the same
// work. An observed case has Observe, which measures by itself and returns figures with their own
// units. All cases of a group are of the same sort.
type Case struct {
	Group string // rows of one group are in the same table
	Name  string
	Note  string // information that a reader needs to judge the row; may be empty
	Bytes int    // bytes that an operation of a timed case reads or writes; 0 if no throughput is shown
	Items int    // items that an operation reads or writes; 0 if no rate is shown
	Item  string // name of the items, in the plural

	Bars  []Bar    // bars of a timed case; figures of observed cases have their own
	Means []string // names of the means in which a timed case counts

	// Sides builds the input and the sides. Our side comes first, and is the only one without a
	// Rival.
	Sides func() ([]Side, error)

	// Observe measures for about the time of Options.Load, and returns early if ctx is done.
	Observe func(ctx context.Context, o Options) ([]Figure, error)
}

// Side is one way to do the work of a case.
type Side struct {
	Rival string // the name of a Rival, or empty for our side
	How   string // distinguishes several ways, for example "low-level loop"; may be empty

	// Mark is the reason why the side is not fully comparable, for example that its strings alias
	// the input. A marked side is shown, but never counts as the best rival.
	Mark string

	Run   func() error // does the work once
	Check func() error // does the work once, and returns an error if the result is wrong
}

// Ours is the label of this project's code.
const Ours = "slipstream"

// Label returns the name of the side in tables and bars.
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

// BestRival is used in place of a side's label in a bar or a mean. It means the fastest unmarked
// rival of each row.
const BestRival = "the best rival"

// Bar is a requirement for a row: a minimum ratio to one side, a minimum throughput of our side, or
// a maximum number of our allocations.
type Bar struct {
	Against string  // label of a side, or BestRival; empty for other bars
	AtLeast float64 // minimum ratio
	Speed   float64 // minimum throughput in GB/s, if the bar is about throughput
	AtMost  float64 // maximum number of allocations per operation
}

// Faster returns a bar on the ratio to the side with that label, or to BestRival.
func Faster(label string, atLeast float64) Bar { return Bar{Against: label, AtLeast: atLeast} }

// Throughput returns a bar on our throughput, for a case with Bytes. In contrast to a ratio, it
// depends on the machine.
func Throughput(gigabytes float64) Bar { return Bar{Speed: gigabytes} }

// Allocs returns a bar on our allocations per operation.
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

// allocNoise is the number of allocations per operation that the runtime itself may add.
const allocNoise = 0.01

// judge compares a row with the bar. The row must contain the side that the bar names.
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

// Mean is a geometric mean of ratios to one side over the cases that name it, with the bar for it.
// Means against different sides may share a name, and then also the cases.
type Mean struct {
	Name    string
	Against string // label of a side, or BestRival
	AtLeast float64
}

// judge computes the mean over rows. If there are no such rows, it returns false.
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

// Timed reports whether the suite contains timed cases.
func (r Suite) Timed() bool {
	return slices.ContainsFunc(r.Cases, func(c Case) bool { return c.Sides != nil })
}

// validate reports mistakes that would otherwise be visible only in the table.
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

// validateSides checks the properties that are known only after a case was built.
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
