package schema

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/slipstream-go/slipstream/internal/guard"
)

const catFrame = "7b c4 df ac f9 6b ec 42" + "05 00 00 00" + "03 63 61 74 03"

// A frame consists of a fingerprint, a length and a body. The fingerprint is the first 8 bytes of
// the SHA-256 of {str8,u8}.
func TestFrame(t *testing.T) {
	f := animalSchema.Framed()
	b, err := f.Append([]byte("before"), &animal{"cat", 3})
	if want := append([]byte("before"), fromHex(catFrame)...); err != nil || !bytes.Equal(b, want) {
		t.Fatalf("%x %v, want %x", b, err, want)
	}
	var w counted
	if err := f.Write(&w, &animal{"cat", 3}); err != nil || w.calls != 1 || !bytes.Equal(w.Bytes(), fromHex(catFrame)) {
		t.Errorf("%x in %d writes, %v", w.Bytes(), w.calls, err)
	}
	var a animal
	if rest, err := f.Parse(append(fromHex(catFrame), "rest"...), &a); err != nil || string(rest) != "rest" || a != (animal{"cat", 3}) {
		t.Errorf("%v %q %v", a, rest, err)
	}
	long := &animal{strings.Repeat("x", 256), 3}
	if b, err := f.Append([]byte("dst"), long); !isError(err, ErrOverflow, "specie", 12) || string(b) != "dst" {
		t.Errorf("%q %+v", b, err)
	}
	if err := f.Write(&w, long); !errors.Is(err, ErrOverflow) || w.calls != 1 {
		t.Errorf("%d writes, %v", w.calls, err)
	}
}

// A frame reports the first cause of an error, not its consequences. After an error, Parse returns
// the whole frame as the rest.
func TestFrameErrors(t *testing.T) {
	f := animalSchema.Framed()
	cat := fromHex(catFrame)
	for n := range cat {
		path, offset := "length", 8
		if n < 8 {
			path, offset = fmt.Sprintf("fingerprint[%d]", n), n
		}
		var a animal
		rest, err := f.Parse(cat[:n], &a)
		if !isError(err, ErrShort, path, offset) || len(rest) != n {
			t.Errorf("cut at %d: %+v, want %s at %d", n, err, path, offset)
		}
		r := f.Reader(bytes.NewReader(cat[:n]))
		err = r.Next(&a)
		if again := r.Next(&a); again != err {
			t.Errorf("cut at %d: first %v, then %v", n, err, again)
		}
		if n == 0 && err != io.EOF || n > 0 && !isError(err, ErrShort, path, offset) {
			t.Errorf("cut at %d: %+v, want %s at %d", n, err, path, offset)
		}
	}
	if _, err := f.Parse(fromHex("7b c4 df ac f9 6b ec 42"+"ff ff ff ff"+"03 63 61 74 03"), new(animal)); !isError(err, ErrShort, "length", 8) {
		t.Errorf("%+v", err)
	}
	for _, c := range []struct {
		b      string
		cause  error
		path   string
		offset int
		sticky bool
	}{
		{"00 00 00 00 00 00 00 01" + "ff ff ff ff", ErrFingerprint, "fingerprint", 0, true},
		{"7b c4 df ac f9 6b ec 42" + "ff ff ff 7e" + "03 63 61 74 03", ErrShort, "length", 8, true},
		{"7b c4 df ac f9 6b ec 42" + "04 00 00 00" + "03 63 61 74", ErrShort, "age", 16, false},
		{"7b c4 df ac f9 6b ec 42" + "00 00 00 00", ErrShort, "specie", 12, false},
		{"7b c4 df ac f9 6b ec 42" + "06 00 00 00" + "03 63 61 74 03 00", ErrFrame, "", 17, false},
	} {
		var a animal
		b := fromHex(c.b)
		rest, err := f.Parse(b, &a)
		if !isError(err, c.cause, c.path, c.offset) || len(rest) != len(b) {
			t.Errorf("%s: %+v", c.b, err)
		}
		if c.cause == ErrFingerprint && err.Error() != "schema: fingerprint: a frame of another schema: 0000000000000001, want 7bc4dfacf96bec42 (offset 0)" {
			t.Error(err)
		}
		r := f.Reader(bytes.NewReader(append(b, cat...)), MaxBytes(math.MaxInt-1))
		if c.cause == ErrShort && c.sticky {
			r = f.Reader(bytes.NewReader(b), MaxBytes(math.MaxInt-1))
		}
		streamed := r.Next(&a)
		if fmt.Sprintf("%+v", streamed) != fmt.Sprintf("%+v", err) {
			t.Errorf("%s: %+v, in a stream %+v", c.b, err, streamed)
		}
		if next := r.Next(&a); c.sticky && next != streamed || !c.sticky && (next != nil || a.Age != 3) {
			t.Errorf("%s: first %v, then %v", c.b, streamed, next)
		}
	}
}

