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
	Rival   string  `json:",omitempty"` // whose it is: the name of a Rival, or empty when it is ours
	Value   float64 // while observing, NaN or an infinity when it could not be measured: the run was too short, or had no rows
	Unit    string
	Missing bool   `json:",omitempty"` // set by the harness when it could not be measured; the Value is then 0
	Chart   bool   `json:",omitempty"` // it is drawn, beside the others of its unit
	Note    string `json:",omitempty"` // what a reader must know to judge it
	Bar     *Limit `json:",omitempty"`
}

// Limit is the bar of a figure, in its unit.
type Limit struct {
	Value float64
	Exact bool   `json:",omitempty"` // the figure is the value; else it stays below
	Of    string `json:",omitempty"` // whose value it is, when it was measured in the same run
}

// Below is a bar that a figure stays under.
func Below(value float64) *Limit { return &Limit{Value: value} }

// BelowFigure is a bar of what someone else reached in the same run.
func BelowFigure(f Figure) *Limit { return &Limit{Value: f.Value, Of: f.Name} }

// Exactly is a bar that a figure meets.
func Exactly(value float64) *Limit { return &Limit{Value: value, Exact: true} }

const notMeasured = "not measured"

// text is the value with its unit, or that there is none.
func (f *Figure) text() string {
	if f.Missing {
		return notMeasured
	}
	return amount(f.Value, f.Unit)
}

// bare is the same without the unit, for where that stands elsewhere.
func (f *Figure) bare() string { return strings.TrimSuffix(f.text(), " "+f.Unit) }

// bar is the figure's bar in words, for a reader who sees the figure's name beside it.
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

// judge measures the figure against its bar, which it has. A figure that is missing does not hold.
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

// observeCase has a case measure by itself, and judges its figures.
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

// validateFigures checks what only an observed case shows.
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

// amount prints a value with its unit. Without a unit it is a ratio or a mean, and has decimals
// even when it is whole.
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
