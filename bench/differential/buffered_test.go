package differential

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"reflect"
	"testing"
	"testing/iotest"

	"github.com/slipstream-go/slipstream/msgpack"
	v5 "github.com/vmihailenco/msgpack/v5"
)

// reading contains the methods of both Decoders that read raw bytes.
type reading interface {
	Buffered() io.Reader
	ReadFull([]byte) error
	DecodeInt() (int, error)
}

// readingSteps contains the ways in which a callback may read a part of the n bytes that are left
// for it. Each function returns its results as text.
var readingSteps = map[string]func(d reading, n int) string{
	"no bytes, twice": func(d reading, n int) string {
		r := d.Buffered()
		_, err := r.Read(nil)
		k, err2 := r.Read([]byte{})
		return fmt.Sprint(err, k, err2)
	},
	"no bytes in full": func(d reading, n int) string {
		k, err := io.ReadFull(d.Buffered(), nil)
		return fmt.Sprint(k, err, d.ReadFull(nil))
	},
	"all, in full": func(d reading, n int) string {
		b := make([]byte, n)
		k, err := io.ReadFull(d.Buffered(), b)
		return fmt.Sprint(b, k, err)
	},
	"half, then half by another reader": func(d reading, n int) string {
		b := make([]byte, n)
		_, err := io.ReadFull(d.Buffered(), b[:n/2])
		_, err2 := io.ReadFull(d.Buffered(), b[n/2:])
		return fmt.Sprint(b, err, err2)
	},
	"half, then half by ReadFull": func(d reading, n int) string {
		b := make([]byte, n)
		_, err := io.ReadFull(d.Buffered(), b[:n/2])
		return fmt.Sprint(err, d.ReadFull(b[n/2:]), b)
	},
	"ReadFull, then half": func(d reading, n int) string {
		b := make([]byte, n)
		err := d.ReadFull(b[:n/2])
		_, err2 := io.ReadFull(d.Buffered(), b[n/2:])
		return fmt.Sprint(b, err, err2)
	},
	"values and bytes in turn": func(d reading, n int) string {
		var seen []int
		b := []byte{0}
		for k := range n {
			if k%2 == 0 {
				v, err := d.DecodeInt()
				seen = append(seen, v)
				if err != nil {
					return err.Error()
				}
				continue
			}
			if _, err := d.Buffered().Read(b); err != nil {
				return err.Error()
			}
			seen = append(seen, int(b[0]))
		}
		return fmt.Sprint(seen)
	},
	"bytes, back and forth": func(d reading, n int) string {
		s, ok := d.Buffered().(io.ByteScanner)
		if !ok {
			return "no io.ByteScanner"
		}
		var seen []byte
		for range n {
			_, err1 := s.ReadByte()
			err2 := s.UnreadByte()
			c, err3 := s.ReadByte()
			if err := errors.Join(err1, err2, err3); err != nil {
				return err.Error()
			}
			seen = append(seen, c)
		}
		return fmt.Sprint(seen)
	},
	"back, then a value": func(d reading, n int) string {
		if n == 0 {
			return ""
		}
		s := d.Buffered().(io.ByteScanner)
		_, err := s.ReadByte()
		err2 := s.UnreadByte()
		v, err3 := d.DecodeInt()
		return fmt.Sprint(err, err2, v, err3)
	},
	"back twice": func(d reading, n int) string {
		if n < 2 {
			return ""
		}
		s := d.Buffered().(io.ByteScanner)
		_, err := s.ReadByte()
		first := s.UnreadByte()
		return fmt.Sprint(err, first)
	},
}

type extOfSteps struct{ saw string }

// customSteps is a CustomDecoder of Slipstream, and customStepsV5 is one of v5. Both read an int n
// and then up to n bytes.
type (
	customSteps   struct{ saw string }
	customStepsV5 struct{ saw string }
)

var step func(d reading, n int) string

func takeSteps(d reading, n int, saw *string) error {
	if n < 0 {
		var err error
		if n, err = d.DecodeInt(); err != nil {
			return err
		}
	}
	*saw = step(d, n)
	return nil
}

func (c *customSteps) DecodeMsgpack(d *msgpack.Decoder) error { return takeSteps(d, -1, &c.saw) }
func (c *customStepsV5) DecodeMsgpack(d *v5.Decoder) error    { return takeSteps(d, -1, &c.saw) }

