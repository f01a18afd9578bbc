package service

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"path"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/slipstream-go/slipstream/remotewrite"
	"github.com/slipstream-go/slipstream/server/disk/faulty"
	"github.com/slipstream-go/slipstream/server/testkit"
)

// The bad actors of TestIsolation. They are slow, dead, rejected, over a limit, malformed, huge or
// full, or use poisoned names. Each acts at a resource that it shares with the good senders.

var relayed = []shape{direct, queued}

var actors = []actor{
	// Actors that occupy sockets and the memory for bodies.
	{name: "connections without a request", meets: []int{closed}, act: crowd(500, func(s *stage, i int) { s.hold(s.connect(badHost(i)), "") })},
	{name: "heads that do not end", meets: []int{closed}, act: crowd(300, func(s *stage, i int) {
		s.trickle(s.connect(badHost(i)), "POST /v1/write/db/bad HTTP/1.1\r\nHost: h\r\nX: ")
	})},
	{name: "bodies that do not come", meets: []int{closed}, act: crowd(300, func(s *stage, i int) {
		s.hold(s.connect(badHost(i)), s.head(i, "Content-Length: 1048576"))
	})},
	{name: "bodies that do not come, from one host", meets: []int{closed}, act: crowd(300, func(s *stage, i int) {
		s.hold(s.connect(badHost(0)), s.head(i, "Transfer-Encoding: chunked"))
	})},
	{name: "bodies of one host whose last byte does not come", meets: []int{closed}, act: crowd(200, func(s *stage, i int) {
		n := 1 << 20 >> (i / 2 % 15) // also small bodies, to fill the memory that the large ones leave
		s.hold(s.connect(badHost(0)), s.head(i, fmt.Sprint("Content-Length: ", n))+strings.Repeat("x", n-1))
	})},
	{name: "bodies that come slowly", meets: []int{closed}, act: crowd(300, func(s *stage, i int) {
		s.trickle(s.connect(badHost(i)), s.head(i, "Content-Length: 1048576"))
	})},
	{name: "requests that break off", act: crowd(50, func(s *stage, i int) {
		c := s.connect(badHost(i))
		io.WriteString(c, s.head(i, "Content-Length: 1000")+`[{"time":1,"v":`)
		c.Close()
	})},
	{name: "answers that nobody reads", act: crowd(300, func(s *stage, i int) {
		c := s.connect(badHost(i))
		io.WriteString(c, "GET /health HTTP/1.1\r\nHost: h\r\n\r\n")
		<-s.over.Done()
		c.Close()
	})},
	{name: "large bodies", bulk: true, meets: []int{204}, act: crowd(20, func(s *stage, i int) {
		s.answered(badHost(i), s.tableRequest("bad", `[{"time":1700000000,"v":"`+strings.Repeat("x", 900<<10)+`"}]`))
	})},
	{name: "large bodies of series", bulk: true, meets: []int{204}, act: crowd(20, func(s *stage, i int) {
		s.answered(badHost(i), s.push(seriesOf(badTenant(i), "bad", 1, "l", noise(200<<10))))
	})},
	{name: "bodies over the limit", meets: []int{413}, act: crowd(20, func(s *stage, i int) {
		s.answered(badHost(i), s.tableRequest("bad", strings.Repeat(" ", 2<<20)))
	})},
	{name: "decompression bombs", meets: []int{413}, act: crowd(20, func(s *stage, i int) {
		s.answered(badHost(i), s.request("/v1/write/db/bad", bytes.NewReader(bomb), "Content-Type", "application/json", "Content-Encoding", "gzip"))
	})},

	// Actors whose requests are invalid.
	{name: "no rows and no series", meets: []int{400}, act: crowd(20, func(s *stage, i int) {
		garbage := []string{"", "{", "[1,2", "\xff\xff\xff\xff", `[{"time":"x"}]`, `[{"time":1700000000,"v":[[]]}]`, strings.Repeat("[", 100_000)}[i%7]
		s.answered(badHost(i), s.tableRequest("bad", garbage))
		s.answered(badHost(i), s.request("/api/v1/push", strings.NewReader(garbage), "Content-Type", "application/x-protobuf", "Content-Encoding", "snappy"))
	})},
	{name: "poisoned names", meets: []int{400}, act: crowd(20, func(s *stage, i int) {
		name := []string{"..", "CON", "a%2Fb", "%00", strings.Repeat("n", 5000), "GOOD", "good%20"}[i%7]
		s.answered(badHost(i), s.tableRequest(name, `[{"time":1700000000,"date":"x","hour":-1,"":1,"`+strings.Repeat("n", 5000)+`":1}]`))
		s.answered(badHost(i), s.push(seriesOf(badTenant(i), "", 1), seriesOf(badTenant(i), "../../good_total", 1), seriesOf("../good", "x", 1)))
	})},
	{name: "many columns", meets: []int{204, 400}, act: crowd(10, func(s *stage, i int) {
		var b strings.Builder
		for k := range 1000 {
			fmt.Fprintf(&b, `,"c%d":1`, s.next()*1000+int64(k))
		}
		s.answered(badHost(i), s.tableRequest("bad", `[{"time":1700000000`+b.String()+`}]`))
	})},
	{name: "many tables", meets: []int{204, 400}, act: later(crowd(10, func(s *stage, i int) {
		s.answered(badHost(i), s.tableRequest(fmt.Sprint("bad", s.next()), `[{"time":1700000000,"v":1}]`))
	}))},
	{name: "a database of many tables", meets: []int{204, 400}, act: later(crowd(10, func(s *stage, i int) {
		s.answered(badHost(i), s.request(fmt.Sprint("/v1/write/bad/bad", s.next()), strings.NewReader(`[{"time":1700000000,"v":1}]`), "Content-Type", "application/json"))
	})), check: func(s *stage) { // other databases can still create tables
		resp, err := (&http.Transport{DialContext: s.net.From("198.51.100.3")}).RoundTrip(s.tableRequest("fresh", `[{"time":1700000000,"v":1}]`))
		if err != nil {
			s.t.Error(err)
			return
		}
		defer resp.Body.Close()
		if text, _ := io.ReadAll(resp.Body); resp.StatusCode != http.StatusNoContent {
			s.t.Errorf("a new table of another database: %d %s", resp.StatusCode, text)
		}
	}},
	{name: "columns of changing types", meets: []int{204, 400}, act: crowd(10, func(s *stage, i int) {
		s.answered(badHost(i), s.tableRequest("bad", `[{"time":1700000000,"v":`+[]string{"1", "1.5", `"x"`, "true", "null"}[i%5]+`}]`))
	})},
	{name: "refused requests that name another's columns", meets: []int{204, 400}, act: crowd(10, func(s *stage, i int) {
		s.answered(badHost(i), s.tableRequest("typed", `[{"time":1700000000,"v":true}]`))
		// id is an int column of the table good, and oops is a string. v is a bool column of the
		// table typed.
		body := "\x81\xa5batch\x92" +
			"\x82\xa1m\xa4good\xa7columns\x82\xa4time\x91\xce\x65\x00\x00\x00\xa2id\x91\xa4oops" +
			"\x82\xa1m\xa5typed\xa7columns\x82\xa4time\x91\xce\x65\x00\x00\x00\xa1v\x91\xa1x"
		s.answered(badHost(i), s.request("/api/v1/write/msgpack", strings.NewReader(body), "Content-Type", "application/msgpack", "X-Arc-Database", "db"))
	})},

	// Actors that use keys.
	{name: "keys without end", meets: []int{204}, small: true, flags: []string{"--wal-segment=1MiB"}, act: crowd(20, func(s *stage, i int) {
		for range 20 { // in total more keys than a log with such segments can remember
			s.answered(badHost(i), s.request("/v1/write/bad/bad", strings.NewReader(`[{"time":1700000000,"v":1}]`), "Content-Type", "application/json", "Idempotency-Key", fmt.Sprint("bad-", s.next())))
		}
	}), check: func(s *stage) {
		if s.service.handler.Stats().Forgotten == 0 {
			s.t.Error("no keys had to be forgotten")
		}
	}},
	{name: "one key for all requests", meets: []int{204, 422}, act: crowd(50, func(s *stage, i int) {
		body := fmt.Sprintf(`[{"time":1700000000,"v":%d}]`, i)
		s.answered(badHost(i), s.request("/v1/write/db/bad?durability="+[]string{"sync", "async"}[i%2], strings.NewReader(body), "Content-Type", "application/json", "Idempotency-Key", "bad"))
	})},

	// Actors without the necessary token.
	{
		name: "a token of another database", meets: []int{200, 204, 401, 403}, tokens: "good db=db,metrics\nany db=db,metrics\nbad db=other\nlook db=db,metrics rights=read\n",
		act: crowd(60, trespass), check: nothingOf("db", "metrics"),
	},

	// Actors whose rows do not land.
	{name: "a table whose disk fails", meets: []int{204}, tokens: "good\nany\nlook db=db\nwriter rights=write\n", act: crowd(10, badRows), fault: func(c faulty.Call) error {
		if strings.Contains(c.Path, "/tables/db/bad/") {
			return syscall.EIO
		}
		return nil
	}, check: func(s *stage) { // a token that may not read all databases gets no table and no path
		for token, sees := range map[string]bool{"good": true, "look": false, "writer": false, "": false} {
			req := s.method("GET", "/ready", "")
			req.Header.Set("Authorization", "Bearer "+token)
			resp, err := (&http.Transport{DialContext: s.net.From("198.51.100.3")}).RoundTrip(req)
			if err != nil {
				s.t.Error(err)
				return
			}
			text, _ := io.ReadAll(resp.Body)
			resp.Body.Close()
			if shown := strings.Contains(string(text), "bad"); resp.StatusCode != http.StatusOK || shown != sees || !sees && strings.Contains(string(text), s.dir) {
				s.t.Errorf("/ready for the token %q: %d %s", token, resp.StatusCode, text)
			}
		}
	}},
	{name: "a table whose disk is full", meets: []int{204}, small: true, flags: []string{"--max-buffered=1MiB"}, act: crowd(10, badRows), fault: func(c faulty.Call) error {
		if strings.Contains(c.Path, "/tables/db/bad/") && c.Writes() {
			return syscall.ENOSPC
		}
		return nil
	}},
	{name: "a database whose disk fails", meets: []int{204, 503}, small: true, flags: []string{"--max-buffered=1MiB"}, act: crowd(10, func(s *stage, i int) {
		for range 10 { // different tables each time
			n := s.next()
			s.answered(badHost(i), s.request(fmt.Sprint("/v1/write/bad/bad", n%40), strings.NewReader(fmt.Sprintf(`[{"time":%d,"v":"%s"}]`, time.Now().UnixMicro(), strings.Repeat("x", 1<<10))), "Content-Type", "application/json"))
		}
	}), fault: func(c faulty.Call) error {
		if strings.Contains(c.Path, "/tables/bad/") || strings.Contains(c.Path, "/aside/bad/") {
			return syscall.EIO
		}
		return nil
	}},
	{name: "a flush without end", meets: []int{204}, act: crowd(10, func(s *stage, i int) { s.answered(badHost(i), s.request("/-/flush", nil)) })},

	// Actors that are tenants of the relay.
	{name: "a tenant over its rate", meets: []int{503}, shapes: relayed, rules: `{"tenants":{"bad0":{"samples_per_second":1,"burst":1}}}`, act: crowd(50, badSeries(1))},
	{name: "a tenant over its series", meets: []int{204, 400}, shapes: relayed, rules: `{"tenants":{"bad0":{"active_series":10}}}`, act: crowd(50, badSeries(1))},
	{name: "tenants that the rules drop", meets: []int{204, 400}, shapes: relayed, rules: `{"tenants":{"good":{},"bad0":{"drop":true}},"only_listed":true}`, act: crowd(50, badSeries(5))},
	{
		name: "a credential for another tenant", shapes: relayed, meets: []int{400, 401},
		rules: `{"tenants":{"*":{"active_series":2}},"credentials":[{"name":"g","token":"good","tenants":["good"]},{"name":"b","token":"bad","tenants":["bad"]}]}`,
		act: crowd(50, func(s *stage, i int) {
			req := s.push(seriesOf("good", "bad", 1, "i", fmt.Sprint(s.next())))
			req.Header.Set("Authorization", "Bearer "+[]string{"bad", "wrong"}[i%2])
			s.answered(badHost(i), req)
		}),
	},
	foreign("a credential that names endless foreign tenants", `{"CREDENTIALS`),
	foreign("a credential that names endless foreign tenants, with bounds of series", `{"tenants":{"*":{"active_series":2}},"CREDENTIALS`),
	{name: "many tenants", meets: []int{204}, act: later(crowd(50, func(s *stage, i int) {
		s.answered(badHost(i), s.push(seriesOf(fmt.Sprint("bad", s.next()), "bad", 1)))
	}))},

	// Actors whose target misbehaves.
	{name: "500 hanging tenants", shapes: relayed, act: crowd(500, badSeries(500)), target: hang},
	{name: "hanging tenants with more posts than connections", shapes: []shape{direct}, flags: []string{"--relay.conns=64"}, act: crowd(200, badSeries(8)), target: hang},
	{name: "a hanging tenant with large requests", shapes: []shape{direct}, meets: []int{503}, act: crowd(400, func(s *stage, i int) {
		s.answered(badHost(i), s.push(seriesOf("bad", "bad", s.next(), "l", noise(300<<10>>(i%14))))) // also small requests, to fill the memory that the large ones leave
	}), target: hang},
	{name: "a hanging tenant with a backlog", shapes: relayed, act: crowd(50, func(s *stage, i int) {
		s.answered(badHost(i), s.push(seriesOf("bad", "bad", s.next(), "l", noise(20<<10))))
	}), target: hang},
	{
		name: "tenants that fill the queue", shapes: []shape{queued}, meets: []int{204, 503}, flags: []string{"--relay.queue-max=5MiB"},
		act: crowd(50, func(s *stage, i int) {
			for _, size := range []int{20 << 10, 20 << 10 >> (i % 14)} { // also small requests, to fill the space that the large ones leave
				s.answered(badHost(i), s.push(seriesOf(badTenant(i%20), "bad", s.next(), "l", noise(size))))
			}
		}),
		target: func(_ *stage, w http.ResponseWriter, r *http.Request) {
			http.Error(w, "of a test", http.StatusServiceUnavailable)
		},
	},
	{name: "the target answers slowly", shapes: relayed, act: crowd(200, badSeries(100)), target: func(s *stage, w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		for range 20 {
			if _, err := io.WriteString(w, "."); err != nil || s.pause(time.Second) {
				return
			}
			http.NewResponseController(w).Flush()
		}
	}},
	{name: "the target's answer does not end", shapes: relayed, act: crowd(50, badSeries(20)), target: func(s *stage, w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusBadRequest)
		for s.over.Err() == nil {
			if _, err := w.Write(make([]byte, 32<<10)); err != nil || s.pause(time.Millisecond) {
				return
			}
		}
	}},
	{name: "the target breaks off", shapes: relayed, act: crowd(50, badSeries(20)), target: func(*stage, http.ResponseWriter, *http.Request) {
		panic(http.ErrAbortHandler)
	}},
	answering(http.StatusBadRequest, ""), answering(http.StatusUnauthorized, ""), answering(http.StatusNotFound, ""), answering(http.StatusRequestEntityTooLarge, ""),
	answering(http.StatusUnsupportedMediaType, ""), answering(http.StatusTooManyRequests, "3600"), answering(http.StatusInternalServerError, ""),
	answering(http.StatusServiceUnavailable, "100000000"), answering(http.StatusTemporaryRedirect, ""),
}

