package rows

import (
	"math"
	"strconv"

	"github.com/slipstream-go/slipstream/column"
	"github.com/slipstream-go/slipstream/server/refusal"
)

// Unit is the unit of times that are numbers.
type Unit uint8

const (
	Auto Unit = iota // the magnitude determines the unit; all times of a column must have the same unit
	Seconds
	Milliseconds
	Microseconds
	Nanoseconds
)

// units describes each unit: its names, the magnitudes for which Auto selects the unit, and the
// valid times. Valid times are in the years 1 to 9999, because Python and SQL engines can show
// these years.
var units = [...]struct {
	param, name string
	below       uint64  // Auto selects the first unit for which the magnitude is less than this value
	min, max    int64   // minimum and maximum time in this unit
	micros      float64 // microseconds in one unit
}{
	Auto:         {param: "auto", name: "no unit"},
	Seconds:      {"s", "seconds", 1e10, MinTime / 1_000_000, MaxTime / 1_000_000, 1e6},
	Milliseconds: {"ms", "milliseconds", 1e13, MinTime / 1_000, MaxTime / 1_000, 1e3},
	Microseconds: {"us", "microseconds", 1e16, MinTime, MaxTime, 1},
	Nanoseconds:  {"ns", "nanoseconds", math.MaxUint64, math.MinInt64, math.MaxInt64, 1e-3},
}

// These are the earliest and the latest valid time, in microseconds since the Unix epoch.
const (
	MinTime = -62135596800_000_000 // 0001-01-01
	MaxTime = 253402300799_999_999 // 9999-12-31
)

func (u Unit) String() string { return units[u].name }

// UnitOf returns the unit for the value of time_unit: s, ms, us, ns or auto.
func UnitOf(name string) (Unit, error) {
	for u := range units {
		if units[u].param == name {
			return Unit(u), nil
		}
	}
	return Auto, refusal.Errorf("time_unit=%q: use s, ms, us, ns or auto", refusal.Clip(name)).In("time_unit")
}

// guess returns the unit that Auto selects for a magnitude.
func guess(magnitude uint64) Unit {
	u := Seconds
	for magnitude >= units[u].below && u < Nanoseconds {
		u++
	}
	return u
}

func magnitude(v int64) uint64 {
	if v < 0 {
		return -uint64(v)
	}
	return uint64(v)
}

// TimeColumn is the name of the column that contains the time of a row.
const TimeColumn = "time"

// convertTimes converts a column without nulls to a column of Kind Time. Its error contains the
// row.
func convertTimes(c *column.Column, unit Unit) error {
	if c.Kind == column.String && !c.HasNulls() {
		return parseTimes(c)
	}
	if !withinOneUnit(c, unit) {
		if err := checkTimes(c, unit); err != nil {
			return err
		}
	}
	if c.Kind == column.Time || c.Rows == 0 {
		return nil
	}
	if unit == Auto {
		_, unit, _ = timeOf(c, 0, unit)
	}
	if c.Kind == column.Int64 {
		scale(c.Ints, unit)
	} else {
		for _, v := range c.Floats {
			c.Ints = append(c.Ints, floatMicros(v, unit))
		}
		c.Floats = c.Floats[:0]
	}
	c.Kind = column.Time
	return nil
}

// withinOneUnit is the fast path of checkTimes. If it returns true, the column is valid. If it
// returns false, the column may still be valid.
func withinOneUnit(c *column.Column, unit Unit) bool {
	if len(c.Ints) == 0 || c.Nulls.Any() {
		return false
	}
	lo, hi := bounds(c.Ints)
	switch {
	case c.Kind == column.Time:
		unit = Microseconds
	case unit == Auto:
		if unit = guess(magnitude(lo)); lo < 0 || unit != guess(magnitude(hi)) {
			return false
		}
	}
	return lo >= units[unit].min && hi <= units[unit].max
}

func bounds(v []int64) (lo, hi int64) {
	lo, hi = v[0], v[0]
	for _, v := range v {
		lo, hi = min(lo, v), max(hi, v)
	}
	return lo, hi
}

