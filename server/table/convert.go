package table

import (
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/slipstream-go/slipstream/column"
)

// converted returns c with its cells converted to the given kind. If a cell's value cannot be
// preserved, the error is ErrUnfit. A float is converted to an int only if it is a whole number. An
// int is converted to a float only if it is not rounded. Text is parsed. A time is converted to an
// int in microseconds, or to text in the form of RFC 3339. The value true is converted to the
// number 1.
func converted(c *column.Column, kind column.Kind) (*column.Column, error) {
	if c.Kind == kind {
		return c, nil
	}
	to := &column.Column{Name: c.Name}
	to.Accepts(kind)
	for i := range c.Rows {
		if c.IsNull(i) {
			to.AppendNull()
			continue
		}
		text := cellText(c, i)
		if !appendCell(to, kind, c, i, text) {
			return nil, fmt.Errorf("row %d: converting %s to %v: %w", i, strconv.Quote(text[:min(len(text), maxName)]), kind, ErrUnfit)
		}
	}
	return to, nil
}

// cellText returns a cell as text.
func cellText(c *column.Column, i int) string {
	switch c.Kind {
	case column.Bool:
		return strconv.FormatBool(c.Bools[i])
	case column.Int64:
		return strconv.FormatInt(c.Ints[i], 10)
	case column.Float64:
		return strconv.FormatFloat(c.Floats[i], 'g', -1, 64)
	case column.Time:
		return time.UnixMicro(c.Ints[i]).UTC().Format(time.RFC3339Nano)
	}
	return string(c.StringAt(i))
}

// appendCell converts cell i of c to the given kind and appends it. The argument `text` is the same
// cell as text. appendCell reports whether the conversion is possible.
func appendCell(to *column.Column, kind column.Kind, c *column.Column, i int, text string) bool {
	switch kind {
	case column.String:
		return to.AppendString([]byte(text)) == nil
	case column.Bool:
		v, ok := toBool(c, i, text)
		to.AppendBool(v)
		return ok
	case column.Int64:
		v, ok := toInt(c, i, text)
		to.AppendInt64(v)
		return ok
	case column.Float64:
		v, ok := toFloat(c, i, text)
		to.AppendFloat64(v)
		return ok
	case column.Time:
		if c.Kind == column.Int64 {
			to.AppendTime(c.Ints[i])
			return true
		}
		t, err := time.Parse(time.RFC3339Nano, text)
		to.AppendTime(t.UnixMicro())
		return err == nil && c.Kind == column.String && t.Nanosecond()%1000 == 0
	}
	return false
}

func toBool(c *column.Column, i int, text string) (v, ok bool) {
	switch {
	case c.Kind == column.Int64:
		return c.Ints[i] == 1, c.Ints[i] == 0 || c.Ints[i] == 1
	case c.Kind == column.Float64:
		return c.Floats[i] == 1, c.Floats[i] == 0 || c.Floats[i] == 1
	}
	return text == "true", text == "true" || text == "false"
}

func toInt(c *column.Column, i int, text string) (int64, bool) {
	switch c.Kind {
	case column.Bool:
		if c.Bools[i] {
			return 1, true
		}
		return 0, true
	case column.Time:
		return c.Ints[i], true
	case column.Float64:
		f := c.Floats[i]
		ok := f == math.Trunc(f) && f >= -1<<63 && f < 1<<63
		if !ok {
			return 0, false
		}
		return int64(f), true
	}
	v, err := strconv.ParseInt(text, 10, 64)
	return v, err == nil
}

func toFloat(c *column.Column, i int, text string) (float64, bool) {
	switch c.Kind {
	case column.Bool:
		if c.Bools[i] {
			return 1, true
		}
		return 0, true
	case column.Int64:
		f := float64(c.Ints[i])
		return f, f < 1<<63 && int64(f) == c.Ints[i]
	case column.Time:
		return 0, false
	}
	v, err := strconv.ParseFloat(text, 64)
	return v, err == nil
}
