package harness

import (
	"encoding/xml"
	"fmt"
	"slices"
	"strings"
)

// The chart of a group of timed cases has one block of bars for each case. The length of a bar is
// the side's time relative to ours, so ours is always 1, and shorter bars are better. A bar that
// exceeds the axis ends in a gap and a stub. Its figure follows the stub.
//
//	case name   ours  ▇▇▇▇▇ 118 ns
//	            msgp  ▇▇▇▇▇▇▇▇ ×1.43
//	            v5    ▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇ ▇ ×9.1
//
// All observed cases of a suite share one chart, with their figures grouped by unit. The longest
// bar of each unit reaches the end of the axis.
//
//	ms
//	  case name   p50   ▇▇▇▇▇ 2.1
//	              p99   ▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇ 8.4
const (
	chartWidth  = 880
	nameEnd     = 232 // right edge of the case names
	barStart    = 372 // left edge of the bars
	barEnd      = 800 // end of the axis
	barHeight   = 11
	barPitch    = 14
	caseGap     = 10
	groupGap    = 34
	legendTop   = 66
	axisMost    = 6.0 // end of the axis; only a few ratios exceed it
	stubWidth   = 6
	textDropped = 9 // distance from the top of a bar to the base line of its text
)

// palette contains the colours of the sides: ours first, then the rivals in the order of the suite.
// Readers who cannot distinguish red from green can distinguish these hues. Each has enough
// contrast on light and dark pages.
var palette = []string{"#d9480f", "#1c7ed6", "#868e96", "#2b9a5f", "#9c6ade", "#c29a00", "#0c8599", "#c2255c", "#a9714b"}

const chartStyle = `<style>
text { font: 11px system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif; fill: #1f2328; }
.title { font-size: 16px; font-weight: 600; }
.group { font-size: 13px; font-weight: 600; }
.side, .axis { fill: #59636e; font-size: 10px; }
.side { paint-order: stroke; stroke: #ffffff; stroke-width: 3px; stroke-linejoin: round; }
.ours { font-weight: 600; }
.page { fill: #ffffff; }
.grid { stroke: #d1d9e0; stroke-width: 1; }
.one { stroke: #59636e; stroke-width: 1; stroke-dasharray: 3 2; }
@media (prefers-color-scheme: dark) {
text { fill: #e6edf3; }
.side, .axis { fill: #9198a1; }
.side { stroke: #0d1117; }
.page { fill: #0d1117; }
.grid { stroke: #30363d; }
.one { stroke: #9198a1; }
}
</style>
`

// canvas collects the elements of a chart from top to bottom.
type canvas struct {
	strings.Builder
	y int
}

func (c *canvas) text(class, anchor string, x, y int, s string) {
	fmt.Fprintf(c, `<text class="%s" text-anchor="%s" x="%d" y="%d">`, class, anchor, x, y)
	_ = xml.EscapeText(c, []byte(s)) // a strings.Builder returns no errors
	c.WriteString("</text>\n")
}

func (c *canvas) bar(x, y, width float64, colour string) {
	fmt.Fprintf(c, `<rect x="%.1f" y="%.1f" width="%.1f" height="%d" rx="1.5" fill="%s"/>`+"\n", x, y, width, barHeight, colour)
}

// covered returns the part of a result that has a chart: the group Cover or, without one, the
// observed cases. It returns nil if there is neither.
func covered(r *Result) *Result {
	part := *r
	switch {
	case r.Cover != "":
		part.Title += ": " + r.Cover
		part.Rows = slices.DeleteFunc(slices.Clone(r.Rows), func(row Row) bool { return row.Group != r.Cover || row.Sides == nil })
	case len(r.units()) > 0:
		part.Rows = slices.DeleteFunc(slices.Clone(r.Rows), func(row Row) bool { return row.Sides != nil })
	default:
		return nil
	}
	if len(part.Rows) == 0 {
		return nil
	}
	return &part
}

// chartPath returns the path of the chart of a result.
func chartPath(r *Result) string { return chartsDir + "/" + r.Suite + ".svg" }

