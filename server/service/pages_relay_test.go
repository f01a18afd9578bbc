package service

import (
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/alecthomas/kong"
	"github.com/klauspost/compress/s2"

	"github.com/slipstream-go/slipstream/column"
	"github.com/slipstream-go/slipstream/internal/pages"
	"github.com/slipstream-go/slipstream/remotewrite"
	"github.com/slipstream-go/slipstream/server/config"
	"github.com/slipstream-go/slipstream/server/parquet"
	"github.com/slipstream-go/slipstream/server/query"
)

// receiver is a target that gives each tenant the status that the test sets. It keeps the requests
// that it accepts.
type receiver struct {
	*httptest.Server
	mu     sync.Mutex
	answer map[string]int // status by tenant; 2xx if missing
	taken  map[string][]remotewrite.Request
}

func newReceiver(t *testing.T) *receiver {
	r := &receiver{answer: map[string]int{}, taken: map[string][]remotewrite.Request{}}
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		tenant := q.Header.Get("X-Scope-OrgID")
		request, err := postIn(q)
		if err != nil {
			http.Error(w, err.Error(), 400)
			return
		}
		r.mu.Lock()
		defer r.mu.Unlock()
		if status := r.answer[tenant]; status != 0 {
			http.Error(w, "because of a test", status)
			return
		}
		r.taken[tenant] = append(r.taken[tenant], request)
	}))
	t.Cleanup(r.Close)
	return r
}

func (r *receiver) answers(tenant string, status int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.answer[tenant] = status
}

func (r *receiver) got(tenant string) []remotewrite.Request {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.taken[tenant])
}

// tenants returns the tenants of accepted requests.
func (r *receiver) tenants() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Sorted(maps.Keys(r.taken))
}

// plain returns the flag that makes a receiver the target.
func plain(to *receiver) string { return "--relay.target=" + to.URL }

// reply is the response that a sender gets.
type reply struct {
	status int
	text   string
	header http.Header
}

// try runs a service with flags while fn sends requests to it.
func try(t *testing.T, fn func(send func(body []byte, header ...string) reply), flags ...string) {
	t.Helper()
	s, stop := run(t, settings(t, flags...))
	fn(func(body []byte, header ...string) reply {
		t.Helper()
		return ask(t, http.DefaultClient, "POST", s.URL()+"/api/v1/push", body, header...)
	})
	if err := stop(); err != nil {
		t.Error(err)
	}
}

func (r reply) wants(t *testing.T, status int) {
	t.Helper()
	if r.status != status {
		t.Errorf("status %d, want %d: %s", r.status, status, r.text)
	}
}

// rulesIn writes a file of rules, and returns the flag that selects it.
func rulesIn(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "rules.json")
	writeText(t, path, text)
	return "--relay.rules=" + path
}

// labelled returns a body with one series. Its labels are given as name, value, …
func labelled(labels ...string) []byte {
	s := remotewrite.Series{Samples: []remotewrite.Sample{{Value: 1, Timestamp: time.Now().UnixMilli()}}}
	for i := 0; i < len(labels); i += 2 {
		s.Labels = append(s.Labels, remotewrite.Label{Name: labels[i], Value: labels[i+1]})
	}
	return s2.EncodeSnappy(nil, remotewrite.Append(nil, remotewrite.V1, &remotewrite.Request{Series: []remotewrite.Series{s}}))
}

// flagsOf returns the flags of serve, with their defaults.
func flagsOf(t *testing.T) map[string]string {
	t.Helper()
	app, err := kong.New(new(config.Serve), config.Options()...)
	if err != nil {
		t.Fatal(err)
	}
	flags := map[string]string{}
	for _, f := range app.Model.Flags {
		flags[f.Name] = f.Default
	}
	return flags
}

// wantFlags checks that the flags in backquotes exist, and that there is at least one.
func wantFlags(t *testing.T, r pages.Row, cells ...int) {
	t.Helper()
	known, found := flagsOf(t), 0
	for _, i := range cells {
		for _, code := range r.Code(i) {
			if name, ok := strings.CutPrefix(code, "--"); ok {
				name, _, _ = strings.Cut(name, "=")
				if _, ok := known[name]; !ok {
					t.Errorf("%s: there is no --%s", r.Where, name)
				}
				found++
			}
		}
	}
	if found == 0 {
		t.Errorf("%s: there is no flag", r.Where)
	}
}

