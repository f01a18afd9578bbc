package iso8601

// Eight characters at a time. A word is read little-endian: the first character is its lowest byte.
// XOR with the shape of the text, such as "0000-00-", leaves the value of each digit, 0..9, and 0
// where a separator is as it should be.
//
//	2 0 1 8 - 0 1 -       characters of a date
//	2 0 1 8 0 0 1 0       less the shape: nothing above 9, nothing but 0 for a separator
//	  20  18    1         after pairs: each number in the place of its second digit

import (
	"math/bits"

	"github.com/slipstream-go/slipstream/internal/mem"
)

// words can be switched off: Parse and Append then take the careful road, and all tests must pass
// as well.
const words = true

const (
	high  = 0x8080808080808080 // the high bit of each byte
	zeros = 0x3030303030303030 // "00000000"

	// Shapes. In numbers the text stands reversed: the first character is on the right.
	dateShape      = 0x2d30302d30303030 // "0000-00-", at 0
	dayShape       = 0x5430302d         // "-00T", at 7
	spacedDayShape = 0x2030302d         // "-00 "
	clockShape     = 0x30303a30303a3030 // "00:00:00", at 11
	zoneShape      = 0x30303a3030       // "00:00", at the end

	// What may be added to a word less its shape before a byte gets its high bit: 0x76 to a digit,
	// 0x7f to a separator.
	digitsRoom = 0x7676767676767676
	dateRoom   = 0x7f76767f76767676
	dayRoom    = 0x7f76767f
	clockRoom  = 0x76767f76767f7676
	zoneRoom   = 0x76767f7676

	// The same for numbers after pairs: hours below 24, minutes and seconds below 60; in a zone, to
	// 24 and 60. What lies between the numbers is below 0x80.
	clockLimits = (0x80-24)<<8 | (0x80-60)<<32 | (0x80-60)<<56
	zoneLimits  = (0x80-25)<<8 | (0x80-61)<<32
)

// misfits has a high bit set if x, a word less its shape, has something that the shape does not
// allow. The other bits mean nothing. Where a sum carries into the next byte, x itself has the high
// bit.
func misfits(x, room uint64) uint64 { return x | (x + room) }

// pairs adds ten times each byte to the next one.
func pairs(x uint64) uint64 { return x * (10<<8 + 1) }

// eight is the number of eight digits.
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

// clockWords reads the "-02T15:04:05" that follows; dayShape has what stands where the T does. The
// day is in the third byte, the clock is for secondsOf. wrong is not 0 if something else is there,
// or if the hour, the minute or the second is out of range. The caller has checked len(b) ≥ 19.
func clockWords(b []byte, dayShape uint32) (day, clock, wrong uint64) {
	day = uint64(mem.Load32(b, 7) ^ dayShape)
	clock = mem.Load64(b, 11) ^ clockShape
	wrong = misfits(day, dayRoom) | misfits(clock, clockRoom)
	clock = pairs(clock)
	return pairs(day), clock, (wrong | (clock + clockLimits)) & high
}

// secondsOf is the seconds of the day that have passed at a time that clockWords has read.
func secondsOf(clock uint64) int64 {
	return int64(clock>>8&0xff)*3600 + int64(clock>>32&0xff)*60 + int64(clock>>56)
}

// zoneWord reads the "07:00" at the end of b, in minutes. wrong is not 0 if something else is
// there, or if the hour or the minute is out of range. The caller has checked len(b) ≥ 8.
func zoneWord(b []byte) (minutes int, wrong uint64) {
	x := mem.Load64(b, len(b)-8)>>24 ^ zoneShape
	wrong = misfits(x, zoneRoom)
	x = pairs(x)
	return int(x>>8&0xff)*60 + int(x>>32&0xff), (wrong | (x + zoneLimits)) & high
}

// wordAt is the 8 bytes from b[i] on, or as many as there are and then zeros. The caller has
// checked 7 ≤ i ≤ len(b).
func wordAt(b []byte, i int) uint64 {
	if i+8 <= len(b) {
		return mem.Load64(b, i)
	}
	return mem.Load64(b, len(b)-8) >> 8 >> (8 * uint(i+7-len(b)) & 63)
}

// countDigits counts the digits at the start of a word, up to 8.
func countDigits(word uint64) int {
	return bits.TrailingZeros64(misfits(word^zeros, digitsRoom)&high) / 8 // below the first misfit nothing has carried
}

// twos is the reverse of pairs: each number below 100 becomes two digits, the first in its own byte
// and the second in the byte above, which is 0. The lanes are 0x0f where the numbers are, and 0
// elsewhere.
func twos(x, lanes uint64) uint64 {
	tens := x * 103 >> 10 & lanes // right below 179
	return x<<8 - tens*(10<<8-1)
}

// digits is the reverse of eight.
func digits(n uint64) uint64 {
	x := n/10000 | n%10000<<32
	hundreds := x * 10486 >> 20 & 0x0000007f0000007f // right below 10000
	return twos(hundreds|(x-100*hundreds)<<16, 0x000f000f000f000f)
}
