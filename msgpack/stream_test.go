package msgpack

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/slipstream-go/slipstream/internal/corpus"
)

// A reader that supports UnreadByte keeps exactly the bytes after a value, for values of every
// kind.
func TestNoReadAhead(t *testing.T) {
	const rest = "the rest, of which no byte may be missing"
	for _, v := range vectors(t) {
		if v.Mark == '!' {
			continue
		}
		data := append(bytes.Clone(v.Bytes), rest...)
		for name, r := range map[string]io.Reader{
			"bytes.Buffer":   bytes.NewBuffer(bytes.Clone(data)),
			"Buffer":         chunked(data, 3),
			"bytes.Reader":   bytes.NewReader(data),
			"strings.Reader": strings.NewReader(string(data)),
			"bufio.Reader":   bufio.NewReaderSize(bytes.NewReader(data), 16),
		} {
			d := NewDecoder(r)
			if _, err := d.PeekCode(); err != nil {
				t.Fatal(err)
			}
			if got := peekRest(t, r, len(data)); got != len(data) {
				t.Errorf("line %d, %s: PeekCode left %d bytes of %d", v.Line, name, got, len(data))
			}
			if _, err := d.DecodeInterface(); err != nil {
				t.Errorf("line %d, %s: %v", v.Line, name, err)
			}
			if b, err := io.ReadAll(r); err != nil || string(b) != rest {
				t.Errorf("line %d, %s: the rest is %q, %v", v.Line, name, b, err)
			}
		}
	}
}

// peekRest returns the number of bytes left in r. For a bufio.Reader, whose length is unknown, it
// returns whole.
func peekRest(t *testing.T, r io.Reader, whole int) int {
	switch r := r.(type) {
	case interface{ Len() int }:
		return r.Len()
	case *bufio.Reader:
		if b, err := r.Peek(1); err != nil || len(b) != 1 {
			t.Error(err)
		}
	}
	return whole
}

// Many values decode one after another from readers that return pieces of any size.
func TestSequence(t *testing.T) {
	r := corpus.New(1)
	var data []byte
	var want []any
	var ends []int64
	for range 300 {
		v := corpus.Any(r, 0)
		data, _ = MarshalAppend(data, v)
		ends = append(ends, int64(len(data)))
	}
	whole := newDecoder()
	whole.ResetBytes(data)
	for range ends {
		v, err := whole.DecodeInterface()
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, v)
	}
	for name, src := range map[string]io.Reader{
		"1": &pieces{data: data, size: 1}, "2": &pieces{data: data, size: 2}, "3": &pieces{data: data, size: 3}, "7": &pieces{data: data, size: 7},
		"5000": &pieces{data: data, size: 5000}, "random": &pieces{data: data, rand: r},
		"with nothing in between": &pieces{data: data, size: 5, idle: true},
		"with EOF":                &pieces{data: data, size: 11, eof: true},
		"bytes.Buffer":            bytes.NewBuffer(bytes.Clone(data)),
		"Buffer":                  chunked(data, 7),
		"bufio.Reader":            bufio.NewReaderSize(bytes.NewReader(data), 16),
		"bufio, byte by byte":     bufio.NewReader(iotest.OneByteReader(bytes.NewReader(data))),
	} {
		d := NewDecoder(src)
		for i := range want {
			v, err := d.DecodeInterface()
			if err != nil || !reflect.DeepEqual(v, want[i]) {
				t.Fatalf("pieces of %s, value %d: %v, %v", name, i, v, err)
			}
			if d.InputOffset() != ends[i] {
				t.Fatalf("pieces of %s, value %d: offset %d, want %d", name, i, d.InputOffset(), ends[i])
			}
		}
		for range 3 {
			if _, err := d.DecodeInterface(); err != io.EOF {
				t.Errorf("pieces of %s: after the last value: %v", name, err)
			}
		}
	}

	t.Run("memory_of_a_long_stream_is_bounded", func(t *testing.T) {
		one := marshal(t, []any{"a string of some length", 1.5, []byte("bytes")})
		d := NewDecoder(io.LimitReader(&endless{one: one}, int64(len(one))*50_000))
		var before, after runtime.MemStats
		var v []any
		for i := range 50_000 {
			if i == 1000 {
				runtime.GC()
				runtime.ReadMemStats(&before)
			}
			if err := d.Decode(&v); err != nil {
				t.Fatal(err)
			}
		}
		runtime.GC()
		runtime.ReadMemStats(&after)
		if after.HeapAlloc > before.HeapAlloc+1<<20 || cap(d.own) > 64<<10 {
			t.Errorf("%d bytes, then %d; a window of %d", before.HeapAlloc, after.HeapAlloc, cap(d.own))
		}
		runtime.KeepAlive(v)
	})
}

