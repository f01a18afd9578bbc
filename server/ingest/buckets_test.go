package ingest

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/slipstream-go/slipstream/remotewrite"
)

// This file is an independent version of the texts that package series makes from histograms.

// numberOf returns a count as a float.
func numberOf(c remotewrite.Count) float64 {
	if n, ok := c.Int(); ok {
		return float64(n)
	}
	f, _ := c.Float()
	return f
}

// bucketsOf returns the text in the column buckets.
func bucketsOf(h *remotewrite.Histogram) string {
	_, floats := h.Count.Float()
	text := func(f float64) string {
		switch {
		case math.IsNaN(f):
			return `"NaN"`
		case math.IsInf(f, 0):
			return map[bool]string{true: `"Infinity"`, false: `"-Infinity"`}[f > 0]
		}
		return strconv.FormatFloat(f, 'g', -1, 64)
	}
	line := func(lower, upper, count string) string {
		return fmt.Sprintf(`{"lower":%s,"upper":%s,"count":%s}`, lower, upper, count)
	}
	side := func(of remotewrite.Buckets, sign float64) (lines []string) {
		var indexes []int64 // of the buckets that spans contain
		counts := len(of.Deltas)
		if floats {
			counts = len(of.Counts)
		}
		index := int64(0)
		for _, s := range of.Spans {
			index += int64(s.Offset)
			for range s.Length {
				if len(indexes) == counts {
					break
				}
				indexes = append(indexes, index)
				index++
			}
		}
		sum := int64(0)
		for i := range counts {
			count := ""
			if floats {
				count = text(of.Counts[i])
			} else {
				sum += of.Deltas[i]
				count = strconv.FormatInt(sum, 10)
			}
			lower, upper := "null", "null"
			if i < len(indexes) {
				if low, high, ok := boundsOf(h, indexes[i]); ok {
					if sign < 0 {
						low, high = 0-high, 0-low
					}
					lower, upper = text(low), text(high)
				}
			}
			lines = append(lines, line(lower, upper, count))
		}
		return lines
	}
	negative := side(h.Negative, -1)
	var all []string
	for i := range negative {
		all = append(all, negative[len(negative)-1-i])
	}
	if numberOf(h.ZeroCount) != 0 {
		count := text(numberOf(h.ZeroCount))
		if !floats {
			n, _ := h.ZeroCount.Int()
			count = strconv.FormatInt(int64(n), 10)
		}
		all = append(all, line(text(0-h.ZeroThreshold), text(h.ZeroThreshold), count))
	}
	return "[" + strings.Join(append(all, side(h.Positive, 1)...), ",") + "]"
}

// boundsOf returns the bounds of a bucket of positive values.
func boundsOf(h *remotewrite.Histogram, index int64) (lower, upper float64, ok bool) {
	if h.Schema >= -4 && h.Schema <= 8 {
		return powerOf(h.Schema, index-1), powerOf(h.Schema, index), true
	}
	if h.Schema != -53 || index < 0 || index > int64(len(h.CustomValues)) {
		return 0, 0, false
	}
	bounds := append(append([]float64{math.Inf(-1)}, h.CustomValues...), math.Inf(1))
	return bounds[index], bounds[index+1], true
}

// powerOf returns two to the power of index / 2^schema, or the largest float for 2^1024.
func powerOf(schema int32, index int64) float64 {
	index = min(max(index, -1<<20), 1<<20) // beyond, the power is 0 or infinity
	steps := int64(1)
	if schema > 0 {
		steps <<= schema
	} else {
		index <<= -schema
	}
	whole := index / steps
	if whole*steps > index {
		whole--
	}
	part := index - whole*steps
	if whole == 1024 && part == 0 {
		return math.MaxFloat64
	}
	root := big.NewFloat(2).SetPrec(200)
	for range max(schema, 0) {
		root.Sqrt(root)
	}
	power := big.NewFloat(1).SetPrec(200)
	for range part {
		power.Mul(power, root)
	}
	f, _ := power.Float64()
	return math.Ldexp(f, int(whole))
}
