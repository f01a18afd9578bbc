package service

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/klauspost/compress/s2"

	"github.com/slipstream-go/slipstream/column"
	"github.com/slipstream-go/slipstream/remotewrite"
	"github.com/slipstream-go/slipstream/server/disk"
	"github.com/slipstream-go/slipstream/server/disk/faulty"
	"github.com/slipstream-go/slipstream/server/memnet"
	"github.com/slipstream-go/slipstream/server/parquet"
)

// The actions of one client, tenant, table or target do not affect the others.
//
// Each bad actor of actors_test.go runs against each shape of the service, in a bubble whose disk,
// network and target are in memory. Two good senders, one of rows and one of series, send at the
// same time. Their results are compared with a run without the bad actor:
//
//	responses other than 2xx     none
//	late responses, deliveries   at most one in a hundred more than there: see late
//	rows and samples at the end  each exactly once
//	repeated rows                recognized by their keys, and not stored again
//
// The clock of the bubble advances only while all goroutines wait, so computing takes no time. So
// the test measures only who waits for whom.

// shape defines where series go.
type shape int

const (
	landing shape = iota // to files, as rows
	direct               // to the target, before the response
	queued               // to the target, from the queue
)

var shapeNames = [...]string{landing: "landing", direct: "direct", queued: "queued"}

func (s shape) String() string { return shapeNames[s] }

const (
	acting   = 20 * time.Second       // time for which the bad actor acts
	ahead    = 2 * time.Second        // head start of the bad actor before the good senders
	interval = 100 * time.Millisecond // between two requests of a good sender
	atTarget = 5 * time.Millisecond   // time that the target takes for a post of the good tenant
	sealAge  = 2 * time.Second
	slowest  = 5 * time.Millisecond // maximum time of a sync
)

// actor is a client, a disk or a target that misbehaves.
type actor struct {
	name   string
	shapes []shape // possible shapes; nil: all
	meets  []int   // statuses that the actor must get, or closed; otherwise it does not do what its name says
	rules  string  // text of the rules file; empty: none
	tokens string  // text of the token file; empty: none
	flags  []string
	small  bool                                                   // its flags leave only 1 MiB for a segment of the log, or for buffered rows
	bulk   bool                                                   // a few of its requests fill 1 MiB
	act    func(s *stage)                                         // acts until s.over is done; nil: does nothing
	fault  func(c faulty.Call) error                              // faults of the disk; nil: none
	target func(s *stage, w http.ResponseWriter, r *http.Request) // response of the target to tenants other than the good one; nil: accepts everything
	check  func(s *stage)                                         // is called when the last rows have landed; nil: checks nothing
}

// TestIsolation runs each actor alone against each shape. The long form runs random combinations of
// actors, which a seed determines.
func TestIsolation(t *testing.T) {
	if testing.Short() {
		t.Skip("-short has no time for so many requests")
	}
	var quiet [3]*stage
	for sh := range quiet {
		t.Run(fmt.Sprint("quiet, ", shape(sh)), func(t *testing.T) { quiet[sh] = play(t, shape(sh), actor{}, 0) })
	}
	if t.Failed() {
		t.FailNow()
	}
	if text := os.Getenv("SLIPSTREAM_LONG"); text != "" {
		long, err := time.ParseDuration(text)
		if err != nil {
			t.Fatal(err)
		}
		for end := time.Now().Add(long); time.Now().Before(end) && !t.Failed(); {
			combined(t, rand.Uint64(), quiet)
		}
		return
	}
	if text := os.Getenv("SLIPSTREAM_SEED"); text != "" {
		seed, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		combined(t, seed, quiet)
		return
	}
	for sh, without := range quiet {
		for _, a := range actors {
			if a.shapes == nil || slices.Contains(a.shapes, shape(sh)) {
				t.Run(fmt.Sprint(a.name, ", ", shape(sh)), func(t *testing.T) {
					t.Parallel()
					s := play(t, shape(sh), a, 0)
					s.compare(without)
					for _, status := range a.meets {
						if s.met[status] == 0 {
							t.Errorf("the actor met %v, and %d was to be among them", s.met, status)
						}
					}
					if a.target != nil && s.posts == 0 {
						t.Error("the target got no posts of bad tenants")
					}
				})
			}
		}
	}
}

