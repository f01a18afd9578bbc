package msgpack

import (
	"math"
	"testing"
	"time"
)

// Times near the limits of the three forms are encoded and decoded, in every position.
func TestTimes(t *testing.T) {
	for _, c := range []struct {
		secs, ns int64
		want     string
	}{
		{0, 0, "d6ff00000000"}, {1<<32 - 1, 0, "d6ffffffffff"}, {1 << 32, 0, "d7ff0000000100000000"}, {0, 1, "d7ff0000000400000000"},
		{1<<34 - 1, 999999999, "d7ffee6b27ffffffffff"}, {1 << 34, 0, "c70cff000000000000000400000000"}, {-1, 0, "c70cff00000000ffffffffffffffff"},
		{-1, 999999999, "c70cff3b9ac9ffffffffffffffffff"}, {-62135596800, 0, "c70cff00000000fffffff1886e0900"}, {253402300799, 1, "c70cff000000010000003afff4417f"},
	} {
		at := time.Unix(c.secs, c.ns)
		wantHex(t, at, c.want)
		wantHex(t, []any{at, &at, struct{ T time.Time }{at}}, "93"+c.want+c.want+"81a154"+c.want)
		var back time.Time
		var x any
		var list [3]time.Time
		if err := into(t, c.want, &back); err != nil || !back.Equal(at) {
			t.Errorf("%v became %v, %v", at, back, err)
		}
		if err := into(t, c.want, &x); err != nil || !x.(time.Time).Equal(at) {
			t.Errorf("%v became %v, %v", at, x, err)
		}
		if err := into(t, "93"+c.want+c.want+c.want, &list); err != nil || !list[2].Equal(at) {
			t.Errorf("%v became %v, %v", at, list, err)
		}
	}
	for _, v := range []any{time.Time{}, struct{ time.Time }{}.Time} {
		wantHex(t, v, "c70cff00000000fffffff1886e0900")
	}
	var zero, local time.Time
	if err := Unmarshal(marshal(t, zero), &zero); err != nil || zero != (time.Time{}) {
		t.Errorf("the zero time became %#v, %v", zero, err)
	}
	if err := Unmarshal(unhex(t, "d6ff00000001"), &local); err != nil || local.Location() != time.Local {
		t.Errorf("a time is in %v", local.Location())
	}
}

// The other forms of a time are decoded too.
func TestTimesRead(t *testing.T) {
	for digits, want := range map[string]time.Time{
		"d60d00000001": time.Unix(1, 0),
		"9201cd01f4":   time.Unix(1, 500),
		"9201cd03e8":   time.Unix(1, 1000),
		"dc00020102":   time.Unix(1, 2),
		"b4 323032362d31312d32315432313a30303a30305a":    time.Date(2026, 11, 21, 21, 0, 0, 0, time.UTC),
		"d9 14 323032362d31312d32315432313a30303a30305a": time.Date(2026, 11, 21, 21, 0, 0, 0, time.UTC),
		"c70cff 3b9aca00 0000000000000001":               time.Unix(2, 0),
		"d7ff ffffffff ffffffff":                         time.Unix(1<<34-1, 1<<30-1),
		"c8 0004 ff 00000001":                            time.Unix(1, 0),
		"c0":                                             {},
	} {
		type holder struct{ T time.Time }
		var at time.Time
		var h holder
		if err := into(t, digits, &at); err != nil || !at.Equal(want) {
			t.Errorf("%s: %v, %v; want %v", digits, at, err, want)
		}
		if err := into(t, "81 a154"+digits, &h); err != nil || !h.T.Equal(want) {
			t.Errorf("%s in a field: %v, %v; want %v", digits, h.T, err, want)
		}
	}
	for _, secs := range []string{"7fffffffffffffff", "8000000000000000"} {
		for _, ns := range []string{"00000000", "ffffffff"} {
			var at time.Time
			if err := into(t, "c70cff"+ns+secs, &at); err != nil {
				t.Error(err)
			}
		}
	}
	for digits, want := range map[string]string{
		"93010203": "msgpack: a time must be an array of 2 elements, not 3", "9201": "EOF", "d6050000 0000": "msgpack: invalid time ext id=5",
		"c703ff000000": "msgpack: invalid ext len=3 decoding time", "d6ff": "EOF", "d6ff00": "unexpected EOF", "01": "msgpack: invalid code=1 decoding ext len",
	} {
		var at time.Time
		if err := into(t, digits, &at); text(err) != want {
			t.Errorf("%s: %v; want %s", digits, err, want)
		}
	}
	var d time.Duration
	if err := into(t, "d37fffffffffffffff", &d); err != nil || d != math.MaxInt64 {
		t.Error(d, err)
	}
}

type hasTime struct {
	T time.Time
	N int
}

// A time field is decoded from each form of a time.
func TestTimeFields(t *testing.T) {
	for _, c := range []decodeCase{
		{name: "rfc3339_into_time_field", digits: "81a154b4323032362d31312d32315432313a30303a30305a", to: new(hasTime),
			want: &hasTime{T: time.Date(2026, 11, 21, 21, 0, 0, 0, time.UTC)}},
		{name: "array_into_time_field", digits: "81a154920102", to: new(hasTime), want: &hasTime{T: time.Unix(1, 2)}},
		{name: "ext_13_into_time_field", digits: "81a154d60d00000001", to: new(hasTime), want: &hasTime{T: time.Unix(1, 0)}},
		{name: "text_that_is_no_time_is_rejected", digits: "81a154a178", to: new(hasTime), err: `parsing time "x" as "2006-01-02T15:04:05.999999999Z07:00": cannot parse "x" as "2006"`},
	} {
		c.run(t)
	}
}

// nil is decoded into the zero time. For these inputs, v5 panics.
func TestNilIntoTimes(t *testing.T) {
	for _, c := range []decodeCase{
		{name: "nil_clears_time_field", digits: "82a154c0a14e05", to: &hasTime{T: time.Unix(1, 0)}, want: &hasTime{N: 5}},
		{name: "nil_clears_time", digits: "c0", to: pointerTo(time.Unix(1, 0)), want: new(time.Time)},
		{name: "nil_element_is_the_zero_time", digits: "92c0d6ff00000001", to: new([]time.Time), want: &[]time.Time{{}, time.Unix(1, 0)}},
		{name: "nil_map_value_is_the_zero_time", digits: "81a161c0", to: new(map[string]time.Time), want: &map[string]time.Time{"a": {}}},
		{name: "nil_clears_pointer_to_time", digits: "c0", to: pointerTo(&time.Time{}), want: new(*time.Time)},
	} {
		c.run(t)
	}
}
