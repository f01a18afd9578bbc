package remotewrite

// These tests measure how the cost of every function grows with its input.

import (
	"encoding/binary"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/slipstream-go/slipstream/internal/growth"
)

// growthBody is a body and its version.
type growthBody struct {
	version Version
	body    []byte
}

// growthBy contains options to split by one label and by many.
var growthBy = []By{
	{Labels: []string{"service_id"}, Remove: true},
	{Labels: []string{"a", "b", "namespace", "tenant", "cluster"}, Default: "x", Sound: true},
}

// perByte is the maximum number of bytes that Decode may allocate for each byte of the body. The
// worst case is an empty histogram, which has two bytes. The memory for values grows by doubling
// blocks. The last block has up to twice the required size, and the earlier blocks together are as
// large.
var perByte = 4 * float64(reflect.TypeFor[Histogram]().Size()) / 2

func growthCalls() []growth.Call[growthBody] {
	scan := func(in growthBody, s *Scanner) {
		s.Reset(in.body, in.version)
		for range s.Symbols {
		}
		for v := range s.Series {
			v.Raw()
			v.Label("service_id")
			v.Found(0)
			v.Metadata()
			for range v.Labels {
			}
			for range v.Samples {
			}
			for e := range v.Exemplars {
				for range e.Labels {
				}
			}
			for h := range v.Histograms {
				_ = h.Check()
				h.Raw()
				for range h.CustomValues {
				}
				for _, k := range []BucketsView{h.Negative(), h.Positive()} {
					for range k.Counts {
					}
					for range k.Deltas {
					}
					for range k.Spans {
					}
				}
			}
		}
		for range s.Metadata {
		}
		_ = s.Err()
	}
	return []growth.Call[growthBody]{
		{Name: "Scanner.Reset,Scanner.Find,Scanner.Series,Scanner.Symbols,Scanner.Metadata,Scanner.Err,SeriesView.Raw,SeriesView.Label,SeriesView.Found,SeriesView.Metadata,SeriesView.Labels,SeriesView.Samples,SeriesView.Exemplars,SeriesView.Histograms,ExemplarView.Labels,HistogramView.Raw,HistogramView.Check,HistogramView.CustomValues,HistogramView.Negative,HistogramView.Positive,BucketsView.Counts,BucketsView.Deltas,BucketsView.Spans",
			Run: func(in growthBody) {
				s := new(Scanner)
				s.Find("service_id", "namespace", "x")
				scan(in, s)
			}, Alloc: 40},
		{Name: "Decode", Run: func(in growthBody) { _ = Decode(in.body, in.version, new(Request)) }, Alloc: perByte},
		{Name: "DecodeView,Append", Run: func(in growthBody) {
			r := new(Request)
			if DecodeView(in.body, in.version, r) == nil {
				Append(nil, in.version, r)
			}
		}, Alloc: perByte + 24},
		{Name: "Splitter.Split,Splitter.Parts,Splitter.Len,Splitter.Rejected,Splitter.Whole,Splitter.WholeWithMetadata,Splitter.MetadataRaw,Splitter.Reset,Part.Append,Part.AppendSize,Part.Size,Part.Key,Part.Missing",
			Run: func(in growthBody) {
				var p Splitter
				for _, by := range growthBy {
					if p.Split(in.body, in.version, by) != nil {
						continue
					}
					p.Len()
					p.Rejected()
					p.Whole()
					p.WholeWithMetadata()
					for range p.MetadataRaw {
					}
					total := 0
					for part := range p.Parts {
						part.Key()
						part.Missing()
						part.Size()
						total += part.AppendSize()
					}
					if total > 4*len(in.body) {
						continue // see the package comment: all parts together may be many times larger than the body
					}
					var b []byte
					for part := range p.Parts {
						b = part.Append(b)
					}
				}
				p.Reset()
			}, Alloc: 250},
		{Name: "Splitter.Split accept", Run: func(in growthBody) {
			var p Splitter
			for _, version := range []Version{V1, V2} { // one of them is the wrong version
				_ = p.Split(in.body, version, By{Labels: []string{"service_id"}, MaxParts: 10, Accept: func([]byte, *SeriesView) error { return ErrParts }})
			}
		}, Alloc: 120},
	}
}

// emptyMost is the maximum number of bytes of empty series or histograms. A Series needs 152 bytes
// of memory, and a Histogram 240. With more of them, the test would only measure the garbage
// collector under memory pressure.
const emptyMost = 2 << 20

