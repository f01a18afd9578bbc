package iso8601

import (
	"math/rand/v2"
	"sync"
	"testing"
	"time"
)

// All goroutines get the same zone, even if they all use it for the first time at the same moment.
func TestZonesConcurrently(t *testing.T) {
	const goroutines = 8
	var start, done sync.WaitGroup
	var got [goroutines][]*time.Location
	start.Add(1)
	for g := range goroutines {
		done.Go(func() {
			start.Wait()
			for minutes := range 600 {
				b := Append(nil, time.Unix(1e9, 0).In(time.FixedZone("", -minutes*60-30*60)))
				x, err := ParseBytes(b)
				if err != nil {
					t.Errorf("%s: %v", b, err)
					return
				}
				got[g] = append(got[g], x.Location())
			}
		})
	}
	start.Done()
	done.Wait()
	for g := range got {
		for i, z := range got[g] {
			if z != got[0][i] {
				t.Fatalf("two zones %v", z)
			}
		}
	}
}

// A second call of meet returns the zone of the first call.
func TestMeetTwice(t *testing.T) {
	if first := meet(11*60 + 11); meet(11*60+11) != first {
		t.Error("two zones")
	}
}

// If package time itself caches a fixed zone, Parse uses the same zone, so that the times are equal
// by ==.
func TestZonesAreThoseOfTime(t *testing.T) {
	for _, s := range []string{"2006-01-02T15:04:05-12:00", "2006-01-02T15:04:05-01:00", "2006-01-02T15:04:05+14:00"} {
		want, err := time.Parse(time.RFC3339Nano, s)
		if got, err2 := Parse(s); got != want || err != nil || err2 != nil {
			t.Errorf("%q: %v, error %v; want %v, error %v", s, got, err2, want, err)
		}
	}
}

// After each change of the local zone, Parse agrees with package time. Some of the zones have
// summer time.
func TestLocalChanges(t *testing.T) {
	was := time.Local
	defer func() { time.Local = was }()
	r := rand.New(rand.NewPCG(1, 2))
	for range 3 {
		for _, name := range []string{"Europe/Berlin", "America/St_Johns", "UTC", "Australia/Lord_Howe", "Asia/Kolkata"} {
			l, err := time.LoadLocation(name)
			if err != nil {
				t.Skip(err)
			}
			time.Local = l
			for range 2000 {
				s := time.Unix(r.Int64N(4e9)-1e9, 0).In([]*time.Location{time.Local, time.UTC, time.FixedZone("", 3600)}[r.IntN(3)]).Format(time.RFC3339)
				got, err := Parse(s)
				want, wantErr := time.Parse(time.RFC3339Nano, s)
				if err != nil || wantErr != nil || !got.Equal(want) || got.Location().String() != want.Location().String() || got.Format(time.RFC3339) != want.Format(time.RFC3339) {
					t.Fatalf("%s in %s: %v %v, want %v %v", s, name, got, err, want, wantErr)
				}
			}
		}
	}
}
