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
	"sync"
	"testing"
	"testing/iotest"
	"time"

	"github.com/slipstream-go/slipstream/internal/guard"
)

type flatPoint struct{ X, Y int16 }

var flatPoints = Struct(F("x", func(p *flatPoint) *int16 { return &p.X }, I16), F("y", func(p *flatPoint) *int16 { return &p.Y }, I16))

// The encoding equals Parco's Multi, byte for byte: an ID and a body.
func TestMulti(t *testing.T) {
	r := NewRegistry(U8)
	var seen []any
	see := func(v any) error { seen = append(seen, v); return nil }
	if err := errors.Join(
		Register(r, 0, animalSchema, func(a *animal) error { return see(*a) }),
		Register(r, 1, flatPoints, func(p *flatPoint) error { return see(*p) })); err != nil {
		t.Fatal(err)
	}
	b, err := AppendModel(r, []byte("before"), 0, &animal{"cat", 3})
	if want := append([]byte("before"), fromHex("00 03 63 61 74 03")...); err != nil || !bytes.Equal(b, want) {
		t.Fatalf("%x %v, want %x", b, err, want)
	}
	b = b[len("before"):]
	if b, err = AppendModel(r, b, 1, &flatPoint{1, -1}); err != nil {
		t.Fatal(err)
	}
	rest := append(b, 0)
	for range 2 {
		if rest, err = r.Dispatch(rest); err != nil {
			t.Fatal(err)
		}
	}
	want := []any{animal{"cat", 3}, flatPoint{1, -1}}
	if !reflect.DeepEqual(seen, want) || len(rest) != 1 {
		t.Errorf("%v, %d bytes are left", seen, len(rest))
	}
	id, v, rest, err := r.Parse(b)
	if err != nil || id != 0 || !reflect.DeepEqual(v, &animal{"cat", 3}) || len(rest) != 5 {
		t.Errorf("%v %v, %d bytes are left, %v", id, v, len(rest), err)
	}
	if id, v, rest, err = r.Parse(rest); err != nil || id != 1 || !reflect.DeepEqual(v, &flatPoint{1, -1}) || len(rest) != 0 {
		t.Errorf("%v %v, %d bytes are left, %v", id, v, len(rest), err)
	}
}

// counted is a buffer that counts the calls of Write.
type counted struct {
	bytes.Buffer
	calls int
}

func (c *counted) Write(b []byte) (int, error) {
	c.calls++
	return c.Buffer.Write(b)
}

// An unknown ID, a wrong type and a value that cannot be encoded write nothing. A message is
// written with one call of Write.
func TestMultiNothingIsWrittenBeforeItIsChecked(t *testing.T) {
	r := NewRegistry(U8)
	if err := Register(r, 0, animalSchema, nil); err != nil {
		t.Fatal(err)
	}
	check := func(name string, cause error, where string, append func(dst []byte) ([]byte, error), write func(io.Writer) error) {
		t.Helper()
		var w counted
		b, err := append([]byte("dst"))
		if !errors.Is(err, cause) || string(b) != "dst" || where != "" && fmt.Sprintf("%+v", err) != where {
			t.Errorf("%s: %q %+v", name, b, err)
		}
		if again := write(&w); again == nil || again.Error() != err.Error() || w.calls > 0 {
			t.Errorf("%s: %d writes, %v", name, w.calls, again)
		}
	}
	cat, long := &animal{"cat", 3}, &animal{strings.Repeat("x", 256), 3}
	check("an unknown id", ErrUnknown, "schema: an unknown id: 7",
		func(b []byte) ([]byte, error) { return AppendModel(r, b, 7, cat) }, func(w io.Writer) error { return WriteModel(r, w, 7, cat) })
	check("a pointer", ErrType, "schema: the model has a different Go type: 0 is no *schema.animal",
		func(b []byte) ([]byte, error) { return AppendModel(r, b, 0, &cat) }, func(w io.Writer) error { return WriteModel(r, w, 0, &cat) })
	check("another type", ErrType, "",
		func(b []byte) ([]byte, error) { return AppendModel(r, b, 0, &flatPoint{}) }, func(w io.Writer) error { return WriteModel(r, w, 0, &flatPoint{}) })
	check("a long name", ErrOverflow, "schema: specie: string of 256 bytes exceeds Str8's 255 (offset 1)",
		func(b []byte) ([]byte, error) { return AppendModel(r, b, 0, long) }, func(w io.Writer) error { return WriteModel(r, w, 0, long) })

	var w counted
	if err := WriteModel(r, &w, 0, cat); err != nil || w.calls != 1 || w.String() != "\x00\x03cat\x03" {
		t.Errorf("%q in %d writes, %v", w.String(), w.calls, err)
	}
	if err := WriteModel(r, failingWriter{}, 0, cat); err != errWrite {
		t.Error(err)
	}
}

