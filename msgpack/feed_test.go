package msgpack

import (
	"bytes"
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/slipstream-go/slipstream/internal/corpus"
	guarded "github.com/slipstream-go/slipstream/internal/guard"
	"github.com/slipstream-go/slipstream/internal/msgpwire"
)

// If a vector is fed byte by byte, the value is complete at its last byte and not before. An
// invalid vector causes an error.
func TestFeedVectors(t *testing.T) {
	for _, v := range vectors(t) {
		if len(v.Bytes) > 2000 {
			continue
		}
		var f Feed
		for k, c := range v.Bytes {
			var x any
			if err := f.Next(&x); err != ErrMore && v.Mark != '!' {
				t.Fatalf("line %d: %v, %v after %d bytes", v.Line, x, err, k)
			}
			f.Feed([]byte{c})
		}
		var x any
		err := f.Next(&x)
		switch {
		case v.Mark != '!':
			if err != nil || corpus.Note(x) != v.Value || f.Len() != 0 {
				t.Errorf("line %d: %s, %v; want %s", v.Line, corpus.Note(x), err, v.Value)
			}
		case skip(v.Bytes, 0) == len(v.Bytes) || strings.Contains(v.Value, "unknown code"):
			if err == nil || !strings.Contains(err.Error(), v.Value) && !strings.Contains(err.Error(), "unknown code") {
				t.Errorf("line %d: %v, want %s", v.Line, err, v.Value)
			}
		case err == nil || err == ErrMore && f.Len() != len(v.Bytes):
			t.Errorf("line %d: %v, %v", v.Line, x, err)
		}
	}
}

// feedPieces returns the bytes of random values, the end of each value, and the bytes in random
// pieces.
func feedPieces(r *rand.Rand) (data []byte, ends []int, pieces [][]byte) {
	for range 50 {
		data, _ = MarshalAppend(data, corpus.Any(r, 0))
		ends = append(ends, len(data))
	}
	most := 1 + r.IntN(200)
	for rest := data; len(rest) > 0; {
		n := min(len(rest), r.IntN(most))
		pieces = append(pieces, bytes.Clone(rest[:n]))
		rest = rest[n:]
	}
	return data, ends, pieces
}

// Random values arrive in random pieces. After each piece, the test reads all complete values, in
// one of three ways.
func TestFeedPieces(t *testing.T) {
	for seed := range uint64(100) {
		r := corpus.New(seed)
		data, ends, pieces := feedPieces(r)
		var f Feed
		start, k := 0, 0
		fed := 0
		check := func(raw RawMessage) {
			if !bytes.Equal(raw, data[start:ends[k]]) {
				t.Fatalf("seed %d, value %d: %x, want %x", seed, k, raw, data[start:ends[k]])
			}
			start, k = ends[k], k+1
		}
		for _, piece := range pieces {
			f.Feed(piece)
			fed += len(piece)
			clear(piece) // the Feed has copied it
			switch r.IntN(3) {
			case 0:
				for raw, err := range f.All() {
					if err != nil {
						t.Fatal(err)
					}
					check(raw)
				}
			case 1:
				for {
					raw, err := f.NextRaw()
					if err == ErrMore {
						break
					}
					if err != nil {
						t.Fatal(err)
					}
					check(raw)
				}
			case 2:
				for k < len(ends) && ends[k] <= fed {
					var x, want any
					if err := f.Next(&x); err != nil {
						t.Fatal(err)
					}
					if err := Unmarshal(data[start:], &want); err != nil || !reflect.DeepEqual(x, want) {
						t.Fatalf("seed %d, value %d: %v, want %v", seed, k, x, want)
					}
					start, k = ends[k], k+1
				}
			}
			if k < len(ends) && ends[k] <= fed || f.Len() != fed-start {
				t.Fatalf("seed %d: %d bytes are fed, %d values read, %d bytes wait", seed, fed, k, f.Len())
			}
		}
		if _, err := f.NextRaw(); err != ErrMore || k != len(ends) || f.Len() != 0 {
			t.Fatalf("seed %d: %d values of %d, %v", seed, k, len(ends), err)
		}
	}
}

