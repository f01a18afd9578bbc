package iso8601

import (
	"time"

	"github.com/slipstream-go/slipstream/internal/mem"
)

// clockEnd is the offset at which the fraction or the zone begins.
const clockEnd = len("2006-01-02T15:04:05")

// Parse parses a timestamp. It accepts the same strings as time.Parse(time.RFC3339Nano, s), and
// returns the same time and zone. Errors are constants of type [Error]. Parse does not allocate,
// except for the first timestamp with each zone offset.
func Parse(s string) (time.Time, error) {
	b := mem.Bytes(s)
	if !words || len(b) <= clockEnd {
		return parse(b)
	}
	century, year, month, ok := dateWord(b)
	if !ok {
		return time.Time{}, ErrSyntax // most strings that are not timestamps fail here
	}
	day, clock, wrong := clockWords(b, dayShape)
	days, ok := date(century, year, month, day>>16&0xff)
	if !ok || wrong != 0 {
		return parse(b)
	}
	unix := days*86400 + secondsOf(clock) + year0

	zoned := mem.Load8(b, len(b)-1) != 'Z'
	end, minutes := len(b)-1, 0 // where the zone begins, and its offset
	if zoned {
		end = len(b) - len("+07:00")
		minutes, wrong = zoneWord(b)
		sign := mem.Load8(b, end)
		if sign == '-' {
			minutes = -minutes
		}
		if wrong != 0 || sign != '+' && sign != '-' {
			return parseRest(unix, b[clockEnd:])
		}
	}
	fraction := uint64(0)
	if n := end - clockEnd - 1; n != -1 {
		if n < 1 || n > 9 || mem.Load8(b, clockEnd) != '.' {
			return parseRest(unix, b[clockEnd:])
		}
		// The word x ends with the fraction. The bytes before the fraction are shifted out.
		x := mem.Load64(b, end-8) ^ zeros
		if n < 9 {
			x >>= (64 - 8*n) & 63
			fraction = eight(x) * 10
		} else {
			fraction = uint64(mem.Load8(b, clockEnd+1)-'0') * 1e8
			if fraction > 9e8 {
				return parseRest(unix, b[clockEnd:])
			}
			fraction += eight(x)
		}
		if misfits(x, digitsRoom)&high != 0 {
			return parseRest(unix, b[clockEnd:])
		}
	}
	if zoned {
		return in(unix, int64(fraction), minutes), nil
	}
	return time.Unix(unix, int64(fraction)).UTC(), nil
}

// ParseBytes is like [Parse], but takes a []byte.
func ParseBytes(b []byte) (time.Time, error) { return Parse(mem.String(b)) }

// parse is a complete and slower implementation of Parse. It is used for rare forms and for invalid
// timestamps.
func parse(b []byte) (time.Time, error) {
	if len(b) < len("2006-01-02T5:04:05Z") || b[10] != 'T' {
		return time.Time{}, ErrSyntax
	}
	days, err := parseDate(b)
	if err != nil {
		return time.Time{}, err
	}
	b = b[11:]
	hour := two(b, 0)
	if hour <= 99 {
		b = b[2:]
	} else if hour = uint64(b[0] - '0'); hour <= 9 { // time.Parse accepts an hour of one digit
		b = b[1:]
	} else {
		return time.Time{}, ErrSyntax
	}
	if len(b) < len(":04:05Z") || b[0] != ':' || b[3] != ':' {
		return time.Time{}, ErrSyntax
	}
	minute, second := two(b, 1), two(b, 4)
	switch {
	case max(minute, second) > 99:
		return time.Time{}, ErrSyntax
	case hour > 23:
		return time.Time{}, ErrHour
	case minute > 59:
		return time.Time{}, ErrMinute
	case second > 59:
		return time.Time{}, ErrSecond
	}
	return parseRest(days*86400+int64(hour*3600+minute*60+second)+year0, b[6:])
}

// parseDate parses the date at the start of b, and returns the number of the day. The length of b
// must be at least 10 bytes.
func parseDate(b []byte) (int64, error) {
	century, year, month, day := two(b, 0), two(b, 2), two(b, 5), two(b, 8)
	if max(century, year, month, day) > 99 || b[4] != '-' || b[7] != '-' {
		return 0, ErrSyntax
	}
	days, ok := date(century, year, month, day)
	switch {
	case month < 1 || month > 12:
		return 0, ErrMonth
	case !ok:
		return 0, ErrDay
	}
	return days, nil
}

// parseRest parses b, which is the part of a timestamp after the time of day. The slice b must not
// be empty.
func parseRest(unix int64, b []byte) (time.Time, error) {
	fraction := int64(0)
	if b[0] == '.' || b[0] == ',' {
		n := 1
		for ; n < len(b) && b[n]-'0' <= 9; n++ {
			if n <= 9 { // later digits are ignored
				fraction = 10*fraction + int64(b[n]-'0')
			}
		}
		if n == 1 {
			return time.Time{}, ErrSyntax
		}
		b = b[n:]
		for ; n <= 9; n++ {
			fraction *= 10
		}
	}
	switch {
	case len(b) == 1 && b[0] == 'Z':
		return time.Unix(unix, fraction).UTC(), nil
	case len(b) != len("+07:00") || b[3] != ':' || b[0] != '+' && b[0] != '-':
		return time.Time{}, ErrSyntax
	}
	hours, minutes := int(two(b, 1)), int(two(b, 4))
	switch {
	case max(hours, minutes) > 99:
		return time.Time{}, ErrSyntax
	case hours > 24 || minutes > 60: // time.Parse accepts 24 hours, and 60 minutes
		return time.Time{}, ErrZone
	}
	minutes += 60 * hours
	if b[0] == '-' {
		minutes = -minutes
	}
	return in(unix, fraction, minutes), nil
}

// two returns the number in the two digits at b[i:]. If b[i:] does not begin with two digits, it
// returns a number above 99.
func two(b []byte, i int) uint64 {
	tens, ones := uint64(b[i]-'0'), uint64(b[i+1]-'0')
	if tens > 9 || ones > 9 {
		return 255
	}
	return 10*tens + ones
}