// foreign returns an actor with a credential of the tenant bad. It sends series of other tenants,
// with new names each time. The relay must not remember these tenants.
func foreign(name, rules string) actor {
	const credentials = `credentials":[{"name":"g","token":"good","tenants":["good"]},{"name":"b","token":"bad","tenants":["bad"]}]}`
	return actor{
		name: name, shapes: relayed, meets: []int{400}, rules: strings.Replace(rules, "CREDENTIALS", credentials, 1),
		act: crowd(10, func(s *stage, i int) {
			var list []remotewrite.Series
			for range 100 {
				list = append(list, seriesOf(fmt.Sprint("foreign", s.next()), "bad", 1))
			}
			req := s.push(list...)
			req.Header.Set("Authorization", "Bearer bad")
			s.answered(badHost(i), req)
		}),
		check: func(s *stage) {
			if n := s.service.relay.Stats().KnownTenants; n != 1 {
				s.t.Errorf("the relay knows %d tenants, and one has written", n)
			}
		},
	}
}

// hang is a target that does not respond.
func hang(s *stage, _ http.ResponseWriter, r *http.Request) {
	select {
	case <-r.Context().Done():
	case <-s.over.Done():
	}
}

// answering returns an actor whose target responds to bad tenants with a status.
func answering(code int, after string) actor {
	return actor{name: fmt.Sprint("the target answers ", code), shapes: relayed, act: crowd(50, badSeries(20)), target: func(_ *stage, w http.ResponseWriter, r *http.Request) {
		if after != "" {
			w.Header().Set("Retry-After", after)
		}
		http.Error(w, "of a test", code)
	}}
}

