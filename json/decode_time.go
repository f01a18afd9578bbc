package json

import (
	"math/bits"
	"time"

	"github.com/slipstream-go/slipstream/internal/mem"
	"github.com/slipstream-go/slipstream/iso8601"
)

// decodeTime decodes a time.Time like the UnmarshalJSON method of time.Time. If the value does not
// have the usual form of RFC 3339, decodeTime calls that method, which also creates errors.
func decodeTime(d *decoder, i int, p mem.Pointer, o *decodeOp) int {
	t := mem.At[time.Time](p, 0)
	if text, after := d.shortText(i); after > 0 && strictRFC3339(text) {
		if v, err := iso8601.ParseBytes(text); err == nil {
			*t = v
			return after
		}
	}
	start := d.off + i
	if i = d.skip(i); i < 0 {
		return failed
	}
	if err := t.UnmarshalJSON(d.src[start : d.off+i : d.off+i]); err != nil {
		return d.abort(err)
	}
	return i
}

// shortText returns the text of the string at i, and the position after the string. If the string
// is long or contains escapes, the position is failed.
func (d *decoder) shortText(i int) ([]byte, int) {
	b := d.b
	if mem.Load8(b, i) != '"' {
		return nil, failed
	}
	i++
	for k := 0; k < 40; k += 8 {
		if m := stops(mem.Load64(b, i+k)); m != 0 {
			k += bits.TrailingZeros64(m) >> 3
			if mem.Load8(b, i+k) != '"' {
				break
			}
			return b[i : i+k : i+k], i + k + 1
		}
	}
	return nil, failed
}

// strictRFC3339 reports whether text conforms to RFC 3339. The result is correct only for text that
// package iso8601 accepts. That package also accepts one-digit hours, a comma before the fraction,
// and offsets above 23:59.
func strictRFC3339(text []byte) bool {
	n := len(text)
	if n < len("2006-01-02T15:04:05Z") || text[13] != ':' || text[19] == ',' {
		return false
	}
	if text[n-1] == 'Z' {
		return true
	}
	hours, minutes := text[n-5:n-3], text[n-2]
	return (hours[0] < '2' || hours[0] == '2' && hours[1] < '4') && minutes < '6'
}
