package json

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"
)

// Strings decode correctly if characters, invalid bytes and escapes lie across the boundaries of
// pieces and buffers.
func TestTextAcrossPieces(t *testing.T) {
	fillers := []string{"a", "é", "日", "😀", "\xe9", "\xf0\x9f\x98", "日\xff"}
	ends := []string{"", `\n`, "\xff", `\u00e9`, "\xe6\x97", `\ud83d`}
	for _, filler := range fillers {
		for _, size := range []int{ownText, textPiece, 2 * textPiece, 64 << 10} {
			for shift := range 6 {
				for _, end := range ends {
					text := strings.Repeat("x", shift) + strings.Repeat(filler, size/len(filler)) + end + strings.Repeat(filler, 70)
					document := []byte(`{"` + text + `":["` + text + `"]}`)
					var ours, theirs map[string][]string
					if err := Unmarshal(document, &ours); err != nil {
						t.Fatal(err)
					}
					if err := json.Unmarshal(document, &theirs); err != nil {
						t.Fatal(err)
					}
					if fmt.Sprint(ours) != fmt.Sprint(theirs) {
						t.Fatalf("%d × %q after %d bytes, then %q: not what encoding/json decodes", size/len(filler), filler, shift, end)
					}
				}
			}
		}
	}
}

// wholeRunes never cuts within a character.
func TestWholeRunes(t *testing.T) {
	for _, text := range []string{"", "abcdef", "aéb日c😀d", "\xe6\x97a\xf0\x9f\x98b\x80\x80\x80\x80\x80", "日本語日本語"} {
		for n := range len(text) + 2 {
			k := wholeRunes([]byte(text), n)
			if k > n || n-k > 3 || n > 0 && k == 0 && n > 3 {
				t.Fatalf("%q: %d of %d", text, k, n)
			}
			if head, tail := []rune(text[:min(k, len(text))]), []rune(text[min(k, len(text)):]); string(append(head, tail...)) != string([]rune(text)) {
				t.Errorf("%q is cut at %d, amid a character", text, k)
			}
		}
	}
}

// allocated returns the bytes that f allocates.
func allocated(f func()) int {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return int(after.TotalAlloc - before.TotalAlloc)
}

// held returns the bytes that f leaves reachable.
func held(f func() any) int {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&before)
	kept := f()
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&after)
	runtime.KeepAlive(kept)
	return int(after.HeapAlloc) - int(before.HeapAlloc)
}

// messages is a reader that returns one message per call of Read.
type messages [][]byte

func (m *messages) Read(b []byte) (n int, err error) {
	if len(*m) == 0 {
		return 0, io.EOF
	}
	n = copy(b, (*m)[0])
	if (*m)[0] = (*m)[0][n:]; len((*m)[0]) == 0 {
		*m = (*m)[1:]
	}
	return n, nil
}

// After a large value, many small values neither allocate nor keep buffers of its size.
func TestDecoderAfterLargeValue(t *testing.T) {
	const large, small = 4 << 20, 1000
	type entry struct {
		ID   string
		Text string
	}
	for _, zeroCopy := range []bool{false, true} {
		source := messages{[]byte(`{"ID":"0","Text":"` + strings.Repeat("x", large) + `"}`)}
		for range small {
			source = append(source, []byte(`{"ID":"an-id-12345"}`))
		}
		d := NewDecoder(&source)
		if zeroCopy {
			d.ZeroCopy()
		}
		var first entry
		if err := d.Decode(&first); err != nil || len(first.Text) != large {
			t.Fatal(err)
		}
		first = entry{}
		var ids []string
		var n int
		h := held(func() any {
			n = allocated(func() {
				for range small {
					var e entry
					if err := d.Decode(&e); err != nil {
						t.Fatal(err)
					}
					ids = append(ids, e.ID)
				}
			})
			return ids
		})
		if n > small<<11 && !encodeRace { // with -race, pools drop some objects
			t.Errorf("zero copy %t: %d small values allocate %d bytes", zeroCopy, small, n)
		}
		if h > small<<10 {
			t.Errorf("zero copy %t: %d small strings hold %d bytes", zeroCopy, small, h)
		}
		if cap(d.buf) > mostRead {
			t.Errorf("zero copy %t: the buffer still has room for %d bytes", zeroCopy, cap(d.buf))
		}
		runtime.KeepAlive(d)
	}
}

// After a large document of any shape, a decoder returns to the pool with small buffers.
func TestPooledDecoderForgets(t *testing.T) {
	var members strings.Builder
	for i := range 50_000 {
		fmt.Fprintf(&members, `"key-%d":%d,`, i, i)
	}
	object := `{` + members.String() + `"":0}`
	for _, document := range []string{object, object + "x", `{"` + strings.Repeat(`\n`, 1<<20) + `":1}`, `[` + strings.Repeat("1,", 1<<20) + `1]`, strings.Repeat(`[`, maxDepth) + strings.Repeat(`]`, maxDepth)} {
		for _, flags := range []ParseFlags{0, RejectDuplicateNames, ZeroCopy} {
			d := decoders.New().(*decoder)
			d.flags = flags
			for _, target := range []any{new(any), new([]int), new(map[string]int)} {
				d.first([]byte(document), target, rootOf(target), oneValue)
			}
			d.release()
			if n := cap(d.scratch) + cap(d.stack) + 32*cap(d.members) + 16*cap(d.path); n > 4*scratchMax {
				t.Errorf("%.20q… with flags %d: the decoder keeps %d bytes", document, flags, n)
			}
		}
	}
}

