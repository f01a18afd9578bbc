package schema

import (
	"bytes"
	"encoding/binary"
	"math"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/slipstream-go/slipstream/internal/mem"
)

// Only one of the paths to a zone's file is accepted as its name. Otherwise, each path could load
// its own copy of the zone, 6 KB from the disk, for some twenty bytes of a message.
func TestZoneHasOneName(t *testing.T) {
	type times struct{ All []time.Time }
	s := Struct(F("all", func(v *times) *[]time.Time { return &v.All }, List(H32, TimeZone)))
	message := func(names ...string) []byte {
		b := binary.LittleEndian.AppendUint32(nil, uint32(len(names)))
		for _, name := range names {
			b = append(b, "\x01\x00\x00\x00\x00\x00\x00\x00\x01"...)
			b = append(append(b, byte(len(name))), name...)
		}
		return b
	}
	for _, name := range []string{"Europe//Berlin", "./Europe/Berlin", "Europe/./Berlin", "Europe/Berlin/", "Europe/../Europe/Berlin", "/Europe/Berlin"} {
		err := s.Unmarshal(message("Europe/Berlin", name), new(times))
		if !isError(err, ErrZone, "all[1]", 4+23+10) {
			t.Errorf("%s: %v", name, err)
		}
		if zone, err := time.LoadLocation(name); err == nil {
			if _, err := s.Marshal(&times{[]time.Time{time.Unix(1, 0).In(zone)}}); !isError(err, ErrZone, "all[0]", 4) {
				t.Errorf("%s is written: %v", name, err)
			}
		}
	}
	var target times
	if err := s.Unmarshal(message("Europe/Berlin", "UTC", "Local", "", "Europe/Berlin"), &target); err != nil {
		t.Fatal(err)
	}
	if all := target.All; all[0].Location() != all[4].Location() || all[1].Location() != time.UTC || all[2].Location() != time.Local || all[3].Location() != time.UTC {
		t.Error(all)
	}
}

// If the layout of time.Time differs from the layout that mem.SetUTC expects, the same times are
// read, wherever they occur.
func TestTimeWithoutSetUTC(t *testing.T) {
	type times struct {
		Before uint8
		One    time.Time
		Two    [2]time.Time
		Many   []time.Time
		Maybe  *time.Time
		By     map[uint8]time.Time
	}
	build := func(works bool) *Schema[times] {
		defer func(was bool) { mem.UTCWorks = was }(mem.UTCWorks)
		mem.UTCWorks = works
		s, err := Derive[times]()
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	fast, slow := build(mem.UTCWorks), build(false)
	for _, n := range []int64{0, 1, -1, 999_999_999, 1_000_000_000, -999_999_999, -1_000_000_000, -1_000_000_001, 1_700_000_000_123_456_789, zeroNanos, zeroNanos + 1,
		math.MinInt64, math.MinInt64 + 1, math.MaxInt64} {
		want := time.Unix(0, n).UTC()
		if n == zeroNanos {
			want = time.Time{}
		}
		v := times{7, want, [2]time.Time{want, want}, []time.Time{want, want, want}, &want, map[uint8]time.Time{1: want}}
		b, err := slow.Append(nil, &v)
		if err != nil {
			t.Fatal(err)
		}
		for name, s := range map[string]*Schema[times]{"fast": fast, "slow": slow} {
			var parsed, read times
			if rest, err := s.Parse(b, &parsed); err != nil || len(rest) > 0 || !reflect.DeepEqual(parsed, v) {
				t.Errorf("%s: %d is parsed as %v, %v", name, n, parsed, err)
			}
			if err := s.Read(bytes.NewReader(b), &read); err != nil || !reflect.DeepEqual(read, v) {
				t.Errorf("%s: %d is read as %v, %v", name, n, read, err)
			}
		}
		for end := range b {
			_, want := fast.Parse(b[:end], new(times))
			if _, err := slow.Parse(b[:end], new(times)); !reflect.DeepEqual(err, want) {
				t.Errorf("cut at %d: %+v, want %+v", end, err, want)
			}
		}
	}
}

// The zero time round-trips. A time outside the range of the encoding returns ErrTime. A zone that
// a reader cannot load by its name returns ErrZone.
func TestZeroTimeAndZones(t *testing.T) {
	type times struct{ T time.Time }
	at := func(t *times) *time.Time { return &t.T }
	plain, zoned := Struct(F("t", at, Time)), Struct(F("t", at, TimeZone))
	newYork, err := time.LoadLocation("America/New_York")
	if err != nil {
		t.Fatal(err)
	}
	first, last := time.Unix(-9223372037, 145224192), time.Unix(9223372036, 854775807)
	for _, c := range []struct {
		s      *Schema[times]
		t      time.Time
		cause  error
		suffix string
	}{
		{plain, time.Time{}, nil, "\x00\x00\x1a\x3d\xeb\x03\xb2\xa1"},
		{zoned, time.Time{}, nil, "\x01\x03UTC"},
		{plain, first, nil, ""},
		{plain, last, nil, ""},
		{plain, first.Add(-1), ErrTime, ""},
		{plain, last.Add(1), ErrTime, ""},
		{zoned, last.Add(1), ErrTime, ""},
		{plain, time.Unix(0, zeroNanos), ErrTime, ""},
		{plain, time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC), ErrTime, ""},
		{plain, time.Now(), nil, ""},
		{plain, time.Unix(-1, 5), nil, ""},
		{plain, time.Unix(1, 2).In(newYork), nil, ""},
		{zoned, time.Unix(1, 2).In(newYork), nil, "\x01\x10America/New_York"},
		{zoned, time.Unix(1, 2).UTC(), nil, "\x01\x03UTC"},
		{zoned, time.Unix(1, 2), nil, "\x01\x05Local"},
		{zoned, time.Unix(1, 2).In(time.FixedZone("X+1", 3600)), ErrZone, ""},
		{zoned, time.Unix(1, 2).In(time.FixedZone("UTC", 3600)), ErrZone, ""},
		{zoned, time.Unix(1, 2).In(time.FixedZone(strings.Repeat("x", 300), 0)), ErrZone, ""},
	} {
		b, err := c.s.Append(nil, &times{c.t})
		if c.cause != nil {
			if !isError(err, c.cause, "t", 0) {
				t.Errorf("%v: %+v", c.t, err)
			}
			continue
		}
		if err != nil || !strings.HasSuffix(string(b), c.suffix) {
			t.Errorf("%v: %q %v", c.t, b, err)
			continue
		}
		var got times
		r := c.s.Reader(iotest.OneByteReader(iotest.DataErrReader(bytes.NewReader(b))))
		if err := r.Next(&got); err != nil || !got.T.Equal(c.t) || got.T.IsZero() != c.t.IsZero() {
			t.Errorf("%v came back as %v, %v", c.t, got.T, err)
		}
		zone := time.UTC
		if c.s == zoned {
			zone = c.t.Location()
		}
		if got.T.Location().String() != zone.String() {
			t.Errorf("%v came back in %v", c.t, got.T.Location())
		}
	}
	var got times
	if _, err := zoned.Parse([]byte("\x00\x00\x00\x00\x00\x00\x00\x00\x01\x03X+1"), &got); !isError(err, ErrZone, "t", 10) {
		t.Errorf("%+v", err)
	}
}