// endless is a reader that repeats one value.
type endless struct {
	one []byte
	at  int
}

func (e *endless) Read(b []byte) (int, error) {
	n := 0
	for n < len(b) {
		k := copy(b[n:], e.one[e.at:])
		n += k
		e.at = (e.at + k) % len(e.one)
	}
	return n, nil
}

// pieces is a reader that returns data in pieces. It may return no bytes between two pieces, or
// io.EOF with the last one.
type pieces struct {
	data []byte
	size int
	rand *rand.Rand
	idle bool
	eof  bool
	turn bool
}

func (p *pieces) Read(b []byte) (int, error) {
	if p.turn = !p.turn; p.turn && p.idle {
		return 0, nil
	}
	if len(p.data) == 0 {
		return 0, io.EOF
	}
	size := p.size
	if p.rand != nil {
		size = 1 + p.rand.IntN(100)
	}
	n := copy(b[:min(size, len(b))], p.data)
	p.data = p.data[n:]
	if p.eof && len(p.data) == 0 {
		return n, io.EOF
	}
	return n, nil
}

var errReader = errors.New("the reader broke")

// An error of the reader reaches the caller, at any position in a value.
func TestReaderErrors(t *testing.T) {
	type holder struct {
		Ints    []int64
		Floats  []float64
		Strings []string
		Bytes   []byte
		Text    string
		List    []any
		Map     map[string]int
		Raw     RawMessage
		Time    [2]int
	}
	data := marshal(t, &holder{[]int64{1, 2}, []float64{1, 2}, []string{"a", "bc"}, []byte{1, 2}, "text", []any{1, "a"}, map[string]int{"a": 1}, RawMessage{0x91, 1}, [2]int{1, 2}})
	for cut := range len(data) {
		for name, r := range map[string]io.Reader{
			"plain":       io.MultiReader(bytes.NewReader(data[:cut]), iotest.ErrReader(errReader)),
			"scanner":     bufio.NewReader(io.MultiReader(bytes.NewReader(data[:cut]), iotest.ErrReader(errReader))),
			"with a byte": &lastWords{data: data[:cut]},
		} {
			var h holder
			d := NewDecoder(r)
			if err := d.Decode(&h); !errors.Is(err, errReader) || err.Error() != errReader.Error() {
				t.Errorf("%s, cut at %d: %v", name, cut, err)
			}
			d.ResetReader(bytes.NewReader(data))
			if err := d.Decode(&h); err != nil {
				t.Errorf("%s, cut at %d, after a reset: %v", name, cut, err)
			}
		}
	}
	d := NewDecoder(io.MultiReader(strings.NewReader("\xc7\x05\x01abc"), iotest.ErrReader(errReader)))
	if _, n, err := d.DecodeExtHeader(); n != 5 || err != nil {
		t.Error(n, err)
	}
	if err := d.ReadFull(make([]byte, 5)); !errors.Is(err, errReader) {
		t.Error(err)
	}
	if err := NewDecoder(idler{}).Skip(); !errors.Is(err, io.ErrNoProgress) {
		t.Error(err)
	}
}

// ReadFrom returns io.ErrNoProgress for a reader that returns no bytes.
func TestBufferReadFromIdle(t *testing.T) {
	var b Buffer
	if n, err := b.ReadFrom(io.MultiReader(strings.NewReader("abc"), idler{})); n != 3 || err != io.ErrNoProgress || b.Len() != 3 {
		t.Errorf("%d, %v, and %d bytes wait", n, err, b.Len())
	}
}

type idler struct{}

func (idler) Read([]byte) (int, error) { return 0, nil }

// lastWords returns its last bytes together with an error.
type lastWords struct{ data []byte }

func (l *lastWords) Read(b []byte) (int, error) {
	n := copy(b, l.data)
	if l.data = l.data[n:]; len(l.data) == 0 {
		return n, errReader
	}
	return n, nil
}

// oneWarning returns its last bytes together with an error, and then io.EOF.
type oneWarning struct {
	data []byte
	said bool
}

func (w *oneWarning) Read(b []byte) (int, error) {
	if w.said {
		return 0, io.EOF
	}
	n := copy(b, w.data)
	if w.data = w.data[n:]; len(w.data) == 0 {
		w.said = true
		return n, errReader
	}
	return n, nil
}

