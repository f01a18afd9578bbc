package load

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/fstest"
	"time"
)

// TestHistogram compares quantiles with exact quantiles, for values from nanoseconds to minutes.
func TestHistogram(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var parts [3]histogram
	var exact []time.Duration
	for i := range 20_000 {
		d := time.Duration(math.Exp(rng.Float64() * math.Log(1e11)))
		exact = append(exact, d)
		parts[i%3].add(d)
	}
	slices.Sort(exact)
	var h histogram
	for i := range parts {
		h.merge(&parts[i])
	}
	for _, q := range []float64{0, 0.001, 0.25, 0.5, 0.9, 0.99, 0.999, 1} {
		want := exact[max(0, int(q*float64(len(exact))+0.5)-1)]
		got := h.quantile(q)
		if diff := math.Abs(float64(got - want)); diff > 0.005*float64(want)+1 {
			t.Errorf("quantile %g: %v, want %v", q, got, want)
		}
	}
	if h.max != exact[len(exact)-1] || h.total != int64(len(exact)) {
		t.Errorf("max %v of %d, want %v of %d", h.max, h.total, exact[len(exact)-1], len(exact))
	}
}

func TestHistogramEdges(t *testing.T) {
	var h histogram
	if q := h.quantile(0.5); q != 0 {
		t.Errorf("quantile of nothing: %v", q)
	}
	for _, d := range []time.Duration{-1, 0, 127, 128, 255, 256, math.MaxInt64} {
		h.add(d)
	}
	if got := h.quantile(1); got < math.MaxInt64/256*255 || h.max != math.MaxInt64 {
		t.Errorf("highest quantile %d, max %d", got, h.max)
	}
	for v := uint64(1); v < 1<<62; v += v/2 + 1 {
		if m := float64(middle(bucket(v))); math.Abs(m-float64(v)) > 0.004*float64(v)+0.5 {
			t.Errorf("%d falls into the bucket around %g", v, m)
		}
		if bucket(v) < bucket(v-1) || bucket(v) > bucket(v-1)+1 {
			t.Errorf("bucket %d for %d, %d for %d", bucket(v-1), v-1, bucket(v), v)
		}
	}
}

func TestDegradation(t *testing.T) {
	same := func(n int64, times int) []int64 { return slices.Repeat([]int64{n}, times) }
	for _, c := range []struct {
		seconds []int64
		want    float64
		ok      bool
	}{
		{same(100, 9), 0, false},
		{same(0, 20), 0, false},
		{same(100, 10), 0, true},
		{slices.Concat(same(100, 5), same(75, 5)), 0.25, true},
		{slices.Concat(same(10, 10), same(100, 5), same(80, 20)), 0.2, true},
		{slices.Concat(same(50, 10), same(100, 5)), 0, true},                // the last five seconds are the best
		{slices.Concat(same(0, 3), same(100, 5), same(0, 7)), 1, true},      // the service stopped
		{slices.Concat(same(0, 5), []int64{500}, same(60, 9)), 0.595, true}, // the best five seconds are 500 and four times 60
	} {
		got, ok := degradation(c.seconds)
		if ok != c.ok || math.Abs(got-c.want) > 0.001 {
			t.Errorf("%v: %g, %v; want %g, %v", c.seconds, got, ok, c.want, c.ok)
		}
	}
}

func TestTimeline(t *testing.T) {
	start := time.Now()
	l := timeline{start: start}
	l.add(start.Add(2500*time.Millisecond), 5)
	l.add(start.Add(100*time.Millisecond), 1)
	l.add(start.Add(900*time.Millisecond), 2)
	l.add(start.Add(4100*time.Millisecond), 9)
	if got, want := l.seconds(4200*time.Millisecond), []int64{3, 0, 5, 0}; !slices.Equal(got, want) {
		t.Errorf("seconds %v, want %v", got, want)
	}
	if got := l.seconds(6 * time.Second); len(got) != 6 || got[5] != 0 {
		t.Errorf("seconds %v, want two more without rows", got)
	}
	if n := l.acknowledged(); n != 17 {
		t.Errorf("%d rows, want 17", n)
	}
}

