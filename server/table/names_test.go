package table

import (
	"strings"
	"testing"
)

func FuzzDirNames(f *testing.F) {
	for _, name := range []string{"cpu", "Cpu", "con", "CON", "nul.txt", "com1", "lpt9.x", "_x", ".x", "x.", "..", "-x", "a/b", "é", "~63on", "x=1", strings.Repeat("é", 64), strings.Repeat("X", maxName)} {
		f.Add(name, strings.ToLower(name))
	}
	long := strings.Repeat("é", maxName/2-1) // dirName shortens these names; they differ only after the cut
	f.Add(long+"aa", long+"ab")
	f.Fuzz(func(t *testing.T, a, b string) {
		da, db := dirName(a), dirName(b)
		if !isText(a) || !isText(b) {
			return
		}
		if (a == b) != strings.EqualFold(da, db) {
			t.Errorf("%q is %q and %q is %q", a, da, b, db)
		}
		if len(da) > maxDirName || strings.Trim(da, "abcdefghijklmnopqrstuvwxyz0123456789_-.~") != "" || strings.ContainsAny(da[:1], "._-") ||
			strings.HasSuffix(da, ".") || isDevice(da) {
			t.Errorf("%q is %q", a, da)
		}
	})
}