// TestMigrationExtBounds checks what follows if an ext function reads too few or too many bytes.
// Slipstream skips unread data of the ext, and returns an error at its end.
func TestMigrationExtBounds(t *testing.T) {
	const id = 62
	var take int
	msgpack.RegisterExtDecoder(id, extOfSteps{}, func(d *msgpack.Decoder, _ reflect.Value, n int) error { return d.ReadFull(make([]byte, take)) })
	defer msgpack.UnregisterExt(id)
	v5.RegisterExtDecoder(id, extOfSteps{}, func(d *v5.Decoder, _ reflect.Value, n int) error { return d.ReadFull(make([]byte, take)) })
	defer v5.UnregisterExt(id)
	data := []byte{0xd5, id, 7, 8, 5}
	for _, c := range []struct {
		take         int
		theirs, ours string
	}{{1, "8", "5"}, {2, "5", "5"}, {3, "EOF", "unexpected EOF"}} {
		take = c.take
		theirs, ours := v5.NewDecoder(bytes.NewReader(data)), msgpack.NewDecoder(bytes.NewReader(data))
		next := func(decode func(any) error) string {
			var n int
			if err := errors.Join(decode(new(extOfSteps)), decode(&n)); err != nil {
				return err.Error()
			}
			return fmt.Sprint(n)
		}
		if a, b := next(theirs.Decode), next(ours.Decode); a != c.theirs || b != c.ours {
			t.Errorf("%d of 2 bytes: then %s and %s, want %s and %s", take, a, b, c.theirs, c.ours)
		}
	}
}

// Callbacks of both libraries read the same bytes, from every source.
func TestReadersInCallbacks(t *testing.T) {
	const id = 61
	msgpack.RegisterExtDecoder(id, extOfSteps{}, func(d *msgpack.Decoder, v reflect.Value, n int) error {
		var saw string
		err := takeSteps(d, n, &saw)
		v.Set(reflect.ValueOf(extOfSteps{saw}))
		return err
	})
	defer msgpack.UnregisterExt(id)
	v5.RegisterExtDecoder(id, extOfSteps{}, func(d *v5.Decoder, v reflect.Value, n int) error {
		var saw string
		err := takeSteps(d, n, &saw)
		v.Set(reflect.ValueOf(extOfSteps{saw}))
		return err
	})
	defer v5.UnregisterExt(id)
	sources := map[string]func([]byte) io.Reader{
		"bytes.Reader":  func(b []byte) io.Reader { return bytes.NewReader(b) },
		"bytes.Buffer":  func(b []byte) io.Reader { return bytes.NewBuffer(b) },
		"bufio.Reader":  func(b []byte) io.Reader { return bufio.NewReaderSize(bytes.NewReader(b), 16) },
		"plain reader":  func(b []byte) io.Reader { return struct{ io.Reader }{bytes.NewReader(b)} },
		"byte by byte":  func(b []byte) io.Reader { return iotest.OneByteReader(bytes.NewReader(b)) },
		"data with EOF": func(b []byte) io.Reader { return iotest.DataErrReader(bytes.NewReader(b)) },
	}
	for name, f := range readingSteps {
		step = f
		for source, open := range sources {
			for _, n := range []int{0, 1, 2, 3, 16, 40} {
				body := bytes.Repeat([]byte{7, 8, 9}, n)[:n]
				ext := append([]byte{0xc7, byte(n), id}, body...)
				custom := append([]byte{byte(n)}, body...)
				theirs, ours := v5.NewDecoder(open(append(ext, 5))), msgpack.NewDecoder(open(append(ext, 5)))
				var a, b extOfSteps
				errA, errB := theirs.Decode(&a), ours.Decode(&b)
				if a != b || text(errA) != text(errB) {
					t.Errorf("ext of %d, %s, %s: theirs %+v %v, ours %+v %v", n, name, source, a, errA, b, errB)
				}
				var c customStepsV5
				var e customSteps
				theirs, ours = v5.NewDecoder(open(append(custom, 5))), msgpack.NewDecoder(open(append(custom, 5)))
				errA, errB = theirs.Decode(&c), ours.Decode(&e)
				if c.saw != e.saw || text(errA) != text(errB) {
					t.Errorf("custom of %d, %s, %s: theirs %+v %v, ours %+v %v", n, name, source, c, errA, e, errB)
				}
				if name == "no bytes, twice" || name == "no bytes in full" || name == "back twice" || name == "back, then a value" {
					continue // these steps leave bytes unread, which v5 reads as the next value
				}
				next, errA := theirs.DecodeInt()
				mine, errB := ours.DecodeInt()
				if next != mine || text(errA) != text(errB) {
					t.Errorf("after a custom of %d, %s, %s: theirs %d %v, ours %d %v", n, name, source, next, errA, mine, errB)
				}
				theirs, ours = v5.NewDecoder(open(append(body, 5))), msgpack.NewDecoder(open(append(body, 5)))
				if saw, sees := f(theirs, n), f(ours, n); saw != sees {
					t.Errorf("outside of %d, %s, %s: theirs %s, ours %s", n, name, source, saw, sees)
				}
				next, errA = theirs.DecodeInt()
				mine, errB = ours.DecodeInt()
				if next != mine || text(errA) != text(errB) {
					t.Errorf("after %d outside, %s, %s: theirs %d %v, ours %d %v", n, name, source, next, errA, mine, errB)
				}
			}
		}
	}
}
