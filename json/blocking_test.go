package json_test

// These tests check when a Decoder waits for more input. A Decoder returns a complete value without
// waiting for the next byte, unless that byte could change the value. Each test also runs with
// encoding/json, to show that the test expects only promised behaviour.

import (
	"bytes"
	std "encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/slipstream-go/slipstream/internal/growth"
)

// withBoth runs a test with each library's Decoder.
func withBoth(t *testing.T, test func(t *testing.T, newDecoder func(io.Reader) decoder)) {
	t.Helper()
	t.Run("encoding_json", func(t *testing.T) { test(t, newStd) })
	t.Run("ours", func(t *testing.T) { test(t, newOurs) })
}

// patience is the longest wait for an expected event. Only a test that hangs waits this long.
const patience = 5 * time.Minute

// within fails the test if call does not return within patience.
func within(t *testing.T, what string, call func()) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		call()
	}()
	select {
	case <-done:
	case <-time.After(patience):
		t.Fatalf("%s waits for ever", what)
	}
}

func TestBlocking(t *testing.T) {
	withBoth(t, func(t *testing.T, newDecoder func(io.Reader) decoder) {
		for _, in := range []string{`{}`, `[]`, `{"A":1}`, ` [1,2]`, `[[[]]]`, `{"A":{"B":[{}]}}`, "\n{\"A\":\"}]\"}", `[` + strings.Repeat(`"long",`, 2000) + `{}]`} {
			for _, portion := range []int{1, 7, 1 << 20} {
				r, w := io.Pipe()
				go func() {
					for rest := in; rest != ""; {
						n := min(portion, len(rest))
						io.WriteString(w, rest[:n])
						rest = rest[n:]
					}
				}()
				within(t, short(in), func() {
					var v, want any
					std.Unmarshal([]byte(in), &want)
					if err := newDecoder(r).Decode(&v); err != nil || !reflect.DeepEqual(v, want) {
						t.Errorf("%s: %v, %v", short(in), v, err)
					}
				})
				r.Close()
			}
		}
	})
}

// A Decoder works for a protocol in which the sender waits for an answer before it sends the next
// line.
func TestConversation(t *testing.T) {
	withBoth(t, func(t *testing.T, newDecoder func(io.Reader) decoder) {
		r, w := io.Pipe()
		answers := make(chan int)
		go func() {
			for i := range 100 {
				fmt.Fprintf(w, `{"A":%d,"B":[1,{"x":"y"}]}`, i)
				if got := <-answers; got != i {
					w.CloseWithError(fmt.Errorf("answer %d to %d", got, i))
					return
				}
			}
			w.Close()
		}()
		within(t, "a conversation", func() {
			d := newDecoder(r)
			for i := range 101 {
				var v two[any]
				err := d.Decode(&v)
				if i == 100 && err == io.EOF {
					return
				}
				if err != nil || v.A != float64(i) {
					t.Error(i, v, err)
					r.Close()
					return
				}
				answers <- i
			}
		})
	})
}

// Token returns a bracket as soon as it arrives, and a string, number or literal as soon as the
// next byte arrives.
func TestTokensOnAPipe(t *testing.T) {
	withBoth(t, func(t *testing.T, newDecoder func(io.Reader) decoder) {
		steps := []struct {
			write string
			token any
		}{
			{`[`, std.Delim('[')}, {`1,`, 1.0}, {`"a" `, "a"}, {`,true,`, true}, {`{`, std.Delim('{')}, {`"k":`, "k"}, {`null}`, nil}, {``, std.Delim('}')}, {`,[`, std.Delim('[')}, {`]`, std.Delim(']')}, {`]`, std.Delim(']')},
		}
		r, w := io.Pipe()
		written := make(chan string)
		go func() {
			for s := range written {
				io.WriteString(w, s)
			}
			w.Close()
		}()
		d := newDecoder(r)
		for i, s := range steps {
			if s.write != "" {
				written <- s.write
			}
			within(t, fmt.Sprintf("token %d", i), func() {
				if token, err := d.Token(); err != nil || token != s.token {
					t.Errorf("%d: %v, %v; want %v", i, token, err, s.token)
				}
			})
		}
		close(written)
		within(t, "the end", func() {
			if _, err := d.Token(); err != io.EOF {
				t.Error(err)
			}
			if d.More() {
				t.Error("there is no more")
			}
		})
	})
}