// crowd returns a function that makes n clients call each repeatedly.
func crowd(n int, each func(s *stage, i int)) func(s *stage) {
	return func(s *stage) {
		for i := range n {
			s.work.Go(func() {
				s.pause(time.Duration(i) * time.Millisecond)
				for s.over.Err() == nil {
					each(s, i)
					s.pause(time.Second)
				}
			})
		}
	}
}

// later delays an actor until the tables of the good senders exist.
func later(act func(s *stage)) func(s *stage) {
	return func(s *stage) {
		if !s.pause(ahead + time.Second) {
			act(s)
		}
	}
}

// badSeries returns a function that sends series for this number of tenants.
func badSeries(tenants int) func(s *stage, i int) {
	return func(s *stage, i int) {
		s.answered(badHost(i), s.push(seriesOf(badTenant(i%tenants), "bad", 1, "i", fmt.Sprint(s.next()))))
	}
}

// badRows sends rows for the table bad.
func badRows(s *stage, i int) {
	s.answered(badHost(i), s.tableRequest("bad", fmt.Sprintf(`[{"time":%d,"v":"%s"}]`, time.Now().UnixMicro(), strings.Repeat("x", 20<<10))))
}

// trespass sends requests for the database db without the necessary right. The token is for another
// database or only for reading, or it is invalid or missing. One of the requests is for the
// database of the first token.
func trespass(s *stage, i int) {
	row := fmt.Sprintf(`[{"time":%d,"id":%d,"host":"h","v":1}]`, time.Now().UnixMicro(), 1e9+s.next())
	requests := []func() *http.Request{
		func() *http.Request { return s.tableRequest("good", row) },
		func() *http.Request { return s.tableRequest(fmt.Sprint("good", s.next()), row) },
		func() *http.Request {
			return s.tableRequest("good?partial=true&durability=async", `[{"time":1,"id":"x","new":true}]`)
		},
		func() *http.Request {
			return s.request("/api/v1/write/msgpack", strings.NewReader("\x82\xa1m\xa4good\xa7columns\x81\xa2id\x91\x01"), "X-Arc-Database", "db")
		},
		func() *http.Request { return s.push(seriesOf("good", "good_total", 1e9+s.next())) },
		func() *http.Request { return s.push(seriesOf("good", "good_total", -1), seriesOf("new", "x", 1)) },
		func() *http.Request { return s.request("/-/flush", nil) },
		func() *http.Request {
			return s.method("PUT", "/v1/schemas/good", `{"fields":[{"name":"id","type":"u8"}]}`)
		},
		func() *http.Request { return s.method("DELETE", "/v1/schemas/good", "") },
		func() *http.Request { return s.method("DELETE", "/v1/tables/db/good?files=delete", "") },
		func() *http.Request { return s.method("DELETE", "/v1/tables/db/good/columns/id?files=rewrite", "") },
		func() *http.Request { return s.method("PUT", "/v1/tables/db/good/columns/v", `{"type":"string"}`) },
		func() *http.Request { return s.method("GET", "/v1/tables", "") },
		func() *http.Request {
			return s.request("/v1/write/other/good", strings.NewReader(row), "Content-Type", "application/json")
		},
	}
	n := i % len(requests)
	token := "bad"
	if n < 12 {
		token = []string{"bad", "look", "guess", ""}[i/len(requests)%4]
	}
	req := requests[n]()
	req.Header.Set("Authorization", "Bearer "+token)
	if text := s.answered(badHost(i), req); strings.Contains(text, `"db":"db"`) || strings.Contains(text, `"db":"metrics"`) || strings.Contains(text, "db.good") {
		s.t.Errorf("%s %s with the token %q shows: %s", req.Method, req.URL, token, text)
	}
}

