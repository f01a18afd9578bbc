package harness

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Files of the report, in the bench directory.
const (
	resultsDir = ".cache/results" // not in the repository
	chartsDir  = "charts"
	reportFile = "RESULTS.md"
)

// WriteReport writes a section and a chart for each fresh result, and saves the results as JSON.
// The sections of other suites stay as they are.
func WriteReport(dir string, fresh []*Result) error {
	path := filepath.Join(dir, reportFile)
	text, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("bench: %w", err)
	}
	sections := sectionsOf(string(text))
	for _, r := range fresh {
		if err := r.Save(filepath.Join(dir, resultsDir)); err != nil {
			return err
		}
		sections[r.Suite] = section(r)
		if part := covered(r); part != nil {
			if err := writeFile(filepath.Join(dir, chartPath(r)), Chart(part)); err != nil {
				return err
			}
		}
	}
	return writeFile(path, report(sections))
}

const howToRead = "`make bench-report`" + ` writes this page; do not edit it by hand. [README.md](README.md) explains how the figures are measured.

In most tables, a cell contains the time of one operation and, after **×**, the ratio. The second line of a cell contains the
allocated bytes and the number of allocations per operation. In some tables, the second line begins with the throughput in bytes per
second or items per second.

- The **time** is the minimum over all rounds.
- The **ratio** is the time of the other library divided by the time of Slipstream in the same round. The table shows the median ratio
  of all rounds. If this ratio is above 1, Slipstream is faster. The ratio may differ from the quotient of the two times in the table. Quote
  the ratio: the times change with the machine and its load, but the ratio hardly changes.
- The column *best rival* shows the smallest ratio of a row. The quartiles of this ratio are in brackets. If another library is faster
  than Slipstream, this ratio is below 1.
- A library can have several columns, one for each of its variants. A variant marked † does less work than the others, or different
  work. The table shows the times of such a variant, but the variant does not count as the best rival.
- A **bar** is a limit that the result of a row must meet.

If the first column of a table is headed *figure*, the measurements in this table were not made in rounds. Each row contains a figure
with its unit. Each of the other columns contains the results of one case. If a figure has a bar, the bar is written below the figure.
`

// marker is the line before the section of a suite.
var marker = regexp.MustCompile(`(?m)^<!-- (\w+) -->\n`)

// sectionsOf returns the sections of a report by suite.
func sectionsOf(text string) map[string]string {
	sections := make(map[string]string)
	found := marker.FindAllStringSubmatchIndex(text, -1)
	for i, m := range found {
		end := len(text)
		if i+1 < len(found) {
			end = found[i+1][0]
		}
		sections[text[m[2]:m[3]]] = strings.TrimSpace(text[m[1]:end]) + "\n"
	}
	return sections
}

// report returns the text of RESULTS.md: the sections in the order of the suites' names.
func report(sections map[string]string) []byte {
	var b strings.Builder
	b.WriteString("# Benchmark results\n\n" + howToRead)
	for _, suite := range slices.Sorted(maps.Keys(sections)) {
		fmt.Fprintf(&b, "\n<!-- %s -->\n%s", suite, sections[suite])
	}
	return []byte(b.String())
}

// section returns the section of a result.
func section(r *Result) string {
	b := new(strings.Builder)
	fmt.Fprintf(b, "## %s\n\n", r.Title)
	if r.Quick {
		b.WriteString("**This section is from a quick run, which only shows that everything works. Do not quote its times.**\n\n")
	}
	fmt.Fprintf(b, "%s\n\n", r.About)
	if part := covered(r); part != nil {
		fmt.Fprintf(b, "![%s](%s)\n\n", part.Title, chartPath(r))
	}
	fmt.Fprintf(b, "| | |\n|---|---|\n| command | `%s` |\n| date | %s |\n", r.Command, r.Date)
	if r.Rounds > 0 {
		fmt.Fprintf(b, "| rounds | %d of %s per column |\n", r.Rounds, r.Slot)
	}
	if r.Load != "" {
		fmt.Fprintf(b, "| load | %s |\n", r.Load)
	}
	fmt.Fprintf(b, "| machine | %s, %d cores, %s |\n| Go | %s, GOMAXPROCS %d, GOGC %s |\n",
		cell(r.Machine.CPU), r.Machine.Cores, cell(r.Machine.Kernel), r.Machine.Go, r.Procs, r.Machine.GOGC)
	for _, v := range r.Rivals {
		fmt.Fprintf(b, "| %s | %s %s |\n", cell(v.Name), v.Module, v.Version)
	}
	reportBars(b, r)
	for _, group := range r.Groups() {
		reportGroup(b, r, group)
	}
	return b.String()
}

func reportBars(b *strings.Builder, r *Result) {
	short := r.Short()
	if len(short) == 0 {
		b.WriteString("\nAll bars hold.\n")
	} else {
		fmt.Fprintf(b, "\nBars that do not hold: %d\n\n", len(short))
		for _, s := range short {
			fmt.Fprintf(b, "- %s\n", s)
		}
	}
	if len(r.Means) == 0 {
		return
	}
	b.WriteString("\n| geometric mean | over | bar | reached |\n|---|---|---|---|\n")
	for _, m := range r.Means {
		fmt.Fprintf(b, "| %s | %s | %s | %s |\n", cell(m.Name), cell(strings.Join(m.Rows, "; ")), cell(m.Bar), reached(m.Verdict))
	}
}

