package peers

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// newVmagent runs a vmagent that scrapes a source and writes to a URL, until the test ends.
func newVmagent(t *testing.T, from *source, url string) {
	t.Helper()
	path, dir, address := peer(t, "vmagent"), t.TempDir(), freeAddress(t)
	text, err := json.Marshal(object{"scrape_configs": []object{scraping(from, "1s")}}) // no scrape takes 1 s, which would be a failure
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "scrape.yml")
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	p := run(t, path, "-promscrape.config="+file, "-httpListenAddr="+address, "-remoteWrite.url="+url, "-remoteWrite.flushInterval=200ms",
		"-remoteWrite.queues=1", // several queues do not preserve the order
		"-remoteWrite.tmpDataPath="+filepath.Join(dir, "data"))
	p.answers("http://" + address + "/health")
}

// Everything that a vmagent scrapes arrives, although the relay is killed in between. A vmagent
// does not report its points. For series with timestamps of their own, every point is known. For
// the other series, only the values are known.
func TestVmagent(t *testing.T) {
	t.Parallel()
	modes(t, func(t *testing.T, args ...string) {
		from, to := newSource(t), newSink(t)
		r := newRelay(t, to.URL, args...)
		newVmagent(t, from, r.push())
		scrape(t, from, 5)
		r.kill()
		scrape(t, from, 3)
		r.restart()
		scrape(t, from, 3)
		scrapes, last := make(map[int]int64), int64(0)
		for n, time := range from.scraped() {
			scrapes[n+1], last = time, time
		}
		eventually(t, func() error {
			arrived, _ := to.all()
			for _, tenant := range tenants {
				p := arrived[tenant].until(last)
				for i := range perTenant {
					if err := holds(p, from, scrapes, i, tenant); err != nil {
						return err
					}
				}
			}
			return nil
		})
		to.check(t)
	})
}