// nothingOf returns a check that the databases contain only tables of the good senders, in the
// catalog and on the disk.
func nothingOf(databases ...string) func(s *stage) {
	return func(s *stage) {
		req := s.method("GET", "/v1/tables", "")
		req.Header.Set("Authorization", "Bearer good")
		resp, err := (&http.Transport{DialContext: s.net.From("198.51.100.3")}).RoundTrip(req)
		if err != nil {
			s.t.Error(err)
			return
		}
		defer resp.Body.Close()
		var tables []struct {
			DB, Table string
			Columns   []struct{ Name, Type string }
		}
		if err := json.NewDecoder(resp.Body).Decode(&tables); err != nil || len(tables) == 0 {
			s.t.Errorf("%d tables, %v", len(tables), err)
		}
		for _, table := range tables {
			text := fmt.Sprint(table.Columns)
			good := table.DB == "db" && table.Table == "good" && text == "[{time time} {id int64} {host string} {v int64}]" ||
				table.DB == "metrics" && table.Table == "good" && s.shape == landing
			if !good {
				s.t.Errorf("there is %s.%s with %s", table.DB, table.Table, text)
			}
		}
		s.walk(path.Join(s.dir, "tables"), func(file string) {
			of := strings.TrimPrefix(file, path.Join(s.dir, "tables")+"/")
			if database, rest, _ := strings.Cut(of, "/"); slices.Contains(databases, database) && !strings.HasPrefix(rest, "good/") {
				s.t.Errorf("there is the file %s", of)
			}
		})
	}
}