// wantMetrics checks that the metrics in backquotes exist, and that there is at least one.
func wantMetrics(t *testing.T, r pages.Row) {
	t.Helper()
	known, found := metricsOf(t), 0
	for _, code := range append(r.Code(0), r.Code(1)...) {
		name, _, _ := strings.Cut(code, "{")
		if strings.HasPrefix(name, "slipstream_") {
			found++
			if known[name] == nil {
				t.Errorf("%s: there is no metric %s", r.Where, name)
			}
		}
	}
	if found == 0 {
		t.Errorf("%s: there is no metric", r.Where)
	}
}

// wantOutcomes checks that the metric has a series for each value in backquotes.
func wantOutcomes(t *testing.T, r pages.Row, metric string, flags ...string) {
	t.Helper()
	s, stop := run(t, settings(t, flags...))
	push(t, http.DefaultClient, s.URL(), "", seriesFor("a"))
	_, text := get(t, http.DefaultClient, s.URL()+"/metrics")
	if err := stop(); err != nil {
		t.Error(err)
	}
	found := 0
	for _, code := range r.Code(1) {
		if !regexp.MustCompile(`^[a-z_]+$`).MatchString(code) || strings.HasPrefix(code, "slipstream_") {
			continue
		}
		found++
		if !regexp.MustCompile(metric + `\{[^}]*="` + code + `"`).MatchString(text) {
			t.Errorf("%s: %s has no %s", r.Where, metric, code)
		}
	}
	if found == 0 {
		t.Errorf("%s: it names no value", r.Where)
	}
}

type check = func(*testing.T, pages.Row)