// A value of the wrong type causes an error and is skipped. An invalid byte ends the Feed. The test
// also checks the texts and offsets of errors.
func TestFeedErrors(t *testing.T) {
	var f Feed
	var n int
	f.Feed([]byte("\x01\xa3abc\x02"))
	var where *Error
	if err := f.Next(&n); n != 1 || err != nil {
		t.Error(n, err)
	}
	if err := f.Next(&n); !errors.As(err, &where) || where.Offset != 1 {
		t.Errorf("%+v", err)
	}
	if err := f.Next(&n); n != 2 || err != nil {
		t.Error("a value that does not fit was not passed over:", n, err)
	}
	f.Feed([]byte("\x93\x01\xc1\x02"))
	for range 3 {
		if err := f.Next(&n); !errors.As(err, &where) || where.Offset != 8 || err.Error() != "msgpack: unknown code c1" {
			t.Errorf("%+v", err)
		}
		if raw, err := f.NextRaw(); raw != nil || err == nil || err == ErrMore {
			t.Error(raw, err)
		}
		f.Feed([]byte("more"))
		if f.Len() != 0 {
			t.Error("a feed that has failed gathers")
		}
		count := 0
		for raw, err := range f.All() {
			if count++; err == nil || raw != nil {
				t.Error(raw, err)
			}
		}
		if count != 1 {
			t.Errorf("the error came %d times", count)
		}
	}
	f.Decoder().UseLooseInterfaceDecoding(true)
	f.Reset()
	f.Feed([]byte("\x05\x06"))
	var x any
	if err := f.Next(&x); x != int64(5) || err != nil {
		t.Errorf("%T %v, %v", x, x, err)
	}
	for range f.All() {
		break
	}
	if f.Len() != 0 {
		t.Error("leaving the loop gave a value back")
	}
	if !errors.Is(f.Next(&x), ErrMore) || errors.Is(ErrMore, io.EOF) {
		t.Error("the end of what was fed is not ErrMore")
	}
}

// A few bytes may claim a large value. A value beyond MaxBytes is rejected immediately. A value
// within MaxBytes does not allocate memory before its bytes arrive.
func TestFeedBounds(t *testing.T) {
	for _, c := range []struct {
		digits string
		most   int
		want   error
	}{
		{"c6ffffffff", 0, nil}, {"ddffffffff", 0, nil}, {"dfffffffff", 0, nil}, {"c9ffffffff05", 0, nil}, {"dbffffffff", 0, nil},
		{"c604000000", 0, nil}, {"c603000000", 0, ErrMore}, {"dd03000000", 0, ErrMore}, {"df01000000", 0, ErrMore}, {"df02000000", 0, nil},
		{"c60000000b", 16, ErrMore}, {"c60000000c", 16, nil}, {"dc000d", 16, ErrMore}, {"dc000e", 16, nil},
		{"9e01", 16, ErrMore}, {"9e01a301", 16, nil}, {"9e01a101", 16, ErrMore}, {strings.Repeat("91", 15), 16, ErrMore}, {strings.Repeat("91", 16), 16, nil},
		{strings.Repeat("dd7fffff00", 50), math.MaxInt32, nil}, {strings.Repeat("de1000a161", 50), 0, ErrMore},
	} {
		var err error
		got := allocated(func() {
			f := Feed{MaxBytes: c.most}
			for _, b := range unhex(t, c.digits) {
				f.Feed([]byte{b})
				if _, err = f.NextRaw(); err != ErrMore {
					break
				}
			}
		})
		if c.want == ErrMore && err != ErrMore || c.want == nil && (err == nil || !strings.Contains(err.Error(), "the value is longer than")) || got > 1<<16 {
			t.Errorf("%.20s, at most %d: %v, and %d bytes allocated", c.digits, c.most, err, got)
		}
	}
	f := Feed{MaxBytes: 16}
	fits := append([]byte{msgpwire.Bin8, 14}, make([]byte, 14)...)
	for range 10 {
		f.Feed(fits)
	}
	for range 10 {
		if raw, err := f.NextRaw(); !bytes.Equal(raw, fits) || err != nil {
			t.Error("MaxBytes is for one value:", raw, err)
		}
	}
}

