package remotewrite

import (
	"testing"

	"github.com/slipstream-go/slipstream/internal/guard"
)

// addSeeds adds the vectors and a few generated requests to a fuzz target.
func addSeeds(f *testing.F, add func(body []byte, second bool)) {
	for _, version := range []Version{V1, V2} {
		for _, v := range vectorsOf(f, version) {
			add(v.Bytes, version == V2)
		}
	}
	for _, c := range []shape{{3, 2, false, false}, {2, 2, false, true}} {
		add(c.body1(), false)
		add(c.body2(), true)
	}
}

func versionOf(second bool) Version {
	if second {
		return V2
	}
	return V1
}

// A scan of any bytes ends, and its views lie within the body. The fast paths accept the same
// bodies as the schema.
func FuzzScan(f *testing.F) {
	addSeeds(f, func(body []byte, second bool) { f.Add(body, second) })
	f.Fuzz(func(t *testing.T, body []byte, second bool) {
		version := versionOf(second)
		body = guard.Test(t, body[:len(body):len(body)])
		var s Scanner
		s.Find("a", "service_id")
		s.Reset(body, version)
		within := func(views ...[]byte) {
			for _, v := range views {
				if !inside(body, v) {
					t.Fatalf("a view is not within the body")
				}
			}
		}
		for v := range s.Series {
			within(v.Raw())
			a := 0
			for name, value := range v.Labels {
				within(name, value)
				if string(name) == "a" {
					a++
				}
			}
			value, n := v.Found(0)
			if last, have := v.Label("a"); n != a || have != a || string(value) != string(last) {
				t.Fatalf("label a is there %d times by Found, %d by Label, %d by Labels", n, have, a)
			}
			for range v.Samples {
			}
			for e := range v.Exemplars {
				for name, value := range e.Labels {
					within(name, value)
				}
			}
			for h := range v.Histograms {
				within(h.Raw())
			}
			m := v.Metadata()
			within(m.Help, m.Unit)
		}
		err := s.Err()
		for m := range s.Metadata {
			within(m.Family, m.Help, m.Unit)
		}
		// Compare with a check that only uses the schema.
		request, symbols := request1, 0
		if second {
			request, symbols = request2, len(s.symbols)
		}
		bad := request.check(body, 0, symbols)
		if (bad == nil) != wellFormed(request, body, 0, symbols) {
			t.Fatalf("check has a short way that is wrong: %+v", bad)
		}
		if e, _ := err.(*Error); (bad == nil) != (err == nil) && (e == nil || e.Cause != ErrVersion && e.Cause != errSymbol) {
			t.Fatalf("a scan: %v, the schema: %+v", err, bad)
		} else if bad != nil && version == V1 {
			if want := bad.error().(*Error); want.Offset != e.Offset || want.Path != e.Path || want.Cause != e.Cause {
				t.Fatalf("a scan: %+v, the schema: %+v", e, want)
			}
		}
	})
}

// wellFormed is like check, without its fast paths.
func wellFormed(m *message, b []byte, i, symbols int) bool {
	refs := 0
	for i < len(b) {
		tag, at, next := readField(b, i)
		if next < 0 {
			return false
		}
		if number := tag >> 3; tag&7 == typeBytes && number < uint32(len(m)) && m[number].kind == kindMessage {
			if !wellFormed(m[number].message, b[:next], at, symbols) {
				return false
			}
		} else {
			_, _, n, f := m.field(b, i, symbols)
			if f != nil {
				return false
			}
			refs += n
		}
		i = next
	}
	return refs%2 == 0
}

// inside reports whether v is a subslice of b. An empty v is always inside.
func inside(b, v []byte) bool {
	if len(v) == 0 {
		return true
	}
	for i := range b {
		if &b[i] == &v[0] {
			return len(v) <= len(b)-i
		}
	}
	return false
}

// The parts together contain the series of the body, and each series is in its own part only.
func FuzzSplit(f *testing.F) {
	addSeeds(f, func(body []byte, second bool) {
		for i := range bys {
			f.Add(body, second, uint8(i))
		}
	})
	var p Splitter
	f.Fuzz(func(t *testing.T, body []byte, second bool, by uint8) {
		checkSplit(t, &p, guard.Test(t, body), versionOf(second), bys[int(by)%len(bys)])
	})
}
