package iso8601

import "github.com/slipstream-go/slipstream/internal/mem"

// ValidFlags is a set of flags that select the forms that Valid accepts. The values are the same as
// in github.com/segmentio/encoding/iso8601.
type ValidFlags int

const (
	// Strict accepts a date, T, a time of day, a fraction of 1 to 9 digits, and a zone: Z, +hh:mm
	// or -hh:mm.
	Strict ValidFlags = 0

	// AllowSpaceSeparator also accepts a space instead of T, and a space before the + or - of a
	// zone.
	AllowSpaceSeparator ValidFlags = 2

	// AllowMissingTime also accepts a date without a time.
	AllowMissingTime ValidFlags = 4

	// AllowMissingSubsecond also accepts whole seconds.
	AllowMissingSubsecond ValidFlags = 8

	// AllowMissingTimezone also accepts a time without a zone.
	AllowMissingTimezone ValidFlags = 16

	// AllowNumericTimezone also accepts the zones +hhmm and -hhmm.
	AllowNumericTimezone ValidFlags = 32

	// Flexible is the combination of all flags above.
	Flexible = AllowSpaceSeparator | AllowMissingTime | AllowMissingSubsecond | AllowMissingTimezone | AllowNumericTimezone
)

// Valid reports whether s is a timestamp in a form that the flags allow, and all its numbers are in
// range. The hours of the zone must be less than 24, and the minutes must be less than 60. Parse
// accepts every string that is valid without flags, or with only the flag AllowMissingSubsecond.
// Valid does not allocate.
func Valid(s string, flags ValidFlags) bool {
	b := mem.Bytes(s)
	alone := len(b) == len("2006-01-02") && flags&AllowMissingTime != 0
	if len(b) < clockEnd && !alone {
		return false
	}
	century, year, month, ok := dateWord(b)
	if !ok {
		return false // most strings that are not timestamps fail here
	}
	if alone {
		_, ok := date(century, year, month, two(b, 8))
		return ok
	}
	shape := uint32(dayShape)
	if flags&AllowSpaceSeparator != 0 && mem.Load8(b, 10) == ' ' {
		shape = spacedDayShape
	}
	day, _, wrong := clockWords(b, shape)
	if _, ok := date(century, year, month, day>>16&0xff); !ok || wrong != 0 {
		return false
	}
	i := clockEnd
	if i < len(b) && mem.Load8(b, i) == '.' {
		i++
		n := countDigits(wordAt(b, i))
		if n == 0 {
			return false
		}
		i += n
		if n == 8 && i < len(b) && mem.Load8(b, i)-'0' <= 9 {
			i++
		}
	} else if flags&AllowMissingSubsecond == 0 {
		return false
	}
	if i == len(b)-1 {
		return mem.Load8(b, i) == 'Z'
	}
	return validZone(b[i:], flags)
}

// ValidBytes is like [Valid], but takes a []byte.
func ValidBytes(b []byte, flags ValidFlags) bool { return Valid(mem.String(b), flags) }

func validZone(b []byte, flags ValidFlags) bool {
	switch {
	case len(b) == 0:
		return flags&AllowMissingTimezone != 0
	case b[0] == ' ' && flags&AllowSpaceSeparator != 0:
		b = b[1:]
	}
	switch {
	case len(b) == len("+07:00") && b[3] == ':':
		return (b[0] == '+' || b[0] == '-') && two(b, 1) < 24 && two(b, 4) < 60
	case len(b) == len("+0700") && flags&AllowNumericTimezone != 0:
		return (b[0] == '+' || b[0] == '-') && two(b, 1) < 24 && two(b, 3) < 60
	}
	return false
}