type planet string

// checkIDs writes and reads messages with IDs of one type. The IDs are known, unknown or truncated.
func checkIDs[K comparable](t *testing.T, id Type[K], known, unknown K, wire string) {
	t.Helper()
	r := NewRegistry(id)
	calls := 0
	if err := Register(r, known, animalSchema, func(*animal) error { calls++; return nil }); err != nil {
		t.Fatal(err)
	}
	b, err := AppendModel(r, nil, known, &animal{"cat", 3})
	if err != nil || string(b) != wire+"\x03cat\x03" {
		t.Fatalf("%v: %q %v", known, b, err)
	}
	if rest, err := r.Dispatch(b); err != nil || len(rest) > 0 || calls != 1 {
		t.Errorf("%v: %v", known, err)
	}
	got, v, _, err := r.Parse(b)
	if err != nil || got != known || v.(*animal).Age != 3 {
		t.Errorf("%v: %v %v", known, got, err)
	}
	for n := range wire {
		if _, err := r.Dispatch(b[:n]); !errors.Is(err, ErrShort) {
			t.Errorf("%v, cut at %d: %v", known, n, err)
		}
	}
	other, err := r.heads.Append(nil, &head[K]{id: unknown})
	if err != nil {
		t.Fatal(err)
	}
	rest, err := r.Dispatch(append(other, b...))
	if !isError(err, ErrUnknown, "id", 0) || !strings.HasSuffix(err.Error(), fmt.Sprintf(": %v (offset 0)", unknown)) || len(rest) != len(other)+len(b) {
		t.Errorf("%v: %+v", unknown, err)
	}
	if err := r.Reader(bytes.NewReader(append(other, b...))).Dispatch(); !isError(err, ErrUnknown, "id", 0) {
		t.Errorf("%v: %+v", unknown, err)
	}
}

// IDs can be of any comparable type.
func TestMultiIDs(t *testing.T) {
	checkIDs(t, U8, 200, 201, "\xc8")
	checkIDs(t, U16BE, 1, 256, "\x00\x01")
	checkIDs(t, I32, -2, 2, "\xfe\xff\xff\xff")
	checkIDs(t, Int, 1, 2, "\x01\x00\x00\x00\x00\x00\x00\x00")
	checkIDs(t, As[int](U8), 255, 1, "\xff")
	checkIDs(t, As[time.Duration](I64), 1, 2, "\x01\x00\x00\x00\x00\x00\x00\x00")
	checkIDs(t, Bool, true, false, "\x01")
	checkIDs(t, Str8, "pet", "pets", "\x03pet")
	checkIDs(t, Str16, "", "x", "\x00\x00")
	checkIDs(t, As[planet](Str8), "mars", "venus", "\x04mars")
	checkIDs(t, Array[[2]uint8](U8), [2]uint8{1, 2}, [2]uint8{2, 1}, "\x01\x02")
	checkIDs(t, flatPoints.Type(), flatPoint{1, 2}, flatPoint{2, 1}, "\x01\x00\x02\x00")
}

// Register rejects a repeated ID and an ID that its type cannot encode. NewRegistry panics if the
// type of the IDs is the zero value.
func TestMultiRegister(t *testing.T) {
	r := NewRegistry(As[int](U8))
	if err := Register(r, 1, animalSchema, nil); err != nil {
		t.Fatal(err)
	}
	if err := Register(r, 1, flatPoints, nil); !errors.Is(err, ErrRegistered) || err.Error() != "schema: the id is taken: 1" {
		t.Error(err)
	}
	if err := Register(r, 256, animalSchema, nil); !isError(err, ErrOverflow, "id", 0) {
		t.Errorf("%+v", err)
	}
	if rest, err := r.Dispatch([]byte("\x01\x03cat\x03rest")); err == nil || err.Error() != "schema: model 1 has no handler" || string(rest) != "rest" {
		t.Errorf("%q %v", rest, err)
	}
	defer func() {
		if err, _ := recover().(error); err == nil || !strings.Contains(err.Error(), "id: its Type is the zero value") {
			t.Error(err)
		}
	}()
	NewRegistry(Type[any]{})
}

