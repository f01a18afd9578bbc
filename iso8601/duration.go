package iso8601

import (
	"math"
	"math/bits"
	"strconv"
	"time"
)

const (
	aSecond = uint64(time.Second)
	aMinute = uint64(time.Minute)
	anHour  = uint64(time.Hour)
	aDay    = 24 * anHour
	aWeek   = 7 * aDay
)

// ParseDuration parses a duration such as P1DT2H3M4.5S or P3W. A day is 24 hours, and a week is 7
// days. Years and months have no fixed length, so ParseDuration returns [ErrCalendar] for a
// duration that contains them. A sign may precede the P. The last number may have a fraction after
// a dot or a comma, which is truncated to nanoseconds. The other errors are [ErrDurationRange] and
// [ErrDuration]. ParseDuration does not allocate.
func ParseDuration(s string) (time.Duration, error) {
	most, negative := uint64(math.MaxInt64), false
	i := 0
	if i < len(s) && (s[i] == '-' || s[i] == '+') {
		if s[i] == '-' {
			most, negative = 1<<63, true
		}
		i++
	}
	if i == len(s) || s[i] != 'P' {
		return 0, ErrDuration
	}
	i++
	total, last := uint64(0), uint64(math.MaxUint64)
	inTime, bare := false, true // bare: nothing has followed the P, or the T
	for i < len(s) {
		if s[i] == 'T' && !inTime {
			inTime, bare = true, true
			i++
			continue
		}
		n, point := number(s, i)
		end := point // end of the number with its fraction
		if point < len(s) && (s[point] == '.' || s[point] == ',') {
			if _, end = number(s, point+1); end == point+1 || end != len(s)-1 {
				return 0, ErrDuration
			}
		}
		if point == i || end == len(s) {
			return 0, ErrDuration
		}
		if !inTime && (s[end] == 'Y' || s[end] == 'M') {
			return 0, ErrCalendar
		}
		unit := unitOf(s[end], inTime)
		if unit == 0 || unit >= last {
			return 0, ErrDuration
		}
		part := uint64(0)
		if end > point {
			part = fractionOf(unit, s[point+1:end])
		}
		over, whole := bits.Mul64(n, unit)
		sum, carry := bits.Add64(whole+part, total, 0)
		if over|carry != 0 || whole+part < whole || sum > most {
			return 0, ErrDurationRange
		}
		total, last, bare = sum, unit, false
		i = end + 1
	}
	switch {
	case bare:
		return 0, ErrDuration
	case negative:
		return time.Duration(-total), nil
	}
	return time.Duration(total), nil
}

// number reads the digits at s[i:], and returns the number and the offset after the digits. If the
// number is at least tooMany, it is out of range for every unit.
func number(s string, i int) (n uint64, end int) {
	const tooMany = 1e10
	for ; i < len(s) && s[i]-'0' <= 9; i++ {
		n = min(10*n+uint64(s[i]-'0'), tooMany)
	}
	return n, i
}

// unitOf returns the unit of a designator. The argument `inTime` reports whether the designator is
// after the T. For an unknown designator, unitOf returns 0.
func unitOf(designator byte, inTime bool) uint64 {
	switch {
	case designator == 'S' && inTime:
		return aSecond
	case designator == 'M' && inTime:
		return aMinute
	case designator == 'H' && inTime:
		return anHour
	case designator == 'D' && !inTime:
		return aDay
	case designator == 'W' && !inTime:
		return aWeek
	}
	return 0
}

// fractionOf returns the product of `unit` and a fraction, in nanoseconds, rounded down. The
// argument `digits` contains the digits of the fraction after the point. Any number of digits is
// accepted.
func fractionOf(unit uint64, digits string) uint64 {
	n := uint64(0)
	if unit == aSecond {
		for i := range 9 {
			n *= 10
			if i < len(digits) {
				n += uint64(digits[i] - '0')
			}
		}
		return n
	}
	// The variable n is the product of unit and 0.digits[i:], rounded down. Rounding down at each
	// step has the same result as rounding down once.
	for i := len(digits) - 1; i >= 0; i-- {
		n = (uint64(digits[i]-'0')*unit + n) / 10
	}
	return n
}

// AppendDuration appends d in canonical form, which contains the non-zero hours, minutes and
// seconds. The canonical form of 0 is PT0S. AppendDuration writes no days, because in other
// programs a day may have 23 or 25 hours. ParseDuration converts the result back to d.
// AppendDuration allocates only to extend dst.
func AppendDuration(dst []byte, d time.Duration) []byte {
	n := uint64(d)
	if d < 0 {
		dst, n = append(dst, '-'), -n
	}
	dst = append(dst, "PT"...)
	if hours := n / anHour; hours != 0 {
		dst = append(strconv.AppendUint(dst, hours, 10), 'H')
	}
	if minutes := n % anHour / aMinute; minutes != 0 {
		dst = append(strconv.AppendUint(dst, minutes, 10), 'M')
	}
	if n%aMinute == 0 && n != 0 {
		return dst
	}
	dst = strconv.AppendUint(dst, n%aMinute/aSecond, 10)
	if fraction := n % aSecond; fraction != 0 {
		var room [len(".999999999")]byte
		dst = append(dst, room[:writeFraction(room[:], 0, fraction)]...)
	}
	return append(dst, 'S')
}
