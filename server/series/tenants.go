package series

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/slipstream-go/slipstream/server/names"
)

// Each tenant has its own tables, and two tenants never share a table. The names of the tables are
// derived from the name of the tenant. A tenant name is used unchanged if it consists of letters,
// digits, _ and -, and starts with a letter. The last two lines show the exceptions. Other names
// are escaped:
//
//	team-a              team-a
//	12345               x--12345
//	team.a-b            x--team-2ea--b           a byte that names cannot contain: hyphen and hex digits; a hyphen: two hyphens
//	x--a, a-metadata    x--x----a, x--a--metadata    could be mistaken for names made here, so they are escaped, too
//	of 118 bytes, ...   x---sha256_…             too long, escaped or not: the hash of the tenant
//
// After the prefix, an escape is a hyphen, followed by either another hyphen or two hex digits. The
// hyphens before the suffixes below and before sha256 are followed by other characters. So a suffix
// or a hash cannot be mistaken for a part of the tenant's name.

const escapedPrefix = "x--"

// kind is the kind of data in a table of a tenant.
type kind uint8

const (
	samples kind = iota
	histograms
	exemplars
	metadata

	kinds
)

// suffixes contains the suffix for each table of a tenant. A suffix begins with a hyphen that is
// followed neither by another hyphen nor by two hex digits.
var suffixes = [kinds]string{samples: "", histograms: "-histograms", exemplars: "-exemplars", metadata: "-metadata"}

const maxTenantTable = names.Max - len("-histograms")

// TableOf returns the name of the table for a tenant's samples. The name of each other table is
// this name followed by a suffix.
func TableOf(tenant string) string {
	if names.IsPlain(tenant, maxTenantTable) && !reserved(tenant) {
		return tenant
	}
	name := []byte(escapedPrefix)
	for i := range len(tenant) {
		switch c := tenant[i]; {
		case c == '-':
			name = append(name, "--"...)
		case names.IsLetter(c) || names.IsDigit(c) || c == '_':
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

// reserved reports whether name could be mistaken for an escaped name, or for a name with a suffix.
func reserved(name string) bool {
	for _, suffix := range suffixes[samples+1:] {
		if strings.HasSuffix(name, suffix) {
			return true
		}
	}
	return strings.HasPrefix(name+"-", escapedPrefix) // "x-" with a suffix begins with the prefix, too
}