func TestPagesRelay(t *testing.T) {
	page := pages.Read(t, "docs/relay.md")

	page.Blocks(t, "Start", map[string]func(*testing.T, pages.Block){
		"make build": func(t *testing.T, b pages.Block) {
			to := newReceiver(t)
			command := strings.Replace(b.Lines()[1], "http://localhost:9009/api/v1/push", to.URL+"/api/v1/push", 1)
			flags := strings.Fields(command)[2:]
			try(t, func(send func([]byte, ...string) reply) { send(seriesFor("a")).wants(t, 204) }, flags...)
			if got := to.got("a"); len(got) != 1 || len(got[0].Series[0].Labels) != 2 {
				t.Errorf("%+v", got)
			}
		},
	})
	page.Rows(t, "Start", filesOf(t, page, "Start"))
	page.Blocks(t, "Senders", map[string]func(*testing.T, pages.Block){"write_relabel_configs:": nil}) // a configuration of Prometheus
	page.Rows(t, "Tenants", map[string]check{
		"Which label?": func(t *testing.T, r pages.Row) {
			to := newReceiver(t)
			try(t, func(send func([]byte, ...string) reply) {
				send(labelled("__name__", "up", "__tenant__", "first", "namespace", "second")).wants(t, 204)
				send(labelled("__name__", "up", "__tenant__", "", "namespace", "second")).wants(t, 204)
			}, plain(to), r.Code(1)[0])
			if len(to.got("first")) != 1 || len(to.got("second")) != 1 {
				t.Errorf("posts came for %q", to.tenants())
			}
		},
		"Does the label stay in the series?": func(t *testing.T, r pages.Row) {
			to := newReceiver(t)
			send := func(send func([]byte, ...string) reply) { send(seriesFor("a")).wants(t, 204) }
			try(t, send, plain(to))
			try(t, send, plain(to), r.Code(1)[0])
			if got := to.got("a"); len(got) != 2 || len(got[0].Series[0].Labels) != 3 || len(got[1].Series[0].Labels) != 2 {
				t.Errorf("%+v", got)
			}
		},
		"What happens to series without the label?": func(t *testing.T, r pages.Row) {
			for code, want := range map[string]int{"default": 204, "fail": 400, "drop": 204} {
				to := newReceiver(t)
				try(t, func(send func([]byte, ...string) reply) { send(labelled("__name__", "up")).wants(t, want) }, plain(to), "--relay.tenant-missing="+code)
				if n := len(to.got("anonymous")); (n == 1) != (code == "default") {
					t.Errorf("%s: %d posts", code, n)
				}
			}
			wantFlags(t, r, 1)
		},
		"A prefix?": func(t *testing.T, r pages.Row) {
			to := newReceiver(t)
			try(t, func(send func([]byte, ...string) reply) {
				send(seriesFor("a")).wants(t, 204)
				send(seriesFor("b")).wants(t, 204)
			}, plain(to), r.Code(1)[0], rulesIn(t, `{"tenants": {"b": {"as": "c"}}}`))
			if len(to.got("prod-a")) != 1 || len(to.got("prod-c")) != 1 {
				t.Errorf("posts came for %q", to.tenants())
			}
		},
		"A prefix for one sender?": func(t *testing.T, r pages.Row) {
			to := newReceiver(t)
			try(t, func(send func([]byte, ...string) reply) {
				send(seriesFor("a"), "Authorization", "Bearer right").wants(t, 204)
			}, plain(to), rulesIn(t, `{"credentials": [{"name": "a", "token": "right", "tenants": ["a"], `+r.Code(1)[0]+`}]}`))
			if len(to.got("eu-a")) != 1 {
				t.Errorf("posts came for %q", to.tenants())
			}
		},
		"Another ID at the target?": nil, // the row "A prefix?"
	})
	page.Rows(t, "Answers", map[string]check{
		"204": func(t *testing.T, _ pages.Row) {
			to := newReceiver(t)
			try(t, func(send func([]byte, ...string) reply) { send(seriesFor("a", "dropped")).wants(t, 204) }, plain(to), rulesIn(t, `{"tenants": {"dropped": {"drop": true}}}`))
		},
		"400; 409 to vmagent": func(t *testing.T, _ pages.Row) {
			to := newReceiver(t)
			to.answers("bad", 422)
			try(t, func(send func([]byte, ...string) reply) {
				for agent, want := range map[string]int{"Prometheus/3.0": 400, "vmagent": 409} {
					send([]byte("damaged"), "User-Agent", agent).wants(t, want)
					a := send(seriesFor("bad", "good"), "User-Agent", agent)
					a.wants(t, want)
					if !strings.Contains(a.text, "tenant bad") || !strings.Contains(a.text, "422") {
						t.Error(a.text)
					}
				}
			}, plain(to))
			if n := len(to.got("good")); n == 0 {
				t.Error("the others' series were not taken")
			}
		},
		"401": func(t *testing.T, _ pages.Row) {
			try(t, func(send func([]byte, ...string) reply) {
				send(seriesFor("a"), "Authorization", "Bearer wrong").wants(t, 401)
				send(seriesFor("a"), "Authorization", "Bearer right").wants(t, 204)
			}, plain(newReceiver(t)), rulesIn(t, `{"credentials": [{"name": "a", "token": "right", "tenants": ["*"]}]}`))
		},
		"403": func(t *testing.T, r pages.Row) {
			wantFlags(t, r, 1)
			tokens := filepath.Join(t.TempDir(), "tokens")
			writeText(t, tokens, "writer db=metrics rights=write\nreader rights=read\nrows db=logs\n")
			try(t, func(send func([]byte, ...string) reply) {
				send(seriesFor("a"), "Authorization", "Bearer reader").wants(t, 403)
				send(seriesFor("a"), "Authorization", "Bearer rows").wants(t, 403)
				send(seriesFor("a"), "Authorization", "Bearer writer").wants(t, 204)
			}, plain(newReceiver(t)), "--token-file="+tokens)
		},
		"413; 409 to vmagent": func(t *testing.T, r pages.Row) {
			large := labelled("__name__", "up", "__tenant__", "a", "x", strings.Repeat("x", 2<<20))
			for _, flag := range []string{"--relay.max-body=1KiB", "--relay.max-decoded=1MiB"} {
				try(t, func(send func([]byte, ...string) reply) {
					send(large, "User-Agent", "Prometheus/3.0").wants(t, 413)
					send(large, "User-Agent", "vmagent").wants(t, 409)
				}, plain(newReceiver(t)), flag)
			}
			wantFlags(t, r, 1)
		},
		"415": func(t *testing.T, _ pages.Row) {
			try(t, func(send func([]byte, ...string) reply) {
				send(seriesFor("a"), "Content-Encoding", "br").wants(t, 415)
				send(seriesFor("a"), "Content-Type", "text/plain").wants(t, 415)
			}, plain(newReceiver(t)))
		},
		"429":                                func(t *testing.T, r pages.Row) { wantLimited(t, 429, r.Code(1)[0]) },
		"503":                                func(t *testing.T, _ pages.Row) { wantLimited(t, 503) },
		"2xx":                                func(t *testing.T, _ pages.Row) { wantAnswers(t, 204, 200, 202, 204) },
		"429, with or without `Retry-After`": func(t *testing.T, _ pages.Row) { wantAnswers(t, 503, 429) },
		"408, 5xx, or no answer in time": func(t *testing.T, _ pages.Row) {
			wantAnswers(t, 503, 408, 500, 502, 504)
		},
		"401, 403, 404, 405, 3xx": func(t *testing.T, r pages.Row) {
			wantAnswers(t, 400, 401, 403, 404, 405, 302)
			to := newReceiver(t)
			to.answers("a", 403)
			try(t, func(send func([]byte, ...string) reply) { send(seriesFor("a")).wants(t, 204) }, plain(to), r.Code(1)[0])
		},
		"other 4xx": func(t *testing.T, _ pages.Row) { wantAnswers(t, 400, 400, 409, 413, 422) },
	})
	page.Rows(t, "With or without a queue", map[string]check{
		"204 means": func(t *testing.T, r pages.Row) {
			to := newReceiver(t)
			to.answers("a", 503)
			send := func(want int) func(send func([]byte, ...string) reply) {
				return func(send func([]byte, ...string) reply) { send(seriesFor("a")).wants(t, want) }
			}
			try(t, send(503), plain(to))
			try(t, send(204), plain(to), "--relay.queue="+t.TempDir())
			wantFlags(t, pages.Row{Where: r.Where, Cells: r.Head}, 2)
		},
		"one tenant's target is down": func(t *testing.T, _ pages.Row) {
			to := newReceiver(t)
			to.answers("a", 503)
			try(t, func(send func([]byte, ...string) reply) {
				send(seriesFor("a", "b")).wants(t, 204)
				waitFor(t, "the other's series", func() bool { return len(to.got("b")) == 1 })
			}, plain(to), "--relay.queue="+t.TempDir())
		},
		"a target refuses series": func(t *testing.T, _ pages.Row) {
			to := newReceiver(t)
			to.answers("a", 422)
			try(t, func(send func([]byte, ...string) reply) { send(seriesFor("a")).wants(t, 400) }, plain(to))
			wantLost(t, to, "refused")
		},
		"a target answers 401, 403 or 404": func(t *testing.T, r pages.Row) {
			for _, status := range []int{401, 403, 404} {
				to := newReceiver(t)
				to.answers("a", status)
				try(t, func(send func([]byte, ...string) reply) {
					send(seriesFor("a")).wants(t, 204)
					time.Sleep(50 * time.Millisecond)
					to.answers("a", 0)
					waitFor(t, "what waited", func() bool { return len(to.got("a")) == 1 })
				}, plain(to), "--relay.queue="+t.TempDir())
				to.answers("a", status)
				wantLost(t, to, "refused", r.Code(2)[0])
			}
		},
		"where data waits":         nil, // concerns the senders
		"the relay is killed":      nil, // the crash tests of queue, and bench/peers
		"the relay's disk is lost": nil,
		"order":                    nil, // TestOrder of queue
	})
	page.Blocks(t, "Rules", map[string]func(*testing.T, pages.Block){"{": nil}) // TestExamples
	page.Rows(t, "Rules", map[string]check{
		"`samples_per_second`, `burst`": func(t *testing.T, _ pages.Row) { wantLimited(t, 503) },
		"`active_series`": func(t *testing.T, _ pages.Row) {
			try(t, func(send func([]byte, ...string) reply) {
				send(labelled("__name__", "first", "__tenant__", "a")).wants(t, 204)
				send(labelled("__name__", "second", "__tenant__", "a")).wants(t, 400)
				send(labelled("__name__", "first", "__tenant__", "a")).wants(t, 204)
			}, plain(newReceiver(t)), rulesIn(t, `{"tenants": {"a": {"active_series": 1}}}`))
		},
		"`labels_per_series`, `label_name_bytes`, `label_value_bytes`": func(t *testing.T, r pages.Row) {
			for i, n := range []int{2, len("__tenant__"), 5} {
				try(t, func(send func([]byte, ...string) reply) {
					send(labelled("__name__", "value", "__tenant__", "a")).wants(t, 204)
					send(labelled("__name__", "value", "__tenant__", "a", "job_of_the_rest", "longer")).wants(t, 400)
				}, plain(newReceiver(t)), rulesIn(t, fmt.Sprintf(`{"tenants": {"a": {%q: %d}}}`, r.Code(0)[i], n)))
			}
		},
		"`series_per_request`": func(t *testing.T, _ pages.Row) {
			to := newReceiver(t)
			try(t, func(send func([]byte, ...string) reply) {
				send(seriesFor("a", "a", "b")).wants(t, 400)
			}, plain(to), rulesIn(t, `{"tenants": {"*": {"series_per_request": 1}}}`))
			if len(to.got("a")) != 0 || len(to.got("b")) != 1 {
				t.Errorf("posts came for %q", to.tenants())
			}
		},
		"`drop_series`": nil, // TestSeriesAreChosenByName of the relay
		"`keep_series`": nil,
		"`class`":       nil, // TestPostTimes of the relay
		"`concurrency`": nil, // the tests of the relay's lanes
		"`timeout`":     nil, // the tests of slow targets
		"`as`":          nil, // the row "A prefix?"
		"`drop`":        nil, // the row 204
	})
	page.Blocks(t, "Receivers", map[string]func(*testing.T, pages.Block){
		"--relay.target=http://vminsert:8480/insert/{tenant}/prometheus/api/v1/write --relay.encoding=zstd": func(t *testing.T, b pages.Block) {
			paths := make(chan string, 1)
			to := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { paths <- r.URL.Path }))
			defer to.Close()
			flags := strings.Fields(strings.Replace(b.Text, "http://vminsert:8480", to.URL, 1))
			try(t, func(send func([]byte, ...string) reply) { send(seriesFor("12:3")).wants(t, 204) }, flags...)
			if got := <-paths; got != "/insert/12:3/prometheus/api/v1/write" {
				t.Error(got)
			}
		},
	})
	versions := func(v2 http.HandlerFunc, want ...string) check {
		return func(t *testing.T, _ pages.Row) { wantVersions(t, v2, want...) }
	}
	unknown := versions(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusUnsupportedMediaType) }, "2", "1", "1")
	written := func(status, samples int) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("X-Prometheus-Remote-Write-Samples-Written", fmt.Sprint(samples))
			w.WriteHeader(status)
		}
	}
	bare := versions(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "TimeSeries must contain at least one sample or histogram for series", http.StatusBadRequest)
	}, "2", "1", "1") // the next request uses 1.0 at once
	page.Rows(t, "Versions of the protocol", map[string]check{
		"Cortex up to 1.19":              unknown,
		"Cortex 1.20":                    versions(written(http.StatusAccepted, 0), "2", "2"),
		"Cortex 1.21":                    bare,
		"Mimir before 2.17":              unknown,
		"Mimir 2.17":                     versions(written(http.StatusNoContent, 1), "2", "2"),
		"Prometheus before October 2025": versions(written(http.StatusNoContent, 1), "2", "2"),
		"Prometheus since then":          bare,
		"VictoriaMetrics":                unknown,
	})
	page.Rows(t, "Replication", map[string]check{
		"2xx means": func(t *testing.T, r pages.Row) {
			wantReplicated(t, 204, 204)
			wantReplicated(t, 503, 204, "--relay.queue="+t.TempDir())
			wantFlags(t, pages.Row{Where: r.Where, Cells: r.Head}, 2)
		},
		"a target is down":    func(t *testing.T, _ pages.Row) { wantReplicated(t, 503, 503) },
		"a target stays down": func(t *testing.T, r pages.Row) { wantFlags(t, r, 1, 2) }, // TestDeadTargetIsDropped and TestReplicatedQueueIsFullForOneTarget of the relay
		"a target refuses series": func(t *testing.T, _ pages.Row) {
			wantReplicated(t, 422, 400)
			wantReplicated(t, 422, 204, "--relay.queue="+t.TempDir())
		},
	})
	page.Blocks(t, "TLS and credentials", map[string]func(*testing.T, pages.Block){
		"slipstream serve --listen=0.0.0.0:8080 --token-file=tokens \\": func(t *testing.T, b pages.Block) {
			known := flagsOf(t)
			for _, word := range strings.Fields(b.Text)[2:] {
				if name, ok := strings.CutPrefix(word, "--"); ok {
					name, _, _ = strings.Cut(name, "=")
					if _, ok := known[name]; !ok {
						t.Errorf("there is no --%s", name)
					}
				}
			}
		},
	})
	page.Rows(t, "TLS and credentials", map[string]check{
		"senders, by TLS":      func(t *testing.T, r pages.Row) { wantFlags(t, r, 1) },
		"senders, by a secret": func(t *testing.T, r pages.Row) { wantFlags(t, r, 1) },
		"to targets":           func(t *testing.T, r pages.Row) { wantFlags(t, r, 1) },
	})
	page.Blocks(t, "Without a target", map[string]func(*testing.T, pages.Block){
		"bin/slipstream serve": nil, // TestRemoteWriteLands
		"duckdb -c \"select time_bucket(interval '1 minute', time) as minute, labels->>'code' as code, max(value) - min(value) as requests": nil, // a query of DuckDB
	})
	landed := landedColumns(t)
	columnsOf := func(table string) check {
		return func(t *testing.T, r pages.Row) {
			var want []string
			for _, part := range strings.Split(regexp.MustCompile(`\([^)]*\)`).ReplaceAllString(r.Cells[1], ""), ",") {
				want = append(want, strings.Fields(part)[0])
			}
			for _, c := range landed[table] {
				if !slices.Contains(want, c) {
					t.Errorf("%s: the table has the column %s", r.Where, c)
				}
			}
			for _, c := range want {
				if c != "start_time" && !slices.Contains(landed[table], c) {
					t.Errorf("%s: the table has no column %s: %v", r.Where, c, landed[table])
				}
			}
		}
	}
	page.Rows(t, "Without a target", map[string]check{
		"`team-a`": columnsOf("team-a"), "`team-a-histograms`": columnsOf("team-a-histograms"),
		"`team-a-exemplars`": columnsOf("team-a-exemplars"), "`team-a-metadata`": columnsOf("team-a-metadata"),
	})
	page.Done(t)
}