// A reader returns an error once, together with its last bytes. The values in these bytes decode,
// and then the caller gets the error instead of io.EOF.
func TestReaderErrorsWithData(t *testing.T) {
	const data, values = "\x01\xa3abc\x92\x01\x02\x03", 4
	for name, read := range map[string]func(d *Decoder) error{
		"Decode":        func(d *Decoder) error { return d.Decode(new(any)) },
		"Skip":          (*Decoder).Skip,
		"DecodeRaw":     func(d *Decoder) error { _, err := d.DecodeRaw(); return err },
		"DecodeRawView": func(d *Decoder) error { _, err := d.DecodeRawView(); return err },
		"PeekCode": func(d *Decoder) error {
			if _, err := d.PeekCode(); err != nil {
				return err
			}
			return d.Skip()
		},
		"a wrong type": func(d *Decoder) error {
			if err := d.Decode(new(bool)); err == io.EOF || errors.Is(err, errReader) {
				return err
			}
			return nil
		},
		"Buffered": func(d *Decoder) error {
			_, err := d.Buffered().Read(make([]byte, 3))
			return err
		},
	} {
		for source, r := range map[string]io.Reader{
			"plain":   &oneWarning{data: []byte(data)},
			"by byte": iotest.OneByteReader(&oneWarning{data: []byte(data)}),
		} {
			d := NewDecoder(r)
			n := 0
			err := read(d)
			for ; err == nil && n < 2*len(data); n++ {
				err = read(d)
			}
			if err == io.EOF || !errors.Is(err, errReader) || name != "Buffered" && n != values {
				t.Errorf("%s, %s: %v after %d values", name, source, err, n)
			}
		}
	}
}

// Buffered returns the bytes that the decoder has read ahead.
func TestBuffered(t *testing.T) {
	data := []byte("\x01\xa1arest")
	for name, d := range sources(data) {
		if err := errors.Join(d.Skip(), d.Skip()); err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{"rest", ""} {
			if b, err := io.ReadAll(d.Buffered()); err != nil || string(b) != want {
				t.Errorf("%s: %q, %v", name, b, err)
			}
		}
	}
}

// A Decoder and an Encoder can be reset for new input or output. ResetReader and ResetWriter keep
// the options, and Reset drops them.
func TestResets(t *testing.T) {
	type tagged struct {
		A int `json:"renamed"`
	}
	d, e := GetDecoder(), GetEncoder()
	defer func() { PutDecoder(d); PutEncoder(e) }()
	for range 3 {
		d.ResetBytes([]byte{0x2a, 0x2b})
		if v, err := d.DecodeInt(); v != 0x2a || err != nil {
			t.Error(v, err)
		}
		d.Reset(strings.NewReader("\x07"))
		if v, err := d.DecodeInt(); v != 7 || err != nil {
			t.Error("the last input is read again:", v, err)
		}
		d.SetCustomStructTag("json")
		d.UseLooseInterfaceDecoding(true)
		d.DisallowUnknownFields(true)
		d.ResetReader(strings.NewReader("\x81\xa7renamed\x05\x05"))
		var v tagged
		if err := d.Decode(&v); err != nil || v.A != 5 {
			t.Error("ResetReader drops the tag:", v, err)
		}
		var x any
		if err := d.Decode(&x); x != int64(5) || err != nil {
			t.Errorf("ResetReader drops the options: %T, %v", x, err)
		}
		d.Reset(strings.NewReader("\x81\xa7renamed\x05\x05"))
		if err := d.Decode(&v); err != nil {
			t.Error("Reset keeps the options:", err)
		}
		if x, err := d.DecodeInterface(); x != int8(5) || err != nil {
			t.Errorf("Reset keeps the options: %T, %v", x, err)
		}

		var out bytes.Buffer
		e.Reset(&out)
		e.SetCustomStructTag("json")
		e.UseCompactInts(true)
		e.ResetWriter(&out)
		if err := e.EncodeMulti(tagged{1}, int64(1)); err != nil || out.String() != "\x81\xa7renamed\x01\x01" {
			t.Errorf("%x, %v", out.Bytes(), err)
		}
		out.Reset()
		e.Reset(&out)
		if err := e.EncodeMulti(tagged{1}, int8(1)); err != nil || out.String() != "\x81\xa1A\x01\xd0\x01" {
			t.Errorf("%x, %v", out.Bytes(), err)
		}
		if e.Writer() != io.Writer(&out) {
			t.Error("Writer is not the writer")
		}
	}
	var zero Decoder
	zero.ResetBytes([]byte{0x81, 0xa1, 'A', 3})
	var v tagged
	if err := zero.Decode(&v); err != nil || v.A != 3 {
		t.Error(v, err)
	}

	t.Run("Reset_drops_the_input_of_the_last_reset", func(t *testing.T) {
		d := newDecoder()
		for range 3 {
			d.ResetBytes([]byte{1, 1, 1, 1})
			d.DecodeInt()
			for name, r := range map[string]io.Reader{"buffer": bytes.NewBuffer([]byte{2}), "reader": bytes.NewReader([]byte{2}), "plain": struct{ io.Reader }{strings.NewReader("\x02")}} {
				d.Reset(r)
				if v, err := d.DecodeInt(); v != 2 || err != nil {
					t.Errorf("%s: %d, %v", name, v, err)
				}
				if _, err := d.DecodeInt(); err != io.EOF {
					t.Errorf("%s: %v", name, err)
				}
			}
			d.Reset(nil)
			if _, err := d.DecodeInt(); err != io.EOF {
				t.Error(err)
			}
		}
	})
}