// checkTimes returns an error about the first invalid time. A time is invalid if it is missing, is
// out of range, or has another unit than the first time.
func checkTimes(c *column.Column, unit Unit) error {
	first := unit
	for i := range c.Rows {
		_, u, err := timeOf(c, i, unit)
		if err != nil {
			return refusal.Of(err).OfRow(i)
		}
		if first == Auto {
			first = u
		}
		if u != first {
			return errUnits(c, i, u, first).OfRow(i)
		}
	}
	return nil
}

func errUnits(c *column.Column, i int, u, first Unit) *refusal.Error {
	return refusal.Errorf("time %s looks like %v, but earlier times look like %v: set the unit with ?time_unit=s, ms, us or ns", textOf(c, i), u, first).In(TimeColumn)
}

// timeOf returns the time in the cell of row i in microseconds, and the unit of this cell.
func timeOf(c *column.Column, i int, unit Unit) (us int64, u Unit, err error) {
	if c.IsNull(i) {
		return 0, unit, refusal.Errorf("time is missing: give every row a time, or omit the column to use the time of receipt").In(TimeColumn)
	}
	u = unit
	inRange := false
	switch c.Kind {
	case column.Time:
		u = Microseconds
		us = c.Ints[i]
		inRange = us >= MinTime && us <= MaxTime
	case column.Int64:
		v := c.Ints[i]
		if u == Auto {
			u = guess(magnitude(v))
		}
		if inRange = v >= units[u].min && v <= units[u].max; inRange {
			us = micros(v, u)
		}
	case column.Float64:
		v := c.Floats[i]
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return 0, u, refusal.Errorf("time %v: must be a finite number", v).In(TimeColumn)
		}
		if u == Auto {
			u = guess(uint64(min(math.Abs(v), math.MaxInt64)))
		}
		if inRange = v >= float64(units[u].min) && v < float64(units[u].max); inRange {
			us = floatMicros(v, u)
		}
	case column.String:
		us, err = timeText(c.StringAt(i))
		return us, Microseconds, err
	default:
		return 0, u, refusal.Errorf("time has the type %v: send the number of s, ms, us or ns since 1970 (ints or floats), RFC 3339 strings, or MessagePack's timestamp ext", c.Kind).In(TimeColumn)
	}
	if !inRange {
		return 0, u, refusal.Errorf("time %s in %v is not in the years 1 to 9999: check the value, or set the unit with ?time_unit=s, ms, us or ns", textOf(c, i), u).In(TimeColumn)
	}
	return us, u, nil
}

func textOf(c *column.Column, i int) string {
	if c.Kind == column.Float64 {
		return strconv.FormatFloat(c.Floats[i], 'f', -1, 64)
	}
	return strconv.FormatInt(c.Ints[i], 10)
}

// scale converts times to microseconds. The times must be in range.
func scale(v []int64, u Unit) {
	if u == Microseconds {
		return
	}
	for i := range v {
		v[i] = micros(v[i], u)
	}
}

// micros converts a time to microseconds. It rounds nanoseconds down, even for times before 1970.
// So the order of times does not change.
func micros(v int64, u Unit) int64 {
	switch u {
	case Seconds:
		return v * 1_000_000
	case Milliseconds:
		return v * 1_000
	case Nanoseconds:
		q := v / 1_000
		if v%1_000 < 0 {
			q--
		}
		return q
	}
	return v
}

// Micros converts an integer in the unit u to microseconds since the Unix epoch. It returns false
// if the time is not in the years 1 to 9999. The unit must not be Auto.
func (u Unit) Micros(v int64) (us int64, ok bool) {
	if v < units[u].min || v > units[u].max {
		return 0, false
	}
	return micros(v, u), true
}

// floatMicros converts a time to microseconds, and rounds to the nearest microsecond.
func floatMicros(v float64, u Unit) int64 { return int64(math.Round(v * units[u].micros)) }
