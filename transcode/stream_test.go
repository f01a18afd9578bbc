package transcode

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/slipstream-go/slipstream/internal/msgpwire"
)

type convert func(w io.Writer, r io.Reader, flags Flags) error

// streams returns a few values in both formats.
func streams(t *testing.T) (packed, text string) {
	packed = string(unhex(t, "01 a3616263 92c0c3 81a16193010203 cb3ff8000000000000 80 dc0010 00010203040506070809000102030405"))
	return packed, "1\n\"abc\"\n[null,true]\n{\"a\":[1,2,3]}\n1.5\n{}\n[0,1,2,3,4,5,6,7,8,9,0,1,2,3,4,5]\n"
}

// Streams are converted, whether the values arrive at once or in pieces.
func TestStreams(t *testing.T) {
	packed, text := streams(t)
	for _, n := range []int{0, 1, 3, rounds(2000)} {
		for name, c := range map[string]struct {
			run      convert
			in, want string
		}{
			"WriteJSON":                      {WriteJSON, packed, text},
			"WriteMessagePack":               {WriteMessagePack, text, packed},
			"WriteMessagePack, other blanks": {WriteMessagePack, strings.ReplaceAll(text, "\n", " \r\n\t") + "  ", packed},
		} {
			in, want := strings.Repeat(c.in, n), strings.Repeat(c.want, n)
			for how, r := range map[string]io.Reader{
				"at once":      strings.NewReader(in),
				"a buffer":     bytes.NewBufferString(in),
				"byte by byte": iotest.OneByteReader(strings.NewReader(in)),
				"by halves":    iotest.HalfReader(strings.NewReader(in)),
				"EOF at once":  iotest.DataErrReader(strings.NewReader(in)),
			} {
				var out strings.Builder
				if err := c.run(&out, r, 0); err != nil || out.String() != want {
					t.Fatalf("%s, %d times, %s: %.99q, %v", name, n, how, out.String(), err)
				}
			}
		}
	}
	var out strings.Builder
	if err := WriteMessagePack(&out, strings.NewReader(`{}[]"a"1 2`), 0); err != nil || out.String() != "\x80\x90\xa1a\x01\x02" {
		t.Errorf("without white space: %q, %v", out.String(), err)
	}
	if err := WriteJSON(&out, strings.NewReader("\xa3<\xff>"), EscapeHTML); err != nil || !strings.HasSuffix(out.String(), `"\u003c`+badText+`\u003e"`+"\n") {
		t.Errorf("with flags: %q, %v", out.String(), err)
	}
}

// inTurns is a reader of pieces. Before it returns the next piece, it checks the output so far.
type inTurns struct {
	t      *testing.T
	pieces []string // alternates between input and expected output
	out    strings.Builder
}

func (r *inTurns) Read(b []byte) (int, error) {
	if len(r.pieces)%2 == 1 {
		if r.out.String() != r.pieces[0] {
			r.t.Errorf("%q was written; want %q before more is read", r.out.String(), r.pieces[0])
		}
		r.out.Reset()
		r.pieces = r.pieces[1:]
	}
	if len(r.pieces) == 0 {
		return 0, io.EOF
	}
	n := copy(b, r.pieces[0])
	r.pieces = r.pieces[1:]
	return n, nil
}

// A sender that waits for the output before it sends more is not blocked.
func TestStreamTurns(t *testing.T) {
	r := &inTurns{t: t, pieces: []string{"\x01\x02\x92", "1\n2\n", "\x03", "", "\xc0\xc0\xa1", "[3,null]\nnull\n", "a", "\"a\"\n"}}
	if err := WriteJSON(&r.out, r, 0); err != nil || len(r.pieces) > 0 {
		t.Error(err, r.pieces)
	}
	r = &inTurns{t: t, pieces: []string{"1\n[2", "\x01", ",3]", "\x92\x02\x03", "\"a\" {", "\xa1a", "} 4", "\x80", "\n", "\x04"}}
	if err := WriteMessagePack(&r.out, r, 0); err != nil || len(r.pieces) > 0 {
		t.Error(err, r.pieces)
	}
}

// Valid values before an error are written. The offset of the error counts from the start of the
// stream.
func TestStreamErrors(t *testing.T) {
	packed, text := streams(t)
	for _, c := range []struct {
		toJSON bool
		in     string
		cause  error // nil means a *json.SyntaxError
		offset int   // offset after the valid values
		path   string
	}{
		{true, "\x81\xa1a\x92\x01\xd4\x05\x00\x01", extError(5), 5, "a[1]"},
		{true, "\x92\x01", io.ErrUnexpectedEOF, 2, ""},
		{true, "\xa5ab", io.ErrUnexpectedEOF, 0, ""},
		{true, "\xcd", io.ErrUnexpectedEOF, 0, ""},
		{false, `{"a":[0,1e999]} 1`, errRange, 8, "a[1]"},
		{false, `{"a":[0,tru]} 1`, nil, 8, "a[1]"},
		{false, ` {"a":[0,`, io.ErrUnexpectedEOF, 9, "a[1]"},
		{false, `]`, nil, 0, ""},
	} {
		run, before, want := WriteMessagePack, text, packed
		if c.toJSON {
			run, before, want = WriteJSON, packed, text
		}
		for how, r := range map[string]io.Reader{
			"at once":      strings.NewReader(before + c.in),
			"byte by byte": iotest.OneByteReader(strings.NewReader(before + c.in)),
		} {
			var out strings.Builder
			err := run(&out, r, 0)
			if out.String() != want {
				t.Errorf("%q, %s: %q was written", c.in, how, out.String())
			}
			cause := c.cause
			var syntax *json.SyntaxError
			if cause == nil && errors.As(err, &syntax) {
				cause = syntax
			}
			checkError(t, c.in+", "+how, err, cause, int64(len(before)+c.offset), c.path)
		}
	}
	var e *Error
	if err := WriteJSON(io.Discard, strings.NewReader("\x01\x92\xc1"), 0); !errors.As(err, &e) || e.Offset != 2 || !strings.Contains(err.Error(), "unknown code c1") {
		t.Errorf("%+v", err)
	}
}

