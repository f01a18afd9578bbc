package service

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"github.com/slipstream-go/slipstream/server/config"
	"github.com/slipstream-go/slipstream/server/metrics"
	"github.com/slipstream-go/slipstream/server/relay"
)

// Tests that the documentation of the relay and of metrics agrees with the code.

const examples = "../../examples/relay"

// docs returns the texts that describe the relay or metrics, by file name.
func docs(t *testing.T) map[string]string {
	t.Helper()
	files, err := filepath.Glob(examples + "/*")
	if err != nil || len(files) < 10 {
		t.Fatal(files, err)
	}
	texts := make(map[string]string)
	for _, file := range append(files, "../../README.md", "../../docs/relay.md", "../../docs/relay-operations.md", "../../docs/from-cortex-tenant.md",
		"../../docs/service.md", "../../docs/ingest-schema.md") {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		texts[filepath.Base(file)] = string(text)
	}
	return texts
}

func TestFlagsInDocs(t *testing.T) {
	app, err := kong.New(new(config.Serve), config.Options()...)
	if err != nil {
		t.Fatal(err)
	}
	known := make(map[string]bool)
	for _, flag := range app.Model.Flags {
		known[flag.Name] = true
	}
	flags := regexp.MustCompile(`--(relay\.[a-z0-9.-]*[a-z0-9])`)
	told := make(map[string]bool)
	for name, text := range docs(t) {
		for _, m := range flags.FindAllStringSubmatch(text, -1) {
			if !known[m[1]] {
				t.Errorf("%s: there is no %s", name, m[0])
			}
			told[m[1]] = told[m[1]] || name == "relay.md"
		}
	}
	for flag := range known {
		if strings.HasPrefix(flag, "relay.") && !told[flag] {
			t.Errorf("docs/relay.md does not tell of --%s", flag)
		}
	}
}