// A truncated message returns the same path and offset as its schema does, and is not passed to a
// function.
func TestMultiTruncated(t *testing.T) {
	r := NewRegistry(U16)
	if err := Register(r, 258, exampleSchema, func(*example) error { t.Error("called"); return nil }); err != nil {
		t.Fatal(err)
	}
	b := append([]byte{2, 1}, fromHex(exampleBytes)...)
	for n := range b {
		path, offset := "id", 0
		if n >= 2 {
			var e *Error
			_, err := exampleSchema.Parse(b[2:n], new(example))
			if !errors.As(err, &e) {
				t.Fatal(err)
			}
			path, offset = e.Path, int(e.Offset)+2
		}
		rest, err := r.Dispatch(b[:n])
		if !isError(err, ErrShort, path, offset) || len(rest) != n {
			t.Errorf("cut at %d: %+v, want %s at %d", n, err, path, offset)
		}
		if _, v, rest, err := r.Parse(b[:n]); !isError(err, ErrShort, path, offset) || len(rest) != n || v != nil {
			t.Errorf("cut at %d: %+v, want %s at %d", n, err, path, offset)
		}
		stream := r.Reader(bytes.NewReader(b[:n]))
		err = stream.Dispatch()
		if again := stream.Dispatch(); again != err {
			t.Errorf("cut at %d: first %v, then %v", n, err, again)
		}
		if n == 0 && err != io.EOF || n > 0 && !isError(err, ErrShort, path, offset) {
			t.Errorf("cut at %d: %+v, want %s at %d", n, err, path, offset)
		}
	}
}

type user1 struct{ Name string }

type user2 struct{ First, Last string }

type user3 struct {
	First, Last string
	Tags        []string
	seen        bool
}

var (
	users1 = Struct(F("name", func(u *user1) *string { return &u.Name }, Str8))
	users2 = Struct(F("first", func(u *user2) *string { return &u.First }, Str8), F("last", func(u *user2) *string { return &u.Last }, Str8))
	users3 = Struct(
		F("first", func(u *user3) *string { return &u.First }, Str8),
		F("last", func(u *user3) *string { return &u.Last }, Str8),
		F("tags", func(u *user3) *[]string { return &u.Tags }, List(H8, Str8)))
)

var errName = errors.New("no last name")

func up1(old *user1, new *user2) error {
	first, last, ok := strings.Cut(old.Name, " ")
	if new.First, new.Last = first, last; !ok {
		return errName
	}
	return nil
}

func up2(old *user2, new *user3) error {
	if new.seen || new.Tags != nil {
		return errors.New("new is not zero")
	}
	new.First, new.Last, new.Tags = old.First, old.Last, []string{"old"}
	return nil
}

func userRegistry(t *testing.T, on func(*user3) error) *Registry[uint8] {
	r := NewRegistry(U8)
	if err := errors.Join(Register(r, 3, users3, on), Upgrade(r, 2, users2, 3, up2), Upgrade(r, 1, users1, 2, up1)); err != nil {
		t.Fatal(err)
	}
	return r
}

