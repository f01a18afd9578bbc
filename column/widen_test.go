package column

import "testing"

// A row is undone after the caller has widened a column, and the column stays widened. If earlier
// rows are undone too, it becomes a column of integers again.
func TestUndoKeepsWiden(t *testing.T) {
	for name, spoil := range map[string]func(c *Column){
		"an int":   func(c *Column) { c.AppendInt64(7) },
		"a float":  func(c *Column) { c.AppendFloat64(0.5) },
		"no value": func(c *Column) { c.AppendNull() },
	} {
		var b Batch
		for v := range int64(3) {
			c := b.mustColumn(t, "n")
			c.AcceptsInt64(v)
			c.AppendInt64(v)
			b.CloseRow()
		}
		c := b.Columns[0]
		c.Widen()
		for range 2 {
			spoil(c)
			b.Undo()
			if c.Kind != Float64 || len(c.Floats) != 3 || c.Floats[2] != 2 || len(c.Ints) != 0 {
				t.Errorf("%s is undone, and leaves %+v", name, c)
			}
		}
		b.Rows = 2
		if b.Undo(); c.Kind != Int64 || len(c.Ints) != 2 || c.Ints[1] != 1 || len(c.Floats) != 0 {
			t.Errorf("a row from before is undone, and leaves %+v", c)
		}
	}
}
