package iso8601

import (
	"math/bits"
	"time"

	"github.com/slipstream-go/slipstream/internal/mem"
)

const (
	hourShape   = 0x30303a3030543030 // "00T00:00"
	secondShape = 0x30303a           // ":00"
)

// longest is the length of the longest timestamp that write appends.
const longest = len("2006-01-02T15:04:05.999999999+07:00")

// Append appends t in the format of RFC 3339, with as many fractional digits as needed. It appends
// the same bytes as t.AppendFormat(dst, time.RFC3339Nano), for all years and zones. Append
// allocates only to extend dst. Like AppendFormat, it may write to dst's capacity after the result.
func Append(dst []byte, t time.Time) []byte {
	offset := 0
	if t.Location() != time.UTC {
		_, offset = t.Zone()
	}
	local := t.Unix() + int64(offset)
	if !words || local < year0 || local >= year10000 || offset <= -100*3600 || offset >= 100*3600 {
		return t.AppendFormat(dst, time.RFC3339Nano)
	}
	if cap(dst)-len(dst) < longest {
		var room [longest]byte
		return append(dst, write(room[:0], uint64(local-year0), uint64(t.Nanosecond()), offset)...)
	}
	return write(dst, uint64(local-year0), uint64(t.Nanosecond()), offset)
}

// write appends a timestamp. The argument `since` is the number of seconds since the beginning of
// the year 0. The slice b must have enough capacity for the longest timestamp.
func write(b []byte, since uint64, fraction uint64, offset int) []byte {
	n := len(b)
	days, clock := uint32(since/86400), uint32(since%86400)
	y, m, d := civil(days + era - 60) // in the numbering of civil, which begins 400 years, less January and February, earlier
	date := uint64(y/100) | uint64(y%100)<<16 | uint64(m)<<40
	mem.Store64(b, n, twos(date, 0x0f<<0|0x0f<<16|0x0f<<40)|dateShape)
	hm := uint64(d) | uint64(clock/3600)<<24 | uint64(clock/60%60)<<48
	mem.Store64(b, n+8, twos(hm, 0x0f<<0|0x0f<<24|0x0f<<48)|hourShape)
	mem.Store32(b, n+16, uint32(twos(uint64(clock%60)<<8, 0x0f<<8))|secondShape)
	n += clockEnd
	if fraction != 0 {
		n += writeFraction(b, n, fraction)
	}
	if offset == 0 {
		mem.Store8(b, n, 'Z')
		return b[:n+1]
	}
	sign, minutes := byte('+'), offset/60
	if minutes < 0 {
		sign, minutes = '-', -minutes
	}
	mem.Store8(b, n, sign)
	zone := twos(uint64(minutes/60)|uint64(minutes%60)<<24, 0x0f<<0|0x0f<<24) | zoneShape
	mem.Store32(b, n+1, uint32(zone))
	mem.Store8(b, n+5, byte(zone>>32))
	return b[:n+6]
}

// writeFraction writes a dot and nine digits to b[n:n+10]. It returns the number of these bytes
// without the trailing zeros. The argument nanoseconds must not be 0.
func writeFraction(b []byte, n int, nanoseconds uint64) int {
	mem.Store8(b, n, '.')
	x, last := digits(nanoseconds/10), nanoseconds%10
	mem.Store64(b, n+1, x|zeros)
	mem.Store8(b, n+9, byte('0'+last))
	if last != 0 {
		return 10
	}
	return 9 - bits.LeadingZeros64(x)/8
}