func TestPagesRelayOperations(t *testing.T) {
	page := pages.Read(t, "docs/relay-operations.md")
	outcomes := func(t *testing.T, r pages.Row) { wantOutcomes(t, r, "slipstream_relay_requests_total") }
	page.Rows(t, "Metrics", map[string]check{
		"Is all well?":                   wantMetrics,
		"Do senders lose series?":        outcomes,
		"Do senders have to retry?":      outcomes,
		"Which tenant breaks the rules?": wantMetrics,
		"Which target is down?":          wantMetrics,
		"Is a target slow?":              wantMetrics,
		"Does a target miss series?":     wantMetrics,
		"How far behind is the queue?":   wantMetrics,
		"Which tenant's series fail, and why?": func(t *testing.T, r pages.Row) {
			wantMetrics(t, r)
			wantOutcomes(t, r, "slipstream_relay_tenant_failed_series_total", plain(newReceiver(t)))
		},
		"Has the queue lost data?": func(t *testing.T, r pages.Row) {
			wantMetrics(t, r)
			wantOutcomes(t, r, "slipstream_relay_queue_lost_total", plain(newReceiver(t)), "--relay.queue="+t.TempDir())
		},
	})
	page.Rows(t, "Troubleshooting", map[string]check{
		"everything is in the tenant `anonymous`": func(t *testing.T, r pages.Row) { wantFlags(t, r, 1) },
		"only metadata is in `anonymous`":         func(t *testing.T, r pages.Row) { wantFlags(t, r, 1) },
		`400 "credentials not valid for this tenant"`: func(t *testing.T, r pages.Row) {
			try(t, func(send func([]byte, ...string) reply) {
				a := send(seriesFor("b"), "Authorization", "Bearer right")
				a.wants(t, 400)
				if !strings.Contains(a.text, strings.Split(r.Cells[0], `"`)[1]) {
					t.Error(a.text)
				}
			}, plain(newReceiver(t)), rulesIn(t, `{"credentials": [{"name": "a", "token": "right", "tenants": ["a"]}]}`))
		},
		`400 "answered 401", "answered 403" or "answered 404"`: func(t *testing.T, _ pages.Row) {
			to := newReceiver(t)
			to.answers("a", 401)
			try(t, func(send func([]byte, ...string) reply) {
				if a := send(seriesFor("a")); a.status != 400 || !strings.Contains(a.text, "answered 401") {
					t.Error(a)
				}
			}, plain(to))
		},
		`503 "more samples a second than the rules allow" that does not end`: func(t *testing.T, _ pages.Row) { wantLimited(t, 503) },
		"`slipstream_relay_target_takes_v2` is 0":                            wantMetrics,
		"`slipstream_relay_queue_set_aside_files` is not 0":                  wantMetrics,
	})
	page.Blocks(t, "Metrics", map[string]func(*testing.T, pages.Block){
		`sum(rate(slipstream_relay_requests_total{outcome=~"unavailable|overloaded|interrupted|too_many"}[5m])) / sum(rate(slipstream_relay_requests_total[5m]))`: nil, // TestMetricsInDocs
	})
	page.Skip(t, "figures", "What it costs")
	page.Done(t)
}