func TestSlope(t *testing.T) {
	if _, ok := slope(make([]int64, 9)); ok {
		t.Error("a slope of nine samples")
	}
	// The memory use first rises quickly, and then grows by 1000 per sample, with noise that
	// cancels out.
	samples := []int64{0, 1e6, 2e6, 3e6, 4e6, 5e6, 5e6 + 1000, 5e6 + 2000, 5e6 + 3000, 5e6 + 4000}
	if got, ok := slope(samples); !ok || math.Abs(got-1000) > 1e-6 {
		t.Errorf("slope %g, want 1000", got)
	}
	if got, ok := slope(slices.Repeat([]int64{7 << 30}, 60)); !ok || got != 0 {
		t.Errorf("slope %g of what stays, want 0", got)
	}
}

func TestProcess(t *testing.T) {
	files := fstest.MapFS{
		"7/stat":   {Data: []byte("7 (a) name (x)) S 1 7 7 0 -1 4194560 100 0 3 0 1234 66 0 0 20 0 9 0 5555 1000000 300\n")},
		"7/status": {Data: []byte("Name:\tserver\nVmPeak:\t 9000 kB\nVmHWM:\t    4000 kB\nVmRSS:\t    3000 kB\n")},
		"8/stat":   {Data: []byte("8 (dead) Z 1\n")},
		"8/status": {Data: []byte("Name:\tdead\nVmRSS:\n")},
	}
	p := process{files, 7}
	if cpu, err := p.cpuSeconds(); err != nil || cpu != 13 {
		t.Errorf("%g CPU seconds, %v; want 13", cpu, err)
	}
	if now, peak, err := p.memory(); err != nil || now != 3000<<10 || peak != 4000<<10 {
		t.Errorf("memory %d, %d, %v", now, peak, err)
	}
	for _, pid := range []int{8, 9} {
		p.pid = pid
		if _, err := p.cpuSeconds(); err == nil {
			t.Errorf("CPU seconds of process %d", pid)
		}
		if _, _, err := p.memory(); err == nil {
			t.Errorf("memory of process %d", pid)
		}
	}
}

// TestMonitor monitors a process that ends during the run. The figures that were measured before
// the end are kept.
func TestMonitor(t *testing.T) {
	stat := func(ticks string) *fstest.MapFile {
		return &fstest.MapFile{Data: []byte("7 (x) S 1 7 7 0 -1 0 0 0 0 0 " + ticks + " 0 0 0 20 0")}
	}
	files := fstest.MapFS{"7/stat": stat("100"), "7/status": {Data: []byte("VmHWM: 40 kB\nVmRSS: 30 kB\n")}}
	m := monitor{process: process{files, 7}}
	if err := m.begin(); err != nil {
		t.Fatal(err)
	}
	m.sample()
	files["7/stat"] = stat("250")
	m.end()
	r := m.report(3_000_000)
	if r.CPUSeconds != 1.5 || r.PerMillion == nil || *r.PerMillion != 0.5 || r.PeakBytes != 40<<10 || r.LastBytes != 30<<10 || r.Problem != "" {
		t.Errorf("report %+v", r)
	}
	delete(files, "7/stat")
	m.end()
	if r := m.report(3_000_000); r.Problem == "" || r.PerMillion != nil || r.PeakBytes != 40<<10 {
		t.Errorf("report after the end %+v", r)
	}
}

func TestGrouped(t *testing.T) {
	for n, want := range map[int64]string{0: "0", 999: "999", 1000: "1,000", -1234567: "-1,234,567", 100000: "100,000"} {
		if got := grouped(n); got != want {
			t.Errorf("%d: %s, want %s", n, got, want)
		}
	}
}
