package config

import "testing"

func TestMode(t *testing.T) {
	for text, want := range map[string]Mode{"0600": 0o600, "640": 0o640, "0666": 0o666} {
		var m Mode
		if err := m.UnmarshalText([]byte(text)); err != nil || m != want {
			t.Errorf("%s: %o, %v", text, m, err)
		}
	}
	for _, text := range []string{"", "0400", "0700", "rw", "0800", "4600", "-1"} {
		if err := new(Mode).UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%q was accepted", text)
		}
	}
}