func badHost(i int) string   { return fmt.Sprintf("203.0.%d.%d", 113+i/250, 1+i%250) }
func badTenant(i int) string { return fmt.Sprint("bad", i) }

// bomb is a small body with a large decompressed size.
var bomb = testkit.Gzipped(make([]byte, 6<<20))

// noise returns text that does not compress.
func noise(n int) string {
	b := make([]byte, n)
	for i, x := 0, uint64(1); i < n; i++ {
		x = x*6364136223846793005 + 1442695040888963407
		b[i] = 'a' + byte(x>>60)
	}
	return string(b)
}

// next returns a different number for each call.
func (s *stage) next() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.numbers++
	return s.numbers
}

// pause waits, and reports whether the actor must end.
func (s *stage) pause(d time.Duration) bool {
	select {
	case <-time.After(d):
	case <-s.over.Done():
	}
	return s.over.Err() != nil
}

// method returns a request with this method and a JSON body.
func (s *stage) method(method, path, body string) *http.Request {
	req := s.request(path, strings.NewReader(body), "Content-Type", "application/json")
	req.Method = method
	return req
}

func (s *stage) tableRequest(table, body string) *http.Request {
	return s.request("/v1/write/db/"+table, strings.NewReader(body), "Content-Type", "application/json")
}

