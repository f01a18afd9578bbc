package harness

import (
	"math"
	"slices"
)

// quantile returns the value below which the fraction q of sorted lies. It interpolates linearly
// between adjacent values.
func quantile(sorted []float64, q float64) float64 {
	pos := q * float64(len(sorted)-1)
	i := int(pos)
	if i+1 >= len(sorted) {
		return sorted[len(sorted)-1]
	}
	return sorted[i] + (pos-float64(i))*(sorted[i+1]-sorted[i])
}

// spread contains a median and the quartiles around it.
type spread struct{ low, median, high float64 }

// ratios returns the spread of rival ÷ ours over the rounds. Both slices contain one time per
// round.
func ratios(rival, ours []float64) spread {
	r := make([]float64, len(ours))
	for i := range r {
		r[i] = rival[i] / ours[i]
	}
	slices.Sort(r)
	return spread{quantile(r, 0.25), quantile(r, 0.5), quantile(r, 0.75)}
}

// geomean returns the geometric mean, which weighs twice as fast and half as fast equally.
func geomean(values []float64) float64 {
	sum := 0.0
	for _, v := range values {
		sum += math.Log(v)
	}
	return math.Exp(sum / float64(len(values)))
}
