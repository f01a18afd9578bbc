package iso8601

// Functions for eight characters at a time. A word is read little-endian: the first character is
// its lowest byte. XOR with the shape of the text, such as "0000-00-", leaves the value of each
// digit, 0..9, and 0 for each correct separator.
//
//	2 0 1 8 - 0 1 -       characters of a date
//	2 0 1 8 0 0 1 0       less the shape: nothing above 9, nothing but 0 for a separator
//	  20  18    1         after pairs: each number in the place of its second digit

import (
	"math/bits"

	"github.com/slipstream-go/slipstream/internal/mem"
)

// words can be set to false: Parse and Append then use only their slow paths, and all tests must
// pass too.
const words = true

const (
	high  = 0x8080808080808080 // the high bit of each byte
	zeros = 0x3030303030303030 // "00000000"

	// Shapes. These numbers contain the text in reverse: the first character is on the right.
	dateShape      = 0x2d30302d30303030 // "0000-00-", at 0
	dayShape       = 0x5430302d         // "-00T", at 7
	spacedDayShape = 0x2030302d         // "-00 "
	clockShape     = 0x30303a30303a3030 // "00:00:00", at 11
	zoneShape      = 0x30303a3030       // "00:00", at the end

	// The largest number that can be added to each byte, after XOR with the shape, without setting
	// its high bit: 0x76 for a digit, 0x7f for a separator.
	digitsRoom = 0x7676767676767676
	dateRoom   = 0x7f76767f76767676
	dayRoom    = 0x7f76767f
	clockRoom  = 0x76767f76767f7676
	zoneRoom   = 0x76767f7676

	// The same for numbers after pairs: hours below 24, minutes and seconds below 60; in a zone, up
	// to 24 and 60. The bytes between the numbers are below 0x80.
	clockLimits = (0x80-24)<<8 | (0x80-60)<<32 | (0x80-60)<<56
	zoneLimits  = (0x80-25)<<8 | (0x80-61)<<32
)

// misfits returns a word with a high bit set if x contains a byte that the shape does not allow. x
// is a word after XOR with its shape. The other bits of the result have no meaning. If a byte of
// the sum carries into the next byte, the same byte of x has its high bit set.
func misfits(x, room uint64) uint64 { return x | (x + room) }

// pairs adds ten times each byte to the next one.
func pairs(x uint64) uint64 { return x * (10<<8 + 1) }

// eight returns the number with these eight digits.
func eight(x uint64) uint64 {
	x = pairs(x) >> 8 & 0x00ff00ff00ff00ff
	x = x * (100<<16 + 1) >> 16 & 0x0000ffff0000ffff
	return x * (10000<<32 + 1) >> 32
}

// dateWord reads the "2006-01-" at the start of b. The caller has checked len(b) ≥ 8.
func dateWord(b []byte) (century, year, month uint64, ok bool) {
	x := mem.Load64(b, 0) ^ dateShape
	ok = misfits(x, dateRoom)&high == 0
	x = pairs(x)
	return x >> 8 & 0xff, x >> 24 & 0xff, x >> 48 & 0xff, ok
}

// clockWords reads the "-02T15:04:05" after the date; dayShape contains the separator in the place
// of the T. The day is in the third byte of day, and clock is for secondsOf. wrong is not 0 if the
// text has another form, or if the hour, the minute or the second is out of range. The caller has
// checked len(b) ≥ 19.
func clockWords(b []byte, dayShape uint32) (day, clock, wrong uint64) {
	day = uint64(mem.Load32(b, 7) ^ dayShape)
	clock = mem.Load64(b, 11) ^ clockShape
	wrong = misfits(day, dayRoom) | misfits(clock, clockRoom)
	clock = pairs(clock)
	return pairs(day), clock, (wrong | (clock + clockLimits)) & high
}

// secondsOf returns the seconds since the beginning of the day, for a clock from clockWords.
func secondsOf(clock uint64) int64 {
	return int64(clock>>8&0xff)*3600 + int64(clock>>32&0xff)*60 + int64(clock>>56)
}

// zoneWord reads the "07:00" at the end of b, in minutes. wrong is not 0 if the text has another
// form, or if the hour or the minute is out of range. The caller has checked len(b) ≥ 8.
func zoneWord(b []byte) (minutes int, wrong uint64) {
	x := mem.Load64(b, len(b)-8)>>24 ^ zoneShape
	wrong = misfits(x, zoneRoom)
	x = pairs(x)
	return int(x>>8&0xff)*60 + int(x>>32&0xff), (wrong | (x + zoneLimits)) & high
}

// wordAt returns the 8 bytes that begin at b[i]. Zeros replace bytes beyond the end of b. The
// caller has checked 7 ≤ i ≤ len(b).
func wordAt(b []byte, i int) uint64 {
	if i+8 <= len(b) {
		return mem.Load64(b, i)
	}
	return mem.Load64(b, len(b)-8) >> 8 >> (8 * uint(i+7-len(b)) & 63)
}

// countDigits counts the digits at the start of a word, up to 8.
func countDigits(word uint64) int {
	return bits.TrailingZeros64(misfits(word^zeros, digitsRoom)&high) / 8 // no byte below the first misfit has carried
}

// twos is the reverse of pairs. Each number below 100 becomes two digits: the first in its own
// byte, and the second in the byte above, which must be 0. lanes is 0x0f in the bytes of the
// numbers, and 0 in all other bytes.
func twos(x, lanes uint64) uint64 {
	tens := x * 103 >> 10 & lanes // correct below 179
	return x<<8 - tens*(10<<8-1)
}

// digits is the reverse of eight.
func digits(n uint64) uint64 {
	x := n/10000 | n%10000<<32
	hundreds := x * 10486 >> 20 & 0x0000007f0000007f // correct below 10000
	return twos(hundreds|(x-100*hundreds)<<16, 0x000f000f000f000f)
}