// Each public method calls Write once, and returns its error.
func TestWrites(t *testing.T) {
	var w countWrites
	e := NewEncoder(&w)
	if err := errors.Join(e.Encode(map[string]any{"a": []int{1, 2, 3}}), e.EncodeMulti(1, 2, 3), e.EncodeNil(), e.Encode(&pair{1, "a"})); err != nil || w.n != 4 {
		t.Errorf("%d writes, %v", w.n, err)
	}
	w.err = errReader
	if err := e.Encode(1); err != errReader {
		t.Error(err)
	}
	w.err = nil
	if err := e.Encode(func() {}); err == nil || w.n != 5 {
		t.Errorf("%d writes, %v", w.n, err)
	}
	if err := e.Encode(1); err != nil || w.last != "\x01" {
		t.Errorf("after an error: %q, %v", w.last, err)
	}
}

type countWrites struct {
	n    int
	err  error
	last string
}

func (w *countWrites) Write(b []byte) (int, error) {
	w.n++
	w.last = string(b)
	return len(b), w.err
}

// endsEarly reports that its input is too short.
type endsEarly struct{}

func (*endsEarly) UnmarshalMsgpack([]byte) error { return io.ErrUnexpectedEOF }

// After a value that does not fit, a decoder continues with the next value. A failed call in a
// custom decoder consumes nothing. An invalid value ends the stream.
func TestGoesOnAfterAnError(t *testing.T) {
	for name, d := range sources([]byte("\x01\x92\xa1a\x90\x02\xd4\x05\x00\x03")) {
		var n int
		var list []int
		var v any
		for i, step := range []struct {
			into any
			want string
		}{{&n, ""}, {&list, "msgpack: invalid code=a1 decoding int64"}, {&n, ""}, {&v, "msgpack: unknown ext id=5"}, {&n, ""}, {&n, "EOF"}} {
			if err := d.Decode(step.into); text(err) != step.want {
				t.Errorf("%s, value %d: error %v, want %q", name, i, err, step.want)
			}
		}
		if n != 3 || d.InputOffset() != 10 {
			t.Errorf("%s: the last value is %d, at %d", name, n, d.InputOffset())
		}
	}
	// The value that does not fit is long, and arrives in pieces. The decoder must not read beyond
	// it.
	long := append([]byte("\x92\xc3\xc6\x00\x02\x00\x00"), make([]byte, 2<<16)...)
	for name, d := range sources(append(long, 7)) {
		var list []int
		var n int
		if err := d.Decode(&list); err == nil {
			t.Errorf("%s: a bool is an int", name)
		}
		if err := d.Decode(&n); err != nil || n != 7 {
			t.Errorf("%s: after a long value: %d, %v", name, n, err)
		}
	}
	// The rest of the value arrives later, in a buffer that was empty in between.
	for _, late := range []interface {
		io.Reader
		io.Writer
	}{new(bytes.Buffer), new(Buffer)} {
		d := NewDecoder(late)
		var list []int
		var n int
		late.Write(long[:1000])
		if err := d.Decode(&list); text(err) != "msgpack: invalid code=c3 decoding int64" {
			t.Errorf("%T: %v", late, err)
		}
		late.Write(long[1000:5000])
		for range 2 {
			if err := d.Decode(&n); err != io.EOF {
				t.Errorf("%T: in the middle of the value: %d, %v", late, n, err)
			}
		}
		late.Write(append(long[5000:], 7))
		if err := d.Decode(&n); err != nil || n != 7 {
			t.Errorf("%T: after the value: %d, %v", late, n, err)
		}
	}
	var either numberOrText
	if err := Unmarshal([]byte("\xa3abc"), &either); err != nil || either.text != "abc" {
		t.Errorf("%+v, %v", either, err)
	}
	d := newDecoder()
	d.ResetBytes([]byte("\x92\xc1\x01\x02"))
	var v any
	if err := d.Decode(&v); err == nil {
		t.Error("c1 is a value")
	}
	if err := d.Decode(&v); err != io.EOF {
		t.Errorf("after a broken value: %v, %v", v, err)
	}

	t.Run("a_method_that_returns_EOF_does_not_stop_a_stream", func(t *testing.T) {
		for _, digits := range []string{"a161", "9102", "81a16101"} {
			for name, d := range sources(append(unhex(t, digits), 0x2a)) {
				if err := d.Decode(new(endsEarly)); !errors.Is(err, io.ErrUnexpectedEOF) {
					t.Errorf("%s from %s: %v", digits, name, err)
				}
				if n, err := d.DecodeInt(); n != 0x2a || err != nil {
					t.Errorf("%s from %s: %d, %v", digits, name, n, err)
				}
			}
		}
	})
}

