package schema

import (
	"bytes"
	"errors"
	"io"
	"math"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"
	"time"
)

// stream returns n different examples, one after the other.
func stream(t *testing.T, n int) []byte {
	var w bytes.Buffer
	v := exampleValue()
	for i := range n {
		v.LifeSense = uint8(i)
		v.Greet = strings.Repeat("x", i%200)
		if err := exampleSchema.Write(&w, &v); err != nil {
			t.Fatal(err)
		}
	}
	return w.Bytes()
}

// A Reader reads messages from readers that return pieces of any size.
func TestReader(t *testing.T) {
	b := stream(t, 300)
	for name, open := range map[string]func() io.Reader{
		"all":      func() io.Reader { return bytes.NewReader(b) },
		"halves":   func() io.Reader { return iotest.HalfReader(bytes.NewReader(b)) },
		"one byte": func() io.Reader { return iotest.OneByteReader(bytes.NewReader(b)) },
		"at once":  func() io.Reader { return iotest.DataErrReader(bytes.NewReader(b)) },
	} {
		for _, set := range [][]Option{nil, {Exact}, {Alias}, {OwnStrings}, {Alias, Exact}} {
			i := 0
			for v, err := range exampleSchema.Reader(open(), set...).All() {
				if err != nil {
					t.Fatalf("%s: message %d: %+v", name, i, err)
				}
				if v.LifeSense != uint8(i) || v.Greet != strings.Repeat("x", i%200) || v.Friends[0] != "@f3r" || v.Grades["math"] != 5 {
					t.Fatalf("%s: message %d: %+v", name, i, v)
				}
				i++
			}
			if i != 300 {
				t.Errorf("%s: %d messages", name, i)
			}
		}
	}
	i := 0
	for v, err := range exampleSchema.ParseAll(b) {
		if err != nil || v.LifeSense != uint8(i) {
			t.Fatalf("message %d: %+v, %v", i, v, err)
		}
		i++
	}
	for range exampleSchema.ParseAll(b) {
		break
	}
	for range exampleSchema.Reader(bytes.NewReader(b)).All() {
		break
	}
}

// counting counts the bytes that were read.
type counting struct {
	r io.Reader
	n int
}

func (c *counting) Read(b []byte) (int, error) {
	n, err := c.r.Read(b)
	c.n += n
	return n, err
}

// With Exact, a Reader reads no byte of the next message from the source. Without Exact, Buffered
// returns the bytes that were read ahead.
func TestExact(t *testing.T) {
	b := stream(t, 20)
	source := &counting{r: bytes.NewReader(b)}
	r := exampleSchema.Reader(source, Exact)
	rest := b
	for range 20 {
		var v, want example
		if err := r.Next(&v); err != nil {
			t.Fatal(err)
		}
		var err error
		if rest, err = exampleSchema.Parse(rest, &want); err != nil || !reflect.DeepEqual(v, want) {
			t.Fatal(v, want, err)
		}
		if source.n != len(b)-len(rest) || len(r.Buffered()) > 0 {
			t.Fatalf("read %d bytes, want %d", source.n, len(b)-len(rest))
		}
	}
	r = exampleSchema.Reader(bytes.NewReader(b))
	if err := r.Next(new(example)); err != nil {
		t.Fatal(err)
	}
	rest, _ = exampleSchema.Parse(b, new(example))
	if ahead := r.Buffered(); len(ahead) == 0 || !bytes.HasPrefix(rest, ahead) {
		t.Errorf("%d bytes are buffered, of %d", len(ahead), len(rest))
	}
}

