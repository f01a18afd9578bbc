package admission

import (
	"bytes"
	"errors"
	"io"
	"testing"
	"testing/iotest"
)

// watch is a Pace that calls the function itself after each read.
type watch func(n int)

func (w watch) Arrived(n int) { w(n) }

var readers = map[string]func(io.Reader) io.Reader{
	"whole": func(r io.Reader) io.Reader { return r }, "half": iotest.HalfReader, "end with data": iotest.DataErrReader,
	"a byte at a time": func(r io.Reader) io.Reader { return iotest.OneByteReader(r) },
}

// Read returns the whole body, for known and unknown lengths and for pieces of any size. The buffer
// has capacity for the suffix. While the body arrives, the capacity grows to twice the number of
// received bytes, or is the first size.
func TestRead(t *testing.T) {
	for _, n := range []int{0, 1, 100, firstRead - 1, firstRead, firstRead + 1, firstBuffer, firstBuffer + 1, 3 * firstBuffer} {
		sent := bytes.Repeat([]byte("0123456789abcdef"), n/16+1)[:n]
		for _, suffix := range []int{0, 1, 5000, 2 * firstBuffer} {
			for _, length := range []int64{int64(n), -1} {
				for name, reader := range readers {
					budget := NewBudget(1 << 30)
					h := budget.Of("")
					got := 0
					b, err := h.Read(reader(bytes.NewReader(sent)), length, 1<<20, suffix, watch(func(n int) {
						got += n
						if most := leastBuffer << class(max(2*got, firstBuffer)+suffix); h.Bytes() > int64(most) {
							t.Fatalf("%d bytes, %s: %d are charged for %d, at most %d should be", len(sent), name, h.Bytes(), got, most)
						}
						if got == 0 && h.Bytes() != 0 {
							t.Fatalf("%d bytes, %s: %d are charged for nothing", len(sent), name, h.Bytes())
						}
					}))
					switch {
					case err != nil || !bytes.Equal(b.B, sent) || got != n:
						t.Fatalf("%d bytes of length %d, %s: %d, %v", n, length, name, len(b.B), err)
					case cap(b.B)-len(b.B) < suffix:
						t.Errorf("%d bytes of length %d, %s: room for %d of %d", n, length, name, cap(b.B)-len(b.B), suffix)
					case n > 0 && h.Bytes() != int64(cap(b.B)):
						t.Errorf("%d bytes of length %d, %s: %d charged for a buffer of %d", n, length, name, h.Bytes(), cap(b.B))
					}
					b.Free()
					if h.Release(); budget.Used() != 0 {
						t.Fatalf("%d bytes are still charged", budget.Used())
					}
				}
			}
		}
	}
}

// If a body is too large, ends early or cannot be read, Read returns an error and the received
// bytes. Read reads at most one byte more than the limit.
func TestReadErrors(t *testing.T) {
	broken := errors.New("broken")
	for name, reader := range readers {
		for _, c := range []struct {
			src          io.Reader
			length, most int64
			got          int
			want         error
		}{
			{bytes.NewReader(make([]byte, 5001)), -1, 5000, 5001, ErrTooLarge},
			{bytes.NewReader(make([]byte, 1<<20)), -1, 5000, 5001, ErrTooLarge},
			{bytes.NewReader(make([]byte, 5000)), -1, 5000, 5000, nil},
			{bytes.NewReader(make([]byte, 100)), 200, 5000, 100, io.ErrUnexpectedEOF},
			{bytes.NewReader(nil), 200, 5000, 0, io.ErrUnexpectedEOF},
			{io.MultiReader(bytes.NewReader(make([]byte, 100)), iotest.ErrReader(broken)), 200, 5000, 100, broken},
			{io.MultiReader(bytes.NewReader(make([]byte, 100)), iotest.ErrReader(broken)), -1, 5000, 100, broken},
		} {
			var h Hold
			if b, err := h.Read(reader(c.src), c.length, c.most, 0, watch(func(int) {})); err != c.want || len(b.B) != c.got {
				t.Errorf("%s, length %d: %d bytes, %v; want %d, %v", name, c.length, len(b.B), err, c.got, c.want)
			}
		}
	}
}

// Read fails if the budget has no memory for a body. If the budget is already used up, it fails
// immediately; otherwise it fails as soon as the rest of the budget is used up.
func TestReadWithoutMemory(t *testing.T) {
	for _, free := range []int64{0, firstRead, 2 * firstBuffer} {
		budget := NewBudget(1<<20 + free)
		other, h := budget.Own(), budget.Own()
		if err := other.Take(1 << 20); err != nil {
			t.Fatal(err)
		}
		body := bytes.NewReader(make([]byte, 1<<20))
		b, err := h.Read(body, -1, 1<<30, 0, watch(func(int) {}))
		if err != ErrFull || h.Bytes() > free {
			t.Errorf("%d bytes free: %d charged, %v", free, h.Bytes(), err)
		}
		if free == 0 && body.Len() != 1<<20 {
			t.Errorf("%d bytes were read without memory for them", 1<<20-body.Len())
		}
		b.Free()
		h.Release()
		if budget.Used() != 1<<20 {
			t.Errorf("%d bytes are still charged", budget.Used()-1<<20)
		}
	}
}