// A Decoder decodes the elements of an array before the array ends.
func TestElementsOnAPipe(t *testing.T) {
	withBoth(t, func(t *testing.T, newDecoder func(io.Reader) decoder) {
		r, w := io.Pipe()
		got := make(chan Base)
		go func() {
			io.WriteString(w, "[")
			for i := range 20 {
				if i > 0 {
					io.WriteString(w, ",")
				}
				fmt.Fprintf(w, `{"A":%d}`, i)
				if v := <-got; v.A != i {
					w.CloseWithError(fmt.Errorf("element %d is %v", i, v))
					return
				}
			}
			io.WriteString(w, "]")
			w.Close()
		}()
		within(t, "an array", func() {
			d := newDecoder(r)
			if token, err := d.Token(); token != std.Token(std.Delim('[')) || err != nil {
				t.Error(token, err)
			}
			for range 20 {
				var v Base
				if !d.More() {
					t.Error("there is more")
				}
				if err := d.Decode(&v); err != nil {
					t.Error(err)
					r.Close()
				}
				got <- v
			}
			if d.More() {
				t.Error("there is no more")
			}
			if token, err := d.Token(); token != std.Token(std.Delim(']')) || err != nil {
				t.Error(token, err)
			}
		})
	})
}

func TestEndOfStream(t *testing.T) {
	withBoth(t, func(t *testing.T, newDecoder func(io.Reader) decoder) {
		for _, c := range []struct {
			in    string
			reads int // values before the error
			err   error
		}{
			{"", 0, io.EOF}, {" \n\t", 0, io.EOF}, {"1", 1, io.EOF}, {"1 ", 1, io.EOF}, {"{}\n", 1, io.EOF}, {`"a"`, 1, io.EOF}, {"true", 1, io.EOF}, {"[1] [2]", 2, io.EOF},
			{"{", 0, io.ErrUnexpectedEOF}, {"[1,", 0, io.ErrUnexpectedEOF}, {`"a`, 0, io.ErrUnexpectedEOF}, {"tru", 0, io.ErrUnexpectedEOF}, {"-", 0, io.ErrUnexpectedEOF}, {"1.", 0, io.ErrUnexpectedEOF}, {"1 2 [", 2, io.ErrUnexpectedEOF}, {`{} {"a":`, 1, io.ErrUnexpectedEOF}, {`{} nul`, 1, io.ErrUnexpectedEOF}, {"1e5 1e", 1, io.ErrUnexpectedEOF},
		} {
			for name, reader := range map[string]io.Reader{
				"whole": strings.NewReader(c.in), "bytes": iotest.OneByteReader(strings.NewReader(c.in)), "halves": iotest.HalfReader(strings.NewReader(c.in)), "with the end": iotest.DataErrReader(strings.NewReader(c.in)), "bytes with the end": iotest.DataErrReader(iotest.OneByteReader(strings.NewReader(c.in))),
				"idle": &chunks{data: []byte(c.in), sizes: []int{0, 0, 2, 0, 1}, end: io.EOF},
			} {
				d := newDecoder(reader)
				var v any
				var err error
				n := 0
				for ; ; n++ {
					if err = d.Decode(&v); err != nil || n > 10 {
						break
					}
				}
				if n != c.reads || err != c.err {
					t.Errorf("%q, %s: %d values, %v; want %d, %v", c.in, name, n, err, c.reads, c.err)
				}
				if again := d.Decode(&v); again != err {
					t.Errorf("%q, %s: %v, and again %v", c.in, name, err, again)
				}
			}
		}
	})
}