// The end of the input between two messages returns io.EOF. Within a message, it returns ErrShort,
// with an offset from the start of that message.
func TestReaderErrors(t *testing.T) {
	one := fromHex(exampleBytes)
	for n := range one {
		for _, set := range []Option{func(*options) {}, Exact} {
			r := exampleSchema.Reader(bytes.NewReader(append(one[:len(one):len(one)], one[:n]...)), set)
			var v example
			if err := r.Next(&v); err != nil {
				t.Fatal(err)
			}
			err := r.Next(&v)
			if again := r.Next(&v); again != err {
				t.Errorf("cut at %d: first %v, then %v", n, err, again)
			}
			if n == 0 {
				if err != io.EOF {
					t.Error(err)
				}
				continue
			}
			_, want := exampleSchema.Parse(one[:n], &v)
			var e, w *Error
			if !errors.As(err, &e) || !errors.As(want, &w) || !errors.Is(err, ErrShort) || e.Path != w.Path || e.Offset != w.Offset {
				t.Errorf("cut at %d: %+v, want %+v", n, err, want)
			}
		}
	}
	broken := errors.New("broken")
	var v example
	err := exampleSchema.Reader(io.MultiReader(bytes.NewReader(one[:30]), iotest.ErrReader(broken))).Next(&v)
	if !isError(err, broken, "pointer", 25) {
		t.Errorf("%+v", err)
	}
	if err := exampleSchema.Reader(iotest.ErrReader(broken)).Next(&v); !isError(err, broken, "greet", 0) {
		t.Errorf("%+v", err)
	}
	if err := exampleSchema.Reader(zeroReader{}).Next(&v); !isError(err, io.ErrNoProgress, "greet", 0) {
		t.Errorf("%+v", err)
	}
	bad := bytes.Clone(one)
	bad[18] = 2
	if err := exampleSchema.Reader(bytes.NewReader(bad)).Next(&v); !isError(err, ErrBool, "bool", 18) {
		t.Errorf("%+v", err)
	}
	for _, err := range exampleSchema.ParseAll(append(one[:len(one):len(one)], bad...)) {
		if err != nil && !isError(err, ErrBool, "bool", len(one)+18) {
			t.Errorf("%+v", err)
		}
	}
	type none struct{}
	nothing := Struct(Skip[none](0))
	if err := nothing.Reader(bytes.NewReader(one)).Next(new(none)); !errors.Is(err, ErrEnd) {
		t.Error(err)
	}
	for _, err := range nothing.ParseAll(one) {
		if !errors.Is(err, ErrEnd) {
			t.Error(err)
		}
	}
}

type zeroReader struct{}

func (zeroReader) Read([]byte) (int, error) { return 0, nil }

// Memory is allocated for the bytes that arrive, not for the announced length, and never exceeds
// MaxBytes.
func TestReaderMemory(t *testing.T) {
	type blob struct {
		B []byte
		L []uint64
	}
	s := Struct(F("b", func(b *blob) *[]byte { return &b.B }, Blob(H64)), F("l", func(b *blob) *[]uint64 { return &b.L }, List(H64, U64)))
	for _, c := range []struct {
		b     string
		set   Option
		cause error
		path  string
	}{
		{"\x00\x00\x00\x03\x00\x00\x00\x00" + strings.Repeat("x", 100_000), MaxBytes(math.MaxInt - 1), ErrShort, "b"},
		{"\x00\x00\x00\x04\x00\x00\x00\x00" + strings.Repeat("x", 100_000), func(*options) {}, ErrSize, "b"},
		{"\xff\xff\xff\xff\xff\xff\xff\xff", MaxBytes(math.MaxInt), ErrSize, "b"},
		{"\x00\x00\x00\x00\x00\x00\x00\x00" + "\xff\xff\xff\xff\xff\xff\xff\x7f", func(*options) {}, ErrSize, "l"},
		{"\x0a\x00\x00\x00\x00\x00\x00\x00" + strings.Repeat("x", 10), MaxBytes(17), ErrSize, "b"},
		{"\x0a\x00\x00\x00\x00\x00\x00\x00" + strings.Repeat("x", 10) + strings.Repeat("\x00", 8), MaxBytes(25), ErrSize, "l"},
	} {
		var v blob
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		err := s.Reader(strings.NewReader(c.b), c.set).Next(&v)
		runtime.ReadMemStats(&after)
		if !isError(err, c.cause, c.path, -1) {
			t.Errorf("%d bytes: %+v", len(c.b), err)
		}
		if got := after.TotalAlloc - before.TotalAlloc; got > uint64(8*len(c.b))+64<<10 {
			t.Errorf("%d bytes: took %d", len(c.b), got)
		}
	}
	b := "\x0a\x00\x00\x00\x00\x00\x00\x00" + strings.Repeat("x", 10) + strings.Repeat("\x00", 8)
	if err := s.Reader(strings.NewReader(b), MaxBytes(26)).Next(new(blob)); err != nil {
		t.Error(err)
	}
	if _, err := s.With(MaxBytes(26)).Parse([]byte(b+"rest"), new(blob)); err != nil {
		t.Error(err)
	}
}

