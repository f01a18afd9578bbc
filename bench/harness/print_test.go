package harness

import (
	"strings"
	"testing"
)

func TestFigures(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{figure(0), "0.00"}, {figure(1.234), "1.23"}, {figure(9.994), "9.99"}, {figure(9.996), "10.0"}, {figure(99.96), "100"}, {figure(12345), "12345"},
		{count(0), "0"}, {count(3.1), "3.1"}, {count(3.125), "3.12"}, {count(100), "100"}, {count(0.004), "0"},
		{duration(8.6), "8.60 ns"}, {duration(9994), "9994 ns"}, {duration(12_340), "12.3 µs"}, {duration(999_400), "999 µs"}, {duration(1_234_000), "1.23 ms"},
		{size(0), "0 B"}, {size(1456), "1456 B"}, {size(20480), "20.0 KiB"}, {size(20 << 20), "20.0 MiB"},
		{throughput(0.0341), "34.1 MB/s"}, {throughput(0.9994), "999 MB/s"}, {throughput(4.2), "4.20 GB/s"},
		{frequency(0.0004, "series"), "0.40 M series/s"}, {frequency(0.0127, "series"), "12.7 M series/s"},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
}

func TestPrinter(t *testing.T) {
	var out strings.Builder
	p := Printer{W: &out}
	r := sample("json")
	p.Row(&r.Rows[0])
	p.Row(&r.Rows[1])
	for _, want := range []string{"\nUnmarshal <any>\n", "\nMarshal\n", "1  1.50 GB/s, 220 M series/s  best rival", "best rival ×1.25", "SHORT ≥ 1.3× msgp", "v5 zero-copy†"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the lines lack %q:\n%s", want, out.String())
		}
	}
	if strings.Contains(out.String(), "SHORT ≥ 3.3× v5") {
		t.Error("a bar that holds is called short")
	}
}

func TestVerdictIsTheLastLine(t *testing.T) {
	good := sample("json")
	good.Rows[0].Bars, good.Means = nil, nil
	quick := sample("json")
	quick.Quick = true
	for _, c := range []struct {
		results []*Result
		holds   bool
		last    string
	}{
		{[]*Result{good}, true, "bars: all hold"},
		{[]*Result{good, sample("msgpack")}, false, `bars: 2 short: msgpack: table "Unmarshal <any>", case "small | big": required ≥ 1.3× msgp, measured 1.25; ` +
			`msgpack: mean "all": required ≥ 2× msgp, measured 1.90`},
		{[]*Result{quick}, false, `bars: 2 short (a quick run: not judged): json: table "Unmarshal <any>", case "small | big": required ≥ 1.3× msgp, measured 1.25; ` +
			`json: mean "all": required ≥ 2× msgp, measured 1.90`},
	} {
		var out strings.Builder
		p := Printer{W: &out}
		if holds := p.Verdict(c.results); holds != c.holds {
			t.Errorf("holds is %v, want %v", holds, c.holds)
		}
		lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
		if last := lines[len(lines)-1]; last != c.last {
			t.Errorf("last line %q\nwant %q", last, c.last)
		}
	}
}