// An error of the reader is returned, whether it occurs between two values or within a value.
func TestStreamReader(t *testing.T) {
	packed, text := streams(t)
	broken := errors.New("broken")
	for _, c := range []struct {
		run             convert
		in, rest, wants string
	}{
		{WriteJSON, packed, "", text}, {WriteJSON, packed, "\x92\x01", text}, {WriteJSON, packed, "\xa5ab", text}, {WriteJSON, "", "", ""},
		{WriteMessagePack, text, "", packed}, {WriteMessagePack, text, " [1, ", packed}, {WriteMessagePack, "", "", ""},
	} {
		all := strings.NewReader(c.in + c.rest)
		for _, r := range []io.Reader{io.MultiReader(all, iotest.ErrReader(broken)), &lastError{c.in + c.rest, broken}} {
			var out strings.Builder
			if err := c.run(&out, r, 0); err != broken || out.String() != c.wants {
				t.Errorf("%q: %q was written, %v", c.in+c.rest, out.String(), err)
			}
		}
	}
}

// lastError is a reader that returns its error together with the last bytes.
type lastError struct {
	text string
	err  error
}

func (r *lastError) Read(b []byte) (int, error) {
	n := copy(b, r.text)
	if r.text = r.text[n:]; r.text == "" {
		return n, r.err
	}
	return n, nil
}

// writer accepts room bytes, and records the length of the longest write.
type writer struct {
	room, longest int
	err           error
}

func (w *writer) Write(b []byte) (int, error) {
	w.longest = max(w.longest, len(b))
	if len(b) > w.room {
		return w.room, w.err
	}
	w.room -= len(b)
	return len(b), nil
}

// An error of the writer is returned, and the size of each write is limited.
func TestStreamWriter(t *testing.T) {
	packed, text := streams(t)
	full := errors.New("full")
	for in, run := range map[string]convert{packed: WriteJSON, text: WriteMessagePack} {
		in = strings.Repeat(in, rounds(20000))
		for _, r := range []io.Reader{strings.NewReader(in), bytes.NewBufferString(in), iotest.HalfReader(strings.NewReader(in))} {
			w := &writer{room: 1 << 30}
			if err := run(w, r, 0); err != nil || w.longest < 5000 || w.longest > much+100 {
				t.Errorf("%d bytes were written at once, %v", w.longest, err)
			}
		}
		// The buffer of a long value is used to read more input at once. But the output is written
		// before all of this input is converted.
		long := `"` + strings.Repeat("x", 1<<20) + `"`
		if in[0] == 1 {
			long = "\xdb\x00\x10\x00\x00" + strings.Repeat("x", 1<<20)
		}
		w := &writer{room: 1 << 30}
		if err := run(w, strings.NewReader(long+in), 0); err != nil || w.longest > len(long)+much {
			t.Errorf("%d bytes were written at once, %v", w.longest, err)
		}
		if err := run(&writer{err: full}, strings.NewReader(long+in), 0); err != full {
			t.Errorf("%v, want that of the writer", err)
		}
		for _, room := range []int{0, 1, 40000} {
			if err := run(&writer{room: room, err: full}, strings.NewReader(in), 0); err != full {
				t.Errorf("%v, want that of the writer", err)
			}
			if err := run(&writer{room: room}, strings.NewReader(in), 0); err != io.ErrShortWrite {
				t.Errorf("%v, want %v", err, io.ErrShortWrite)
			}
		}
	}
}

// Values that are longer than any buffer are converted, with short values between them.
func TestLongValues(t *testing.T) {
	var packed, text strings.Builder
	for _, n := range []int{10, 100000, 0, 3000000, 1} {
		packed.Write(append(msgpwire.AppendStringLen(nil, n), strings.Repeat("x", n)...))
		text.WriteString(`"` + strings.Repeat("x", n) + "\"\n")
	}
	var out strings.Builder
	if err := WriteJSON(&out, iotest.HalfReader(strings.NewReader(packed.String())), 0); err != nil || out.String() != text.String() {
		t.Error(err)
	}
	out.Reset()
	if err := WriteMessagePack(&out, iotest.HalfReader(strings.NewReader(text.String())), 0); err != nil || out.String() != packed.String() {
		t.Error(err)
	}
}