// combined runs two or three actors against a shape. A service has only one rules file and one
// disk, so at most one of the actors uses each. A small actor is not combined with a bulk actor:
// then nearly every request would start a segment, which takes three syncs of the disk that all
// share, or the buffered rows of each second would be four times the limit.
func combined(t *testing.T, seed uint64, quiet [3]*stage) {
	r := rand.New(rand.NewPCG(seed, 0))
	sh := shape(r.IntN(3))
	// Each actor has hundreds of hosts and up to 40 tables, so together they need more memory and
	// more tables.
	all := actor{flags: []string{"--max-in-flight=48MiB", "--max-tables=150"}}
	var acts []func(*stage)
	var names []string
	for n, wanted := 0, 2+r.IntN(2); n < wanted; {
		a := actors[r.IntN(len(actors))]
		if a.shapes != nil && !slices.Contains(a.shapes, sh) || a.rules != "" && all.rules != "" || a.tokens != "" && all.tokens != "" || a.fault != nil && all.fault != nil ||
			a.target != nil && all.target != nil || slices.Contains(names, a.name) ||
			a.bulk && all.small || a.small && all.bulk {
			continue
		}
		n++
		names = append(names, a.name)
		all.rules += a.rules
		all.tokens += a.tokens
		all.flags = append(all.flags, a.flags...)
		all.small, all.bulk = all.small || a.small, all.bulk || a.bulk
		if a.fault != nil {
			all.fault = a.fault
		}
		if a.target != nil {
			all.target = a.target
		}
		acts = append(acts, a.act)
	}
	all.name = fmt.Sprintf("%s; %v, SLIPSTREAM_SEED=%d", strings.Join(names, " and "), sh, seed)
	all.act = func(s *stage) {
		for _, act := range acts {
			s.work.Go(func() { act(s) })
		}
	}
	t.Run(all.name, func(t *testing.T) { play(t, sh, all, seed).compare(quiet[sh]) })
}

// stage is a service with its disk, network, target and clients.
type stage struct {
	t        *testing.T
	shape    shape
	dir      string // data directory
	actor    actor
	r        *rand.Rand
	net      memnet.Network
	disk     *faulty.Disk
	service  *Service
	upstream string // URL of the target; empty: no target
	began    time.Time
	over     context.Context
	work     sync.WaitGroup // goroutines of the actor

	rows, series *good

	mu       sync.Mutex
	numbers  int64
	met      map[int]int           // how often the actor got each status; 0: closed connections
	posts    int                   // number of posts for bad tenants that the target got
	arrivals map[int64][]time.Time // arrivals of the good tenant's samples at the target
}

// play runs a service together with a bad actor for a limited time.
func play(t *testing.T, sh shape, a actor, seed uint64) *stage {
	s := &stage{shape: sh, actor: a, arrivals: make(map[int64][]time.Time), met: make(map[int]int)}
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		s.t, s.dir, s.r = t, dir, rand.New(rand.NewPCG(seed, 0))
		s.run(dir)
	})
	s.t = t
	return s
}