// If a large value is fed byte by byte, the Feed looks at each byte only once. After each byte, its
// search position is near the end of the fed bytes.
func TestFeedIsLinear(t *testing.T) {
	list := make([]any, 3000)
	for i := range list {
		list[i] = []any{i, "text", 1.5}
	}
	data := marshal(t, append(list, strings.Repeat("long ", 5000)))
	var f Feed
	at := uint64(0)
	for i, c := range data[:len(data)-1] {
		f.Feed([]byte{c})
		if _, err := f.NextRaw(); err != ErrMore {
			t.Fatal(i, err)
		}
		if f.value.at < at || f.value.at+9 < uint64(i) {
			t.Fatalf("after %d bytes, the next look is at %d; before, it was at %d", i, f.value.at, at)
		}
		at = f.value.at
	}
	f.Feed(data[len(data)-1:])
	if raw, err := f.NextRaw(); err != nil || !bytes.Equal(raw, data) {
		t.Error(len(raw), err)
	}
	f.Feed(nil)
	if cap(f.b) > feedKept {
		t.Errorf("an empty feed keeps %d bytes", cap(f.b))
	}
	most := 0
	for range 100 {
		for piece := range slices.Chunk(data, 100) {
			f.Feed(piece)
			for range f.All() {
			}
			most = max(most, cap(f.b))
		}
	}
	if most > 4*len(data) {
		t.Errorf("values of %d bytes, one after the other, take %d", len(data), most)
	}
}

// FuzzFeed feeds data in pieces, and compares the values with Unmarshal of the whole data.
func FuzzFeed(f *testing.F) {
	for _, v := range vectors(f) {
		if len(v.Bytes) < 300 {
			f.Add(v.Bytes, []byte{1, 2, 3})
			f.Add(append(bytes.Clone(v.Bytes), v.Bytes...), []byte{5})
		}
	}
	f.Fuzz(func(t *testing.T, data, sizes []byte) {
		data = guarded.Test(t, data)
		sizes = guarded.Test(t, sizes)
		var feed Feed
		var got []RawMessage
		var failed error
		rest := data
		for k := 0; len(rest) > 0 && failed == nil; k++ {
			n := 1
			if len(sizes) > 0 {
				n = 1 + int(sizes[k%len(sizes)])
			}
			n = min(n, len(rest))
			feed.Feed(rest[:n])
			rest = rest[n:]
			for raw, err := range feed.All() {
				if err != nil {
					failed = err
					break
				}
				got = append(got, raw)
			}
		}
		at := 0
		for k, raw := range got {
			if end := skip(data, at); end < 0 || !bytes.Equal(raw, data[at:end]) {
				t.Fatalf("value %d: %x, want data[%d:%d]", k, raw, at, end)
			}
			var x, want any
			f2 := Feed{}
			f2.Feed(raw)
			if err, errWant := f2.Next(&x), Unmarshal(data[at:], &want); text(err) != text(errWant) && text(errWant) != "EOF" || err == nil && !same(reflect.ValueOf(&x), reflect.ValueOf(&want)) {
				t.Fatalf("value %d: %v, %v; want %v, %v", k, x, err, want, errWant)
			}
			at += len(raw)
		}
		if failed == nil && (at < len(data) && skip(data, at) >= 0 || feed.Len() != len(data)-at) {
			t.Fatalf("%d bytes of %d were read, %d wait", at, len(data), feed.Len())
		}
		if failed != nil {
			if _, err := NewDecoder(bytes.NewReader(data[at:])).DecodeRaw(); err == nil {
				t.Fatalf("%v, but there is a value", failed)
			}
		}
	})
}
