package json

// A time.Duration is encoded as a number of nanoseconds, as in encoding/json, or as text if a flag
// is set.

import (
	"reflect"
	"time"

	"github.com/slipstream-go/slipstream/internal/mem"
)

const (
	// DurationText writes a time.Duration as a string such as "1.5s", as segmentio/encoding/json
	// does.
	DurationText AppendFlags = 1 << 4

	// UseDurationText decodes a string such as "1.5s" into a time.Duration, with
	// time.ParseDuration. Numbers are still decoded as nanoseconds.
	UseDurationText ParseFlags = 1 << 10
)

// SetDurationText sets whether a time.Duration is written as a string instead of a number of
// nanoseconds. The default is false.
func (enc *Encoder) SetDurationText(on bool) { enc.set(DurationText, on) }

// UseDurationText makes d decode strings into a time.Duration, like the flag UseDurationText.
func (d *Decoder) UseDurationText() { d.flags |= UseDurationText }

var durationType = reflect.TypeFor[time.Duration]()

func encodeDuration(e *encoder, o *encodeOp, p mem.Pointer, n int) int {
	if e.flags&DurationText == 0 {
		return encodeInt64(e, o, p, n)
	}
	return e.putString(n, mem.At[time.Duration](p, 0).String())
}

func decodeDuration(d *decoder, i int, p mem.Pointer, o *decodeOp) int {
	if d.flags&UseDurationText == 0 || mem.Load8(d.b, i) != '"' {
		return decodeInt(d, i, p, o)
	}
	text, end := d.key(i + 1)
	if end < 0 {
		return failed
	}
	v, err := time.ParseDuration(string(text))
	if err != nil {
		return d.mismatch(i, p, o)
	}
	*mem.At[time.Duration](p, 0) = v
	return d.guard(end)
}
