package remotewrite

import (
	"fmt"
	"testing"
)

var shapes = map[string]shape{
	"series=100":             {series: 100, tenants: 10},
	"series=2000":            {series: 2000, tenants: 10},
	"series=2000,histograms": {series: 2000, tenants: 10, histograms: true},
}

func BenchmarkScan(b *testing.B) {
	for name, c := range shapes {
		for version, body := range map[Version][]byte{V1: c.body1(), V2: c.body2()} {
			b.Run(fmt.Sprintf("V%d/%s", version, name), func(b *testing.B) {
				var s Scanner
				s.Find("service_id")
				b.SetBytes(int64(len(body)))
				b.ReportAllocs()
				for b.Loop() {
					n := 0
					s.Reset(body, version)
					for series := range s.Series {
						if _, found := series.Found(0); found > 0 {
							n++
						}
					}
					if s.Err() != nil || n != c.series {
						b.Fatal(s.Err(), n)
					}
				}
			})
		}
	}
}

func BenchmarkSplit(b *testing.B) {
	for _, c := range []shape{{series: 2000, tenants: 1}, {series: 2000, tenants: 10}, {series: 2000, tenants: 10, runs: true}, {series: 2000, tenants: 50}, {series: 100, tenants: 50}} {
		for version, body := range map[Version][]byte{V1: c.body1(), V2: c.body2()} {
			for _, remove := range []bool{false, true} {
				b.Run(fmt.Sprintf("V%d/series=%d,tenants=%d,runs=%v,remove=%v", version, c.series, c.tenants, c.runs, remove), func(b *testing.B) {
					var p Splitter
					var dst []byte
					by := By{Labels: []string{"service_id"}, Remove: remove}
					b.SetBytes(int64(len(body)))
					b.ReportAllocs()
					for b.Loop() {
						if err := p.Split(body, version, by); err != nil || p.Len() != c.tenants {
							b.Fatal(err, p.Len())
						}
						for part := range p.Parts {
							dst = part.Append(dst[:0])
						}
					}
				})
			}
		}
	}
}
