package ingest

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// The tables of tenants. One that is a valid name of a table stands for itself; any other is
// written with escapes. No two tenants have a table in common, whatever they are called:
//
//	team-a              team-a
//	12345               x--12345
//	team.a-b            x--team-2ea--b           a byte that names do not have, by its hex digits; the hyphen by two of them
//	x--a, a-metadata    x--x----a, x--a--metadata    these look like what is made here, so they are escaped as well
//	of 118 bytes, ...   x---sha256_…             escaped or not: the sum of the tenant
//
// After the prefix, a hyphen that is followed neither by another nor by two hex digits begins no
// escape: so the kinds of data below, and the sum, cannot be mistaken for a part of the tenant.

const escapedPrefix = "x--"

// kind is what a table of a tenant holds.
type kind uint8

const (
	samples kind = iota
	histograms
	exemplars
	metadata

	kinds
)

// suffixes tell the tables of a tenant apart. None but the first is followed by two hyphens or two
// hex digits.
var suffixes = [kinds]string{samples: "", histograms: "-histograms", exemplars: "-exemplars", metadata: "-metadata"}

const maxTenantTable = maxName - len("-histograms")

// tableOf is the table of a tenant's samples. The others are called by it and a suffix.
func tableOf(tenant string) string {
	if isPlain(tenant, maxTenantTable) && !reserved(tenant) {
		return tenant
	}
	name := []byte(escapedPrefix)
	for i := range len(tenant) {
		switch c := tenant[i]; {
		case c == '-':
			name = append(name, "--"...)
		case isLetter(c) || isDigit(c) || c == '_':
			name = append(name, c)
		default:
			name = hex.AppendEncode(append(name, '-'), []byte{c})
		}
	}
	if len(name) > maxTenantTable {
		sum := sha256.Sum256([]byte(tenant))
		return escapedPrefix + "-sha256_" + hex.EncodeToString(sum[:])
	}
	return string(name)
}

// reserved reports whether a name could be one that is made here.
func reserved(name string) bool {
	for _, suffix := range suffixes[samples+1:] {
		if strings.HasSuffix(name, suffix) {
			return true
		}
	}
	return strings.HasPrefix(name+"-", escapedPrefix) // with the hyphen of a suffix
}
