package names

import (
	"strings"
	"testing"
)

func TestNames(t *testing.T) {
	long := strings.Repeat("n", Max)
	for _, c := range []struct {
		what         string
		check        func(string) error
		valid, wrong []string
	}{
		{"database", CheckDatabase,
			[]string{"a", "Z", "9a", "a.b", "a-b", "a_b", "x.", strings.Repeat("d", MaxDatabase)},
			[]string{"", ".", "..", ".x", "-x", "_x", "a/b", "a b", "é", "a\x00", strings.Repeat("d", MaxDatabase+1)}},
		{"table", CheckTable, []string{"a", "..", "a/b", "é", "x=1", " ", long}, []string{"", "\x00", "a\nb", "\x7f", "\u0085", "\xff", "\ufffd", long + "n"}},
		{"column", CheckColumn, []string{"a", "..", "a/b", "é", "x=1", " ", long}, []string{"", "\x00", "a\nb", "\x7f", "\u0085", "\xff", "\ufffd", long + "n"}},
		{"schema", CheckSchema, []string{"a", "A9", "a-b_c", long}, []string{"", "9", "-", "_a", "a.b", "é", "a b", long + "n"}},
	} {
		for _, name := range c.valid {
			if err := c.check(name); err != nil {
				t.Errorf("%s %q: %v", c.what, name, err)
			}
		}
		for _, name := range c.wrong {
			if err := c.check(name); err == nil || strings.Contains(err.Error(), "\n") || len(err.Error()) > 400 {
				t.Errorf("%s %q: %v", c.what, name, err)
			}
		}
	}
}