func (s *stage) run(dir string) {
	t := s.t
	s.disk = faulty.New(s.r.Uint64(), faulty.Options{Fail: s.actor.fault, Delay: func(c faulty.Call) time.Duration {
		if strings.Contains(c.Name, "ync") {
			return time.Duration(1 + c.Rand.Int64N(int64(slowest)))
		}
		return 10 * time.Microsecond
	}})
	if err := disk.MkdirAll(s.disk, dir); err != nil {
		t.Fatal(err)
	}
	flags := []string{"--data=" + dir, "--wal-segment=64MiB", "--max-body=1MiB", "--max-decompressed=4MiB", "--max-in-flight=16MiB", "--max-tables=50", fmt.Sprint("--seal-age=", sealAge)}
	if s.shape != landing {
		upstream := &http.Server{Handler: http.HandlerFunc(s.receive)}
		l := s.net.Listen()
		go upstream.Serve(l)
		defer upstream.Close()
		s.upstream = "http://" + l.Addr().String()
		flags = append(flags, "--relay.target="+s.upstream)
	}
	if s.shape == queued {
		flags = append(flags, "--relay.queue="+dir+"/queue", "--relay.queue-tenant-max=4MiB", "--relay.max-body=1MiB")
	}
	for flag, text := range map[string]string{"--relay.rules=": s.actor.rules, "--token-file=": s.actor.tokens} {
		if text == "" {
			continue
		}
		file := filepath.Join(dir, strings.Trim(flag, "-="))
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		flags = append(flags, flag+file)
	}
	var err error
	if s.service, err = newOn(inMemory(s.disk, &s.net), settings(t, append(flags, s.actor.flags...)...), "test", slog.New(slog.DiscardHandler)); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	stopped := make(chan error, 1)
	go func() { stopped <- s.service.Run(ctx) }()
	<-s.service.Ready()

	over, end := context.WithTimeout(context.Background(), ahead+acting)
	defer end()
	s.over, s.began = over, time.Now()
	if s.actor.act != nil {
		s.work.Go(func() { s.actor.act(s) })
	}
	time.Sleep(ahead)
	s.rows, s.series = newGood(s, "198.51.100.1", s.row), newGood(s, "198.51.100.2", s.sample)
	var senders sync.WaitGroup
	senders.Go(s.rows.send)
	senders.Go(s.series.send)
	senders.Wait()
	s.again()
	time.Sleep(2 * sealAge) // the last rows land in this time
	if s.shape == queued {
		time.Sleep(time.Second)
	}
	landed := s.landed(dir)
	end()
	if s.actor.check != nil {
		s.actor.check(s)
	}
	s.work.Wait()
	stop()
	select {
	case err = <-stopped:
	case <-time.After(time.Hour):
		t.Fatal("the service does not end")
	}
	if err != nil && s.actor.fault == nil {
		t.Errorf("the service ends with %v", err)
	}
	s.rows.client.CloseIdleConnections()
	s.series.client.CloseIdleConnections()
	once(t, "rows", s.rows.acknowledged(), landed["rows"])
	if s.shape == landing {
		once(t, "series", s.series.acknowledged(), landed["series"])
	} else {
		got := make(map[int64]int)
		for id, times := range s.arrivals {
			got[id] = len(times)
		}
		once(t, "series at the target", s.series.acknowledged(), got)
	}
}

// once checks that each acknowledged id occurs exactly once, and no other id.
func once(t *testing.T, what string, want []int64, got map[int64]int) {
	t.Helper()
	wrong := 0
	for _, id := range want {
		if got[id] != 1 {
			if wrong++; wrong <= 3 {
				t.Errorf("%s: %d is there %d times", what, id, got[id])
			}
		}
		delete(got, id)
	}
	if wrong > 3 {
		t.Errorf("%s: and %d more of %d", what, wrong-3, len(want))
	}
	for id := range got {
		t.Errorf("%s: %d was not acknowledged, and is there", what, id)
		break
	}
}

// good is a sender that behaves well.
type good struct {
	stage   *stage
	client  *http.Client
	request func(id int64) *http.Request
	answers []answer // indexed by id
}

type answer struct {
	at   time.Time
	took time.Duration
	text string // text of a response other than 2xx
}

func newGood(s *stage, host string, request func(id int64) *http.Request) *good {
	return &good{stage: s, request: request, client: &http.Client{Transport: &http.Transport{DialContext: s.net.From(host)}}}
}