func TestPagesFromCortexTenant(t *testing.T) {
	page := pages.Read(t, "docs/from-cortex-tenant.md")
	page.Rows(t, "Settings", settingsOfCortexTenant(t, page))
	page.Done(t)
}

// wantVersions sends a 2.0 request twice, to a target that responds to 2.0 with v2. It checks that
// the target gets the expected versions, and the sender 204.
func wantVersions(t *testing.T, v2 http.HandlerFunc, want ...string) {
	t.Helper()
	var mu sync.Mutex
	var came []string
	to := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		second := strings.HasPrefix(r.Header.Get("X-Prometheus-Remote-Write-Version"), "2")
		mu.Lock()
		came = append(came, map[bool]string{true: "2", false: "1"}[second])
		mu.Unlock()
		if second {
			v2(w, r)
		}
	}))
	defer to.Close()
	labels := []remotewrite.Label{{Name: "__name__", Value: "up"}, {Name: "__tenant__", Value: "a"}}
	body := s2.EncodeSnappy(nil, remotewrite.Append(nil, remotewrite.V2, &remotewrite.Request{Series: []remotewrite.Series{
		{Labels: labels, Samples: []remotewrite.Sample{{Value: 1, Timestamp: 1}}}, {Labels: labels, Exemplars: []remotewrite.Exemplar{{Value: 1, Timestamp: 1}}},
	}}))
	try(t, func(send func([]byte, ...string) reply) {
		for range 2 {
			a := send(body, "Content-Type", "application/x-protobuf;proto=io.prometheus.write.v2.Request")
			a.wants(t, 204)
			if n := a.header.Get("X-Prometheus-Remote-Write-Samples-Written"); n != "1" {
				t.Errorf("%s samples are written", n)
			}
		}
	}, "--relay.target="+to.URL)
	if !slices.Equal(came, want) {
		t.Errorf("the versions %q came, want %q", came, want)
	}
}

