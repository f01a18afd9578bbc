package relay

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
)

// filesOf returns a function that reads files from a map.
func filesOf(files map[string]string) func(string) ([]byte, error) {
	return func(name string) ([]byte, error) {
		text, ok := files[name]
		if !ok {
			return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
		}
		return []byte(text), nil
	}
}

func rulesOf(t *testing.T, text string) *Rules {
	t.Helper()
	r, err := parseRules([]byte(text), filesOf(nil))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestTenantRules(t *testing.T) {
	r := rulesOf(t, `{"tenants": {
		"a": {"as": "A", "samples_per_second": 2000.5, "active_series": 0, "timeout": "3s"},
		"*": {"samples_per_second": 10, "burst": 77, "active_series": 5, "concurrency": 1, "labels_per_series": 2, "label_name_bytes": 3, "label_value_bytes": 4, "series_per_request": 6, "timeout": "1m"},
		"old / name": {"as": "new"},
		"nothing |": {"drop": true, "burst": 0}}}`)
	all := Limits{SamplesPerSecond: 10, Burst: 77, Concurrency: 1, ActiveSeries: 5, LabelsPerSeries: 2, LabelNameBytes: 3, LabelValueBytes: 4, SeriesPerRequest: 6, Timeout: time.Minute}
	ofA, dropped := all, all
	ofA.SamplesPerSecond, ofA.ActiveSeries, ofA.Timeout = 2000.5, 0, 3*time.Second
	dropped.Burst = 100
	for id, want := range map[string]TenantRule{
		"a": {As: "A", Limits: ofA, id: "a"}, "old / name": {As: "new", Limits: all, id: "old / name"},
		"nothing |": {Drop: true, Limits: dropped, id: "nothing |"}, "other": {Limits: all},
	} {
		name, rule, err := r.tenant([]byte(id))
		if err != nil || name != id || !reflect.DeepEqual(*rule, want) {
			t.Errorf("%s: %s %+v, %v", id, name, rule, err)
		}
	}
	if _, _, err := r.tenant([]byte("a|b")); err == nil {
		t.Error("an ID that is not valid is taken")
	}
	known, n := []byte("a"), 0
	if allocs := testing.AllocsPerRun(100, func() {
		name, _, _ := r.tenant(known)
		n += len(name)
	}); allocs != 0 {
		t.Errorf("%v allocations", allocs)
	}
	r = rulesOf(t, `{"only_listed": true, "tenants": {"a": {"samples_per_second": 0.01}, "b": {"samples_per_second": 1e300}}}`)
	if _, _, err := r.tenant([]byte("c")); err != errUnlisted {
		t.Error(err)
	}
	for id, burst := range map[string]int{"a": 1, "b": 1 << 30} {
		if _, rule, err := r.tenant([]byte(id)); err != nil || rule.Burst != burst {
			t.Errorf("%s: %+v, %v", id, rule, err)
		}
	}
}

func TestNoRules(t *testing.T) {
	r := new(Rules)
	name, rule, err := r.tenant([]byte("a"))
	if err != nil || name != "a" || *rule != (TenantRule{}) {
		t.Errorf("%s %+v, %v", name, rule, err)
	}
	if c, ok := r.authenticate(authorized("Bearer whatever")); !ok || !c.allows([]byte("a")) || !c.allows(nil) {
		t.Error("not anybody may write")
	}
}

func TestRulesErrors(t *testing.T) {
	files := filesOf(map[string]string{"empty": "\n", "none": "# t\n\n", "t": "s3cret\n"})
	for _, c := range []struct{ text, want string }{
		{``, "line 1: unexpected end of JSON input"},
		{"{\n\n\"tenants\" {}}", "line 3: invalid character '{' after object key"},
		{`{} x`, "invalid character 'x' after top-level value"},
		{`[]`, "the rules: must be an object"},
		{`null`, "the rules: must be an object"},
		{`{"tenant": {}}`, `the rules: unknown key "tenant": use credentials, only_listed, tenants`},
		{`{"Tenants": {}}`, `the rules: unknown key "Tenants"`},
		{`{"tenants": {}, "tenants": {}}`, `the rules: key "tenants" is repeated`},
		{`{"only_listed": 1}`, "the rules: only_listed: got a number, want a bool"},
		{`{"tenants": []}`, "tenants: must be an object"},
		{`{"tenants": {"a": 1}}`, `tenants["a"]: must be an object`},
		{`{"tenants": {"a": {"burts": 1}}}`, `tenants["a"]: unknown key "burts": use active_series, as, burst, `},
		{`{"tenants": {"a": {"burst": 1.5}}}`, `tenants["a"]: burst: got 1.5, want an integer of 64 bits`},
		{`{"tenants": {"a": {"burst": -1}}}`, `tenants["a"]: burst must not be negative`},
		{`{"tenants": {"a": {"samples_per_second": -1}}}`, `tenants["a"]: samples_per_second must not be negative`},
		{`{"tenants": {"a": {"timeout": "-1s"}}}`, `tenants["a"]: timeout must not be negative`},
		{`{"tenants": {"a": {"timeout": 5}}}`, `tenants["a"]: timeout: got a number, want a string`},
		{`{"tenants": {"*": {"timeout": "5"}}}`, `tenants["*"]: timeout: time: missing unit`},
		{`{"tenants": {"*": {"as": "x"}}}`, `tenants["*"]: as is not allowed here: it would merge all tenants into one`},
		{`{"tenants": {"a": {"as": "x|y"}}}`, `tenants["a"]: as: tenant ID "x|y" contains '|'`},
		{`{"tenants": {"a%sb": {}}}`, `tenants["a%sb"]: tenant ID "a%sb" contains '%'`},
		{`{"tenants": {"` + strings.Repeat("a", 1025) + `": {"as": "x"}}}`, `"]: the name has 1025 bytes: at most 1024 are allowed`},
		{`{"tenants": {"a*": {}}}`, `tenants["a*"]: the name of a tenant must not end in *: only "*" means all tenants`},
		{`{"credentials": []}`, "credentials: the list is empty: omit the key to let anybody write"},
		{`{"credentials": null}`, "credentials: the list is empty"},
		{`{"credentials": {}}`, "credentials: got an object, want an array"},
		{`{"credentials": [{"token": "s3cret", "tenants": ["*"]}]}`, "credentials[0]: name is missing"},
		{`{"credentials": [{"name": "a", "token": "s3cret"}]}`, `credentials[0]: tenants is missing`},
		{`{"credentials": [{"name": "a", "tokn": "s3cret", "tenants": ["*"]}]}`, `credentials[0]: unknown key "tokn": use certificate, name, `},
		{`{"credentials": [{"name": "a", "tenants": ["*"]}]}`, "credentials[0]: must have one of"},
		{`{"credentials": [{"name": "a", "user": "u", "tenants": ["*"]}]}`, "must have one of"},
		{`{"credentials": [{"name": "a", "password": "s3cret", "tenants": ["*"]}]}`, "must have one of"},
		{`{"credentials": [{"name": "a", "user": "u", "certificate": "c", "tenants": ["*"]}]}`, "must have one of"},
		{`{"credentials": [{"name": "a", "token": "s3cret", "token_file": "f", "tenants": ["*"]}]}`, "must have one of"},
		{`{"credentials": [{"name": "a", "user": "u:v", "password": "s3cret", "tenants": ["*"]}]}`, "user: must not contain a colon"},
		{`{"credentials": [{"name": "a", "token_file": "missing", "tenants": ["*"]}]}`, "credentials[0]: token_file: open missing: file does not exist"},
		{`{"credentials": [{"name": "a", "token_file": "none", "tenants": ["*"]}]}`, "token_file: no token found"},
		{`{"credentials": [{"name": "a", "user": "u", "password_file": "empty", "tenants": ["*"]}]}`, "password_file: empty"},
		{`{"credentials": [{"name": "a", "token": 5, "tenants": ["*"]}]}`, "credentials[0]: token: got a number, want a string"},
		{`{"credentials": [{"name": "a", "token": "` + strings.Repeat("s3cret", 2000) + `", "tenants": ["*"]}]}`, "secret longer than 8192 bytes"},
		{`{"credentials": [{"name": "a", "token": "s3cret", "tenants": ["*"]}, {"name": "b", "token_file": "t", "tenants": ["*"]}]}`, `credentials[1]: secret also used by "a"`},
		{`{"credentials": [{"name": "a", "certificate": "c", "tenants": ["*"]}, {"name": "b", "certificate": "c", "tenants": ["*"]}]}`, `credentials[1]: certificate: also used by "a"`},
		{`{"credentials": [{"name": "a", "certificate": "c", "tenants": ["*"]}, {"name": "a", "certificate": "d", "tenants": ["*"]}]}`, `credentials[1]: the name "a" is used by another credential`},
	} {
		r, err := parseRules([]byte(c.text), files)
		if r != nil || err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%s\n got %v\nwant %s", c.text, err, c.want)
		}
	}
	_, err := parseRules([]byte(`{"tenants": {"a": {"x": 1, "burst": -1}, "|": {}}, "credentials": [{}]}`), files)
	if n := strings.Count(err.Error(), "\n"); n != 5 {
		t.Errorf("%d line ends: %v", n, err)
	}
}

