package series

import (
	"bytes"
	"math"
	"testing"

	"github.com/slipstream-go/slipstream/remotewrite"
	"github.com/slipstream-go/slipstream/server/rows"
	"github.com/slipstream-go/slipstream/server/table"
)

// twoParts returns a body of two parts.
func twoParts() []byte {
	plain := remotewrite.Append(nil, remotewrite.V1, &remotewrite.Request{Series: []remotewrite.Series{{
		Labels: []remotewrite.Label{{Name: "__name__", Value: "up"}}, Samples: []remotewrite.Sample{{Value: 1, Timestamp: 1_760_000_000_000}},
	}}})
	return appendPart(appendPart(nil, part{[]byte("t"), remotewrite.V1, plain}), part{[]byte("u"), remotewrite.V1, nil})
}

// A body that Append cannot have written is rejected, whatever is wrong with it.
func TestDamagedParts(t *testing.T) {
	whole := twoParts()
	first := len(whole) - len(appendPart(nil, part{[]byte("u"), remotewrite.V1, nil}))
	for n := range whole {
		j := &rows.Job{Body: whole[:n], Limits: &rows.Unbounded, MaxText: math.MaxInt64, Pool: table.NewPool(0), Judged: true}
		if _, err := j.Decode(Format); err == nil && n > 0 && n != first {
			t.Errorf("%d of %d bytes are decoded", n, len(whole))
		}
	}
	for _, b := range [][]byte{
		{0x80}, {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01}, {1, 't', 1, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01}, bytes.Repeat([]byte{0xff}, 20),
	} {
		if p, _, ok := cutPart(b); ok {
			t.Errorf("% x is a part: %v", b, p)
		}
	}
}

// Parts that can be read are the parts that were appended.
func FuzzParts(f *testing.F) {
	f.Add(twoParts())
	f.Add([]byte{0xff, 0xff, 0xff, 0xff, 0x0f})
	f.Fuzz(func(t *testing.T, b []byte) {
		var same []byte
		rest := b
		for len(rest) > 0 {
			p, next, ok := cutPart(rest)
			if !ok {
				break
			}
			same, rest = appendPart(same, p), next
		}
		if read := len(b) - len(rest); len(same) > read {
			t.Errorf("parts of %d bytes are written with %d", read, len(same))
		}
		for again := same; len(again) > 0; {
			_, next, ok := cutPart(again)
			if !ok {
				t.Fatal("appended parts cannot be read")
			}
			again = next
		}
	})
}
