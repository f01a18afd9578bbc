package harness

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

// Printer writes rows to a terminal as they are measured. It writes a heading for each group, one
// line for each timed row, and a line for each figure of an observed row.
type Printer struct {
	W     io.Writer
	group string
	notes []string // notes that were printed; each is printed once
}

// Row prints a row.
func (p *Printer) Row(r *Row) {
	if r.Group != p.group {
		p.group = r.Group
		fmt.Fprintf(p.W, "\n%s\n", r.Group)
	}
	if r.Figures != nil {
		p.figures(r)
		return
	}
	var line strings.Builder
	ours := r.Sides[0]
	fmt.Fprintf(&line, "  %-34s %9s %6s", r.Name, duration(ours.Ns), count(ours.Allocs))
	if rates := r.rates(ours.Ns); len(rates) > 0 {
		fmt.Fprintf(&line, "  %s", strings.Join(rates, ", "))
	}
	if best := r.Best(); best != nil {
		fmt.Fprintf(&line, "  best rival ×%s", figure(best.Ratio))
	}
	for _, s := range r.Sides[1:] {
		fmt.Fprintf(&line, " | %s%s %s ×%s %s", s.Label, dagger(s.Mark), duration(s.Ns), figure(s.Ratio), count(s.Allocs))
	}
	for _, v := range r.Bars {
		if !v.Holds {
			fmt.Fprintf(&line, " | SHORT %s", v.Bar)
		}
	}
	fmt.Fprintln(p.W, line.String())
}

func (p *Printer) figures(r *Row) {
	fmt.Fprintf(p.W, "  %s\n", r.Name)
	for i := range r.Figures {
		f := &r.Figures[i]
		line := fmt.Sprintf("    %-28s %s", f.Name, f.text())
		if f.Bar != nil {
			line += " | "
			if !f.judge().Holds {
				line += "SHORT "
			}
			line += f.bar()
		}
		if f.Note != "" && !slices.Contains(p.notes, f.Note) {
			line += " | " + f.Note
			p.notes = append(p.notes, f.Note)
		}
		fmt.Fprintln(p.W, line)
	}
}

// Legend prints how to read the lines of timed cases.
func (p *Printer) Legend() {
	fmt.Fprintln(p.W, "case: our time (least of the rounds), allocations, throughput if it has one | rival: time, × ratio (median of the rounds; above 1 we are faster), allocations")
}

// Verdict prints the means and, as the last line, whether the bars hold. It returns true if all
// bars hold.
func (p *Printer) Verdict(results []*Result) bool {
	var short []string
	quick := ""
	for _, r := range results {
		for _, m := range r.Means {
			fmt.Fprintf(p.W, "\n%s: mean ×%s over %d rows (bar %s)", m.Name, figure(m.Got), len(m.Rows), m.Bar)
		}
		for _, s := range r.Short() {
			short = append(short, r.Suite+": "+s)
		}
		if r.Quick {
			quick = " (a quick run: not judged)"
		}
	}
	fmt.Fprintln(p.W)
	if len(short) == 0 {
		fmt.Fprintln(p.W, "bars: all hold"+quick)
		return true
	}
	fmt.Fprintf(p.W, "bars: %d short%s: %s\n", len(short), quick, strings.Join(short, "; "))
	return false
}

// dagger returns the sign that follows a name with a mark.
func dagger(mark string) string {
	if mark == "" {
		return ""
	}
	return "†"
}

// figure formats a number with three digits. From 100 on, whole numbers are printed in full.
func figure(v float64) string {
	switch {
	case v >= 99.95:
		return strconv.FormatFloat(v, 'f', 0, 64)
	case v >= 9.995:
		return strconv.FormatFloat(v, 'f', 1, 64)
	}
	return strconv.FormatFloat(v, 'f', 2, 64)
}

// count formats a number of allocations: whole numbers as such, and fractions with two decimals.
func count(v float64) string {
	return strings.TrimSuffix(strings.TrimRight(strconv.FormatFloat(v, 'f', 2, 64), "0"), ".")
}

// duration formats nanoseconds with three digits and a suitable unit.
func duration(ns float64) string {
	switch {
	case ns >= 999.5e3:
		return figure(ns/1e6) + " ms"
	case ns >= 9995:
		return figure(ns/1e3) + " µs"
	}
	return figure(ns) + " ns"
}

// throughput formats bytes per nanosecond with a suitable unit.
func throughput(v float64) string {
	if v >= 0.9995 {
		return figure(v) + " GB/s"
	}
	return figure(v*1e3) + " MB/s"
}

// frequency formats items per nanosecond.
func frequency(v float64, items string) string { return figure(v*1e3) + " M " + items + "/s" }

// size formats a number of bytes.
func size(bytes float64) string {
	switch {
	case bytes >= 9.995*(1<<20):
		return figure(bytes/(1<<20)) + " MiB"
	case bytes >= 9995:
		return figure(bytes/(1<<10)) + " KiB"
	}
	return strconv.FormatFloat(bytes, 'f', 0, 64) + " B"
}
