package harness

import "slices"

// drawn reports whether the chart contains the figure.
func (f *Figure) drawn() bool { return f.Chart && !f.Missing }

// units returns the units of all drawn figures, in the order of their first use.
func (r *Result) units() []string {
	var units []string
	for _, row := range r.Rows {
		for i := range row.Figures {
			if f := &row.Figures[i]; f.drawn() && !slices.Contains(units, f.Unit) {
				units = append(units, f.Unit)
			}
		}
	}
	return units
}

// unit draws the figures of a unit, with one scale for all cases.
func (c *canvas) unit(r *Result, unit string, colours map[string]string) {
	c.y += groupGap
	c.text("group", "start", 16, c.y, unit)
	c.y += caseGap
	most := 0.0
	for _, row := range r.Rows {
		for i := range row.Figures {
			if f := &row.Figures[i]; f.drawn() && f.Unit == unit {
				most = max(most, f.Value)
			}
		}
	}
	for _, row := range r.Rows {
		top := c.y
		for i := range row.Figures {
			f := &row.Figures[i]
			if !f.drawn() || f.Unit != unit {
				continue
			}
			if c.y == top {
				c.text("", "end", nameEnd, c.y+textDropped, row.Name)
			}
			c.figure(f, most, colours[f.Rival])
		}
		if c.y > top {
			c.y += caseGap
		}
	}
}

func (c *canvas) figure(f *Figure, most float64, colour string) {
	class, width := "side", 0.0
	if f.Rival == "" {
		class = "side ours"
	}
	if most > 0 {
		width = max(0, f.Value/most) * (barEnd - barStart)
	}
	base := c.y + textDropped
	c.text(class, "end", barStart-6, base, f.Name)
	c.bar(barStart, float64(c.y), width, colour)
	c.text(class, "start", barStart+int(width)+5, base, f.bare())
	c.y += barPitch
}