// wantLimited checks that the sender gets the status if a tenant exceeds its rate or the target
// responds with 429. In the first case, the response must contain a Retry-After.
func wantLimited(t *testing.T, status int, flags ...string) {
	t.Helper()
	to := newReceiver(t)
	to.answers("limited", 429)
	try(t, func(send func([]byte, ...string) reply) {
		send(seriesFor("a")).wants(t, 204)
		for _, tenant := range []string{"a", "limited"} {
			a := send(seriesFor(tenant, tenant))
			a.wants(t, status)
			if n, err := strconv.Atoi(a.header.Get("Retry-After")); tenant == "a" && (err != nil || n < 1) {
				t.Errorf("Retry-After: %q", a.header.Get("Retry-After"))
			}
			if tenant == "a" && !strings.Contains(a.text, "more samples a second than the rules allow") {
				t.Error(a.text)
			}
		}
	}, append(flags, "--relay.target="+to.URL, rulesIn(t, `{"tenants": {"a": {"samples_per_second": 0.01, "burst": 2}}}`))...)
}

// wantAnswers checks the status that a sender gets for responses of a target.
func wantAnswers(t *testing.T, want int, answers ...int) {
	t.Helper()
	for _, status := range answers {
		to := newReceiver(t)
		to.answers("a", status)
		try(t, func(send func([]byte, ...string) reply) { send(seriesFor("a")).wants(t, want) }, "--relay.target="+to.URL)
	}
}