// The function of the newest version receives messages of all versions.
func TestMultiUpgrade(t *testing.T) {
	var got []string
	r := userRegistry(t, func(u *user3) error {
		got = append(got, u.First+"/"+u.Last+"/"+strings.Join(u.Tags, ","))
		u.seen = true
		return nil
	})
	var b []byte
	var err error
	for range 2 {
		for _, one := range []func([]byte) ([]byte, error){
			func(b []byte) ([]byte, error) { return AppendModel(r, b, 1, &user1{"ann lee"}) },
			func(b []byte) ([]byte, error) { return AppendModel(r, b, 2, &user2{"bob", "ray"}) },
			func(b []byte) ([]byte, error) {
				return AppendModel(r, b, 3, &user3{First: "cat", Last: "fox", Tags: []string{"new"}})
			},
		} {
			if b, err = one(b); err != nil {
				t.Fatal(err)
			}
		}
	}
	want := []string{"ann/lee/old", "bob/ray/old", "cat/fox/new", "ann/lee/old", "bob/ray/old", "cat/fox/new"}
	for rest := b; len(rest) > 0; {
		if rest, err = r.Dispatch(rest); err != nil {
			t.Fatal(err)
		}
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("Dispatch: %v", got)
	}
	got = nil
	for rest := b; len(rest) > 0; {
		var id uint8
		var v any
		if id, v, rest, err = r.Parse(rest); err != nil || id != 3 {
			t.Fatal(id, err)
		}
		u := v.(*user3)
		got = append(got, u.First+"/"+u.Last+"/"+strings.Join(u.Tags, ","))
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("Parse: %v", got)
	}
	for _, set := range [][]Option{nil, {Exact}} {
		got = nil
		stream := r.Reader(iotest.OneByteReader(bytes.NewReader(b)), set...)
		for err = nil; err == nil; {
			err = stream.Dispatch()
		}
		if err != io.EOF || !reflect.DeepEqual(got, want) {
			t.Errorf("a stream: %v %v", got, err)
		}
	}
	stream := r.Reader(bytes.NewReader(b))
	for range want {
		if id, v, err := stream.Parse(); err != nil || id != 3 || v.(*user3).Last == "" {
			t.Error(id, v, err)
		}
	}
	if _, _, err := stream.Parse(); err != io.EOF {
		t.Error(err)
	}
}

// An error of an upgrade is returned unchanged, and the next call reads the following message.
func TestMultiUpgradeErrors(t *testing.T) {
	broken := &Error{Offset: 77, Cause: errors.New("broken")}
	r := userRegistry(t, func(u *user3) error {
		if u.First == "bad" {
			return broken
		}
		return nil
	})
	b := []byte("\x01\x03ann" + "\x02\x03bad\x01x" + "\x01\x05bob x")
	rest, err := r.Dispatch(b)
	if !errors.Is(err, errName) || err.Error() != "schema: upgrading model 1 to 2: no last name" || len(rest) != len(b)-5 {
		t.Errorf("%v, %d bytes are left", err, len(rest))
	}
	if _, _, after, err := r.Parse(b); !errors.Is(err, errName) || len(after) != len(rest) {
		t.Errorf("%v, %d bytes are left", err, len(after))
	}
	rest, err = r.Dispatch(rest)
	if err != broken || broken.Offset != 77 || len(rest) != 7 {
		t.Errorf("%+v, %d bytes are left", err, len(rest))
	}
	if rest, err = r.Dispatch(rest); err != nil || len(rest) > 0 {
		t.Errorf("%+v, %d bytes are left", err, len(rest))
	}
	stream := r.Reader(bytes.NewReader(b))
	if err := stream.Dispatch(); !errors.Is(err, errName) {
		t.Error(err)
	}
	if err := stream.Dispatch(); err != broken {
		t.Error(err)
	}
	if err := stream.Dispatch(); err != nil {
		t.Error(err)
	}
}

// Each upgrade leads to a registered model, so there are neither cycles nor gaps.
func TestMultiUpgradesEnd(t *testing.T) {
	r := NewRegistry(U8)
	same := func(old, new *user2) error { *new = *old; return nil }
	if err := Upgrade(r, 1, users1, 2, up1); !errors.Is(err, ErrUnknown) {
		t.Error("to nothing:", err)
	}
	if err := Upgrade(r, 2, users2, 2, same); !errors.Is(err, ErrUnknown) {
		t.Error("to itself:", err)
	}
	if err := errors.Join(Register(r, 2, users2, nil), Upgrade(r, 1, users1, 2, up1)); err != nil {
		t.Fatal(err)
	}
	if err := Upgrade(r, 2, users2, 2, same); !errors.Is(err, ErrRegistered) {
		t.Error("a circle:", err)
	}
	if err := Upgrade(r, 2, users2, 1, func(*user2, *user1) error { return nil }); !errors.Is(err, ErrRegistered) {
		t.Error("a circle:", err)
	}
	if err := Upgrade(r, 3, users2, 1, up2); !errors.Is(err, ErrType) {
		t.Error("to another type:", err)
	}
	if err := Upgrade[uint8, user1, user2](r, 3, users1, 2, nil); err == nil || errors.Is(err, ErrUnknown) {
		t.Error("without a function:", err)
	}
	if _, err := r.Dispatch([]byte("\x03")); !errors.Is(err, ErrUnknown) {
		t.Error("what was refused is there:", err)
	}
	if _, err := r.Dispatch([]byte("\x01\x03a b")); err == nil || err.Error() != "schema: model 2 has no handler" {
		t.Error(err)
	}
}

