package iso8601

// The functions in this file process eight characters at a time. A word is read in little-endian
// order, so the first character is its lowest byte. The word is XORed with the shape of the text,
// such as "0000-00-". In the result, each digit is replaced by its value (0..9), and each correct
// separator by 0.
//
//	2 0 1 8 - 0 1 -       characters of a date
//	2 0 1 8 0 0 1 0       less the shape: nothing above 9, nothing but 0 for a separator
//	  20  18    1         after pairs: each number in the place of its second digit

import (
	"math/bits"

	"github.com/slipstream-go/slipstream/internal/mem"
)

// words enables the fast paths. If it is set to false, Parse and Append use only their slow paths,
// and all tests must still pass.
const words = true

const (
	high  = 0x8080808080808080 // the high bit of each byte
	zeros = 0x3030303030303030 // "00000000"

	// The shapes contain the text in reverse order: the first character is on the right.
	dateShape      = 0x2d30302d30303030 // "0000-00-", at 0
	dayShape       = 0x5430302d         // "-00T", at 7
	spacedDayShape = 0x2030302d         // "-00 "
	clockShape     = 0x30303a30303a3030 // "00:00:00", at 11
	zoneShape      = 0x30303a3030       // "00:00", at the end

	// These words are added to the text after XOR of the text with its shape. Each byte is the
	// largest number that does not set the high bit in the sum with a valid byte. This number is
	// 0x76 for a digit, and 0x7f for a separator.
	digitsRoom = 0x7676767676767676
	dateRoom   = 0x7f76767f76767676
	dayRoom    = 0x7f76767f
	clockRoom  = 0x76767f76767f7676
	zoneRoom   = 0x76767f7676

	// These words have the same purpose for the results of the function `pairs`. Hours must be
	// below 24, and minutes and seconds below 60; in a zone, hours may be up to 24, and minutes up
	// to 60. The bytes between the numbers are below 0x80.
	clockLimits = (0x80-24)<<8 | (0x80-60)<<32 | (0x80-60)<<56
	zoneLimits  = (0x80-25)<<8 | (0x80-61)<<32
)

// misfits checks x, which is a word after XOR with its shape. If x contains a byte that the shape
// does not allow, the high bit of at least one byte of the result is set. The other bits of the
// result have no meaning. A carry out of a byte of the sum does not change this, because it occurs
// only if the high bit of this byte is already set in x.
func misfits(x, room uint64) uint64 { return x | (x + room) }

// pairs multiplies each byte by ten, and adds the product to the next byte.
func pairs(x uint64) uint64 { return x * (10<<8 + 1) }

// eight returns the number whose eight digits are the bytes of x.
func eight(x uint64) uint64 {
	x = pairs(x) >> 8 & 0x00ff00ff00ff00ff
	x = x * (100<<16 + 1) >> 16 & 0x0000ffff0000ffff
	return x * (10000<<32 + 1) >> 32
}

// dateWord reads the part "2006-01-" at the start of b. The length of b must be at least 8.
func dateWord(b []byte) (century, year, month uint64, ok bool) {
	x := mem.Load64(b, 0) ^ dateShape
	ok = misfits(x, dateRoom)&high == 0
	x = pairs(x)
	return x >> 8 & 0xff, x >> 24 & 0xff, x >> 48 & 0xff, ok
}

// clockWords reads the part "-02T15:04:05" after the year and the month. The argument `dayShape`
// contains the separator that is expected in place of the T. The third byte of the result `day` is
// the day. The result `clock` is the argument for secondsOf. If the text has another form, or the
// hour, the minute or the second is out of range, the result `wrong` is not 0. The length of b must
// be at least 19.
func clockWords(b []byte, dayShape uint32) (day, clock, wrong uint64) {
	day = uint64(mem.Load32(b, 7) ^ dayShape)
	clock = mem.Load64(b, 11) ^ clockShape
	wrong = misfits(day, dayRoom) | misfits(clock, clockRoom)
	clock = pairs(clock)
	return pairs(day), clock, (wrong | (clock + clockLimits)) & high
}

// secondsOf returns the number of seconds since the beginning of the day. The argument `clock` is a
// result of clockWords.
func secondsOf(clock uint64) int64 {
	return int64(clock>>8&0xff)*3600 + int64(clock>>32&0xff)*60 + int64(clock>>56)
}

// zoneWord reads the part "07:00" at the end of b, and returns it in minutes. If the text has
// another form, or the hour or the minute is out of range, the result `wrong` is not 0. The length
// of b must be at least 8.
func zoneWord(b []byte) (minutes int, wrong uint64) {
	x := mem.Load64(b, len(b)-8)>>24 ^ zoneShape
	wrong = misfits(x, zoneRoom)
	x = pairs(x)
	return int(x>>8&0xff)*60 + int(x>>32&0xff), (wrong | (x + zoneLimits)) & high
}

// wordAt returns the 8 bytes that begin at b[i]. Bytes after the end of b are zero. The arguments
// must satisfy 7 ≤ i ≤ len(b).
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

// twos is the inverse of the function `pairs`. It replaces each number below 100 by two digits: the
// first in the byte of the number, and the second in the next higher byte, which must be 0. The
// argument `lanes` is 0x0f in the bytes that contain numbers, and 0 in all other bytes.
func twos(x, lanes uint64) uint64 {
	tens := x * 103 >> 10 & lanes // correct below 179
	return x<<8 - tens*(10<<8-1)
}

// digits is the inverse of the function `eight`.
func digits(n uint64) uint64 {
	x := n/10000 | n%10000<<32
	hundreds := x * 10486 >> 20 & 0x0000007f0000007f // correct below 10000
	return twos(hundreds|(x-100*hundreds)<<16, 0x000f000f000f000f)
}