// wantReplicated checks the status that a sender gets if one of two targets responds with answer.
// The other target gets the series in any case.
func wantReplicated(t *testing.T, answer, want int, flags ...string) {
	t.Helper()
	sound, other := newReceiver(t), newReceiver(t)
	other.answers("a", answer)
	try(t, func(send func([]byte, ...string) reply) {
		send(seriesFor("a")).wants(t, want)
		waitFor(t, "the sound target", func() bool { return len(sound.got("a")) == 1 })
	}, append(flags, "--relay.replicate", "--relay.target="+sound.URL+","+other.URL)...)
}

// wantLost checks that the queue counts the lost series of the tenant a, by reason.
func wantLost(t *testing.T, to *receiver, reason string, flags ...string) {
	t.Helper()
	s, stop := run(t, settings(t, append(flags, "--relay.target="+to.URL, "--relay.queue="+t.TempDir())...))
	if status, text := push(t, http.DefaultClient, s.URL(), "", seriesFor("a")); status != 204 {
		t.Errorf("%d: %s", status, text)
	}
	lost := regexp.MustCompile(`slipstream_relay_queue_lost_total\{[^}]*="` + reason + `"[^}]*\} [1-9]`)
	waitFor(t, "the loss to be counted", func() bool {
		_, text := get(t, http.DefaultClient, s.URL()+"/metrics")
		return lost.MatchString(text)
	})
	if err := stop(); err != nil {
		t.Error(err)
	}
}

// filesOf returns checks that the files in each row exist among the examples.
func filesOf(t *testing.T, page *pages.Page, heading string) map[string]check {
	checks := map[string]check{}
	for _, first := range []string{
		"`slipstream.json`, `slipstream-queue.json`", "`rules.json`", "`tokens`",
		"`prometheus.yml`, `vmagent.sh`, `vmagent-relabel.yml`", "`cortex.yaml`, `mimir.yaml`", "`alerts.yml`, `dashboard.json`",
	} {
		checks[first] = func(t *testing.T, r pages.Row) {
			for _, name := range r.Code(0) {
				if _, err := os.Stat(filepath.Join(examples, name)); err != nil {
					t.Error(err)
				}
			}
		}
	}
	return checks
}