// Memory is allocated for the bytes that arrive, not for the announced length, and never exceeds
// MaxBytes.
func TestFrameMemory(t *testing.T) {
	type blob struct{ B []byte }
	s := Struct(F("b", func(b *blob) *[]byte { return &b.B }, Blob(H32)))
	head, err := s.Framed().Append(nil, new(blob))
	if err != nil {
		t.Fatal(err)
	}
	print := string(head[:8])
	for _, c := range []struct {
		s     *Schema[blob]
		b     string
		set   []Option
		cause error
	}{
		{s, print + "\x00\x00\x00\x03" + strings.Repeat("x", 100_000), []Option{MaxBytes(1 << 30)}, ErrShort},
		{s, print + "\x00\x00\x00\x04" + strings.Repeat("x", 100_000), nil, ErrSize},
		{s, print + "\xff\xff\xff\xff" + strings.Repeat("x", 100_000), nil, ErrSize},
		{s, print + "\x09\x00\x00\x00" + "\x05\x00\x00\x00hello", []Option{MaxBytes(20)}, ErrSize},
		{s.With(MaxBytes(20)), print + "\x09\x00\x00\x00" + "\x05\x00\x00\x00hello", nil, ErrSize},
		{s.With(MaxBytes(20)), print + "\x09\x00\x00\x00" + "\x05\x00\x00\x00hello", []Option{MaxBytes(21)}, nil},
		{s, print + "\x09\x00\x00\x00" + "\x05\x00\x00\x00hello", []Option{MaxBytes(21)}, nil},
	} {
		var before, after runtime.MemStats
		var v blob
		runtime.ReadMemStats(&before)
		err := c.s.Framed().Reader(strings.NewReader(c.b), c.set...).Next(&v)
		runtime.ReadMemStats(&after)
		if c.cause == nil && (err != nil || string(v.B) != "hello") || c.cause != nil && !isError(err, c.cause, "length", 8) {
			t.Errorf("%d bytes: %+v", len(c.b), err)
		}
		if took := after.TotalAlloc - before.TotalAlloc; took > uint64(8*len(c.b))+64<<10 {
			t.Errorf("%d bytes: took %d", len(c.b), took)
		}
	}
}

// Frames of three versions are read as the newest version, from bytes and from streams.
func TestFrameVersions(t *testing.T) {
	f := users3.Framed()
	if err := Accept(f, users1, users2, up1); !errors.Is(err, ErrFingerprint) {
		t.Error("users2 is not there yet:", err)
	}
	if err := errors.Join(Accept(f, users2, users3, up2), Accept(f, users1, users2, up1)); err != nil {
		t.Fatal(err)
	}
	if err := Accept(f, users3, users3, func(old, new *user3) error { return nil }); !errors.Is(err, ErrRegistered) {
		t.Error("of itself:", err)
	}
	var w bytes.Buffer
	var want []user3
	for range 100 {
		if err := errors.Join(
			users1.Framed().Write(&w, &user1{"ann lee"}),
			users3.Framed().Write(&w, &user3{First: "cat", Last: "fox", Tags: []string{"new"}}),
			users2.Framed().Write(&w, &user2{"bob", "ray"})); err != nil {
			t.Fatal(err)
		}
		want = append(want, user3{First: "ann", Last: "lee", Tags: []string{"old"}}, user3{First: "cat", Last: "fox", Tags: []string{"new"}},
			user3{First: "bob", Last: "ray", Tags: []string{"old"}})
	}
	b := w.Bytes()
	var got []user3
	for rest := b; len(rest) > 0; {
		var u user3
		var err error
		if rest, err = f.Parse(rest, &u); err != nil {
			t.Fatal(err)
		}
		got = append(got, u)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%v", got)
	}
	for _, set := range [][]Option{nil, {Exact}} {
		got = nil
		source := &counting{r: iotest.HalfReader(bytes.NewReader(b))}
		for u, err := range f.Reader(source, set...).All() {
			if err != nil {
				t.Fatal(err)
			}
			if len(got) == 0 && set != nil && source.n != 12+8 {
				t.Errorf("read %d bytes", source.n)
			}
			c := *u
			c.Tags = append([]string(nil), u.Tags...)
			got = append(got, c)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%v", got)
		}
	}
	for range f.Reader(bytes.NewReader(b)).All() {
		break
	}
	bad, err := users1.Framed().Append(nil, &user1{"ann"})
	if err != nil {
		t.Fatal(err)
	}
	r := f.Reader(bytes.NewReader(append(bad, b...)))
	u := user3{First: "kept"}
	if err := r.Next(&u); !errors.Is(err, errName) || u.First != "kept" {
		t.Error(u, err)
	}
	if err := r.Next(&u); err != nil || u.First != "ann" {
		t.Error(u, err)
	}
	if rest, err := f.Parse(append(bad, b...), &u); !errors.Is(err, errName) || len(rest) != len(b) {
		t.Error(len(rest), err)
	}
	for _, err := range f.Reader(bytes.NewReader(bad)).All() {
		if !errors.Is(err, errName) {
			t.Error(err)
		}
	}
}

