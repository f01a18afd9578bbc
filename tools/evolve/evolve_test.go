package evolve

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"github.com/slipstream-go/slipstream/schema"
)

// files writes one JSON file for each name and shape to a new directory, and changes to that
// directory.
func files(t *testing.T, shapes map[string]string) {
	t.Helper()
	t.Chdir(t.TempDir())
	for name, text := range shapes {
		s, err := schema.ParseShape(text)
		if err != nil {
			t.Fatal(err)
		}
		b, err := json.MarshalIndent(s, "", "\t")
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name+".json", b, 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// run returns the output of a command line, and its error.
func run(t *testing.T, args ...string) (string, error) {
	t.Helper()
	var c struct {
		Check Check `cmd:""`
		Show  Show  `cmd:""`
	}
	k, err := kong.New(&c, kong.Name("schema"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := k.Parse(args); err != nil {
		return "", err
	}
	var out strings.Builder
	if args[0] == "check" {
		err = c.Check.Run(&out)
	} else {
		err = c.Show.Run(&out)
	}
	return out.String(), err
}

func TestCheck(t *testing.T) {
	files(t, map[string]string{"v1": "{name str8, old bool}", "v2": "{name str8, old bool, [email str8]}", "v3": "{name str8, age u8, [email str8]}", "v4": "{name str16, age u8}",
		"renamed": "{n str8, o bool}"})
	for _, c := range []struct {
		args, out, err string
	}{
		{"v1 v1", "v1.json → v1.json: equal\n", ""},
		{"v1 renamed", "v1.json → renamed.json: equal\n", ""},
		{"v1 v2", "v1.json → v2.json: both read each other\n", ""},
		{"v1 v2 --require=backward", "v1.json → v2.json: both read each other\n", ""},
		{"v1 v3", "", "v1.json → v3.json: schema: old does not read new: old has old (bool), new has age (u8)"},
		{"v1 v3 --require=both", "", "v1.json → v3.json: schema: old does not read new: old has old (bool), new has age (u8)"},
		{"v1 v3 --require=forward", "", "v1.json → v3.json: schema: old does not read new: old has old (bool), new has age (u8)"},
		{"v1 v3 --require=backward", "v1.json → v3.json: new reads old\n", ""},
		{"v3 v1 --require=forward", "v3.json → v1.json: old reads new\n", ""},
		{"v3 v1 --require=backward", "", "v3.json → v1.json: schema: new does not read old: old has age (u8), new has old (bool)"},
		{"v1 v4 --require=forward", "", "v1.json → v4.json: schema: new does not read old: old has name (str8), new has name (str16)\n" +
			"schema: old does not read new: old has name (str8), new has name (str16)"},
	} {
		args := strings.Fields("check " + c.args)
		args[1] += ".json"
		args[2] += ".json"
		out, err := run(t, args...)
		text := ""
		if err != nil {
			text = err.Error()
		}
		var coder kong.ExitCoder
		if out != c.out || text != c.err || errors.As(err, &coder) {
			t.Errorf("%s: %q, %q, want %q, %q; another exit code than 1: %v", c.args, out, text, c.out, c.err, coder)
		}
	}
}

func TestShow(t *testing.T) {
	files(t, map[string]string{"a": "{a str8, b u16be, skip2, c list8({x u8}), [d opt(time)]}"})
	const want = "{a str8, b u16be, skip2, c list8({x u8}), [d opt(time)]}\nfingerprint  acc69aad93957cd8\nwith names   bad53e742c8ba6e5\n"
	if out, err := run(t, "show", "a.json"); err != nil || out != want {
		t.Errorf("%s %v", out, err)
	}
}

// If the schemas are too large to be compared, there is no verdict. But if a difference is found in
// the other direction, and that direction is required too, the check fails.
func TestTooLarge(t *testing.T) {
	var fields []string
	for k := range 1100 {
		fields = append(fields, fmt.Sprintf("f%d u8", k))
	}
	large := "{flag bool, a list8(array250({" + strings.Join(fields, ", ") + "}))}"
	files(t, map[string]string{"v1": large, "v2": strings.Replace(large, "f0 u8", "f0 i8", 1), "v3": strings.Replace(large, "flag bool", "flag u8", 1)})
	const text = "schema: the schemas are too large to be compared"
	const differs = "schema: old does not read new: old has flag (bool), new has flag (u8)"
	for args, want := range map[string]struct {
		text string
		code int
	}{
		"v1.json v2.json --require=backward": {"v1.json → v2.json: " + text + "\n" + text, 2},
		"v1.json v2.json":                    {"v1.json → v2.json: " + text + "\n" + text, 2},
		"v1.json v3.json --require=backward": {"v1.json → v3.json: " + text + "\n" + differs, 2},
		"v1.json v3.json --require=forward":  {"v1.json → v3.json: " + text + "\n" + differs, 1},
		"v1.json v3.json":                    {"v1.json → v3.json: " + text + "\n" + differs, 1},
		"v1.json v1.json":                    {"", 0},
	} {
		_, err := run(t, append([]string{"check"}, strings.Fields(args)...)...)
		got, code := "", 0
		if err != nil {
			got, code = err.Error(), 1
		}
		if coder := kong.ExitCoder(nil); errors.As(err, &coder) {
			code = coder.ExitCode()
		}
		if got != want.text || code != want.code {
			t.Errorf("%s: %q, exit code %d, want %q, %d", args, got, code, want.text, want.code)
		}
	}
}

// A file that is not a schema gives no verdict.
func TestUnreadable(t *testing.T) {
	files(t, map[string]string{"a": "{a u8}"})
	for name, text := range map[string]string{"cut": `{"fields":`, "wrong": `{"fields":[{"name":"a","type":"u9"}]}`, "none": ""} {
		if text != "" {
			if err := os.WriteFile(name+".json", []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		for _, args := range []string{"check a.json X", "check X a.json", "show X"} {
			out, err := run(t, strings.Fields(strings.ReplaceAll(args, "X", name+".json"))...)
			var coder kong.ExitCoder
			if out != "" || !errors.As(err, &coder) || coder.ExitCode() != 2 || !strings.Contains(err.Error(), name+".json") {
				t.Errorf("%s of %s: %q, %v", args, name, out, err)
			}
		}
	}
	for _, args := range []string{"check a.json", "check", "check a.json a.json --require=all", "show"} {
		if out, err := run(t, strings.Fields(args)...); err == nil || out != "" {
			t.Errorf("%s: %q", args, out)
		}
	}
}
