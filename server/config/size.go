package config

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Size is a number of bytes.
type Size int64

// sizeUnits lists the suffixes of sizes. If a suffix ends with another suffix, as MB ends with B,
// the longer suffix comes first.
var sizeUnits = []struct {
	suffix string
	bytes  float64
}{
	{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"TiB", 1 << 40},
	{"kB", 1e3}, {"KB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12},
	{"B", 1},
}

// UnmarshalText parses a size such as 1048576, 64MiB or 1.5 GB.
func (s *Size) UnmarshalText(text []byte) error {
	number, unit := strings.TrimSpace(string(text)), 1.0
	for _, u := range sizeUnits {
		if rest, ok := strings.CutSuffix(number, u.suffix); ok {
			number, unit = strings.TrimSpace(rest), u.bytes
			break
		}
	}
	if n, err := strconv.ParseInt(number, 10, 64); err == nil && unit == 1 && n >= 0 {
		*s = Size(n)
		return nil
	}
	n, err := strconv.ParseFloat(number, 64)
	if n *= unit; err != nil || !(n >= 0) || n >= math.MaxInt64 {
		return fmt.Errorf("%q is not a size; write bytes, or a number with KiB, MiB, GiB, kB, MB or GB", text)
	}
	*s = Size(n)
	return nil
}