func reportGroup(b *strings.Builder, r *Result, group string) {
	rows := slices.DeleteFunc(slices.Clone(r.Rows), func(row Row) bool { return row.Group != group })
	if rows[0].Figures != nil {
		reportFigures(b, group, rows)
		return
	}
	labels := groupLabels(rows)
	fmt.Fprintf(b, "\n### %s\n\n| case | best rival |", group)
	for _, label := range labels {
		fmt.Fprintf(b, " %s |", cell(label))
	}
	withBars := slices.ContainsFunc(rows, func(row Row) bool { return len(row.Bars) > 0 })
	if withBars {
		b.WriteString(" bars |")
	}
	b.WriteString("\n|---|---|" + strings.Repeat("---|", len(labels)))
	if withBars {
		b.WriteString("---|")
	}
	b.WriteString("\n")
	for _, row := range rows {
		fmt.Fprintf(b, "| %s | %s |", cell(row.Name), bestCell(&row))
		for _, label := range labels {
			fmt.Fprintf(b, " %s |", sideCell(&row, label))
		}
		if withBars {
			fmt.Fprintf(b, " %s |", barsCell(row.Bars))
		}
		b.WriteString("\n")
	}
	reportNotes(b, rows)
}

// groupLabels returns the columns of a group: all labels of its rows, ours first.
func groupLabels(rows []Row) []string {
	var ours, others []string
	for _, row := range rows {
		for _, s := range row.Sides {
			list := &others
			if s.Rival == "" && s.Mark == "" {
				list = &ours
			}
			if label := s.Label + dagger(s.Mark); !slices.Contains(*list, label) {
				*list = append(*list, label)
			}
		}
	}
	return append(ours, others...)
}

func bestCell(row *Row) string {
	best := row.Best()
	if best == nil {
		return ""
	}
	return fmt.Sprintf("**×%s** %s<br><sub>(%s–%s)</sub>", figure(best.Ratio), cell(best.Label), figure(best.Low), figure(best.High))
}

func sideCell(row *Row, label string) string {
	for i, s := range row.Sides {
		if s.Label+dagger(s.Mark) != label {
			continue
		}
		ratio := ""
		if i > 0 {
			ratio = " ×" + figure(s.Ratio)
		}
		below := append(row.rates(s.Ns), size(s.Bytes), count(s.Allocs))
		return fmt.Sprintf("%s%s<br><sub>%s</sub>", duration(s.Ns), ratio, strings.Join(below, ", "))
	}
	return ""
}

func barsCell(bars []Verdict) string {
	lines := make([]string, len(bars))
	for i, v := range bars {
		lines[i] = cell(v.Bar) + ": " + reached(v)
	}
	return strings.Join(lines, "<br>")
}

func reached(v Verdict) string {
	if v.Holds {
		return v.reached() + " ✓"
	}
	return "**" + v.reached() + " short**"
}

// reportFigures writes a group of observed cases, with a line for each figure and unit, and a
// column for each case.
func reportFigures(b *strings.Builder, group string, rows []Row) {
	fmt.Fprintf(b, "\n### %s\n\n| figure | unit |", group)
	type kind struct{ name, unit string }
	var kinds []kind
	for _, row := range rows {
		fmt.Fprintf(b, " %s |", cell(row.Name))
		for _, f := range row.Figures {
			if k := (kind{f.Name, f.Unit}); !slices.Contains(kinds, k) {
				kinds = append(kinds, k)
			}
		}
	}
	b.WriteString("\n|---|---|" + strings.Repeat("---|", len(rows)) + "\n")
	for _, k := range kinds {
		fmt.Fprintf(b, "| %s | %s |", cell(k.name), cell(k.unit))
		for _, row := range rows {
			fmt.Fprintf(b, " %s |", figureCell(row.figure(k.name, k.unit)))
		}
		b.WriteString("\n")
	}
	reportNotes(b, rows)
}

func figureCell(f *Figure) string {
	switch {
	case f == nil:
		return ""
	case f.Bar == nil:
		return f.bare()
	case f.judge().Holds:
		return fmt.Sprintf("**%s** ✓<br><sub>%s</sub>", f.bare(), cell(f.bar()))
	}
	return fmt.Sprintf("**%s short**<br><sub>%s</sub>", f.bare(), cell(f.bar()))
}

// reportNotes writes the notes of the rows, marks and figures of a group. Each note is written
// once, after all names to which it applies.
func reportNotes(b *strings.Builder, rows []Row) {
	var remarks []string
	about := map[string][]string{}
	add := func(name, remark string) {
		if remark == "" || slices.Contains(about[remark], name) {
			return
		}
		if about[remark] == nil {
			remarks = append(remarks, remark)
		}
		about[remark] = append(about[remark], name)
	}
	for _, row := range rows {
		add(row.Name, row.Note)
		for _, s := range row.Sides {
			add(s.Label+dagger(s.Mark), s.Mark)
		}
		for _, f := range row.Figures {
			add(f.Name, f.Note)
		}
	}
	if len(remarks) > 0 {
		b.WriteString("\n")
	}
	for _, remark := range remarks {
		fmt.Fprintf(b, "- %s: %s\n", strings.Join(about[remark], "; "), remark)
	}
}

// cell escapes text for a table.
func cell(s string) string { return strings.ReplaceAll(s, "|", `\|`) }