// numberOrText first tries to decode a number.
type numberOrText struct {
	number int
	text   string
}

func (v *numberOrText) DecodeMsgpack(d *Decoder) (err error) {
	if v.number, err = d.DecodeInt(); err != nil {
		v.text, err = d.DecodeString()
	}
	return err
}

// Bytes that a custom decoder reads from Buffered belong to its value, from every source.
func TestBufferedInside(t *testing.T) {
	body := strings.Repeat("0123456789", 1000)
	data := []byte("\x92\xcd\x27\x10" + body + "\x03" + "abc" + "\x05")
	for name, d := range sources(data) {
		var v []readsBytes
		if err := d.Decode(&v); err != nil || v[0].text != body || v[1].text != "abc" {
			t.Errorf("%s: %d, %v", name, len(v), err)
		}
		if last, err := d.DecodeInt(); last != 5 || err != nil || d.InputOffset() != int64(len(data)) {
			t.Errorf("%s: then %d at %d, %v", name, last, d.InputOffset(), err)
		}
	}
}

// readsBytes is a length followed by that many bytes. It reads the bytes with two readers from
// Buffered.
type readsBytes struct{ text string }

func (s *readsBytes) DecodeMsgpack(d *Decoder) error {
	n, err := d.DecodeInt()
	if err != nil {
		return err
	}
	text := make([]byte, n)
	if _, err := io.ReadFull(d.Buffered(), text[:n/2]); err != nil {
		return err
	}
	r := d.Buffered().(io.ByteScanner)
	for k := n / 2; k < n; k++ {
		for range 2 {
			if text[k], err = r.ReadByte(); err != nil {
				return err
			}
			if err := r.UnreadByte(); err != nil || r.UnreadByte() == nil {
				return fmt.Errorf("UnreadByte: %v", err)
			}
		}
		r.ReadByte()
	}
	s.text = string(text)
	return nil
}

// Bytes that a custom decoder reads count towards MaxBytes.
func TestBufferedMaxBytes(t *testing.T) {
	data := []byte("\x91\xcd\x03\xe8" + strings.Repeat("x", 1000))
	for name, d := range sources(data) {
		d.SetOptions(DecodeOptions{MaxBytes: 500})
		if err := d.Decode(new([]readsBytes)); !errors.Is(err, errTooLarge) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A byte can be unread between two values, from every source. It becomes the start of the next
// value.
func TestBufferedUnread(t *testing.T) {
	for name, d := range sources([]byte("\x01\x02\x03\x04")) {
		first, err := d.DecodeInt()
		r := d.Buffered().(io.ByteScanner)
		c, err2 := r.ReadByte()
		err3 := r.UnreadByte()
		at := d.InputOffset()
		next, err4 := d.DecodeInt()
		if err := errors.Join(err, err2, err3, err4); err != nil || first != 1 || c != 2 || at != 1 || next != 2 || r.UnreadByte() == nil {
			t.Errorf("%s: %d, %d, %d at %d, %v", name, first, c, next, at, err)
		}
	}
}
