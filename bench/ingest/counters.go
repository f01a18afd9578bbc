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

// counters are what the service tells of itself: the values of its metrics that have no labels.
type counters map[string]float64

// readCounters reads /metrics.
func readCounters(ctx context.Context, s *child.Process) (counters, error) {
	text, err := s.Get(ctx, "/metrics")
	if err != nil {
		return nil, err
	}
	return parseCounters(text)
}

// parseCounters reads the text format of Prometheus, a line a value:
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

// rise is by how much a counter has risen over the trial, or NaN when the service does not tell it.
func (t *trial) rise(name string) float64 {
	after, ok := t.after[name]
	if !ok {
		return math.NaN()
	}
	return after - t.before[name]
}