// growthBodies returns the inputs for both versions.
func growthBodies() []growth.Family[growthBody] {
	var all []growth.Family[growthBody]
	add := func(name string, version Version, make func(n int) []byte) {
		all = append(all, growth.Family[growthBody]{Name: fmt.Sprintf("%s, version %d", name, version), Make: func(n int) growthBody {
			return growthBody{version, make(n)}
		}})
	}
	repeat := func(unit []byte) func(n int) []byte {
		return func(n int) []byte { return []byte(strings.Repeat(string(unit), max(1, n/len(unit)))) }
	}
	for _, c := range []struct {
		name string
		of   func(n int) shape
	}{
		{"series", func(n int) shape { return shape{series: n / 340, tenants: 5} }},
		{"series, each of another tenant", func(n int) shape { return shape{series: n / 340, tenants: n / 340} }},
		{"histograms", func(n int) shape { return shape{series: n / 400, tenants: 5, histograms: true} }},
	} {
		add(c.name, V1, func(n int) []byte { return c.of(max(n, 1000)).body1() })
		add(c.name, V2, func(n int) []byte { return c.of(max(n, 1000)).body2() })
	}

	label := pbBytes(1, pbString(1, "service_id"), pbString(2, "x"))
	other := pbBytes(1, pbString(1, "b"), pbString(2, "y"))
	series := pbBytes(1, label, other)
	add("small series", V1, repeat(series))
	add("empty series", V1, repeat(pbBytes(1)))
	all[len(all)-1].Most = emptyMost
	add("one series of many labels", V1, func(n int) []byte { return pbBytes(1, repeat(other)(n)) })
	// numbered returns labels with different names.
	numbered := func(n int) []byte {
		var b []byte
		for i := range n / 24 {
			b = append(b, pbBytes(1, pbString(1, "name "+strconv.Itoa(i)), pbString(2, "y"))...)
		}
		return b
	}
	add("two series of many labels", V1, func(n int) []byte {
		one := pbBytes(1, numbered(n/2))
		return append(one, one...)
	})
	add("one series of many labels that decide", V1, func(n int) []byte { return pbBytes(1, repeat(label)(n)) })
	add("one series of many samples", V1, func(n int) []byte { return pbBytes(1, label, other, repeat(pbSample(1, 2))(n)) })
	add("one series of many exemplars", V1, func(n int) []byte { return pbBytes(1, label, other, repeat(pbBytes(3, label))(n)) })
	add("empty histograms", V1, func(n int) []byte { return pbBytes(1, repeat(pbBytes(4))(n)) })
	all[len(all)-1].Most = emptyMost
	add("one histogram of many spans", V1, func(n int) []byte { return pbBytes(1, pbBytes(4, repeat(pbBytes(11, pbInt(1, 2)))(n))) })
	add("one histogram of many deltas", V1, func(n int) []byte { return pbBytes(1, pbBytes(4, repeat(pbInt(12, 2))(n))) })
	add("one histogram of packed deltas", V1, func(n int) []byte { return pbBytes(1, pbBytes(4, pbBytes(12, repeat([]byte{2})(n)))) })
	add("many packed fields, each with one value", V1, func(n int) []byte { return pbBytes(1, pbBytes(4, repeat(pbPacked(12, 2))(n))) })
	add("metadata", V1, repeat(pbBytes(3, pbString(2, "a"), pbString(4, "help"))))
	add("a label that is long", V1, func(n int) []byte {
		return pbBytes(1, pbBytes(1, pbString(1, "service_id"), pbString(2, strings.Repeat("x", n))), other)
	})
	add("a name that is long", V1, func(n int) []byte {
		return pbBytes(1, pbBytes(1, pbString(1, strings.Repeat("x", n)), pbString(2, "y")))
	})
	add("unknown fields", V1, repeat(pbInt(99, 1)))
	add("unknown fields of a series", V1, func(n int) []byte { return pbBytes(1, repeat(pbInt(99, 1))(n)) })
	add("fields that are there again", V1, func(n int) []byte { return pbBytes(1, pbBytes(1, repeat(pbString(1, "a"))(n))) })
	add("open groups", V1, repeat([]byte{99<<3&0x7f | 3}))
	add("open groups of a series", V1, func(n int) []byte { return pbBytes(1, repeat([]byte{0x7b})(n)) })
	add("groups", V1, func(n int) []byte { return []byte(strings.Repeat("\x7b", n/2) + strings.Repeat("\x7c", n/2)) })
	add("groups, each with its end", V1, repeat([]byte("\x7b\x7c")))
	add("a bad byte at the end", V1, func(n int) []byte { return append(repeat(series)(n), 0) })
	add("a bad series at the end", V1, func(n int) []byte { return append(repeat(series)(n), pbBytes(1, []byte{0})...) })
	add("a cut series", V1, func(n int) []byte { return append(repeat(series)(n), "\x0a\xff\xff\xff\xff\x0f"...) })
	add("claims", V1, repeat([]byte("\x0a\x05\x0a\x03\x0a\xff\x7f")))
	add("long varints", V1, repeat([]byte("\x98\x86\x80\x80\x00\x80\x80\x80\x80\x80\x80\x80\x80\x80\x00")))

	symbols := func(texts ...string) []byte {
		b := pbString(4, "")
		for _, s := range texts {
			b = append(b, pbString(4, s)...)
		}
		return b
	}
	few := symbols("service_id", "x", "b", "y")
	with := func(head []byte, unit []byte) func(n int) []byte {
		return func(n int) []byte { return append(slices.Clone(head), repeat(unit)(n)...) }
	}
	add("small series", V2, with(few, pbBytes(5, pbPacked(1, 1, 2, 3, 4))))
	add("references one by one", V2, with(few, pbBytes(5, pbInt(1, 1), pbInt(1, 2), pbInt(1, 3), pbInt(1, 4))))
	add("empty series", V2, with(few, pbBytes(5)))
	all[len(all)-1].Most = emptyMost
	add("empty histograms", V2, func(n int) []byte { return append(slices.Clone(few), pbBytes(5, repeat(pbBytes(3))(n))...) })
	all[len(all)-1].Most = emptyMost
	add("symbols", V2, with(few, pbString(4, "a symbol")))
	add("empty symbols", V2, with(few, pbString(4, "")))
	add("symbols after the series", V2, func(n int) []byte { return append(repeat(pbBytes(5, pbPacked(1, 1, 2, 3, 4)))(n), few...) })
	add("one series of many labels", V2, func(n int) []byte {
		return append(slices.Clone(few), pbBytes(5, pbBytes(1, repeat([]byte{3, 4})(n)))...)
	})
	add("two series of many labels", V2, func(n int) []byte {
		b, refs := symbols("service_id", "x"), []byte(nil)
		for i := range n / 24 {
			b = append(b, pbString(4, "name "+strconv.Itoa(i))...)
			refs = binary.AppendUvarint(binary.AppendUvarint(refs, uint64(i+3)), 2)
		}
		one := pbBytes(5, pbBytes(1, refs))
		return append(append(b, one...), one...)
	})
	add("one series of many labels that decide", V2, func(n int) []byte {
		return append(slices.Clone(few), pbBytes(5, pbBytes(1, repeat([]byte{1, 2})(n)))...)
	})
	add("one series of many fields of references", V2, func(n int) []byte {
		return append(slices.Clone(few), pbBytes(5, repeat(pbPacked(1, 3, 4))(n))...)
	})
	add("one series of much metadata", V2, func(n int) []byte {
		return append(slices.Clone(few), pbBytes(5, repeat(pbBytes(5, pbInt(3, 1)))(n))...)
	})
	add("exemplars", V2, func(n int) []byte {
		return append(slices.Clone(few), pbBytes(5, repeat(pbBytes(4, pbPacked(1, 3, 4)))(n))...)
	})
	add("a bad reference at the end", V2, func(n int) []byte {
		return append(with(few, pbBytes(5, pbPacked(1, 1, 2, 3, 4)))(n), pbBytes(5, pbPacked(1, 1, 99))...)
	})
	add("a symbol that tenants share", V2, func(n int) []byte { return sharedSymbol(n/40, n/2) })
	add("long symbols by turns", V2, func(n int) []byte {
		long := strings.Repeat("x", n/8)
		head := symbols("service_id", long+"a", long+"b", long+"b", "z")
		return with(head, slices.Concat(pbBytes(5, pbPacked(1, 1, 2, 5, 5)), pbBytes(5, pbPacked(1, 1, 3, 5, 5)), pbBytes(5, pbPacked(1, 1, 4, 5, 5))))(n / 2)
	})
	add("long names by turns", V2, func(n int) []byte {
		long := strings.Repeat("x", n/8)
		head := symbols(long+"a", long+"b", long+"b", "z", "z")
		return with(head, slices.Concat(pbBytes(5, pbPacked(1, 1, 4)), pbBytes(5, pbPacked(1, 2, 5)), pbBytes(5, pbPacked(1, 3, 4))))(n / 2)
	})
	add("a tenant for each symbol", V2, func(n int) []byte {
		b, refs := symbols("service_id", "b"), []byte(nil)
		for i := range n / 22 {
			b = append(b, pbString(4, strconv.Itoa(i))...)
			refs = append(refs, pbBytes(5, pbPacked(1, 1, uint64(i+3), 2, 2))...)
		}
		return append(b, refs...)
	})
	return all
}

