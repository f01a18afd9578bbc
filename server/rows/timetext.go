package rows

import (
	"github.com/slipstream-go/slipstream/column"
	"github.com/slipstream-go/slipstream/iso8601"
	"github.com/slipstream-go/slipstream/server/refusal"
)

// parseTimes converts a column of Kind String to a column of Kind Time. Nulls remain nulls. Its
// error contains the row.
func parseTimes(c *column.Column) error {
	for i := range c.Rows {
		us := int64(0)
		if !c.IsNull(i) {
			var err error
			if us, err = timeText(c.StringAt(i)); err != nil {
				return refusal.Of(err).OfRow(i)
			}
		}
		c.Ints = append(c.Ints, us)
	}
	c.Text, c.Ends = c.Text[:0], c.Ends[:0]
	c.Kind = column.Time
	return nil
}

// timeText returns the time of an RFC 3339 string in microseconds. Like micros, it rounds
// nanoseconds down.
func timeText(s []byte) (int64, error) {
	t, err := iso8601.ParseBytes(s)
	if err != nil {
		return 0, refusal.Errorf("time %q is not RFC 3339: send a string such as 2006-01-02T15:04:05Z or 2006-01-02T15:04:05.123+07:00, or the number of s, ms, us or ns since 1970", refusal.Clip(string(s))).In(TimeColumn)
	}
	us := t.UnixMicro()
	if us < MinTime || us > MaxTime {
		return 0, refusal.Errorf("time %q is not in the years 1 to 9999 in UTC", refusal.Clip(string(s))).In(TimeColumn)
	}
	return us, nil
}
