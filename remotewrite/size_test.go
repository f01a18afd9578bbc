package remotewrite

import (
	"fmt"
	"strings"
	"testing"
)

// AppendSize returns the number of bytes that Append appends.
func TestAppendSize(t *testing.T) {
	for _, version := range []Version{V1, V2} {
		for _, c := range []shape{{series: 1, tenants: 1}, {series: 300, tenants: 7}, {series: 3000, tenants: 1000, runs: true}, {series: 50, tenants: 5, histograms: true}} {
			body := c.body1()
			if version == V2 {
				body = c.body2()
			}
			for _, remove := range []bool{false, true} {
				checkSizes(t, body, version, By{Labels: []string{"service_id"}, Remove: remove})
			}
		}
	}
	checkSizes(t, sharedSymbol(100, 1<<10), V2, By{Labels: []string{"tenant"}})
}

func checkSizes(t *testing.T, body []byte, version Version, by By) {
	t.Helper()
	var p Splitter
	if err := p.Split(body, version, by); err != nil {
		t.Fatal(err)
	}
	for part := range p.Parts {
		size := part.AppendSize()
		if got := part.Append([]byte("before")); len(got)-len("before") != size {
			t.Errorf("version %d: %d bytes, AppendSize says %d", version, len(got), size)
		}
		if again := part.AppendSize(); again != size {
			t.Errorf("version %d: AppendSize is %d, then %d", version, size, again)
		}
	}
}

// sharedSymbol returns a body of version 2 in which the series of all tenants refer to one symbol
// of the given size.
func sharedSymbol(tenants, bytes int) []byte {
	symbols := append(pbString(4, ""), pbString(4, "tenant")...)
	symbols = append(append(symbols, pbString(4, "shared")...), pbString(4, strings.Repeat("x", bytes))...)
	var series []byte
	for i := range tenants {
		symbols = append(symbols, pbString(4, fmt.Sprint(i))...)
		series = append(series, pbBytes(5, pbPacked(1, 1, uint64(4+i), 2, 3))...)
	}
	return append(symbols, series...)
}

// AppendSize returns the size of the parts before they are built, even if all parts together are
// much larger than the body.
func TestAppendSizeTellsOfLargeParts(t *testing.T) {
	const tenants = 1000
	body := sharedSymbol(tenants, 1<<20)
	var p Splitter
	if err := p.Split(body, V2, By{Labels: []string{"tenant"}}); err != nil {
		t.Fatal(err)
	}
	total := 0
	allocated := testing.AllocsPerRun(1, func() {
		total = 0
		for part := range p.Parts {
			total += part.AppendSize()
		}
	})
	if total < tenants<<20 || allocated > 0 {
		t.Errorf("%d bytes, %.0f allocations", total, allocated)
	}
}
