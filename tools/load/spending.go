package load

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
)

// spending contains the CPU times that a Go process reports, in seconds since its start. The
// process updates them in each garbage collection.
type spending struct{ gc, idle, total float64 }

// gcShare returns the garbage collector's share of the CPU time that was used after the measurement
// s and before the measurement `later`. It returns nil if the share is unknown.
func (s *spending) gcShare(later *spending) *float64 {
	used := (later.total - s.total) - (later.idle - s.idle)
	if used <= 0 {
		return nil
	}
	share := (later.gc - s.gc) / used
	return &share
}

// spending reads /metrics of the server. It returns nil if the server does not report its CPU time
// there.
func (t *target) spending(ctx context.Context) *spending {
	ctx, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	dial := func(ctx context.Context, _, _ string) (net.Conn, error) { return t.dial(ctx) }
	client := http.Client{Transport: &http.Transport{DialContext: dial, DialTLSContext: dial, DisableKeepAlives: true}}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, t.metrics, nil)
	if err != nil {
		return nil
	}
	if t.token != "" {
		request.Header.Set("Authorization", "Bearer "+t.token)
	}
	reply, err := client.Do(request)
	if err != nil {
		return nil
	}
	defer reply.Body.Close()
	return parseSpending(reply.Body)
}

// parseSpending parses the text format of Prometheus, with one value per line.
func parseSpending(text io.Reader) *spending {
	s, found := new(spending), 0
	for lines := bufio.NewScanner(text); lines.Scan(); {
		name, value, _ := strings.Cut(lines.Text(), " ")
		var to *float64
		switch name {
		case "go_cpu_classes_gc_total_cpu_seconds_total":
			to = &s.gc
		case "go_cpu_classes_idle_cpu_seconds_total":
			to = &s.idle
		case "go_cpu_classes_total_cpu_seconds_total":
			to = &s.total
		default:
			continue
		}
		v, err := strconv.ParseFloat(value, 64)
		if err != nil {
			return nil
		}
		*to = v
		found++
	}
	if found < 3 {
		return nil
	}
	return s
}
