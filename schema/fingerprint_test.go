package schema

import (
	"encoding/hex"
	"testing"
)

// Fingerprints never change, because users store them with messages. They are the first bytes of
// the SHA-256 of the schema's text.
func TestFingerprint(t *testing.T) {
	for text, want := range map[string][2]string{
		"{}": {"44136fa355b3678a", "44136fa355b3678a"},
		"{a str8, b u16be, skip2, c list8({x u8}), [d opt(time)]}": {"acc69aad93957cd8", "bad53e742c8ba6e5"},
	} {
		s := mustShape(text)
		got, named := s.Fingerprint(), s.NamedFingerprint()
		if hex.EncodeToString(got[:]) != want[0] || hex.EncodeToString(named[:]) != want[1] {
			t.Errorf("%s: %x %x, want %s", text, got, named, want)
		}
	}
}

// Go types and accessors do not change a fingerprint. Names only change NamedFingerprint.
func TestFingerprintOfSchema(t *testing.T) {
	type number int16
	type tagged struct {
		X number `wire:"i32"`
		Y []byte
	}
	type written struct{ A, B int32 }
	a := derive[tagged]()
	b := Struct(Get("X", I32, func(*written) int32 { return 0 }, func(*written, int32) {}), Get("Y", Blob(H16), func(*written) []byte { return nil }, func(*written, []byte) {}))
	c := Struct(F("B", func(w *written) *int32 { return &w.A }, I32), Get("Y", Blob(H16), func(*written) []byte { return nil }, func(*written, []byte) {}))
	if a.Fingerprint() != b.Fingerprint() || a.NamedFingerprint() != b.NamedFingerprint() || a.Fingerprint() != a.Shape().Fingerprint() {
		t.Errorf("%s, %s: %x %x", a, b, a.Fingerprint(), b.Fingerprint())
	}
	if a.Fingerprint() != c.Fingerprint() || a.NamedFingerprint() == c.NamedFingerprint() {
		t.Errorf("%s, %s: %x %x", a, c, a.Fingerprint(), c.Fingerprint())
	}
}