// settingsOfCortexTenant returns checks of the flags and paths that replace the settings of
// cortex-tenant.
func settingsOfCortexTenant(t *testing.T, page *pages.Page) map[string]check {
	paths := func(t *testing.T, r pages.Row) {
		try(t, func(send func([]byte, ...string) reply) { send(seriesFor("a")).wants(t, 204) }, "--relay.target="+newReceiver(t).URL)
		s, stop := run(t, settings(t))
		for _, path := range r.Code(1) {
			status, text := get(t, http.DefaultClient, s.URL()+path)
			if post := strings.HasPrefix(path, "/api/") || path == "/push"; post && status != 405 || !post && status != 200 {
				t.Errorf("GET %s: %d: %s", path, status, text)
			}
		}
		if err := stop(); err != nil {
			t.Error(err)
		}
	}
	flags := func(t *testing.T, r pages.Row) { wantFlags(t, r, 1) }
	checks := map[string]check{
		"`POST /push`": paths, "`GET /alive`": paths, "`listen_metrics_address`": paths,
		"`metrics_include_tenant`": nil, "`target_loki`": nil, "`enable_ipv6`": nil, "`tenant.prefix_prefer_source`": nil,
		"`timeout`": func(t *testing.T, r pages.Row) {
			if d := flagsOf(t)["relay.timeout"]; !strings.Contains(r.Cells[2], strings.TrimSuffix(d, "s")+" s") {
				t.Errorf("the default is %s", d)
			}
		},
		"`listen`": func(t *testing.T, r pages.Row) {
			if err := settings(t, "--listen=127.0.0.1:0").Validate(); err != nil {
				t.Error(err)
			}
			c := settings(t)
			c.Listen = "0.0.0.0:8080"
			if err := c.Validate(); err == nil || !strings.Contains(err.Error(), r.Code(2)[0]) {
				t.Error(err)
			}
		},
	}
	for _, first := range []string{
		"`listen_pprof`", "`target`", "`log_level`, `log_response_errors`", "`idle_timeout`", "`timeout_shutdown`", "`concurrency`",
		"`max_conns_per_host`", "`max_connection_duration`", "`metadata`", "`auth.egress.username`, `.password`",
		"`auth.egress.tls_config.ca_bundle_file`", "`auth.ingress.tls_config`", "`tenant.label`", "`tenant.label_list`",
		"`tenant.label_remove`", "`tenant.header`", "`tenant.default`", "`tenant.prefix`", "`tenant.accept_all`",
	} {
		checks[first] = flags
	}
	return checks
}

// landedColumns lands all kinds of series for team-a, and returns the columns of each table.
func landedColumns(t *testing.T) map[string][]string {
	now := time.Now().UnixMilli()
	labels := []remotewrite.Label{{Name: "__name__", Value: "up"}, {Name: "__tenant__", Value: "team-a"}}
	request := &remotewrite.Request{
		Series: []remotewrite.Series{{
			Labels:     labels,
			Samples:    []remotewrite.Sample{{Value: 1, Timestamp: now}},
			Exemplars:  []remotewrite.Exemplar{{Labels: []remotewrite.Label{{Name: "trace_id", Value: "t"}}, Value: 1, Timestamp: now}},
			Histograms: []remotewrite.Histogram{{Count: remotewrite.IntCount(1), ZeroCount: remotewrite.IntCount(1), Timestamp: now}},
		}},
		Metadata: []remotewrite.Metadata{{Type: remotewrite.MetricTypeGauge, MetricFamilyName: "up", Help: "help", Unit: "s"}},
	}
	c := settings(t, "--relay.tenant-default=team-a")
	s, stop := run(t, c)
	if status, text := push(t, http.DefaultClient, s.URL(), "", s2.EncodeSnappy(nil, remotewrite.Append(nil, remotewrite.V1, request))); status != 204 {
		t.Fatal(status, text)
	}
	if err := stop(); err != nil {
		t.Fatal(err)
	}
	tables, err := os.ReadDir(filepath.Join(c.Data, "tables", "metrics"))
	if err != nil {
		t.Fatal(err)
	}
	columns := map[string][]string{}
	for _, table := range tables {
		err := query.EachFile(filepath.Join(c.Data, "tables", "metrics", table.Name()), func(path string) error {
			return parquet.Scan(path, func(b *column.Batch) error {
				for _, c := range b.Columns {
					columns[table.Name()] = append(columns[table.Name()], c.Name)
				}
				return nil
			})
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return columns
}
