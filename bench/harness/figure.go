package harness

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Figure is one quantity that an observed case measured.
type Figure struct {
	Name    string
	Rival   string  `json:",omitempty"` // the name of a Rival, or empty if the figure is ours
	Value   float64 // while observing: NaN or an infinity if it could not be measured, because the run was too short or had no rows
	Unit    string
	Missing bool   `json:",omitempty"` // set by the harness if the figure could not be measured; Value is then 0
	Chart   bool   `json:",omitempty"` // it is drawn in the chart of its unit
	Note    string `json:",omitempty"` // information that a reader needs to judge the figure
	Bar     *Limit `json:",omitempty"`
}

// Limit is the bar of a figure, in its unit.
type Limit struct {
	Value float64
	Exact bool   `json:",omitempty"` // the figure must equal Value; otherwise it must be below
	Of    string `json:",omitempty"` // the name of the figure with this value, if it was measured in the same run
}

// Below returns a bar that holds if a figure is below the value.
func Below(value float64) *Limit { return &Limit{Value: value} }

// BelowFigure returns a bar that holds if a figure is below another figure of the same run.
func BelowFigure(f Figure) *Limit { return &Limit{Value: f.Value, Of: f.Name} }

// Exactly returns a bar that holds if a figure equals the value.
func Exactly(value float64) *Limit { return &Limit{Value: value, Exact: true} }

const notMeasured = "not measured"

// text returns the value with its unit, or a text that the figure was not measured.
func (f *Figure) text() string {
	if f.Missing {
		return notMeasured
	}
	return amount(f.Value, f.Unit)
}

// bare is like text, but without the unit, for places where the unit is written elsewhere.
func (f *Figure) bare() string { return strings.TrimSuffix(f.text(), " "+f.Unit) }

// bar returns the figure's bar as text, without the figure's name.
func (f *Figure) bar() string {
	sign, of := "<", ""
	if f.Bar.Exact {
		sign = "="
	}
	if f.Bar.Of != "" {
		of = " (" + f.Bar.Of + ")"
	}
	return sign + " " + amount(f.Bar.Value, f.Unit) + of
}

// judge compares the figure with its bar, which must exist. A missing figure does not reach its
// bar.
func (f *Figure) judge() Verdict {
	v := Verdict{Bar: f.Name + " " + f.bar(), Got: f.Value, Unit: f.Unit, Missing: f.Missing}
	if f.Bar.Exact {
		v.Holds = f.Value == f.Bar.Value
	} else {
		v.Holds = f.Value < f.Bar.Value
	}
	v.Holds = v.Holds && !f.Missing
	return v
}

// Medians combines the figures of several runs of a case. It returns the median of each figure. For
// the figures named in worst, it returns the value that is farthest from 0, because a single lost
// row is too many. A figure that was not measured in one of the runs is returned as not measured.
func Medians(runs [][]Figure, worst ...string) []Figure {
	list := slices.Clone(runs[0])
	if len(runs) == 1 {
		return list
	}
	for i := range list {
		f := &list[i]
		var values []float64
		var words []string
		for _, run := range runs {
			values = append(values, run[i].Value)
			words = append(words, strconv.FormatFloat(run[i].Value, 'g', 3, 64))
		}
		slices.Sort(values) // NaN sorts first
		least, most := values[0], values[len(values)-1]
		switch {
		case math.IsNaN(least):
			f.Value = least
		case !slices.Contains(worst, f.Name):
			f.Value = values[len(values)/2]
		case -least > most:
			f.Value = least
		default:
			f.Value = most
		}
		if least != most {
			f.Note = strings.TrimSpace("The runs measured " + strings.TrimSpace(strings.Join(words, ", ")+" "+f.Unit) + ". " + f.Note)
		}
	}
	return list
}

// observeCase runs an observed case, and judges its figures.
func observeCase(ctx context.Context, suite Suite, c Case, o Options) (*Row, error) {
	fmt.Fprintf(o.Progress, "%s: %s, %s …\n", suite.Name, c.Group, c.Name)
	figures, err := c.Observe(ctx, o)
	if err != nil {
		return nil, err
	}
	if err := suite.validateFigures(figures); err != nil {
		return nil, err
	}
	row := &Row{Group: c.Group, Name: c.Name, Note: c.Note, Figures: figures}
	for i := range figures {
		f := &figures[i]
		if math.IsNaN(f.Value) || math.IsInf(f.Value, 0) {
			f.Value, f.Missing = 0, true
		}
		if f.Bar != nil {
			row.Bars = append(row.Bars, f.judge())
		}
	}
	return row, nil
}

// validateFigures checks the properties that are known only after a case was observed.
func (r Suite) validateFigures(figures []Figure) error {
	if len(figures) == 0 {
		return errors.New("the case has no figures")
	}
	seen := map[string]bool{}
	for _, f := range figures {
		known := slices.ContainsFunc(r.Rivals, func(v Rival) bool { return v.Name == f.Rival })
		switch {
		case seen[f.Name]:
			return fmt.Errorf("two figures are called %q", f.Name)
		case f.Bar != nil && (math.IsNaN(f.Bar.Value) || math.IsInf(f.Bar.Value, 0)):
			return fmt.Errorf("the bar of the figure %q is %v", f.Name, f.Bar.Value)
		case f.Rival != "" && !known:
			return fmt.Errorf("the suite does not list the rival %q", f.Rival)
		}
		seen[f.Name] = true
	}
	return nil
}

// amount formats a value with its unit. A value without a unit is a ratio or a mean, and gets
// decimals even if it is whole.
func amount(v float64, unit string) string {
	switch {
	case unit == "":
		return figure(v)
	case v == math.Trunc(v):
		return strconv.FormatFloat(v, 'f', 0, 64) + " " + unit
	case math.Abs(v) < 1:
		return fmt.Sprintf("%#.3g %s", v, unit)
	case v < 0:
		return "-" + figure(-v) + " " + unit
	}
	return figure(v) + " " + unit
}