// In frames, a schema with a Tail can be streamed. It also reads frames that an older version
// without the Tail wrote.
func TestFrameTail(t *testing.T) {
	specie := F("specie", func(a *animal) *string { return &a.Specie }, Str8)
	old, tail := Struct(specie), Struct(specie, Tail(F("age", func(a *animal) *uint8 { return &a.Age }, U8)))
	f := tail.Framed()
	if err := Accept(f, old, tail, func(old, new *animal) error { *new = *old; return nil }); err != nil {
		t.Fatal(err)
	}
	b, err := old.Framed().Append(nil, &animal{Specie: "dog"})
	for range 2 {
		if err == nil {
			b, err = f.Append(b, &animal{"cat", 3})
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	b = append(b, b[len(b)-17:len(b)-1]...)
	b[len(b)-8]-- // turns the frame into a frame of f without the Tail
	r := f.Reader(bytes.NewReader(b))
	for _, want := range []animal{{"dog", 0}, {"cat", 3}, {"cat", 3}, {"cat", 0}} {
		a := animal{Age: 99}
		if err := r.Next(&a); err != nil || a != want {
			t.Error(a, err)
		}
	}
}

// Writing and reading the same value repeatedly allocates nothing.
func TestFrameAllocations(t *testing.T) {
	if raceEnabled {
		t.Skip("counted without the race detector")
	}
	f := users3.Framed()
	u := &user3{First: "ann", Last: "lee", Tags: []string{"one", "two"}}
	b, err := f.Append(nil, u)
	if err != nil {
		t.Fatal(err)
	}
	dst := make([]byte, 0, 100)
	stream := f.Reader(&repeated{b: b})
	for name, run := range map[string]func() error{
		"Append":   func() error { _, err := f.Append(dst, u); return err },
		"Write":    func() error { return f.Write(io.Discard, u) },
		"Parse":    func() error { _, err := f.Parse(b, u); return err },
		"a stream": func() error { return stream.Next(u) },
	} {
		if n := testing.AllocsPerRun(100, func() { err = errors.Join(err, run()) }); n > 0 || err != nil {
			t.Errorf("%s: %v allocations, %v", name, n, err)
		}
	}
}

// Reading from bytes and from a stream gives the same result. Every value that can be read can also
// be written.
func FuzzFramed(f *testing.F) {
	framed := animalSchema.Framed()
	if err := Accept(framed, users2, animalSchema, func(old *user2, new *animal) error { new.Specie = old.First; return nil }); err != nil {
		f.Fatal(err)
	}
	old, err := users2.Framed().Append(nil, &user2{"a", "b"})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(old)
	f.Add(fromHex(catFrame))
	f.Fuzz(func(t *testing.T, b []byte) {
		b = guard.Test(t, b)
		var v, w animal
		rest, err := framed.Parse(b, &v)
		streamed := framed.Reader(iotest.HalfReader(bytes.NewReader(b)), MaxBytes(math.MaxInt32)).Next(&w)
		if len(b) > 0 && fmt.Sprintf("%+v", err) != fmt.Sprintf("%+v", streamed) && !errors.Is(streamed, ErrSize) || err == nil && v != w {
			t.Fatalf("%v %+v, in a stream %v %+v", v, err, w, streamed)
		}
		if err != nil && len(rest) != len(b) {
			t.Fatal("an error took bytes")
		}
		if err == nil && bytes.HasPrefix(b, fromHex(catFrame)[:8]) {
			if again, err := framed.Append(nil, &v); err != nil || !bytes.Equal(again, b[:len(b)-len(rest)]) {
				t.Fatalf("%x %v", again, err)
			}
		}
	})
}