// Chart draws a result as SVG. The result contains either timed or observed cases.
func Chart(r *Result) []byte {
	colours := map[string]string{"": palette[0]}
	for i, v := range r.Rivals {
		colours[v.Name] = palette[1+i%(len(palette)-1)]
	}
	var c canvas
	timed, method := r.Rows[0].Sides != nil, ""
	if timed {
		method = "time relative to " + Ours + " = 1, shorter is better; figures are medians of per-round ratios, "
	}
	c.text("title", "start", 16, 28, r.Title)
	c.text("axis", "start", 16, 46, method+r.Date+", "+r.Machine.CPU)
	c.y = legendTop
	if timed {
		c.timed(r, colours)
	}
	for _, unit := range r.units() {
		c.unit(r, unit, colours)
	}
	height := c.y + 8

	var svg strings.Builder
	fmt.Fprintf(&svg, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" role="img">`+"\n",
		chartWidth, height, chartWidth, height)
	svg.WriteString(chartStyle)
	fmt.Fprintf(&svg, `<rect class="page" width="%d" height="%d" rx="6"/>`+"\n", chartWidth, height)
	svg.WriteString(legend(r, colours))
	svg.WriteString(c.String())
	svg.WriteString("</svg>\n")
	return []byte(svg.String())
}

// legend draws the names of the colours that the rows use.
func legend(r *Result, colours map[string]string) string {
	var c canvas
	x := 16
	names := []string{""}
	for _, v := range r.Rivals {
		names = append(names, v.Name)
	}
	for _, name := range names {
		used := slices.ContainsFunc(r.Rows, func(row Row) bool {
			return slices.ContainsFunc(row.Sides, func(s Measured) bool { return s.Rival == name }) ||
				slices.ContainsFunc(row.Figures, func(f Figure) bool { return f.drawn() && f.Rival == name })
		})
		if !used {
			continue
		}
		c.bar(float64(x), legendTop-textDropped, barHeight, colours[name])
		label := Side{Rival: name}.Label()
		c.text("side", "start", x+16, legendTop, label)
		x += 32 + 7*len(label)
	}
	return c.String()
}

// timed draws timed cases.
func (c *canvas) timed(r *Result, colours map[string]string) {
	c.y += groupGap
	c.axis()
	var rows canvas
	rows.y = c.y + caseGap
	top := rows.y
	for _, row := range r.Rows {
		rows.row(&row, colours)
	}
	c.grid(top, rows.y-caseGap)
	c.WriteString(rows.String())
	c.y = rows.y
}

// axis draws the numbers of the axis.
func (c *canvas) axis() {
	for v := 0; v <= axisMost; v++ {
		c.text("axis", "middle", int(place(float64(v))), c.y, fmt.Sprint(v))
	}
}

// grid draws the vertical lines of the axis.
func (c *canvas) grid(top, bottom int) {
	for v := 0; v <= axisMost; v++ {
		class := "grid"
		if v == 1 {
			class = "one"
		}
		x := place(float64(v))
		fmt.Fprintf(c, `<line class="%s" x1="%.1f" x2="%.1f" y1="%d" y2="%d"/>`+"\n", class, x, x, top-4, bottom+2)
	}
}

// place returns the horizontal position of a ratio.
func place(ratio float64) float64 { return barStart + ratio/axisMost*(barEnd-barStart) }

func (c *canvas) row(row *Row, colours map[string]string) {
	c.text("", "end", nameEnd, c.y+textDropped, row.Name)
	for i, s := range row.Sides {
		y, base := float64(c.y), c.y+textDropped
		class, value := "side", "×"+figure(s.Ratio)
		if i == 0 {
			class, value = "side ours", duration(s.Ns)
		}
		c.text(class, "end", barStart-6, base, s.Label+dagger(s.Mark))
		end := place(min(s.Ratio, axisMost))
		c.bar(barStart, y, end-barStart, colours[s.Rival])
		if s.Ratio > axisMost {
			c.bar(end+3, y, stubWidth, colours[s.Rival])
			end += 3 + stubWidth
		}
		c.text(class, "start", int(end)+5, base, value)
		c.y += barPitch
	}
	c.y += caseGap
}
