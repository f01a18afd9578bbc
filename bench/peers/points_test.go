package peers

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/prometheus/prometheus/model/histogram"
	"github.com/prometheus/prometheus/model/value"
	"github.com/prometheus/prometheus/prompb"
)

// points contains floats, histograms and exemplars by series and by time in milliseconds. Each is a
// text that represents all of its bits.
type points map[string]map[int64]string

// stale is the text of the marker at the end of a series.
const stale = "stale"

func (p points) put(series string, time int64, text string) {
	if p[series] == nil {
		p[series] = make(map[int64]string)
	}
	p[series][time] = text
}

// count returns the number of points up to a time.
func (p points) count(until int64) (n int) {
	for _, at := range p {
		for time := range at {
			if time <= until {
				n++
			}
		}
	}
	return n
}

// without returns the points that are not in q.
func (p points) without(q points) points {
	rest := make(points)
	for s, at := range p {
		for time, text := range at {
			if _, there := q[s][time]; !there {
				rest.put(s, time, text)
			}
		}
	}
	return rest
}

// until returns the points up to a time.
func (p points) until(last int64) points {
	some := make(points)
	for s, at := range p {
		for time, text := range at {
			if time <= last {
				some.put(s, time, text)
			}
		}
	}
	return some
}

// differ returns an error that describes the differences, or nil.
func differ(got, want points) error {
	var says []string
	n := 0
	say := func(format string, args ...any) {
		if n++; n <= 5 {
			says = append(says, fmt.Sprintf(format, args...))
		}
	}
	for _, s := range slices.Sorted(maps.Keys(want)) {
		for _, time := range slices.Sorted(maps.Keys(want[s])) {
			if text, there := got[s][time]; !there {
				say("missing: %s %s at %d", s, want[s][time], time)
			} else if text != want[s][time] {
				say("%s at %d: got %s, want %s", s, time, text, want[s][time])
			}
		}
	}
	extra := got.without(want)
	for _, s := range slices.Sorted(maps.Keys(extra)) {
		for time, text := range extra[s] {
			say("nobody sent: %s %s at %d", s, text, time)
		}
	}
	if n == 0 {
		return nil
	}
	return fmt.Errorf("%d differences (%d points came, %d were sent):\n%s", n, got.count(math.MaxInt64), want.count(math.MaxInt64), strings.Join(says, "\n"))
}

// labelsOf returns labels as text, in their order.
func labelsOf[L any](labels []L, pair func(L) (name, text string)) string {
	var b strings.Builder
	for i, l := range labels {
		if i > 0 {
			b.WriteByte(',')
		}
		name, text := pair(l)
		b.WriteString(name + "=" + strconv.Quote(text))
	}
	return b.String()
}

func ofV1(l prompb.Label) (name, text string) { return l.Name, l.Value }

func floatText(f float64) string {
	switch {
	case value.IsStaleNaN(f):
		return stale
	case math.IsNaN(f):
		return fmt.Sprintf("NaN %x", math.Float64bits(f))
	}
	return strconv.FormatFloat(f, 'g', -1, 64)
}

func exemplarText(labels string, v float64) string {
	return fmt.Sprintf("exemplar {%s} %s", labels, floatText(v))
}

// histogramText omits the hint about a counter reset, because a sender reads back the hint of its
// own storage.
func histogramText(h *histogram.Histogram) string {
	if value.IsStaleNaN(h.Sum) {
		return stale
	}
	h.CounterResetHint = 0
	return fmt.Sprintf("%+v", *h)
}

// sorted returns labels in the order of their names.
func sorted(labels map[string]string) (pairs [][2]string) {
	for _, name := range slices.Sorted(maps.Keys(labels)) {
		pairs = append(pairs, [2]string{name, labels[name]})
	}
	return pairs
}

func pairOf(l [2]string) (name, text string) { return l[0], l[1] }

// tenantOf returns the tenant in the labels of a series.
func tenantOf(series string) string {
	for _, t := range tenants {
		if strings.Contains(series, `tenant="`+t+`"`) {
			return t
		}
	}
	return nobody
}

// byTenant splits the points by tenant.
func (p points) byTenant() map[string]points {
	all := make(map[string]points)
	for _, t := range append([]string{nobody}, tenants...) {
		all[t] = make(points)
	}
	for series, at := range p {
		all[tenantOf(series)][series] = at
	}
	return all
}
