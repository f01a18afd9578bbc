package schema

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"strings"
	"testing"
	"testing/iotest"
)

// noted contains optional strings. After each of them the encoder must check the capacity of dst:
// for a number, for a header, or at the end.
type noted struct {
	First  *string
	N      uint64
	Second *string
	Third  *string
}

var notedSchema = Struct(
	F("first", func(v *noted) **string { return &v.First }, Opt(Str16)),
	F("n", func(v *noted) *uint64 { return &v.N }, U64),
	F("second", func(v *noted) **string { return &v.Second }, Opt(Str8)),
	F("third", func(v *noted) **string { return &v.Third }, Opt(Str16)))

// notedValue returns a value whose strings depend on k.
func notedValue(k int) noted {
	text := func(from int) *string {
		s := strings.Repeat(string(rune('a'+(from+k)%26)), (from*7+k)%300%256)
		return &s
	}
	return noted{text(1), uint64(k), text(2), text(3)}
}

func checkNoted(t *testing.T, got *noted, k int) {
	t.Helper()
	want := notedValue(k)
	for _, p := range []struct{ got, want *string }{{got.First, want.First}, {got.Second, want.Second}, {got.Third, want.Third}} {
		if p.got == nil || *p.got != *p.want {
			t.Fatalf("message %d has another optional string than %q", k, *p.want)
		}
	}
	if got.N != want.N {
		t.Fatalf("message %d: n is %d", k, got.N)
	}
}

// pieces returns readers that return b in pieces of different sizes.
func pieces(b []byte) map[string]io.Reader {
	return map[string]io.Reader{
		"whole":    bytes.NewReader(b),
		"halves":   iotest.HalfReader(bytes.NewReader(b)),
		"one byte": iotest.OneByteReader(bytes.NewReader(b)),
		"at once":  iotest.DataErrReader(bytes.NewReader(b)),
	}
}

// An optional string can arrive in several pieces.
func TestOptionalTextInPieces(t *testing.T) {
	const n = 3000
	var b []byte
	r := NewRegistry(U8)
	next, on := 0, t
	if err := Register(r, 1, notedSchema, func(v *noted) error {
		checkNoted(on, v, next)
		next++
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	var models []byte
	for k := range n {
		v := notedValue(k)
		b = append(b, mustAppend(t, notedSchema, &v)...)
		var err error
		if models, err = AppendModel(r, models, 1, &v); err != nil {
			t.Fatal(err)
		}
	}
	for k, set := range [][]Option{nil, {Exact}, {OwnStrings}, {Alias}} {
		for name, src := range pieces(b) {
			t.Run(fmt.Sprintf("Next/%s/%d", name, k), func(t *testing.T) {
				in := notedSchema.Reader(src, set...)
				for k := range n {
					var v noted
					if err := in.Next(&v); err != nil {
						t.Fatalf("message %d: %v", k, err)
					}
					checkNoted(t, &v, k)
				}
			})
		}
		for name, src := range pieces(b) {
			t.Run(fmt.Sprintf("All/%s/%d", name, k), func(t *testing.T) {
				k := 0
				for v, err := range notedSchema.Reader(src, set...).All() {
					if err != nil {
						t.Fatalf("message %d: %v", k, err)
					}
					checkNoted(t, v, k)
					k++
				}
				if k != n {
					t.Errorf("%d messages", k)
				}
			})
		}
		for name, src := range pieces(models) {
			t.Run(fmt.Sprintf("Dispatch/%s/%d", name, k), func(t *testing.T) {
				in := r.Reader(src, set...)
				next = 0
				on = t
				for range n {
					if err := in.Dispatch(); err != nil {
						t.Fatalf("message %d: %v", next, err)
					}
				}
			})
		}
	}
}

// A truncated message may replace the strings that a reused target's options point to, but nothing
// else. It does not change the bytes of the old strings, because the caller may have kept them. A
// write to the bytes of a constant would fault.
func TestOptionalTextCut(t *testing.T) {
	v := notedValue(5)
	b := mustAppend(t, notedSchema, &v)
	for name, text := range map[string]func() string{
		"kept":     func() string { return strings.Repeat("x", 40) },
		"constant": func() string { return "a string in memory that cannot be written" },
	} {
		for k, set := range []Option{func(*options) {}, OwnStrings, Alias} {
			t.Run(fmt.Sprintf("%s/%d", name, k), func(t *testing.T) {
				defer debug.SetPanicOnFault(debug.SetPanicOnFault(true)) // applies to this goroutine only
				for n := range b {
					was := strings.Clone(text())
					kept := text()
					first, second, third := kept, kept, kept
					target := noted{First: &first, Second: &second, Third: &third}
					if err := notedSchema.With(set).Unmarshal(b[:n], &target); !errors.Is(err, ErrShort) {
						t.Fatalf("cut at %d: %v", n, err)
					}
					if kept != was {
						t.Fatalf("cut at %d: a string that was kept is %q now", n, kept)
					}
					if target.First != &first || target.Second != &second || target.Third != &third {
						t.Fatalf("cut at %d: the options point elsewhere", n)
					}
					for k, s := range []struct{ is, read string }{{first, *v.First}, {second, *v.Second}, {third, *v.Third}} {
						if s.is != was && s.is != s.read {
							t.Fatalf("cut at %d: string %d is %q", n, k, s.is)
						}
					}
				}
			})
		}
	}
}

// Optional strings are appended to dst with every capacity from none to more than enough. The bytes
// are the same. Neither the strings nor the memory beyond the capacity of dst is written to.
func TestOptionalTextRoom(t *testing.T) {
	values := []noted{{}, {N: 1}, notedValue(5), {First: notedValue(7).First}, {Second: notedValue(11).Second}, {Third: new("")}}
	for k, v := range values {
		want := mustAppend(t, notedSchema, &v)
		for room := range len(want) + 2*8 {
			all := bytes.Repeat([]byte{0xa5}, 3+room+64)
			b, err := notedSchema.Append(all[:3:3+room], &v)
			if err != nil || string(b) != "\xa5\xa5\xa5"+string(want) {
				t.Fatalf("value %d, room for %d: %q, %v", k, room, b, err)
			}
			if beyond := all[3+room:]; bytes.Count(beyond, []byte{0xa5}) != len(beyond) {
				t.Fatalf("value %d, room for %d: written beyond: %x", k, room, beyond)
			}
		}
		if again := mustAppend(t, notedSchema, &v); !bytes.Equal(again, want) {
			t.Fatalf("value %d has become %q", k, again)
		}
	}
}
