package transcode

import (
	"io"
	"runtime"
	"strings"
	"testing"

	"github.com/slipstream-go/slipstream/internal/msgpwire"
)

// again is a reader that returns n copies of text.
type again struct {
	text  string
	at, n int
}

func (r *again) Read(p []byte) (int, error) {
	if r.at == len(r.text) {
		r.at = 0
		r.n--
	}
	if r.n <= 0 {
		return 0, io.EOF
	}
	k := copy(p, r.text[r.at:])
	r.at += k
	return k, nil
}

// Streams of 40 MB are converted, and memory is allocated only for the current value.
func TestStreamsInBoundedMemory(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector empties pools at random")
	}
	const copies = 20
	packed, text := streams(t)
	for in, run := range map[string]convert{packed: WriteJSON, text: WriteMessagePack} {
		for _, long := range []int{0, 1 << 20} {
			value := `"` + strings.Repeat("x", long) + "\"\n"
			if in == packed {
				value = string(msgpwire.AppendStringLen(nil, long)) + strings.Repeat("x", long)
			}
			whole := value + strings.Repeat(in, 20_000)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			w := &writer{room: 1 << 30}
			if err := run(w, &again{text: whole, n: copies}, 0); err != nil {
				t.Fatal(err)
			}
			runtime.ReadMemStats(&after)
			t.Logf("%d KB for values of up to %d KB", (after.TotalAlloc-before.TotalAlloc)>>10, long>>10)
			// A buffer is dropped if the small values after a large one do not need it. So each
			// large value allocates new memory: the Decoder's buffer, the value and its output. The
			// buffer grows by doubling, up to at most twice the size of the value. Its allocations
			// add up to at most four times the size of the value. Small values allocate nothing.
			if n := int(after.TotalAlloc - before.TotalAlloc); n > copies*(4+1+1)*long+512<<10 {
				t.Errorf("%d KB for values of up to %d KB", n>>10, long>>10)
			}
		}
	}
}
