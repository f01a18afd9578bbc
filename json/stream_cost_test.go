//go:build !goexperiment.jsonv2

package json

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
)

// pieceReader returns at most size bytes at a time. If together is set, it returns the last ones
// with io.EOF.
type pieceReader struct {
	rest     string
	size     int
	together bool
}

func (r *pieceReader) Read(p []byte) (int, error) {
	n := copy(p[:min(len(p), r.size)], r.rest)
	if r.rest = r.rest[n:]; r.rest == "" && (n == 0 || r.together) {
		return n, io.EOF
	}
	return n, nil
}

// A Decoder decodes bytes in vain if the value in its buffer is incomplete. The limit is a fourth
// of the stream, plus one value. If all values have the same size, the limit is one value. After a
// larger value, the limit is the number of bytes of one read.
func TestDecodedInVain(t *testing.T) {
	values := func(n, size, grows int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "[%q]\n", strings.Repeat("x", size+i*grows))
		}
		return b.String()
	}
	for _, piece := range []int{1, 105, 512, 4 << 10, 64 << 10} { // 105 is the size of a value of 100 B
		for _, c := range []struct {
			name   string
			stream string
			n      int
			most   int // the size of a value
			vain   int // limit, if less than a fourth of the stream
		}{
			{"100 B", values(2000, 100, 0), 2000, 110, 110},
			{"growing, 100 B", values(500, 100, 1), 500, 700, 0},
			{"growing, 10 KB", values(50, 10<<10, 1), 50, 11 << 10, 0},
			{"growing, 100 KB", values(20, 100<<10, 100), 20, 110 << 10, 0},
			{"growing, 1 MB", values(8, 1<<20, 5000), 8, 2 << 20, 0},
			{"16 MB", values(2, 16<<20, 1), 2, 16<<20 + 10, 0},
			{"100 B and 1 MB", strings.Repeat(values(2000, 100, 0)+values(1, 1<<20, 0), 3), 6003, 2 << 20, 3*piece + 2000},
		} {
			if piece == 1 && len(c.stream) > 1<<20 {
				continue
			}
			for _, together := range []bool{false, true} {
				d := NewDecoder(&pieceReader{c.stream, piece, together})
				var v any
				for i := range c.n {
					v = nil
					if err := d.Decode(&v); err != nil {
						t.Fatalf("value %d: %v", i, err)
					}
				}
				if err := d.Decode(&v); err != io.EOF {
					t.Errorf("%s: %v after the last value", c.name, err)
				}
				// The bytes in the buffer after the value count too.
				most := len(c.stream)/4 + c.most + 2*piece
				if c.vain > 0 {
					most = c.vain
				}
				if d.vain > int64(most) {
					t.Errorf("%s in pieces of %d: %d bytes in vain, of %d", c.name, piece, d.vain, len(c.stream))
				}
			}
		}
	}
}

// blankReader returns white space in small pieces, each with a temporary error, and then a value.
type blankReader struct{ pieces int }

var errPasses = errors.New("the reader is not ready")

func (r *blankReader) Read(p []byte) (int, error) {
	if r.pieces--; r.pieces < 0 {
		return copy(p, "[1]"), nil
	}
	return copy(p, "        "), errPasses
}

// After temporary errors of its reader, Token continues after the white space that it has already
// skipped.
func TestBlanksAfterErrors(t *testing.T) {
	const pieces = 100
	d := NewDecoder(&blankReader{pieces})
	for i := range pieces {
		if _, err := d.Token(); err != errPasses {
			t.Fatalf("%d: %v", i, err)
		}
		if want := 8 * (i + 1); d.idle != want || d.InputOffset() != 0 {
			t.Fatalf("%d bytes of white space are passed over, want %d; offset %d", d.idle, want, d.InputOffset())
		}
	}
	if buffered, err := io.ReadAll(d.Buffered()); err != nil || len(buffered) != 8*pieces {
		t.Errorf("%d bytes are buffered: %v", len(buffered), err)
	}
	if tok, err := d.Token(); tok != Delim('[') || err != nil || d.InputOffset() != 8*pieces+1 {
		t.Errorf("%v, %v at %d", tok, err, d.InputOffset())
	}
	if d.More(); d.idle != 0 {
		t.Errorf("%d bytes of white space before a value", d.idle)
	}
	var v int
	if err := d.Decode(&v); v != 1 || err != nil {
		t.Errorf("%d, %v", v, err)
	}
}
