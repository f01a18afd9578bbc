package json_test

import (
	"fmt"
	"io"
	"strings"
	"testing"
)

// Buffered, followed by the reader, returns all bytes that follow a value. The values end near the
// buffer sizes. The number of bytes in Buffered depends on the size of each read: with
// GOEXPERIMENT=jsonv2, encoding/json first reads 64 bytes.
func TestBufferedAndReader(t *testing.T) {
	for _, n := range []int{2, 60, 61, 62, 63, 64, 65, 66, 127, 128, 129, 510, 511, 512, 513, 514, 1024, 4096} {
		for _, value := range []string{`"` + strings.Repeat("x", n-2) + `"`, "[" + strings.Repeat(" ", n-2) + "]", "1." + strings.Repeat("0", n-2) + "5"} {
			for _, rest := range []string{"", " ", "\n", " [2] and more" + strings.Repeat(".", 5000)} {
				var ends [2]string
				for i, open := range []func(io.Reader) decoder{newStd, newOurs} {
					r := strings.NewReader(value + rest)
					d := open(r)
					var v any
					err := d.Decode(&v)
					after, err2 := io.ReadAll(io.MultiReader(d.Buffered(), r))
					ends[i] = fmt.Sprint(v, err, err2, d.InputOffset(), string(after))
				}
				if ends[0] != ends[1] || !strings.HasSuffix(ends[1], rest) {
					t.Errorf("%d bytes and %.9q:\n%.300q\nwant\n%.300q", n, rest, ends[1], ends[0])
				}
			}
		}
	}
}