// The Splitter accepts all bodies that it should. If it rejected every series of a body, the growth
// test would not measure the parts.
func TestGrowthBodies(t *testing.T) {
	rejected := []string{ // their label is repeated
		"one series of many labels that decide, version 1", "one series of many labels that decide, version 2",
	}
	for _, f := range growthBodies() {
		in := f.Make(8 << 10)
		var p Splitter
		err := p.Split(in.body, in.version, growthBy[0])
		if n, _ := p.Rejected(); err == nil && (n > 0 && p.Len() == 0) != slices.Contains(rejected, f.Name) {
			t.Errorf("%s: %d series are rejected, and there are %d parts", f.Name, n, p.Len())
		}
	}
}

func growthOthers() []growth.Case {
	return []growth.Case{
		{Name: "Request.Reset many small after a large one", Alloc: 240, Prepare: func(n int) func() {
			large := shape{series: n / 700, tenants: 3}.body2()
			small := labels2Body([]string{"service_id", "x"})
			return func() {
				r := new(Request)
				_ = Decode(large, V2, r)
				for range n / 100 {
					_ = Decode(small, V2, r)
					Append(nil, V2, r)
					r.Reset()
				}
			}
		}},
		{Name: "Splitter.Split many small after a large one", Alloc: 240, Prepare: func(n int) func() {
			large := shape{series: n / 700, tenants: n / 700}.body2()
			small := labels2Body([]string{"service_id", "x"})
			return func() {
				var p Splitter
				_ = p.Split(large, V2, growthBy[0])
				for range n / 100 {
					_ = p.Split(small, V2, growthBy[0])
					for part := range p.Parts {
						part.Append(nil)
					}
				}
			}
		}},
		{Name: "Append many small after a large one", Alloc: 240, Prepare: func(n int) func() {
			var large, small Request
			_ = Decode(shape{series: n / 700, tenants: 3}.body2(), V2, &large)
			_ = Decode(labels2Body([]string{"service_id", "x"}), V2, &small)
			return func() {
				Append(nil, V2, &large)
				for range n / 100 {
					Append(nil, V2, &small)
				}
			}
		}},
	}
}

