package ingest

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/slipstream-go/slipstream/bench/child"
)

// Counters of the service's log.
const (
	logBytes = "slipstream_wal_written_bytes_total"
	logSyncs = "slipstream_wal_sync_seconds_count"
)

// counters contains the service's metrics that have no labels.
type counters map[string]float64

// readCounters reads /metrics.
func readCounters(ctx context.Context, s *child.Process) (counters, error) {
	text, err := s.Get(ctx, "/metrics")
	if err != nil {
		return nil, err
	}
	return parseCounters(text)
}

// parseCounters parses the text format of Prometheus, with one value a line:
//
//	# HELP slipstream_wal_syncs_total …
//	slipstream_wal_syncs_total 1234
//	slipstream_requests_total{code="204"} 99
func parseCounters(text []byte) (counters, error) {
	c := counters{}
	for lines := bufio.NewScanner(bytes.NewReader(text)); lines.Scan(); {
		name, value, ok := strings.Cut(lines.Text(), " ")
		if !ok || name == "#" || strings.Contains(name, "{") {
			continue
		}
		v, err := strconv.ParseFloat(value, 64)
		if err != nil {
			return nil, fmt.Errorf("/metrics: %s is %q, not a number", name, value)
		}
		c[name] = v
	}
	return c, nil
}

// rise returns the increase of a counter during the trial, or NaN if the service does not report
// the counter.
func (t *trial) rise(name string) float64 {
	after, ok := t.after[name]
	if !ok {
		return math.NaN()
	}
	return after - t.before[name]
}