// Write returns the error of the io.Writer.
func TestWriteFails(t *testing.T) {
	v := exampleValue()
	if err := exampleSchema.Write(iotest.TruncateWriter(failingWriter{}, 0), &v); err != nil {
		t.Error(err)
	}
	if err := exampleSchema.Write(failingWriter{}, &v); err != errWrite {
		t.Error(err)
	}
}

type failingWriter struct{}

var errWrite = errors.New("no")

func (failingWriter) Write([]byte) (int, error) { return 0, errWrite }

// A message that exceeds MaxBytes is rejected, however much of it was read ahead. The sources
// return all bytes at once or one byte at a time, and other messages precede it.
func TestReaderBoundsWhatItReadAhead(t *testing.T) {
	type part struct {
		S string
		O *uint64
		B bool
	}
	s := Struct(F("s", func(p *part) *string { return &p.S }, Str8), Skip[part](8), F("o", func(p *part) **uint64 { return &p.O }, Opt(U64)),
		F("b", func(p *part) *bool { return &p.B }, Bool))
	r := NewRegistry(U8)
	if err := Register(r, 1, s, func(*part) error { return nil }); err != nil {
		t.Fatal(err)
	}
	const most = 20
	sized := func(n int) string { // a message of n bytes
		b, err := s.Append(nil, &part{S: strings.Repeat("x", n-11)})
		if err != nil || len(b) != n {
			t.Fatal(len(b), err)
		}
		return string(b)
	}
	rest := strings.Repeat("\x00", 100)
	for name, open := range map[string]func(string) io.Reader{
		"all at once": func(b string) io.Reader { return strings.NewReader(b) },
		"bytes":       func(b string) io.Reader { return iotest.OneByteReader(strings.NewReader(b)) },
	} {
		for n := range 20 { // varies how much is read ahead
			for _, set := range [][]Option{{MaxBytes(most)}, {MaxBytes(most), Exact}} {
				messages := s.Reader(open(strings.Repeat(sized(most), n)+sized(most+1)+rest), set...)
				models := r.Reader(open(strings.Repeat("\x01"+sized(most-1), n)+"\x01"+sized(most)+rest), set...)
				for range n {
					if err := errors.Join(messages.Next(new(part)), models.Dispatch()); err != nil {
						t.Errorf("%s: messages of MaxBytes: %v", name, err)
					}
				}
				if err, second := messages.Next(new(part)), models.Dispatch(); !errors.Is(err, ErrSize) || !errors.Is(second, ErrSize) {
					t.Errorf("%s, after %d: a message and a model of more than MaxBytes: %v, %v", name, n, err, second)
				}
			}
			framed := s.Framed()
			frame, err := framed.Append(nil, &part{S: "123456789"})
			if err != nil {
				t.Fatal(err)
			}
			for most, want := range map[int]error{len(frame): nil, len(frame) - 1: ErrSize} {
				in := framed.Reader(open(string(frame)+rest), MaxBytes(most))
				if err := in.Next(new(part)); !errors.Is(err, want) {
					t.Errorf("%s: a frame of %d bytes, with MaxBytes %d: %v", name, len(frame), most, err)
				}
			}
		}
	}
}

// After an error, dst is unchanged and Write has not called the io.Writer.
func TestNothingIsWrittenBeforeItIsChecked(t *testing.T) {
	v := exampleValue()
	v.Time = time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)
	var w bytes.Buffer
	if err := exampleSchema.Write(&w, &v); !isError(err, ErrTime, "time", 50) || w.Len() > 0 {
		t.Errorf("%+v, wrote %x", err, w.Bytes())
	}
	dst := []byte("dst")
	if b, err := exampleSchema.Append(dst, &v); err == nil || string(b) != "dst" {
		t.Errorf("%q %v", b, err)
	}
}
