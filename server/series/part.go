package series

import (
	"encoding/binary"

	"github.com/slipstream-go/slipstream/remotewrite"
	"github.com/slipstream-go/slipstream/server/rows"
)

// Format is the format of bodies that consist of parts. Clients cannot send this format. The relay
// splits the requests of clients by tenant, and the log stores the parts in this format.
var Format = &rows.Format{Code: 5, Name: "remote_write", Decode: decode, Hollow: true}

// MaxHead is the maximum number of bytes that Append adds before a body.
const MaxHead = 2 + maxTenantTable + 1 + binary.MaxVarintLen64

// part is the part of a body for one tenant.
type part struct {
	table   []byte
	version remotewrite.Version
	body    []byte
}

// Append appends a part to a body. It stores the name of the tenant's table, not the name of the
// tenant.
func Append(b []byte, p *Part) []byte {
	return appendPart(b, part{[]byte(TableOf(p.Tenant)), p.Version, p.Body})
}

func appendPart(b []byte, p part) []byte {
	b = append(binary.AppendUvarint(b, uint64(len(p.table))), p.table...)
	b = append(b, byte(p.version))
	return append(binary.AppendUvarint(b, uint64(len(p.body))), p.body...)
}

// cutPart reads the first part of a body.
func cutPart(b []byte) (p part, rest []byte, ok bool) {
	if p.table, b, ok = CutBytes(b); !ok || len(b) == 0 {
		return p, nil, false
	}
	p.version = remotewrite.Version(b[0])
	p.body, rest, ok = CutBytes(b[1:])
	return p, rest, ok
}

// CutBytes splits b into the first field and the rest. In b, the length of the field precedes the
// field.
func CutBytes(b []byte) (field, rest []byte, ok bool) {
	n, k := binary.Uvarint(b)
	if k <= 0 || n > uint64(len(b)-k) {
		return nil, nil, false
	}
	b = b[k:]
	return b[:n:n], b[n:], true
}