func (g *good) send() {
	for id := int64(0); g.stage.over.Err() == nil; id++ {
		begin := time.Now()
		resp, err := g.client.Do(g.request(id))
		a := answer{}
		if err != nil {
			a.text = err.Error()
		} else {
			text, _ := io.ReadAll(resp.Body)
			resp.Body.Close()
			if resp.StatusCode/100 != 2 {
				a.text = fmt.Sprintf("%d %s", resp.StatusCode, text)
			}
		}
		a.at = time.Now()
		a.took = a.at.Sub(begin)
		g.answers = append(g.answers, a)
		time.Sleep(max(0, interval-a.took))
	}
}

func (g *good) acknowledged() (ids []int64) {
	for id, a := range g.answers {
		if a.text == "" {
			ids = append(ids, int64(id))
		}
	}
	return ids
}

func (g *good) durations() (list []time.Duration) {
	for _, a := range g.answers {
		list = append(list, a.took)
	}
	return list
}

// row returns a request with a row for the table good.
func (s *stage) row(id int64) *http.Request {
	body := fmt.Sprintf(`[{"time":%d,"id":%d,"host":"h","v":%d}]`, s.began.UnixMicro()+id, id, id) // the body is the same when it is sent again
	return s.request("/v1/write/db/good", strings.NewReader(body), "Content-Type", "application/json", "Authorization", "Bearer good", "Idempotency-Key", fmt.Sprint("good-", id))
}

// again sends all acknowledged requests of the good sender of rows again, with the same keys. None
// of them may be stored again.
func (s *stage) again() {
	client := &http.Client{Transport: &http.Transport{DialContext: s.net.From("198.51.100.1")}}
	defer client.CloseIdleConnections()
	wrong := 0
	for _, id := range s.rows.acknowledged() {
		resp, err := client.Do(s.row(id))
		if err != nil {
			s.t.Errorf("rows: request %d, sent again: %v", id, err)
			return
		}
		text, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		if resp.StatusCode != http.StatusNoContent || resp.Header.Get("Idempotent-Replayed") != "true" {
			if wrong++; wrong <= 3 {
				s.t.Errorf("rows: request %d, sent again: %d %s: the key is forgotten", id, resp.StatusCode, text)
			}
		}
	}
	if wrong > 3 {
		s.t.Errorf("rows: and %d more, sent again", wrong-3)
	}
}

// sample returns a request with a sample of the tenant good.
func (s *stage) sample(id int64) *http.Request {
	req := s.push(seriesOf("good", "good_total", id))
	req.Header.Set("Authorization", "Bearer good") // needed if there are tokens, or if the rules define credentials
	return req
}

func seriesOf(tenant, name string, value int64, labels ...string) remotewrite.Series {
	list := []remotewrite.Label{{Name: "__name__", Value: name}, {Name: "__tenant__", Value: tenant}}
	for i := 0; i < len(labels); i += 2 {
		list = append(list, remotewrite.Label{Name: labels[i], Value: labels[i+1]})
	}
	return remotewrite.Series{Labels: list, Samples: []remotewrite.Sample{{Value: float64(value), Timestamp: time.Now().UnixMilli()}}}
}

// push returns a Remote Write request.
func (s *stage) push(list ...remotewrite.Series) *http.Request {
	body := s2.EncodeSnappy(nil, remotewrite.Append(nil, remotewrite.V1, &remotewrite.Request{Series: list}))
	return s.request("/api/v1/push", bytes.NewReader(body), "Content-Type", "application/x-protobuf", "Content-Encoding", "snappy")
}

func (s *stage) request(path string, body io.Reader, header ...string) *http.Request {
	req, err := http.NewRequest("POST", s.service.URL()+path, body)
	if err != nil {
		panic(err)
	}
	req.Header.Set("Authorization", "Bearer any") // needed if there are tokens
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	return req
}

