package schema

import (
	"bytes"
	"encoding/binary"
	"math"
	"reflect"
	"testing"
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
