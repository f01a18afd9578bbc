package series

import (
	"fmt"
	"strings"
	"testing"

	"github.com/slipstream-go/slipstream/server/names"
)

func TestTableOf(t *testing.T) {
	long := strings.Repeat("a", maxTenantTable)
	const sum = "x---sha256_"
	for tenant, want := range map[string]string{
		"team-a":              "team-a",
		"A_1":                 "A_1",
		"12345":               "x--12345",
		"-":                   "x----",
		"team.a-b":            "x--team-2ea--b",
		"x--a":                "x--x----a",
		"x-a":                 "x-a",
		"a-metadata":          "x--a--metadata",
		"a-histograms":        "x--a--histograms",
		"a-exemplars":         "x--a--exemplars",
		"-metadata":           "x----metadata",
		"a-samples":           "a-samples",
		"!*'()":               "x---21-2a-27-28-29",
		"":                    "x--",
		"a/b":                 "x--a-2fb",
		"é":                   "x---c3-a9",
		long:                  long,
		long + "a":            sum,
		"1" + long:            sum,
		long[:100] + "......": sum,
	} {
		if got := TableOf(tenant); got != want && !(want == sum && strings.HasPrefix(got, sum) && len(got) == len(sum)+64) {
			t.Errorf("tableOf(%q) is %q, want %q", tenant, got, want)
		}
	}
}

// tenantOf returns the tenant and the kind of data of a table. ok is false if the name contains a
// hash, or is not the name of a tenant's table.
func tenantOf(name string) (tenant string, of kind, ok bool) {
	rest, escaped := strings.CutPrefix(name, escapedPrefix)
	if !escaped {
		for k, suffix := range suffixes {
			if base, has := strings.CutSuffix(name, suffix); has && k > 0 {
				return base, kind(k), true
			}
		}
		return name, samples, true
	}
	var b []byte
	for rest != "" {
		var c byte
		switch n, _ := fmt.Sscanf(rest, "-%02x", &c); {
		case rest[0] != '-':
			b, rest = append(b, rest[0]), rest[1:]
		case strings.HasPrefix(rest, "--"):
			b, rest = append(b, '-'), rest[2:]
		case n == 1 && len(rest) >= 3 && isHex(rest[1]) && isHex(rest[2]):
			b, rest = append(b, c), rest[3:]
		default:
			for k, suffix := range suffixes {
				if rest == suffix {
					return string(b), kind(k), true
				}
			}
			return "", 0, false
		}
	}
	return string(b), samples, true
}

func isHex(c byte) bool { return names.IsDigit(c) || 'a' <= c && c <= 'f' }

// FuzzTenant derives the tenant back from the name of each of its tables. This proves that no two
// tenants share a table.
func FuzzTenant(f *testing.F) {
	for _, tenant := range []string{"", "a", "team-a", "x--a", "x--a--b", "a-metadata", "a-metadata-metadata", "x--a-metadata", "x---sha256_", "12-ef", "é", "x---", "a.-.b"} {
		f.Add(tenant)
	}
	f.Fuzz(func(t *testing.T, tenant string) {
		base := TableOf(tenant)
		for k, suffix := range suffixes {
			name := base + suffix
			if err := names.CheckTable(name); err != nil {
				t.Fatalf("%q: %v", tenant, err)
			}
			got, of, ok := tenantOf(name)
			if strings.HasPrefix(base, escapedPrefix+"-sha256_") && len(base) == 75 {
				if ok || len(tenant)*3+len(escapedPrefix) <= maxTenantTable {
					t.Errorf("%q has the sum %q for a table, which reads as %q", tenant, name, got)
				}
				continue
			}
			if !ok || got != tenant || of != kind(k) {
				t.Errorf("%q is table %q, which reads as that of %q, %d, %v", tenant, name, got, of, ok)
			}
		}
	})
}
