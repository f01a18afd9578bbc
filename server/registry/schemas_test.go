package registry

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/slipstream-go/slipstream/schema"
	"github.com/slipstream-go/slipstream/server/disk"
	"github.com/slipstream-go/slipstream/server/refusal"
)

func versionOf(t *testing.T, notation string) *Version {
	t.Helper()
	shape, err := schema.ParseShape(notation)
	if err != nil {
		t.Fatal(err)
	}
	v, err := NewVersion(shape)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// A registry that is opened again has the same versions, in the same order.
func TestReopen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "schemas.json")
	s := New(disk.OS, path)
	for _, c := range []struct {
		name, notation string
		created        bool
	}{
		{"y", "{a u8}", true}, {"y", "{a u8, [b u8]}", true}, {"y", "{a u8}", false}, {"x", "{b u8}", true}, {"z", "{c u8}", true},
	} {
		if _, created, err := s.Put(c.name, versionOf(t, c.notation)); err != nil || created != c.created {
			t.Fatalf("%s %s: created %t, %v", c.name, c.notation, created, err)
		}
	}
	if err := s.Remove("z"); err != nil {
		t.Fatal(err)
	}
	if err := s.Remove("z"); refusal.Of(err).Outcome != refusal.NoSchema {
		t.Errorf("removing a schema twice: %v", err)
	}
	again, err := Open(disk.OS, path)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for name, versions := range again.All() {
		for _, v := range versions {
			if v.Fingerprint != Hex(v.Shape.NamedFingerprint()) {
				t.Errorf("%s %s has the fingerprint %s", name, v.Notation, v.Fingerprint)
			}
			got = append(got, name+" "+v.Notation)
		}
	}
	if want := []string{"x {b u8}", "y {a u8}", "y {a u8, [b u8]}"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestFind(t *testing.T) {
	s := New(disk.OS, filepath.Join(t.TempDir(), "schemas.json"))
	v := versionOf(t, "{a u8}")
	if _, _, err := s.Put("x", v); err != nil {
		t.Fatal(err)
	}
	if got, err := s.Find("x", v.Fingerprint, ""); got != v || err != nil {
		t.Errorf("%v, %v", got, err)
	}
	other := versionOf(t, "{a u16}")
	for _, c := range []struct {
		name, told string
		outcome    refusal.Outcome
		field      string
	}{
		{"none", "", refusal.NoSchema, "schema"}, {"x", "", refusal.Mismatch, "fingerprint"}, {"x", other.Notation, refusal.Mismatch, "a"},
		{"x", "{a", refusal.Mismatch, "Slipstream-Schema"}, {"x", "{b u16}", refusal.Mismatch, "fingerprint"},
	} {
		_, err := s.Find(c.name, other.Fingerprint, c.told)
		if r := refusal.Of(err); r.Outcome != c.outcome || r.Field != c.field {
			t.Errorf("%s %q: %v of field %q: %v", c.name, c.told, r.Outcome, r.Field, err)
		}
	}
}

// A file that cannot be read gives an error that says what to do.
func TestDamagedFile(t *testing.T) {
	const hint = "repair the file, or move it away and register the schemas again"
	for text, want := range map[string]string{
		`{`:              "unexpected end of JSON input: " + hint,
		`{"version": 2}`: "format version 2 is not supported (this program reads 1); use the program version that wrote the file",
		`{"version": 1, "schemas": [{"name": "x", "versions": ["{a u9}"]}]}`:    `schema "x": schema: message.a: there is no number u9: ` + hint,
		`{"version": 1, "schemas": [{"name": "x", "versions": ["{a blob8}"]}]}`: `schema "x": schema: a: a blob cannot be stored in a column: columns store numbers, bools, times and strings, and options of these: ` + hint,
	} {
		path := filepath.Join(t.TempDir(), "schemas.json")
		if err := disk.WriteFile(disk.OS, path, []byte(text)); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(disk.OS, path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
	if _, err := Open(disk.OS, t.TempDir()); err == nil {
		t.Error("a directory was read")
	}
}