func TestBrokenReaders(t *testing.T) {
	inGo126(t)
	withBoth(t, func(t *testing.T, newDecoder func(io.Reader) decoder) {
		const in = `{"A":1} {"A":2} 3`
		for at := range len(in) {
			d := newDecoder(&chunks{data: []byte(in), sizes: []int{3}, end: io.EOF, faults: map[int]error{at: errReader}})
			n := 0
			var err error
			for v := any(nil); err == nil; n++ {
				err = d.Decode(&v)
			}
			want := 1 + strings.Count(in[:at], "}")
			if err != errReader || n != want {
				t.Errorf("%d: %d values, %v; want %d", at, n-1, err, want-1)
			}
			for range 3 { // Decode does not read again after an error
				if again := d.Decode(new(any)); again != errReader {
					t.Errorf("%d: %v", at, again)
				}
			}
		}
		// Decode returns the last value before it returns the reader's error.
		d := newDecoder(io.MultiReader(strings.NewReader("[1]"), iotest.ErrReader(errReader)))
		var v any
		if err := d.Decode(&v); err != nil || fmt.Sprint(v) != "[1]" {
			t.Error(v, err)
		}
		if err := d.Decode(&v); err != errReader {
			t.Error(err)
		}
		// More digits could follow a number at the end, so its Decode call returns the reader's
		// error.
		if err := newDecoder(io.MultiReader(strings.NewReader("12"), iotest.ErrReader(errReader))).Decode(&v); err != errReader {
			t.Error(err)
		}
		if err := newDecoder(iotest.TimeoutReader(iotest.OneByteReader(strings.NewReader("[1]")))).Decode(&v); err != iotest.ErrTimeout {
			t.Error(err)
		}
	})
}

// tail is a growing file: data may follow after Read returns io.EOF.
type tail struct{ bytes.Buffer }

// After io.EOF, Token and More read data that has been appended since. Decode returns io.EOF again.
func TestGrowingFile(t *testing.T) {
	inGo126(t)
	withBoth(t, func(t *testing.T, newDecoder func(io.Reader) decoder) {
		var file tail
		d := newDecoder(&file)
		if d.More() {
			t.Error("more of nothing")
		}
		if _, err := d.Token(); err != io.EOF {
			t.Error(err)
		}
		file.WriteString("[1, ")
		for _, want := range []any{std.Delim('['), 1.0} {
			if token, err := d.Token(); err != nil || token != want {
				t.Error(token, err)
			}
		}
		if _, err := d.Token(); err != io.EOF {
			t.Error(err)
		}
		file.WriteString("2]")
		for _, want := range []any{2.0, std.Delim(']')} {
			if token, err := d.Token(); err != nil || token != want {
				t.Error(token, err)
			}
		}
		if d.More() {
			t.Error("more")
		}
		file.WriteString(` {"A":5}`)
		var v Base
		if !d.More() {
			t.Error("no more")
		}
		if err := d.Decode(&v); err != nil || v.A != 5 {
			t.Error(v, err)
		}
		if err := d.Decode(&v); err != io.EOF {
			t.Error(err)
		}
		file.WriteString(` {"A":6}`)
		if err := d.Decode(&v); err != io.EOF {
			t.Error(v, err)
		}
	})
}

// The time for a long value that arrives in small pieces is linear in its length. One long value
// takes about as much CPU time as many short values with the same total size.
func TestSlowReader(t *testing.T) {
	if raced {
		t.Skip("takes long with the race detector")
	}
	const elements, times = 2500, 32
	decode := func(elements, times int) func() func() {
		in := []byte(`[` + strings.Repeat(`{"a":[1,2,3],"b":"text"},`, elements) + `1]`)
		return func() func() {
			return func() {
				for range times {
					var v any
					if err := newOurs(&chunks{data: in, sizes: []int{64}, end: io.EOF}).Decode(&v); err != nil {
						t.Fatal(err)
					}
					if n := len(v.([]any)); n != elements+1 {
						t.Fatal(n)
					}
				}
			}
		}
	}
	const enough = 6
	if ratio, ok := growth.Ratio(12, enough, decode(times*elements, 1), decode(elements, times)); ok && ratio > enough {
		t.Errorf("one value takes %.1f times as long as %d with as many bytes together", ratio, times)
	}
}

// A Decoder reports that a pipe was closed, either by the writer with an error or by the reader.
func TestClosedPipe(t *testing.T) {
	inGo126(t)
	withBoth(t, func(t *testing.T, newDecoder func(io.Reader) decoder) {
		r, w := io.Pipe()
		go func() {
			io.WriteString(w, `{"A":1} {"A":`)
			w.CloseWithError(errReader)
		}()
		d := newDecoder(r)
		var v Base
		if err := d.Decode(&v); err != nil || v.A != 1 {
			t.Error(v, err)
		}
		if err := d.Decode(&v); !errors.Is(err, errReader) || v.A != 1 {
			t.Error(v, err)
		}
		r.Close()
		if err := newDecoder(r).Decode(&v); err != io.ErrClosedPipe {
			t.Error(err)
		}
	})
}
