package parco_test

import (
	"bytes"
	"errors"
	"io"
	"testing"
	"testing/iotest"
	"time"

	. "github.com/slipstream-go/slipstream/parco"
	"github.com/slipstream-go/slipstream/schema"
)

// The zero time round-trips. A time outside the range of the encoding returns ErrTime. A zone that
// a reader cannot load by its name returns ErrZone.
func TestZeroTimeAndZones(t *testing.T) {
	for name, tp := range map[string]Type[time.Time]{"utc": TimeUTC(), "zone": TimeLocation()} {
		b := compiled(t, tp, time.Time{})
		if got, err := tp.Parse(iotest.DataErrReader(iotest.OneByteReader(bytes.NewReader(b)))); err != nil || !got.IsZero() {
			t.Errorf("%s: %v %v", name, got, err)
		}
		for _, never := range []time.Time{time.Date(1600, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)} {
			var w bytes.Buffer
			if err := tp.Compile(never, &w); !isError(err, ErrOverflow, "", 0) || !errors.Is(err, schema.ErrTime) || w.Len() > 0 {
				t.Errorf("%s: %+v", name, err)
			}
		}
	}
	fixed := time.Unix(1, 2).In(time.FixedZone("X+1", 3600))
	if err := TimeLocation().Compile(fixed, io.Discard); !isError(err, schema.ErrZone, "", 0) {
		t.Errorf("%+v", err)
	}
	for _, b := range []string{"\x01\x00\x00\x00\x00\x00\x00\x00\x01\x03X+1", "\x01\x00\x00\x00\x00\x00\x00\x00\x00"} {
		if got, err := TimeLocation().Parse(reader([]byte(b))); err == nil {
			t.Errorf("%q is %v", b, got)
		}
	}
}