// The service accepts each example of a configuration and of rules.
func TestExamples(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	tokens := write("tokens", docs(t)["tokens"])
	secretFile := regexp.MustCompile(`"(?:token|password)_file": "([^"]+)"`)
	readRules := func(name, text string) {
		for _, m := range secretFile.FindAllStringSubmatch(text, -1) {
			write(m[1], "secret of "+m[1])
		}
		_, err := relay.New(relay.Options{
			Targets: []string{"http://cortex:9009/api/v1/push"}, TooMany: http.StatusServiceUnavailable, Tenants: relay.Tenants{Missing: relay.Fail},
			Rules: write("rules.json", text),
		})
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	configs, rules := 0, 0
	for name, text := range docs(t) {
		switch {
		case strings.HasPrefix(name, "slipstream") && strings.HasSuffix(name, ".json"):
			configs++
			app, err := kong.New(new(config.Serve), config.Options()...)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := app.Parse([]string{"--config=" + filepath.Join(examples, name), "--token-file=" + tokens}); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		case name == "rules.json":
			rules++
			readRules(name, text)
		case name == "relay.md":
			for _, block := range strings.Split(text, "```json\n")[1:] {
				rules++
				block, _, _ = strings.Cut(block, "```")
				readRules(name, block)
			}
		}
	}
	if configs != 2 || rules != 2 {
		t.Errorf("%d configurations and %d files of rules", configs, rules)
	}
}

// metricsOf returns the names of the service's metrics, with the labels of each.
func metricsOf(t *testing.T) map[string][]string {
	t.Helper()
	described := make(chan *prometheus.Desc)
	go func() {
		for _, c := range []prometheus.Collector{
			metrics.Collector{}, metrics.Relay{},
			collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
		} {
			c.Describe(described)
		}
		close(described)
	}()
	desc := regexp.MustCompile(`fqName: "([^"]+)".* variableLabels: \{([^}]*)\}`)
	all := make(map[string][]string)
	for d := range described {
		m := desc.FindStringSubmatch(d.String())
		if m == nil {
			t.Fatalf("%v", d)
		}
		all[m[1]] = strings.FieldsFunc(m[2], func(r rune) bool { return r == ',' })
	}
	for _, name := range []string{"slipstream_relay_request_seconds", "slipstream_wal_sync_seconds", "go_gc_duration_seconds"} {
		if _, ok := all[name]; !ok {
			t.Fatalf("%s is not there", name)
		}
		all[name+"_sum"], all[name+"_count"], all[name+"_bucket"] = all[name], all[name], append(all[name], "le")
	}
	return all
}

// Every metric in the documentation exists, with the labels and the values that queries use.
func TestMetricsInDocs(t *testing.T) {
	all := metricsOf(t)
	values := map[string][]string{"verdict": relay.Verdicts[:]}
	for o := range (relay.Stats{}).Outcomes {
		values["outcome"] = append(values["outcome"], relay.Outcome(o).String())
	}
	// The prefix must be followed by a letter, because slipstream_0.1.0 is the beginning of a file
	// name.
	named := regexp.MustCompile(`\b((?:slipstream|go|process)_[a-z][a-z0-9_]+)(\{[^}]*\})?`)
	matcher := regexp.MustCompile(`(\w+)\s*[=!]~?\s*\\?"([^"\\]*)`)
	found := 0
	for name, text := range docs(t) {
		for _, m := range named.FindAllStringSubmatch(text, -1) {
			labels, ok := all[m[1]]
			if found++; !ok {
				t.Errorf("%s: there is no %s", name, m[1])
			}
			for _, l := range matcher.FindAllStringSubmatch(m[2], -1) {
				if l[1] != "job" && l[1] != "instance" && !slices.Contains(labels, l[1]) {
					t.Errorf("%s: %s has no label %s", name, m[1], l[1])
				}
				for value := range strings.SplitSeq(l[2], "|") {
					if known := values[l[1]]; known != nil && !slices.Contains(known, value) {
						t.Errorf("%s: %s: the label %s is never %q", name, m[1], l[1], value)
					}
				}
			}
		}
	}
	if found < 80 {
		t.Errorf("only %d metrics were found", found)
	}
}

type panel struct {
	ID          int
	Type, Title string
	Datasource  struct{ Type, UID string }
	GridPos     struct{ X, Y, W, H int }
	Targets     []struct{ RefID, Expr string }
}

// The dashboard can be imported. Its panels do not overlap, and they query the selected data
// source.
func TestDashboard(t *testing.T) {
	var board struct {
		UID, Title    string
		SchemaVersion int
		Templating    struct{ List []struct{ Name, Type string } }
		Panels        []panel
	}
	if err := json.Unmarshal([]byte(docs(t)["dashboard.json"]), &board); err != nil {
		t.Fatal(err)
	}
	if list := board.Templating.List; board.UID == "" || board.Title == "" || board.SchemaVersion == 0 || len(list) == 0 || list[0].Type != "datasource" {
		t.Errorf("%+v", board.Templating)
	}
	variables := map[string]bool{"__rate_interval": true}
	for _, v := range board.Templating.List {
		variables[v.Name] = true
	}
	variable := regexp.MustCompile(`\$(\w+)`)
	cells := make(map[[2]int]string)
	ids := make(map[int]bool)
	for _, p := range board.Panels {
		if p.Title == "" || ids[p.ID] {
			t.Errorf("panel %d %q: it needs a title, and a number of its own", p.ID, p.Title)
		}
		ids[p.ID] = true
		g := p.GridPos
		if g.W < 1 || g.H < 1 || g.X < 0 || g.X+g.W > 24 {
			t.Errorf("%q: %+v", p.Title, g)
		}
		for x := range g.W {
			for y := range g.H {
				at := [2]int{g.X + x, g.Y + y}
				if other := cells[at]; other != "" {
					t.Fatalf("%q lies upon %q", p.Title, other)
				}
				cells[at] = p.Title
			}
		}
		if p.Type == "row" {
			continue
		}
		if p.Datasource.Type != "prometheus" || p.Datasource.UID != "${datasource}" || len(p.Targets) == 0 {
			t.Errorf("%q: %+v", p.Title, p)
		}
		for _, target := range p.Targets {
			if target.RefID == "" || target.Expr == "" {
				t.Errorf("%q: %+v", p.Title, target)
			}
			for _, m := range variable.FindAllStringSubmatch(target.Expr, -1) {
				if !variables[m[1]] {
					t.Errorf("%q: there is no variable %s", p.Title, m[1])
				}
			}
		}
	}
}