func TestGrowth(t *testing.T) {
	growth.Check(t, slices.Concat(growth.Cross(growthCalls(), growthBodies()), growthOthers()))
}

func TestGrowthCovers(t *testing.T) {
	growth.Covers(t, append(growth.Names(growthCalls()), growth.CaseNames(growthOthers())...), map[string]string{
		"Error.*":    "a line of text",
		"*Error.*":   "a line of text",
		"Count.*":    "a number",
		"FloatCount": "a number",
		"IntCount":   "a number",
	})
}

// TestGrowthHeld sends one large body and then many small ones through the same objects and pools.
func TestGrowthHeld(t *testing.T) {
	bodies := func(large, small int) map[int][]byte {
		return map[int][]byte{large: shape{series: large / 340, tenants: large / 1000}.body2(), small: labels2Body([]string{"service_id", "x"})}
	}
	growth.CheckHeld(t, []growth.Held{
		{Name: "Decode", Start: func(large, small int) func(int) any {
			in := bodies(large, small)
			r := new(Request)
			return func(n int) any {
				if err := Decode(in[n], V2, r); err != nil {
					t.Fatal(err)
				}
				return nil
			}
		}},
		{Name: "Append", Start: func(large, small int) func(int) any {
			in := map[int]*Request{}
			for n, body := range bodies(large, small) {
				in[n] = new(Request)
				if err := Decode(body, V2, in[n]); err != nil {
					t.Fatal(err)
				}
			}
			return func(n int) any { return Append(nil, V2, in[n]) }
		}, Kept: 8},
		{Name: "Scanner", Start: func(large, small int) func(int) any {
			in := bodies(large, small)
			s := new(Scanner)
			return func(n int) any {
				s.Reset(in[n], V2)
				for range s.Series {
				}
				return nil
			}
		}},
		{Name: "Append, long texts", Start: func(int, int) func(int) any {
			return func(n int) any { // every request contains new texts
				text := strings.Repeat("x", n/2)
				return Append(nil, V2, &Request{Series: []Series{{Labels: []Label{{Name: text, Value: text[1:]}}}}})
			}
		}, Kept: 8},
		{Name: "Splitter, many parts", Start: splits(t, func(n int) shape { return shape{series: n / 340, tenants: n / 340} })},
		{Name: "Splitter, one part", Start: splits(t, func(n int) shape { return shape{series: n / 340, tenants: 1} })},
	})
}

// splits returns the Start function of a Held test whose large body has the given shape.
func splits(t *testing.T, of func(n int) shape) func(int, int) func(int) any {
	return func(large, small int) func(int) any {
		in := map[int][]byte{large: of(large).body2(), small: labels2Body([]string{"service_id", "x"})}
		p := new(Splitter)
		return func(n int) any {
			if err := p.Split(in[n], V2, growthBy[0]); err != nil {
				t.Fatal(err)
			}
			for part := range p.Parts {
				part.Append(nil)
			}
			return nil
		}
	}
}
