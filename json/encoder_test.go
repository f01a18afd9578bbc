package json

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"
)

// countingWriter counts the calls of Write. Calls fail from the given call on.
type countingWriter struct {
	bytes.Buffer
	writes, fails int
}

var errWriter = errors.New("no more")

func (w *countingWriter) Write(b []byte) (int, error) {
	if w.writes++; w.writes == w.fails {
		return 0, errWriter
	}
	return w.Buffer.Write(b)
}

// Encode calls Write once for each value. A value that cannot be encoded is not written, and the
// Encoder can still be used. An error of the writer is kept.
func TestEncoderWrites(t *testing.T) {
	w := &countingWriter{fails: 4}
	enc := NewEncoder(w)
	if err := enc.Encode(map[string]any{"b": 1, "a": []any{"<"}}); err != nil || w.writes != 1 {
		t.Error(err, w.writes)
	}
	if err := enc.Encode([]any{1, make(chan int)}); err == nil || w.writes != 1 {
		t.Error(err, w.writes)
	}
	enc.SetIndent("", " ")
	if err := enc.Encode([]int{1}); err != nil || w.writes != 2 {
		t.Error(err, w.writes)
	}
	enc.SetIndent("", "")
	if err := enc.Encode(nil); err != nil || w.writes != 3 {
		t.Error(err, w.writes)
	}
	if want := "{\"a\":[\"\\u003c\"],\"b\":1}\n[\n 1\n]\nnull\n"; w.String() != want {
		t.Errorf("%q, want %q", w.String(), want)
	}
	for range 2 {
		if err := enc.Encode(1); err != errWriter || w.writes != 4 {
			t.Error(err, w.writes)
		}
	}
}

// An Encoder's additional methods, which segmentio/encoding/json also provides, turn their options
// on and off.
func TestEncoderOptions(t *testing.T) {
	var out bytes.Buffer
	enc := NewEncoder(&out)
	enc.SetAppendNewline(false)
	enc.Encode(1)
	enc.Encode("<")
	enc.SetEscapeHTML(false)
	enc.Encode("<")
	enc.SetEscapeHTML(true)
	enc.SetTrustRawMessage(true)
	if err := enc.Encode(RawMessage("{")); err != nil {
		t.Error(err)
	}
	enc.SetTrustRawMessage(false)
	if err := enc.Encode(RawMessage("{")); err == nil {
		t.Error("no error")
	}
	enc.SetAppendNewline(true)
	enc.Encode(2)
	if want := "1\"\\u003c\"\"<\"{2\n"; out.String() != want {
		t.Errorf("%q, want %q", out.String(), want)
	}
	out.Reset()
	enc.SetSortMapKeys(false)
	m := largeMap(100)
	enc.Encode(m)
	var back map[string]any
	if err := json.Unmarshal(out.Bytes(), &back); err != nil || len(back) != len(m) {
		t.Error(err, len(back))
	}
	out.Reset()
	enc.SetSortMapKeys(true)
	enc.Encode(m)
	if want, _ := json.Marshal(m); strings.TrimSpace(out.String()) != string(want) {
		t.Error("not sorted again")
	}
}

// reentrant is a writer whose Write method encodes a value.
type reentrant struct {
	out   bytes.Buffer
	depth int
}

func (w *reentrant) Write(b []byte) (int, error) {
	before := string(b)
	if w.depth++; w.depth < 5 {
		if err := NewEncoder(w).Encode([]string{strings.Repeat("inner", w.depth*300)}); err != nil {
			return 0, err
		}
	}
	if string(b) != before {
		return 0, errors.New("the bytes changed while they were written")
	}
	return w.out.Write(b)
}

// A writer may encode a value while an Encoder calls its Write method.
func TestEncoderReentrant(t *testing.T) {
	w := &reentrant{}
	if err := NewEncoder(w).Encode([]string{"outer"}); err != nil {
		t.Error(err)
	}
	if !strings.HasSuffix(w.out.String(), "[\"outer\"]\n") {
		t.Errorf("%q", w.out.String())
	}
}