func TestReadRules(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "rules.json")
	if _, err := readRules(path, os.ReadFile); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
	for name, text := range map[string]string{
		"rules.json": `{"credentials": [{"name": "a", "token_file": "a.token", "tenants": ["*"]}, {"name": "b", "user": "u", "password_file": "` + filepath.Join(dir, "b") + `", "tenants": ["*"]}]}`,
		"a.token":    "one\n# old\n two \r\n", "b": " pass word\r\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	r, err := readRules(path, os.ReadFile)
	if err != nil {
		t.Fatal(err)
	}
	for header, want := range map[string]string{"Bearer one": "a", "Bearer two": "a", "Bearer # old": "", basic("u: pass word"): "b", basic("u:pass word"): ""} {
		if c, ok := r.authenticate(authorized(header)); ok != (want != "") || ok && c.name != want {
			t.Errorf("%s: %+v", header, c)
		}
	}
	if err := os.WriteFile(path, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := readRules(path, os.ReadFile); err == nil || !strings.HasPrefix(err.Error(), path+": line 1: ") {
		t.Error(err)
	}
}

func TestCheckTenant(t *testing.T) {
	for _, id := range []string{"a", "0", "...", "!-_.*'()", "user-index.json", strings.Repeat("x", 150)} {
		if err := checkTenant([]byte(id)); err != nil {
			t.Error(err)
		}
	}
	for _, id := range []string{"", ".", "..", "__markers__", "user-index.json.gz", "__mimir_cluster", "a|b", "a/b", "a b", "a\n", "a\x00", "é", `a\b`, "a:b", strings.Repeat("x", 151), strings.Repeat("x", 1<<20)} {
		err := checkTenant([]byte(id))
		if err == nil || len(err.Error()) > 300 || strings.Contains(err.Error(), "\n") {
			t.Errorf("%.40q: %v", id, err)
		}
	}
	for c := range 256 {
		letter := 'a' <= c|0x20 && c|0x20 <= 'z'
		want := letter || '0' <= c && c <= '9' || strings.IndexByte("!-_.*'()", byte(c)) >= 0
		if got := checkTenant([]byte{'x', byte(c)}) == nil; got != want {
			t.Errorf("%q: %v", rune(c), got)
		}
	}
}

func FuzzRules(f *testing.F) {
	f.Add([]byte(`{"credentials": [{"name": "a", "token_file": "t", "tenants": ["a", "b*"]}, {"name": "b", "user": "u", "password": "p", "tenants": ["*"]}], "tenants": {"*": {"burst": 1}, "a": {"as": "b"}}, "only_listed": true}`))
	f.Add([]byte(`{"tenants": {"a": {"timeout": "1h", "drop": null}, "\ud800": {"drop": true}}}`))
	f.Add([]byte("{\"tenants\": {\"a\": {\"samples_per_second\": 1e308}}}"))
	f.Fuzz(func(t *testing.T, text []byte) {
		r, err := parseRules(text, filesOf(map[string]string{"t": "token"}))
		if (r == nil) == (err == nil) {
			t.Fatal(r, err)
		}
		if err != nil {
			return
		}
		for id, rule := range r.tenants {
			if !rule.Drop && rule.As == "" && checkAnyTenant([]byte(id)) != nil || rule.As != "" && checkAnyTenant([]byte(rule.As)) != nil {
				t.Errorf("%q: %+v", id, rule)
			}
			if rule.Burst < 0 || rule.SamplesPerSecond < 0 || rule.Timeout < 0 {
				t.Errorf("%+v", rule)
			}
		}
		for _, c := range r.list {
			if len(c.exact)+len(c.prefixes) == 0 {
				t.Errorf("%q may write for nobody", c.name)
			}
		}
	})
}

// A reload rejects rules that would remove all access restrictions. So a file that is emptied by
// mistake does not open the relay to everyone.
func TestRulesKeepTheirGuard(t *testing.T) {
	const listed, guarded = `{"only_listed": true, "tenants": {"a": {}}}`, `{"credentials": [{"name": "p", "token": "x", "tenants": ["*"]}]}`
	for _, c := range []struct{ before, after, want string }{
		{guarded, `{}`, "credentials"},
		{guarded, `{"tenants": {"a": {}}}`, "credentials"},
		{guarded, listed, "credentials"},
		{listed, `{}`, "only_listed"},
		{listed, `{"tenants": {"a": {}}}`, "only_listed"},
		{listed, guarded, ""},
		{guarded, guarded, ""},
		{`{"tenants": {"a": {"drop": true}}}`, `{}`, "the new rules are empty"},
		{`{"tenants": {"*": {"active_series": 5}}}`, `{}`, "the new rules are empty"},
		{`{"tenants": {"a": {"drop": true}}}`, `{"tenants": {"a": {}}}`, ""},
		{`{}`, `{}`, ""},
		{`{}`, guarded, ""},
	} {
		text := c.before
		read := func(string) ([]byte, error) { return []byte(text), nil }
		r := &Relay{o: Options{Rules: "rules.json"}}
		if err := r.LoadRules(read); err != nil {
			t.Fatal(c.before, err)
		}
		old := r.rules.Load()
		text = c.after
		err := r.LoadRules(read)
		if c.want == "" {
			if err != nil || r.rules.Load() == old {
				t.Errorf("%s after %s: %v", c.after, c.before, err)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "rules.json") || r.rules.Load() != old {
			t.Errorf("%s after %s: %v", c.after, c.before, err)
		}
	}
}