// head returns the header of a request with rows or series.
func (s *stage) head(i int, length string) string {
	path, kind := "/v1/write/db/bad", "Content-Type: application/json"
	if i%2 == 1 {
		path, kind = "/api/v1/push", "Content-Type: application/x-protobuf\r\nContent-Encoding: snappy"
	}
	return "POST " + path + " HTTP/1.1\r\nHost: h\r\n" + kind + "\r\n" + length + "\r\n\r\n"
}

// connect connects from a host, until the actor ends.
func (s *stage) connect(host string) net.Conn {
	c, err := s.net.From(host)(s.over, "tcp", s.service.Addr().String())
	if err != nil {
		near, far := net.Pipe()
		far.Close()
		return near
	}
	context.AfterFunc(s.over, func() { c.Close() })
	return c
}

// closed stands for a connection that the service closes.
const closed = 0

// meet counts the statuses that the actor gets before it ends.
func (s *stage) meet(status int) {
	if s.over.Err() != nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.met[status]++
}

// hold sends text, and nothing after it.
func (s *stage) hold(c net.Conn, text string) {
	defer c.Close()
	go io.WriteString(c, text)
	io.Copy(io.Discard, c)
	s.meet(closed)
}

// trickle sends text, and then one byte at a time.
func (s *stage) trickle(c net.Conn, text string) {
	defer c.Close()
	go io.Copy(io.Discard, c)
	if _, err := io.WriteString(c, text); err != nil {
		return
	}
	for {
		if _, err := c.Write([]byte("1")); err != nil {
			s.meet(closed)
			return
		}
		if s.pause(100 * time.Millisecond) {
			return
		}
	}
}

// answered sends a request on its own connection from a host, and returns the text of the response,
// whatever its status.
func (s *stage) answered(host string, req *http.Request) (text string) {
	transport := &http.Transport{DialContext: s.net.From(host)}
	defer transport.CloseIdleConnections()
	resp, err := transport.RoundTrip(req.WithContext(s.over))
	if err != nil {
		s.meet(closed)
		return ""
	}
	s.meet(resp.StatusCode)
	defer resp.Body.Close()
	b, _ := io.ReadAll(resp.Body)
	return string(b)
}