// After a type's first invalid document, later ones are rejected without being decoded in vain. So
// rejection allocates little.
func TestInvalidDocumentsAreNotDecodedTwice(t *testing.T) {
	document := []byte(`[` + strings.Repeat(`{"a":[1,2,3],"b":"text"},`, 10_000) + `x]`)
	var target any
	if err := Unmarshal(document, &target); err == nil {
		t.Fatal("no error")
	}
	for range 3 * doubted {
		if n := allocated(func() {
			if err := Unmarshal(document, &target); err == nil {
				t.Fatal("no error")
			}
		}); n > 64<<10 {
			t.Fatalf("%d bytes are allocated to refuse %d", n, len(document))
		}
	}
	for range 1000 { // too few bytes to end the checks
		if err := Unmarshal([]byte(`[1,"two",{"three":4}]`), &target); err != nil {
			t.Fatal(err)
		}
	}
	if n := allocated(func() { Unmarshal(document, &target) }); n > 64<<10 {
		t.Errorf("after small documents, %d bytes are allocated to refuse %d", n, len(document))
	}
	valid := []byte(strings.TrimSuffix(string(document), "x]") + "0]")
	for range doubted {
		if err := Unmarshal(valid, &target); err != nil {
			t.Fatal(err)
		}
	}
	if left := rootOf(&target).doubt.left.Load(); left > 0 {
		t.Errorf("after %d valid documents, %d bytes more are checked", doubted, left)
	}
}

// Token and InputOffset are correct between long runs of white space that arrive byte by byte.
func TestBlanksBetweenTokens(t *testing.T) {
	for _, blanks := range []int{0, 1, 600, 10_000} {
		stream := strings.Repeat(" ", blanks) + "[" + strings.Repeat("\n", blanks) + "1" + strings.Repeat("\t", blanks) + "," + strings.Repeat(" ", blanks) + "{}" + strings.Repeat(" ", blanks) + "]" + strings.Repeat(" ", blanks)
		ours, theirs := NewDecoder(iotest.OneByteReader(strings.NewReader(stream))), json.NewDecoder(strings.NewReader(stream))
		for {
			if more, want := ours.More(), theirs.More(); more != want {
				t.Fatalf("%d blanks: More is %t, want %t", blanks, more, want)
			}
			token, err := ours.Token()
			want, wantErr := theirs.Token()
			if token != want || err != wantErr || ours.InputOffset() != theirs.InputOffset() {
				t.Fatalf("%d blanks: %v, %v at %d, want %v, %v at %d", blanks, token, err, ours.InputOffset(), want, wantErr, theirs.InputOffset())
			}
			if err != nil {
				break
			}
		}
		rest, _ := io.ReadAll(ours.Buffered())
		want, _ := io.ReadAll(theirs.Buffered())
		if !bytes.Equal(rest, want) {
			t.Errorf("%d blanks: %d bytes are buffered, want %d", blanks, len(rest), len(want))
		}
	}
}

// After a large value of any shape, an encoder returns to the pool with small buffers.
func TestPooledEncoderForgets(t *testing.T) {
	type node struct {
		Next any
	}
	var deepMap any = map[string]any{}
	var deepPointer any = &node{}
	for range 5000 {
		deepMap = map[string]any{"m": node{deepMap}}
		deepPointer = &node{deepPointer}
	}
	wide := map[string]any{}
	for i := range 50_000 {
		wide[fmt.Sprint(i)] = i
	}
	for name, v := range map[string]any{"deep maps": deepMap, "deep pointers": deepPointer, "a large map": wide} {
		e := encoders.New().(*encoder)
		e.flags = SortMapKeys | EscapeHTML | TrustRawMessage // flags beyond encoding/json's defaults
		if _, err := e.append(nil, v); err != nil {
			t.Fatal(name, err)
		}
		e.release()
		if cap(e.maps) > keptMaps || e.seen != nil || cap(e.slots)+cap(e.anys)+cap(e.texts) > 3*keptSlots {
			t.Errorf("%s: the encoder keeps %d maps, %d entries, seen %t", name, cap(e.maps), cap(e.slots)+cap(e.anys)+cap(e.texts), e.seen != nil)
		}
	}

	enc := NewEncoder(io.Discard)
	enc.SetIndent("", "\t")
	if err := enc.Encode(wide); err != nil || cap(enc.lines) > keptRoom {
		t.Errorf("an Encoder keeps room for %d bytes: %v", cap(enc.lines), err)
	}
}

// Rejecting a document whose last container exceeds the maximum depth allocates little.
func TestTooDeepCostsItsLength(t *testing.T) {
	document := []byte(strings.Repeat("[", maxDepth) + strings.Repeat("1,", 1<<20) + "[")
	var s scanner
	s.reset()
	i, seen := s.scan(document, 0)
	want, ok := json.Unmarshal(document, new(json.RawMessage)).(*SyntaxError)
	if got, _ := s.explain(document, i, seen).(*SyntaxError); !ok || !onV2 && (got == nil || *got != *want) {
		t.Errorf("%v, want %v", got, want)
	}
}