// receive is the handler of the target.
func (s *stage) receive(w http.ResponseWriter, r *http.Request) {
	if tenant := r.Header.Get("X-Scope-OrgID"); tenant != "good" {
		s.mu.Lock()
		s.posts++
		s.mu.Unlock()
		if s.actor.target != nil {
			s.actor.target(s, w, r)
		}
		return
	}
	req, err := postIn(r)
	if err != nil {
		s.t.Errorf("the target got %v", err)
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	time.Sleep(atTarget)
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, series := range req.Series {
		for _, v := range series.Samples {
			s.arrivals[int64(v.Value)] = append(s.arrivals[int64(v.Value)], time.Now())
		}
	}
}

// delays returns the times between the response and the arrival at the target, for the good
// tenant's samples.
func (s *stage) delays() (list []time.Duration) {
	for id, times := range s.arrivals {
		if id < int64(len(s.series.answers)) {
			list = append(list, max(0, times[0].Sub(s.series.answers[id].at)))
		}
	}
	return list
}

// landed returns the number of occurrences of each id in the files of the good sender's table. It
// returns the same for each value in the files of its series.
func (s *stage) landed(dir string) map[string]map[int64]int {
	rows, series := make(map[int64]int), make(map[int64]int)
	s.walk(path.Join(dir, "tables"), func(file string) {
		of := strings.TrimPrefix(file, path.Join(dir, "tables")+"/")
		switch {
		case strings.HasPrefix(of, "db/good/"):
			for _, id := range s.read(file).Find("id").Ints {
				rows[id]++
			}
		case strings.HasPrefix(of, "metrics/good/"):
			for _, v := range s.read(file).Find("value").Floats {
				series[int64(v)]++
			}
		}
	})
	return map[string]map[int64]int{"rows": rows, "series": series}
}

func (s *stage) walk(dir string, each func(path string)) {
	entries, err := s.disk.ReadDir(dir)
	if err != nil {
		return // no row has landed
	}
	for _, e := range entries {
		if name := path.Join(dir, e.Name()); e.IsDir() {
			s.walk(name, each)
		} else if !strings.HasPrefix(e.Name(), ".") {
			each(name)
		}
	}
}

func (s *stage) read(file string) *column.Batch {
	b, _, err := parquet.Read(s.disk, file)
	if err != nil {
		s.t.Fatal(err)
	}
	return b
}

// compare compares the results of the good senders with a run without the actor.
func (s *stage) compare(quiet *stage) {
	s.t.Helper()
	for _, c := range []struct {
		name         string
		got, without *good
	}{{"rows", s.rows, quiet.rows}, {"series", s.series, quiet.series}} {
		refused := 0
		for id, a := range c.got.answers {
			if a.text != "" {
				if refused++; refused <= 3 {
					s.t.Errorf("%s: request %d: %s", c.name, id, a.text)
				}
			}
		}
		if refused > 3 {
			s.t.Errorf("%s: and %d more of %d", c.name, refused-3, len(c.got.answers))
		}
		s.late(c.name+": answers", c.got.durations(), c.without.durations())
	}
	if s.shape == queued {
		s.late("deliveries", s.delays(), quiet.delays())
	}
}

// late counts responses or deliveries that took longer than twice the p99 of the quiet run plus one
// sync, because all share one disk. In addition to the number in the quiet run, one in a hundred
// may be late.
func (s *stage) late(what string, got, quiet []time.Duration) {
	s.t.Helper()
	if len(got) < len(quiet)*9/10 || len(quiet) == 0 {
		s.t.Errorf("%s: %d of them, %d in the quiet run", what, len(got), len(quiet))
		return
	}
	slices.Sort(quiet)
	bar := 2*quiet[len(quiet)*99/100] + slowest
	above := func(list []time.Duration) (n int) {
		for _, d := range list {
			if d > bar {
				n++
			}
		}
		return n
	}
	if n, usual := above(got), above(quiet); n > usual+len(got)/100 {
		s.t.Errorf("%s: %d of %d took longer than %v, the longest %v; in the quiet run %d of %d", what, n, len(got), bar, slices.Max(got), usual, len(quiet))
	}
}