// The value that an upgrade passes on belongs to one message only, although targets are reused.
func TestMultiTargetsAreApart(t *testing.T) {
	type list struct{ L []uint8 }
	s := Struct(F("l", func(l *list) *[]uint8 { return &l.L }, List(H8, U8)))
	r := NewRegistry(U8)
	check := func(l *list) error {
		for _, v := range l.L {
			runtime.Gosched()
			if v != l.L[0] {
				return fmt.Errorf("mixed: %v", l.L)
			}
		}
		return nil
	}
	share := func(old, new *list) error { *new = *old; return nil }
	if err := errors.Join(Register(r, 3, s, check), Upgrade(r, 2, s, 3, share), Upgrade(r, 1, s, 2, share)); err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for g := range uint8(6) {
		all.Go(func() {
			for i := range uint8(200) {
				b := append([]byte{g%3 + 1, 20}, bytes.Repeat([]byte{g<<5 ^ i}, 20)...)
				if _, err := r.Dispatch(b); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	all.Wait()
	_, first, _, _ := r.Parse([]byte("\x01\x02xx"))
	_, second, _, err := r.Parse([]byte("\x01\x02yy"))
	if err != nil || first.(*list).L[0] != 'x' || second.(*list).L[0] != 'y' {
		t.Error(first, second, err)
	}
}

// Models can be registered while other models are written and read.
func TestMultiConcurrent(t *testing.T) {
	r := NewRegistry(U16)
	if err := Register(r, 0, animalSchema, func(*animal) error { return nil }); err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	for g := range uint16(4) {
		all.Go(func() {
			for i := range uint16(100) {
				id := 1 + g*100 + i
				if err := Upgrade(r, id, animalSchema, 0, func(old, new *animal) error { *new = *old; return nil }); err != nil {
					t.Error(err)
				}
				for _, id := range []uint16{0, id} {
					b, err := AppendModel(r, nil, id, &animal{"cat", 3})
					if err == nil {
						_, err = r.Dispatch(b)
					}
					if err == nil {
						err = r.Reader(bytes.NewReader(b)).Dispatch()
					}
					if err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	all.Wait()
	if n := len(*r.models.Load()); n != 401 {
		t.Errorf("%d models", n)
	}
}

// Writing and reading the same message repeatedly allocates nothing.
func TestMultiAllocations(t *testing.T) {
	if raceEnabled {
		t.Skip("counted without the race detector")
	}
	calls := 0
	r := NewRegistry(Str8)
	share := func(old, new *user3) error { *new = *old; return nil }
	if err := errors.Join(
		Register(r, "new", users3.With(Alias), func(u *user3) error { calls += len(u.Tags); return nil }),
		Upgrade(r, "old", users3.With(Alias), "new", share)); err != nil {
		t.Fatal(err)
	}
	u := &user3{First: "ann", Last: "lee", Tags: []string{"one", "two"}}
	dst := make([]byte, 0, 100)
	for _, id := range []string{"new", "old"} {
		b, err := AppendModel(r, nil, id, u)
		if err != nil {
			t.Fatal(err)
		}
		both, err := AppendModel(r, b, id, &user3{First: "bob", Last: "ray", Tags: []string{"eno", "owt"}})
		if err != nil {
			t.Fatal(err)
		}
		stream := r.Reader(&repeated{b: both})
		for name, run := range map[string]func() error{
			"AppendModel": func() error { _, err := AppendModel(r, dst, id, u); return err },
			"WriteModel":  func() error { return WriteModel(r, io.Discard, id, u) },
			"Dispatch":    func() error { _, err := r.Dispatch(b); return err },
			"a stream":    func() error { return stream.Dispatch() },
		} {
			if n := testing.AllocsPerRun(100, func() { err = errors.Join(err, run()) }); n > 0 || err != nil {
				t.Errorf("%s of %s: %v allocations, %v", name, id, n, err)
			}
		}
	}
	if calls == 0 {
		t.Error("nothing was read")
	}
}

// repeated is a reader that repeats b endlessly.
type repeated struct {
	b  []byte
	at int
}

func (r *repeated) Read(b []byte) (int, error) {
	n := copy(b, r.b[r.at:])
	r.at = (r.at + n) % len(r.b)
	return n, nil
}

// A registry does not keep the memory of a long message.
func TestMultiTargetsForget(t *testing.T) {
	type blob struct{ B []byte }
	s := Struct(F("b", func(b *blob) *[]byte { return &b.B }, Blob(H32)))
	r := NewRegistry(U8)
	room := 0
	if err := Register(r, 0, s, func(b *blob) error { room = cap(b.B); return nil }); err != nil {
		t.Fatal(err)
	}
	var b []byte
	for _, n := range []int{100, maxPooled, 10} {
		var err error
		if b, err = AppendModel(r, b, 0, &blob{make([]byte, n)}); err != nil {
			t.Fatal(err)
		}
	}
	stream := r.Reader(bytes.NewReader(b))
	for range 3 {
		var err error
		if b, err = r.Dispatch(b); err != nil || len(b) == 0 && room > 1000 {
			t.Error(room, err)
		}
		if err = stream.Dispatch(); err != nil || len(b) == 0 && room > 1000 {
			t.Error(room, err)
		}
	}
}

// Dispatch reads models from readers that return pieces of any size. Memory use is bounded by the
// received bytes and by MaxBytes.
func TestMultiReader(t *testing.T) {
	type blob struct{ B []byte }
	s := Struct(F("b", func(b *blob) *[]byte { return &b.B }, Blob(H64)))
	r := NewRegistry(Str8)
	var got []string
	if err := errors.Join(
		Register(r, "blob", s, func(b *blob) error { got = append(got, string(b.B)); return nil }),
		Register(r, "animal", animalSchema.With(OwnStrings), func(a *animal) error { got = append(got, a.Specie); return nil }),
	); err != nil {
		t.Fatal(err)
	}
	var w bytes.Buffer
	var want []string
	for i := range 300 {
		text := strings.Repeat("x", i%250)
		if err := errors.Join(WriteModel(r, &w, "blob", &blob{[]byte(text)}), WriteModel(r, &w, "animal", &animal{text, 1})); err != nil {
			t.Fatal(err)
		}
		want = append(want, text, text)
	}
	b := w.Bytes()
	for name, open := range map[string]func() io.Reader{
		"all":      func() io.Reader { return bytes.NewReader(b) },
		"halves":   func() io.Reader { return iotest.HalfReader(bytes.NewReader(b)) },
		"one byte": func() io.Reader { return iotest.OneByteReader(bytes.NewReader(b)) },
		"at once":  func() io.Reader { return iotest.DataErrReader(bytes.NewReader(b)) },
	} {
		for _, set := range [][]Option{nil, {Exact}, {OwnStrings, Exact}} {
			got = nil
			source := &counting{r: open()}
			stream := r.Reader(source, set...)
			if err := stream.Dispatch(); err != nil || set != nil && source.n != 5+8 {
				t.Errorf("%s: %v, read %d bytes", name, err, source.n)
			}
			var err error
			for err == nil {
				err = stream.Dispatch()
			}
			if err != io.EOF || !reflect.DeepEqual(got, want) {
				t.Errorf("%s: %d messages, %v", name, len(got), err)
			}
		}
	}
	for _, c := range []struct {
		b     string
		set   Option
		cause error
	}{
		{"\x04blob\x00\x00\x00\x03\x00\x00\x00\x00" + strings.Repeat("x", 100_000), MaxBytes(math.MaxInt - 1), ErrShort},
		{"\x04blob\x00\x00\x00\x04\x00\x00\x00\x00" + strings.Repeat("x", 100_000), func(*options) {}, ErrSize},
		{"\x04blob\xff\xff\xff\xff\xff\xff\xff\xff", MaxBytes(math.MaxInt - 1), ErrSize},
		{"\x04blob\x05\x00\x00\x00\x00\x00\x00\x00hello", MaxBytes(17), ErrSize},
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		err := r.Reader(strings.NewReader(c.b), c.set).Dispatch()
		runtime.ReadMemStats(&after)
		if !isError(err, c.cause, "b", 5) {
			t.Errorf("%d bytes: %+v", len(c.b), err)
		}
		if took := after.TotalAlloc - before.TotalAlloc; took > uint64(8*len(c.b))+64<<10 {
			t.Errorf("%d bytes: took %d", len(c.b), took)
		}
	}
	if err := r.Reader(strings.NewReader("\x04blob\x05\x00\x00\x00\x00\x00\x00\x00hello"), MaxBytes(18)).Dispatch(); err != nil {
		t.Error(err)
	}
	broken := errors.New("broken")
	if err := r.Reader(io.MultiReader(strings.NewReader("\x06animal\x03c"), iotest.ErrReader(broken))).Dispatch(); !isError(err, broken, "specie", 7) {
		t.Errorf("%+v", err)
	}
}

// A schema with a Tail consumes all following bytes, so streams reject it. They also reject IDs
// without bytes.
func TestMultiTail(t *testing.T) {
	tail := Struct(F("specie", func(a *animal) *string { return &a.Specie }, Str8), Tail(F("age", func(a *animal) *uint8 { return &a.Age }, U8)))
	r := NewRegistry(U8)
	if err := errors.Join(Register(r, 1, tail, func(*animal) error { return nil }), Register(r, 2, users1, func(*user1) error { return nil })); err != nil {
		t.Fatal(err)
	}
	for b, age := range map[string]uint8{"\x01\x03cat": 0, "\x01\x03cat\x07": 7} {
		if rest, err := r.Dispatch([]byte(b)); err != nil || len(rest) > 0 {
			t.Errorf("%q %v", rest, err)
		}
		if _, v, _, err := r.Parse([]byte(b)); err != nil || *v.(*animal) != (animal{"cat", age}) {
			t.Error(v, err)
		}
	}
	stream := r.Reader(strings.NewReader("\x02\x03cat" + "\x01\x03cat\x07" + "\x02\x03cat"))
	if err := stream.Dispatch(); err != nil {
		t.Error(err)
	}
	for range 2 {
		if err := stream.Dispatch(); !isError(err, ErrEnd, "", 1) {
			t.Errorf("%+v", err)
		}
	}
	type nothing struct{}
	none := NewRegistry(Part(Skip[nothing](0)))
	if err := Register(none, nothing{}, Struct(Skip[nothing](0)), nil); err != nil {
		t.Fatal(err)
	}
	if err := none.Reader(strings.NewReader("x")).Dispatch(); !errors.Is(err, ErrEnd) {
		t.Error(err)
	}
}

// Reading from bytes and from a stream gives the same result. Every value that can be read can also
// be written.
func FuzzRegistry(f *testing.F) {
	var last any
	r := NewRegistry(U8)
	if err := errors.Join(
		Register(r, 0, exampleSchema.With(SortMaps), func(v *example) error { c := *v; last = &c; return nil }),
		Register(r, 1, flatPoints, func(v *flatPoint) error { c := *v; last = &c; return nil }),
		Upgrade(r, 2, animalSchema, 1, func(old *animal, new *flatPoint) error { new.X = int16(old.Age); return nil })); err != nil {
		f.Fatal(err)
	}
	for _, seed := range []string{"00" + exampleBytes, "01 01 00 02 00", "02 03 63 61 74 03", "03", ""} {
		f.Add(fromHex(seed))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		b = guard.Test(t, b)
		id, v, rest, err := r.Parse(b)
		again, dispatched := r.Dispatch(b)
		streamed := r.Reader(iotest.HalfReader(bytes.NewReader(b))).Dispatch()
		if text := fmt.Sprintf("%+v", err); text != fmt.Sprintf("%+v", dispatched) || len(b) > 0 && text != fmt.Sprintf("%+v", streamed) || len(again) != len(rest) {
			t.Fatalf("%+v, %+v, %+v", err, dispatched, streamed)
		}
		if err != nil {
			if len(rest) != len(b) || v != nil {
				t.Fatal("an error took bytes")
			}
			return
		}
		write := func(v any) (b []byte, err error) {
			if e, ok := v.(*example); ok {
				return AppendModel(r, nil, id, e)
			}
			return AppendModel(r, nil, id, v.(*flatPoint))
		}
		one, err := write(v)
		two, err2 := write(last)
		if err != nil || err2 != nil || !bytes.Equal(one, two) {
			t.Fatalf("%x and %x, %v, %v", one, two, err, err2)
		}
	})
}
