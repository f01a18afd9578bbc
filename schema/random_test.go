package schema

import (
	"bytes"
	"fmt"
	"reflect"
	"slices"
	"testing"

	"github.com/slipstream-go/slipstream/internal/corpus"
)

// checkRandom writes and reads random values of a random type.
func checkRandom(t *testing.T, seed uint64) {
	r := corpus.New(seed)
	notation := "{" + randomNotation(r, 3) + "," + randomNotation(r, 3) + "}"
	s := mustSchema(notation)
	fail := func(format string, args ...any) {
		t.Helper()
		t.Fatalf("seed %d, %s: %s", seed, notation, fmt.Sprintf(format, args...))
	}

	// The bytes equal the bytes from the naive encoder, regardless of the capacity of dst.
	v := reflect.New(s.typ).Elem()
	fillValue(r, s.n, v, 1)
	var spans []span
	want := naive(nil, s.n, v, "", &spans)
	dst := make([]byte, 3, 3+r.IntN(len(want)+9))
	got, err := s.append(dst, v)
	if err != nil || !bytes.Equal(got[3:], want) {
		fail("wrote %x, want %x, %v", got[min(3, len(got)):], want, err)
	}

	// In each mode, the value is read back with and without trailing bytes, into a new and into a
	// used value.
	again := reflect.New(s.typ)
	fillValue(r, s.n, again.Elem(), 3)
	for _, set := range []Option{func(*options) {}, OwnStrings, Alias} {
		o := defaults
		set(&o)
		back, rest, err := s.parse(append(want[:len(want):len(want)], "rest"...), o)
		if err != nil || rest != 4 || !reflect.DeepEqual(back.Interface(), v.Interface()) {
			fail("read %+v and left %d, want %+v, %v", back, rest, v, err)
		}
		rest, err = s.parseInto(again, want, o)
		if err != nil || rest != 0 || corpus.Note(tree(again.Elem())) != corpus.Note(tree(v)) {
			fail("read %+v into another and left %d, want %+v, %v", again.Elem(), rest, v, err)
		}
		again = reflect.New(s.typ) // so that its blobs do not alias the input
	}

	// A truncated message returns ErrShort for the value that is cut off, or for an earlier count
	// that exceeds the rest of the input.
	for n := range want {
		at := slices.IndexFunc(spans, func(p span) bool { return n < p.needs || n < p.end })
		_, _, err := s.parse(want[:n:n], defaults)
		if !isError(err, ErrShort, spans[at].path, spans[at].start) {
			fail("cut at %d: %+v, want %s at %d", n, err, spans[at].path, spans[at].start)
		}
	}

	// Maps with more entries are checked by reading the encoding back.
	fillValue(r, s.n, v, 40)
	b, err := s.append(nil, v)
	if err != nil {
		fail("%v", err)
	}
	back, rest, err := s.parse(b, defaults)
	if err != nil || rest != 0 || corpus.Note(tree(back)) != corpus.Note(tree(v)) {
		fail("read %+v and left %d, want %+v, %v", back, rest, v, err)
	}
}

func TestRandom(t *testing.T) {
	for seed := range uint64(500) {
		checkRandom(t, seed)
	}
}
