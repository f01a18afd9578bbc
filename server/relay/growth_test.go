package relay

import (
	"encoding/binary"
	"slices"
	"strings"
	"testing"

	"github.com/slipstream-go/slipstream/internal/growth"
)

// sharedNames returns a version 2 body of about n bytes. It contains long metric names that differ
// only in the last byte, and series with metadata that refer to these names in turn.
func sharedNames(n, names int) []byte {
	body := slices.Concat(text(4, ""), text(4, "__name__"))
	for i := range names {
		body = append(body, text(4, strings.Repeat("x", n/2/names)+string(rune('a'+i)))...)
	}
	for i := 0; len(body) < n; i++ {
		refs := binary.AppendUvarint([]byte{1}, uint64(2+i%names))
		body = append(body, field(5, field(1, refs), field(5, []byte{0x08, 1}))...)
	}
	return body
}

// The time to convert a body from version 2 to version 1 grows linearly with its size, however
// often its series refer to long names.
func TestGrowth(t *testing.T) {
	families := []growth.Family[[]byte]{
		{Name: "one name", Make: func(n int) []byte { return sharedNames(n, 1) }},
		{Name: "names in turn", Make: func(n int) []byte { return sharedNames(n, 3) }},
	}
	const most = 64 << 10
	growth.Check(t, growth.Cross([]growth.Call[[]byte]{
		{Name: "downgrade", Run: func(body []byte) {
			if _, err := downgrade(nil, body, most); err == nil || !strings.Contains(err.Error(), "exceeds") {
				t.Errorf("%d bytes: %v", len(body), err)
			}
		}, Alloc: 240},
	}, families))
}
