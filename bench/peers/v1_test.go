package peers

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

// Everything that a Prometheus has scraped arrives at a sink under its tenant, and in another
// Prometheus.
func TestVersion1(t *testing.T) {
	t.Parallel()
	from, to, bare := newSource(t), newSink(t), newSink(t)
	second := newPrometheus(t, prometheusV1, receiver())
	toSink, toServer := newRelay(t, to.URL).push(), newRelay(t, second.url+"/api/v1/write").push()
	toBare := newRelay(t, bare.URL, "--relay.tenant-remove").push()
	first := newPrometheus(t, prometheusV1, sender(prometheusV1, from, toSink, toBare, toServer))
	scrape(t, from, 10)
	from.fail()
	last := waitStale(t, first)
	sent := wantScraped(t, first, from)
	wantAtSink(t, to, sent.byTenant(), last)
	wantAtSink(t, bare, bareOf(sent.byTenant()), last)
	wantAtServer(t, second, sent, last)
	posts, _ := to.had()
	for _, p := range posts {
		if p.v2 {
			t.Error("a post of version 2")
		}
	}
	eventually(t, func() error {
		to.mu.Lock()
		defer to.mu.Unlock()
		if !to.helps[nobody+": Counts."] {
			return fmt.Errorf("the metadata that came: %v", to.helps)
		}
		return nil
	})
	to.check(t)
	bare.check(t)
	for _, url := range []string{toSink, toBare, toServer} {
		first.wantFailed(url, 0)
	}
}

// scrape waits until the source has been scraped n more times.
func scrape(t *testing.T, from *source, n int) {
	t.Helper()
	begin := len(from.scraped())
	eventually(t, func() error {
		if now := len(from.scraped()); now < begin+n {
			return fmt.Errorf("%d scrapes", now-begin)
		}
		return nil
	})
}

// waitStale waits until the sender has marked all series of the source as stale, and returns the
// time of the last marker.
func waitStale(t *testing.T, s *server) (last int64) {
	t.Helper()
	eventually(t, func() error {
		p, err := s.read()
		if err != nil {
			return err
		}
		ended := 0
		for series, at := range p {
			if time := slices.Max(slices.Collect(maps.Keys(at))); at[time] == stale && strings.Contains(series, `__name__="counted_total"`) {
				ended++
				last = max(last, time)
			}
		}
		if want := len(tenants) * perTenant; ended != want {
			return fmt.Errorf("%d of %d series have ended", ended, want)
		}
		return nil
	})
	return last
}

// wantScraped returns the points that the sender holds, and checks them against every value of the
// source. The source must no longer be scraped.
func wantScraped(t *testing.T, s *server, from *source) points {
	t.Helper()
	p, err := s.read()
	if err != nil {
		t.Fatal(err)
	}
	// On a busy machine, some scrapes take too long. The sender has no points of these scrapes.
	scrapes := make(map[int]int64)
	for n, time := range from.scraped() {
		if p[from.series("dated", 0, tenants[0])][time] != "" {
			scrapes[n+1] = time
		}
	}
	if len(scrapes) < 5 {
		t.Fatalf("only %d scrapes have succeeded", len(scrapes))
	}
	for _, tenant := range tenants {
		for i := range perTenant {
			if err := holds(p, from, scrapes, i, tenant); err != nil {
				t.Fatal(err)
			}
		}
	}
	return p
}

// holds checks that the series i of a tenant have exactly the values of scrapes. scrapes contains
// the time of each scrape by its number. A point with a timestamp of its own must have that time.
func holds(p points, from *source, scrapes map[int]int64, i int, tenant string) error {
	counted, dated := from.series("counted_total", i, tenant), from.series("dated", i, tenant)
	values := make(map[string]int)
	for _, text := range p[counted] {
		values[text]++
	}
	delete(values, stale)
	if len(values) != len(scrapes) || len(p[dated]) != len(scrapes) {
		return fmt.Errorf("%s and %s have %d and %d values of %d scrapes", counted, dated, len(values), len(p[dated]), len(scrapes))
	}
	for n, time := range scrapes {
		if want := floatText(countedValue(n, i)); values[want] != 1 {
			return fmt.Errorf("%s has %s %d times", counted, want, values[want])
		}
		if want := floatText(datedValue(n, i)); p[dated][time] != want {
			return fmt.Errorf("%s at %d: %q, want %s", dated, time, p[dated][time], want)
		}
	}
	return nil
}

// wantAtSink waits until exactly the points of each tenant up to a time have arrived.
func wantAtSink(t *testing.T, to *sink, sent map[string]points, last int64) {
	t.Helper()
	eventually(t, func() error {
		arrived, _ := to.all()
		for tenant, p := range sent {
			if err := differ(arrived[tenant].until(last), p.until(last)); err != nil {
				return fmt.Errorf("tenant %s: %w", tenant, err)
			}
		}
		return nil
	})
}

// bareOf returns the points without the tenant labels of their series.
func bareOf(sent map[string]points) map[string]points {
	bare := make(map[string]points)
	for tenant, p := range sent {
		bare[tenant] = make(points)
		for series, at := range p {
			bare[tenant][strings.Replace(series, `,tenant="`+tenant+`"`, "", 1)] = at
		}
	}
	return bare
}

// wantAtServer waits until a Prometheus holds exactly the points up to a time.
func wantAtServer(t *testing.T, s *server, sent points, last int64) {
	t.Helper()
	eventually(t, func() error {
		got, err := s.read()
		if err != nil {
			return err
		}
		return differ(got.until(last), sent.until(last))
	})
}
