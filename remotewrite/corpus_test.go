package remotewrite

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

// These helpers write Protobuf by hand. They write single fields, and requests like those of
// Kubernetes scrapers.

func pbInt(number int, v uint64) []byte {
	return binary.AppendUvarint(binary.AppendUvarint(nil, uint64(number<<3|typeVarint)), v)
}

func pbDouble(number int, v float64) []byte {
	return binary.LittleEndian.AppendUint64(binary.AppendUvarint(nil, uint64(number<<3|typeFixed64)), math.Float64bits(v))
}

func pbString(number int, s string) []byte { return pbBytes(number, []byte(s)) }

// pbBytes returns a length-prefixed field: a string, or a message with the fields in parts.
func pbBytes(number int, parts ...[]byte) []byte {
	body := slices.Concat(parts...)
	head := binary.AppendUvarint(nil, uint64(number<<3|typeBytes))
	return append(binary.AppendUvarint(head, uint64(len(body))), body...)
}

// pbPacked returns a field of packed varints.
func pbPacked(number int, vs ...uint64) []byte {
	var body []byte
	for _, v := range vs {
		body = binary.AppendUvarint(body, v)
	}
	return pbBytes(number, body)
}

// pbLabels returns label fields for alternating names and values.
func pbLabels(pairs ...string) []byte {
	var out []byte
	for i := 0; i < len(pairs); i += 2 {
		out = append(out, pbBytes(1, pbString(1, pairs[i]), pbString(2, pairs[i+1]))...)
	}
	return out
}

// pbSample returns a sample field. Like most encoders, it omits zeros.
func pbSample(value float64, timestamp int64) []byte {
	var parts [][]byte
	if math.Float64bits(value) != 0 {
		parts = append(parts, pbDouble(1, value))
	}
	if timestamp != 0 {
		parts = append(parts, pbInt(2, uint64(timestamp)))
	}
	return pbBytes(2, parts...)
}

// labels1Body returns a request of version 1 whose series only contain these labels.
func labels1Body(series ...[]string) (out []byte) {
	for _, pairs := range series {
		out = append(out, pbBytes(1, pbLabels(pairs...))...)
	}
	return out
}

// labels2Body returns the same request in version 2. No two labels share a symbol.
func labels2Body(series ...[]string) []byte {
	symbols, n := pbString(4, ""), uint64(0)
	var out []byte
	for _, pairs := range series {
		var refs []uint64
		for _, text := range pairs {
			n++
			symbols = append(symbols, pbString(4, text)...)
			refs = append(refs, n)
		}
		out = append(out, pbBytes(5, pbPacked(1, refs...))...)
	}
	return append(symbols, out...)
}

// now is a sample timestamp in milliseconds.
const now = 1_760_000_000_000

// pbHistogram returns a field with a native histogram with integer counts.
func pbHistogram(number int, r *rand.Rand) []byte {
	n := 8 + r.IntN(8)
	deltas := make([]uint64, n)
	for i := range deltas {
		deltas[i] = unzigzag(int64(r.IntN(400) - 200))
	}
	return pbBytes(number, pbInt(1, uint64(r.IntN(1e6))), pbDouble(3, r.Float64()*1e3), pbInt(4, unzigzag(3)), pbDouble(5, 1e-128), pbInt(6, 7),
		pbBytes(11, pbInt(1, unzigzag(-4)), pbInt(2, uint64(n/2))), pbBytes(11, pbInt(1, unzigzag(3)), pbInt(2, uint64(n-n/2))),
		pbPacked(12, deltas...), pbInt(14, 2), pbInt(15, now))
}

// shape describes a generated request.
type shape struct {
	series, tenants int
	runs            bool // the series of a tenant are adjacent
	histograms      bool // native histograms instead of samples
}

// labelsOf returns the 12 labels of series i, sorted by name. A series with one sample has about
// 336 bytes.
func (c shape) labelsOf(i int, r *rand.Rand) []string {
	tenant := i % c.tenants
	if c.runs {
		tenant = i * c.tenants / c.series
	}
	return []string{
		"__name__", fmt.Sprintf("container_network_receive_%d_total", i%20),
		"cluster", "prod-eu-west-1a",
		"container", fmt.Sprintf("application-%d", i%7),
		"endpoint", "https-metrics",
		"image", "registry.example/app:v1.24",
		"instance", fmt.Sprintf("10.42.%d.%d:10250", i%256, i%199),
		"job", "kubelet",
		"namespace", fmt.Sprintf("team-%03d", i%40),
		"node", fmt.Sprintf("ip-10-42-%d-%d.internal", i%16, i%64),
		"pod", fmt.Sprintf("application-%x-%05x", i%7*7919, r.IntN(1<<20)),
		"service", "kubelet-metrics",
		"service_id", fmt.Sprintf("tenant-%04d", tenant),
	}
}

// body1 returns a request of version 1.
func (c shape) body1() []byte {
	r := rand.New(rand.NewPCG(1, 2))
	var out []byte
	for i := range c.series {
		data := pbSample(float64(r.IntN(1e9))/1e3, now+int64(i))
		if c.histograms {
			data = pbHistogram(4, r)
		}
		out = append(out, pbBytes(1, pbLabels(c.labelsOf(i, r)...), data)...)
	}
	return out
}

// body2 returns the same request in version 2.
func (c shape) body2() []byte {
	r := rand.New(rand.NewPCG(1, 2))
	numbers := map[string]uint64{"": 0}
	symbols := pbString(4, "")
	var series []byte
	for i := range c.series {
		var refs []uint64
		for _, s := range c.labelsOf(i, r) {
			if _, known := numbers[s]; !known {
				numbers[s] = uint64(len(numbers))
				symbols = append(symbols, pbString(4, s)...)
			}
			refs = append(refs, numbers[s])
		}
		data := pbSample(float64(r.IntN(1e9))/1e3, now+int64(i))
		if c.histograms {
			data = pbHistogram(3, r)
		}
		series = append(series, pbBytes(5, pbPacked(1, refs...), data, pbBytes(5))...)
	}
	return append(symbols, series...)
}
