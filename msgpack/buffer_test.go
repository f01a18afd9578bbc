package msgpack

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"reflect"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"unsafe"

	"github.com/slipstream-go/slipstream/internal/corpus"
	guarded "github.com/slipstream-go/slipstream/internal/guard"
	"github.com/slipstream-go/slipstream/internal/msgpwire"
)

// peekAll returns all bytes in b without consuming them.
func peekAll(b *Buffer) []byte {
	p, _ := b.Peek(b.Len())
	return p
}

// cuts returns the positions at which n bytes are split. If n is large, they are mainly near both
// ends.
func cuts(n int) []int {
	var at []int
	for k := range n + 1 {
		if k < 40 || n-k < 40 || k%997 == 0 {
			at = append(at, k)
		}
	}
	return at
}

// Every vector decodes from two chunks, split at every offset. After a value, the rest remains in
// the Buffer. An error equals the error of a plain stream. After an error, an incomplete value
// remains, and a complete value is consumed.
func TestBufferSplits(t *testing.T) {
	const rest = "\x93the rest"
	for _, v := range vectors(t) {
		_, wantErr := NewDecoder(bytes.NewReader(v.Bytes)).DecodeInterface()
		tail := rest
		if wantErr != nil {
			tail = ""
		}
		for _, k := range cuts(len(v.Bytes)) {
			var b Buffer
			b.Reference(v.Bytes[:k])
			b.Reference(v.Bytes[k:])
			b.Write([]byte(tail))
			d := NewDecoder(&b)
			x, err := d.DecodeInterface()
			if wantErr != nil {
				left := v.Bytes
				if value := (scan{0, 1}); value.over(v.Bytes, 1<<62) == foundNever || value.whole(len(v.Bytes)) {
					left = left[len(left):]
				}
				if text(err) != text(wantErr) || !bytes.Equal(peekAll(&b), left) {
					t.Errorf("line %d, cut at %d: error %v, want %v; %d bytes are left", v.Line, k, err, wantErr, b.Len())
				}
				continue
			}
			if err != nil || corpus.Note(x) != v.Value || d.InputOffset() != int64(len(v.Bytes)) {
				t.Errorf("line %d, cut at %d: %s, %v, at %d; want %s", v.Line, k, corpus.Note(x), err, d.InputOffset(), v.Value)
			}
			if got := string(peekAll(&b)); got != rest {
				t.Errorf("line %d, cut at %d: the rest is %q", v.Line, k, got)
			}
		}
	}
}

// If only the first part of a vector has arrived, decoding returns an error and consumes nothing.
// After the second part has arrived, the value decodes.
func TestBufferWaits(t *testing.T) {
	for _, v := range vectors(t) {
		if v.Mark == '!' {
			continue
		}
		for _, k := range cuts(len(v.Bytes) - 1) {
			var b Buffer
			b.Write(v.Bytes[:k])
			d := NewDecoder(&b)
			_, wantErr := NewDecoder(bytes.NewReader(v.Bytes[:k])).DecodeInterface()
			if _, err := d.DecodeInterface(); err == nil || text(err) != text(wantErr) || (err == io.EOF) != (k == 0) || d.InputOffset() != 0 {
				t.Errorf("line %d, %d bytes: %v, want %v", v.Line, k, err, wantErr)
			}
			b.Write(v.Bytes[k:])
			x, err := d.DecodeInterface()
			if err != nil || corpus.Note(x) != v.Value || b.Len() != 0 {
				t.Errorf("line %d, cut at %d: %s, %v, and %d bytes more", v.Line, k, corpus.Note(x), err, b.Len())
			}
		}
	}
}

// Random values of the corpus types pass through Buffers with chunks of every kind, with and
// without references and sharing.
func TestBufferTypes(t *testing.T) {
	for seed := range uint64(60) {
		r := corpus.New(seed)
		for _, zero := range corpus.Types() {
			typ := reflect.TypeOf(zero).Elem()
			var b Buffer
			b.ReferenceMin, b.ShareMin = r.IntN(20), r.IntN(20)
			e := NewEncoder(&b)
			var wants []reflect.Value
			var plain []byte
			for range 3 {
				v := reflect.New(typ)
				corpus.Fill(r, v.Elem(), 0)
				if err := e.SetSortMapKeys(true).Encode(v.Interface()); err != nil {
					t.Fatal(err)
				}
				data := sortedBytes(t, v.Interface())
				plain = append(plain, data...)
				want := reflect.New(typ)
				if err := Unmarshal(data, want.Interface()); err != nil {
					t.Fatal(err)
				}
				wants = append(wants, want)
			}
			if b.Len() != len(plain) {
				t.Fatalf("seed %d, %v: %d bytes, want %d", seed, typ, b.Len(), len(plain))
			}
			random := Buffer{ShareMin: b.ShareMin}
			for left := peekAll(&b); len(left) > 0; {
				n := min(len(left), 1+r.IntN(50))
				if r.IntN(2) == 0 {
					random.Reference(left[:n])
				} else {
					random.Write(left[:n])
				}
				left = left[n:]
			}
			for name, source := range map[string]*Buffer{"as written": &b, "in random chunks": &random} {
				d := NewDecoder(source)
				for k, want := range wants {
					back := reflect.New(typ)
					if err := d.Decode(back.Interface()); err != nil {
						t.Fatalf("seed %d, %v %s, value %d: %v", seed, typ, name, k, err)
					}
					if !same(want.Elem(), back.Elem()) {
						t.Fatalf("seed %d, %v %s, value %d: not what Unmarshal reads", seed, typ, name, k)
					}
				}
				if source.Len() != 0 {
					t.Fatalf("seed %d, %v %s: %d bytes are left", seed, typ, name, source.Len())
				}
			}
		}
	}
}

// A Buffer follows the contracts of package io for reading and scanning, also at its end.
func TestBufferIsAScanner(t *testing.T) {
	data := make([]byte, 10_000)
	for i := range data {
		data[i] = byte(i * 7)
	}
	var b Buffer
	if n, err := b.ReadFrom(bytes.NewReader(data)); n != int64(len(data)) || err != nil {
		t.Fatal(n, err)
	}
	if err := iotest.TestReader(&b, data); err != nil {
		t.Error(err)
	}
	var _ io.ByteScanner = &b
	if _, err := b.ReadByte(); err != io.EOF {
		t.Error(err)
	}
	if err := b.UnreadByte(); err == nil {
		t.Error("what was not read was unread")
	}
	b.WriteString("ab")
	b.WriteByte('c')
	for _, want := range []byte("abc") {
		for range 3 {
			if c, err := b.ReadByte(); c != want || err != nil {
				t.Errorf("%q, %v; want %q", c, err, want)
			}
			if err := b.UnreadByte(); err != nil {
				t.Error(err)
			}
			if err := b.UnreadByte(); err == nil {
				t.Error("a byte was unread twice")
			}
		}
		b.ReadByte()
	}
	b.WriteString("abcdef")
	b.ReadByte()
	b.Discard(1)
	if err := b.UnreadByte(); err == nil {
		t.Error("the byte before the last read was unread")
	}
	if p, err := b.Peek(100); string(p) != "cdef" || err != io.EOF {
		t.Errorf("%q, %v", p, err)
	}
	if p, err := b.Peek(-1); len(p) != 0 || err != nil {
		t.Errorf("%q, %v", p, err)
	}
	if p := b.Next(2); string(p) != "cd" {
		t.Errorf("%q", p)
	}
	if p := b.View(100); string(p) != "ef" || b.Len() != 0 {
		t.Errorf("%q", p)
	}
	if n, err := b.Discard(1); n != 0 || err != io.EOF {
		t.Error(n, err)
	}
	if n, err := b.ReadFrom(iotest.ErrReader(errReader)); n != 0 || err != errReader {
		t.Error(n, err)
	}
	if n, err := b.ReadFrom(liar{}); n != 0 || err == nil {
		t.Error(n, err)
	}
}

type liar struct{}

func (liar) Read(b []byte) (int, error) { return len(b) + 1, nil }

// Grow reserves one chunk. Bytes that are then added in several pieces fill that chunk.
func TestBufferGrow(t *testing.T) {
	for _, n := range []int{1, 100, 4000, 4096, 100_000} {
		for _, before := range []int{0, 10, 4090} {
			var b Buffer
			b.Write(make([]byte, before))
			b.Grow(n)
			if _, err := b.ReadFrom(iotest.HalfReader(bytes.NewReader(make([]byte, n)))); err != nil {
				t.Fatal(err)
			}
			b.Discard(before)
			if got := len(b.queue.First()); got != n {
				t.Errorf("%d bytes after %d: the first chunk has %d", n, before, got)
			}
		}
	}
}

// short is a writer that accepts a limited number of bytes in total. The field most is the limit.
type short struct {
	bytes.Buffer
	most  int
	quiet bool // return no error when full
}

func (s *short) Write(b []byte) (int, error) {
	n := min(len(b), s.most-s.Len())
	s.Buffer.Write(b[:n])
	if n < len(b) && !s.quiet {
		return n, errReader
	}
	return n, nil
}

// WriteTo writes chunks of every kind. If the writer stops at any point, no byte is lost or
// repeated.
func TestBufferWriteTo(t *testing.T) {
	want := "header abcdef foreign, and the end"
	for most := range len(want) + 1 {
		var b Buffer
		b.WriteString("abcdef ")
		b.Reference([]byte("foreign"))
		b.WriteString(", and the end")
		b.Prepend([]byte("header "))
		to := &short{most: most}
		n, err := b.WriteTo(to)
		if n != int64(most) || to.String() != want[:most] || (err == nil) != (most == len(want)) {
			t.Errorf("%d: wrote %d, %q, %v", most, n, to.String(), err)
		}
		if got := string(peekAll(&b)); got != want[most:] {
			t.Errorf("%d: %q is left", most, got)
		}
		to.most = len(want)
		if _, err := b.WriteTo(to); err != nil || to.String() != want {
			t.Errorf("%d: %q, %v", most, to.String(), err)
		}
	}
	var b Buffer
	b.WriteString("abc")
	if n, err := b.WriteTo(&short{most: 2, quiet: true}); n != 2 || err != io.ErrShortWrite || b.Len() != 1 {
		t.Error(n, err, b.Len())
	}
	if n := testing.AllocsPerRun(50, func() {
		b.Write(make([]byte, 100))
		b.Reference(nil)
		b.WriteTo(discard{})
	}); n > 0 && !raceEnabled {
		t.Errorf("%v allocations", n)
	}
}

// A message with references can be sent over a connection, and read into a Buffer at the other end.
func TestBufferToConnection(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Skip(err)
	}
	defer listener.Close()
	type message struct {
		Name string
		Body []byte
		Tail []string
	}
	sent := message{"a", bytes.Repeat([]byte("body"), 100_000), []string{"x", "y"}}
	done := make(chan error, 1)
	go func() {
		c, err := net.Dial("tcp", listener.Addr().String())
		if err == nil {
			b := Buffer{ReferenceMin: 1000}
			err = NewEncoder(&b).Encode(&sent)
			if _, errWrite := b.WriteTo(c); err == nil {
				err = errWrite
			}
			c.Close()
		}
		done <- err
	}()
	c, err := listener.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	b := Buffer{ShareMin: 1000}
	b.Grow(500_000)
	if _, err := b.ReadFrom(c); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	var got message
	first := b.queue.First()
	if err := NewDecoder(&b).Decode(&got); err != nil || !reflect.DeepEqual(got, sent) {
		t.Errorf("%d bytes, %v", len(got.Body), err)
	}
	if !within(first, got.Body) {
		t.Error("the body was copied")
	}
}

// within reports whether part starts in the memory of whole.
func within(whole, part []byte) bool {
	from, at := uintptr(unsafe.Pointer(unsafe.SliceData(whole))), uintptr(unsafe.Pointer(unsafe.SliceData(part)))
	return len(part) > 0 && from <= at && at < from+uintptr(len(whole))
}

// sender is a custom encoder that writes its bytes by different methods.
type sender struct {
	body []byte
	fail bool
}

func (s sender) EncodeMsgpack(e *Encoder) error {
	if err := errors.Join(e.EncodeArrayLen(3), e.EncodeBytes(s.body), e.Encode(RawMessage(s.body))); err != nil {
		return err
	}
	if s.fail {
		return errReader
	}
	return e.Encode(any(s.body))
}

// Long bytes are referenced at every position in a value, and short bytes are copied. The output is
// the same as for any other writer.
func TestEncoderReferences(t *testing.T) {
	body := bytes.Repeat([]byte{7}, 100) // as a RawMessage, it is a sequence of numbers
	for name, v := range map[string]any{
		"[]byte":       body,
		"in a struct":  struct{ A, B []byte }{body, body},
		"in an any":    []any{1, body, "x", body},
		"in a map":     map[string]any{"a": body},
		"by type":      map[string][]byte{"a": body},
		"raw":          RawMessage(body),
		"raw in a map": map[string]RawMessage{"a": body},
		"custom":       []sender{{body: body}, {body: body}},
		"pointers":     []*[]byte{&body, nil},
	} {
		var plain bytes.Buffer
		if err := NewEncoder(&plain).Encode(v); err != nil {
			t.Fatal(err)
		}
		for _, least := range []int{0, 1, 100, 101} {
			b := Buffer{ReferenceMin: least}
			b.WriteString("before")
			e := NewEncoder(&b)
			if err := errors.Join(e.Encode(v), e.EncodeMulti(v, v), e.EncodeBytes(body)); err != nil {
				t.Fatal(err)
			}
			want := "before" + strings.Repeat(plain.String(), 3) + string(msgpwire.AppendBytesLen(nil, len(body))) + string(body)
			if string(peekAll(&b)) != want {
				t.Errorf("%s from %d on: other bytes than without a Buffer", name, least)
			}
			referred := 0
			for _, c := range b.queue.Chunks(nil) {
				if within(body, c) {
					referred++
				}
			}
			if refers := least > 0 && least <= len(body); refers != (referred >= 4) || !refers && referred > 0 {
				t.Errorf("%s from %d on: %d references", name, least, referred)
			}
		}
	}
}

// If encoding fails within a value with references, no part of the value reaches the Buffer, then
// or later.
func TestEncoderErrorsLeaveBuffer(t *testing.T) {
	body := bytes.Repeat([]byte{7}, 100)
	b := Buffer{ReferenceMin: 10}
	e := NewEncoder(&b)
	for _, v := range []any{
		[]any{body, func() {}},
		[]sender{{body: body}, {body: body, fail: true}},
		struct {
			A []byte
			B chan int
		}{A: body},
	} {
		if err := e.Encode(v); err == nil || b.Len() != 0 || len(e.references) != 0 {
			t.Errorf("%T: %v, %d bytes", v, err, b.Len())
		}
		if err := e.EncodeMulti(body, v); err == nil || b.Len() != 0 {
			t.Errorf("%T: %v, %d bytes", v, err, b.Len())
		}
	}
	if err := e.Encode("ok"); err != nil || string(peekAll(&b)) != "\xa2ok" {
		t.Errorf("%q, %v", peekAll(&b), err)
	}
	func() {
		defer func() { recover() }()
		e.Encode([]any{body, panicker{}})
	}()
	var out Buffer
	e.Reset(&out)
	if err := e.Encode("ok"); err != nil || string(peekAll(&out)) != "\xa2ok" {
		t.Errorf("after a panic: %q, %v", peekAll(&out), err)
	}
}

type panicker struct{}

func (panicker) EncodeMsgpack(*Encoder) error { panic("from a user's method") }

// Long bytes are shared with the Buffer and others are copied. Neither changes when the Buffer is
// used further.
func TestDecoderShares(t *testing.T) {
	body := bytes.Repeat([]byte("x"), 50)
	data := marshal(t, body)
	raw := marshal(t, map[string][]byte{"a": body})
	for name, c := range map[string]struct {
		data []byte
		read func(d *Decoder) ([]byte, error)
	}{
		"DecodeBytes":     {data, (*Decoder).DecodeBytes},
		"[]byte":          {data, func(d *Decoder) (v []byte, err error) { return v, d.Decode(&v) }},
		"[]byte, not nil": {data, func(d *Decoder) ([]byte, error) { v := make([]byte, 100); err := d.Decode(&v); return v, err }},
		"any":             {data, func(d *Decoder) ([]byte, error) { v, err := d.DecodeInterface(); return v.([]byte), err }},
		"DecodeRaw":       {raw, func(d *Decoder) ([]byte, error) { return d.DecodeRaw() }},
		"RawMessage":      {raw, func(d *Decoder) ([]byte, error) { var v RawMessage; err := d.Decode(&v); return v, err }},
		"in a struct": {raw, func(d *Decoder) ([]byte, error) {
			var v struct {
				A []byte `msgpack:"a"`
			}
			err := d.Decode(&v)
			return v.A, err
		}},
	} {
		for kind, share := range map[string]bool{"written": true, "not enough": false, "referred to": false, "in two chunks": false} {
			b := Buffer{ShareMin: 50}
			switch kind {
			case "written":
				b.Write(c.data)
			case "not enough":
				b.ShareMin = 1000
				b.Write(c.data)
			case "referred to":
				b.Reference(c.data)
			case "in two chunks":
				b.Write(c.data[:10])
				b.Reference(c.data[10:20])
				b.Write(c.data[20:])
			}
			first := b.queue.First()
			got, err := c.read(NewDecoder(&b))
			if err != nil || b.Len() != 0 || within(first, got) != share || cap(got) != len(got) && share {
				t.Errorf("%s, %s: %v; shared is %v", name, kind, err, within(first, got))
			}
			copied := bytes.Clone(got)
			b.Prepend(make([]byte, 10))
			for range 10 {
				b.Write(make([]byte, 3000))
				b.Discard(2000)
			}
			b.Reset()
			var other Buffer
			for range 10 {
				other.Write(make([]byte, 4096))
			}
			if !bytes.Equal(got, copied) {
				t.Errorf("%s, %s: what was decoded has changed", name, kind)
			}
		}
	}
}

// After a shared value, decoding fails because the rest is missing. The bytes remain in the Buffer.
// Decoding into the shared value again does not overwrite them.
func TestSharedThenFailed(t *testing.T) {
	type message struct {
		A []byte
		B int
	}
	body := bytes.Repeat([]byte("x"), 50)
	b := Buffer{ShareMin: 10}
	data := marshal(t, struct {
		A []byte
		B int
	}{body, 300})
	b.Write(data[:len(data)-1])
	d := NewDecoder(&b)
	var m message
	if err := d.Decode(&m); err == nil || !bytes.Equal(m.A, body) {
		t.Fatal(err, m)
	}
	if err := Unmarshal([]byte("\x81\xa1A\xc4\x03abc"), &m); err != nil || string(m.A) != "abc" {
		t.Fatal(err, m)
	}
	if !bytes.Equal(peekAll(&b), data[:len(data)-1]) {
		t.Error("what waits was overwritten")
	}
	b.Write(data[len(data)-1:])
	if err := d.Skip(); err != nil || b.Len() != 0 {
		t.Error(err)
	}
}

// The result of DecodeView is valid until the next call, although its page has been read and other
// Buffers take pages from the pool.
func TestViewOutlivesItsPage(t *testing.T) {
	var b, other Buffer
	b.Write(marshal(t, "a view of the page"))
	view, err := NewDecoder(&b).DecodeView()
	for range 20 {
		other.Write(make([]byte, 4096))
		b.WriteByte(0)
	}
	if err != nil || string(view) != "a view of the page" {
		t.Errorf("%q, %v", view, err)
	}
}

// Repeated encoding into a Buffer and decoding from it does not allocate.
func TestBufferAllocations(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector makes pools forget")
	}
	var b Buffer
	e, d := NewEncoder(&b), NewDecoder(&b)
	v := corpus.Row{Time: 1, Host: "a", Value: 2}
	var back corpus.Row
	round := func() {
		for range 3 {
			if err := e.Encode(&v); err != nil {
				t.Fatal(err)
			}
		}
		b.Prepend([]byte{1, 2, 3, 4})
		b.Discard(4)
		for range 3 {
			if err := d.Decode(&back); err != nil {
				t.Fatal(err)
			}
		}
	}
	round()
	if n := testing.AllocsPerRun(100, round); n > 0.5 || back.Host != "a" {
		t.Errorf("%v allocations", n)
	}
}

// Reading a value in many chunks of one byte takes linear time, because the window doubles in each
// step.
func TestBufferIsLinear(t *testing.T) {
	const n = 20_000
	d := NewDecoder(chunked(make([]byte, n), 1))
	d.begin()
	steps := 0
	for i := range n {
		before := len(d.b)
		if !d.need(i, 1) {
			t.Fatal(i)
		}
		if len(d.b) != before {
			steps++
		}
	}
	if steps > 20 || d.need(n, 1) {
		t.Errorf("%d steps", steps)
	}
}

// Many Buffers share the pool of pages. Bytes that a Decoder has shared with one Buffer stay
// unchanged while other Buffers write.
func TestBuffersAcrossGoroutines(t *testing.T) {
	var wait sync.WaitGroup
	for g := range 8 {
		wait.Go(func() {
			r := rand.New(rand.NewPCG(uint64(g), 3))
			b := Buffer{ReferenceMin: 2000, ShareMin: 100}
			e, d := NewEncoder(&b), NewDecoder(&b)
			body := bytes.Repeat([]byte{byte(g)}, 3000)
			var kept [][]byte
			for range 300 {
				want := body[:r.IntN(len(body))]
				if err := e.EncodeBytes(want); err != nil {
					t.Error(err)
				}
				if r.IntN(3) == 0 {
					b.Prepend(msgpwire.AppendUint(nil, uint64(len(want))))
					d.DecodeInt()
				}
				got, err := d.DecodeBytes()
				if err != nil || !bytes.Equal(got, want) {
					t.Errorf("%d bytes of %d, %v", len(got), len(want), err)
				}
				kept = append(kept, got)
				if r.IntN(10) == 0 {
					b.Reset()
				}
			}
			for _, k := range kept {
				if !bytes.Equal(k, body[:len(k)]) {
					t.Error("what was shared has changed")
				}
			}
		})
	}
	wait.Wait()
}

// FuzzBuffer runs a script on a Buffer and on a bytes.Buffer, and compares all visible results.
func FuzzBuffer(f *testing.F) {
	f.Add([]byte("wxpryuvnkdtgR"), []byte("data that is written, and written, and written again"))
	r := rand.New(rand.NewPCG(1, 2))
	for range 10 {
		script := make([]byte, 100)
		for i := range script {
			script[i] = byte(r.Uint32())
		}
		f.Add(script, bytes.Repeat(script, 50))
	}
	f.Fuzz(func(t *testing.T, script, data []byte) {
		script = guarded.Test(t, script)
		data = guarded.Test(t, data)
		if len(script) > 100 {
			return
		}
		var b Buffer
		var plain bytes.Buffer
		type kept struct{ view, copied []byte }
		var views []kept
		for k, op := range script {
			n := int(op) / 12
			if n == 20 {
				n = 5000
			}
			piece := data[min(k, len(data)):]
			piece = piece[:min(n, len(piece))]
			switch op % 12 {
			case 0:
				b.Write(piece)
				plain.Write(piece)
			case 1:
				b.WriteString(string(piece))
				plain.WriteString(string(piece))
			case 2:
				b.WriteByte(op)
				plain.WriteByte(op)
			case 3:
				rest := bytes.Clone(plain.Bytes())
				b.Prepend(piece)
				plain.Reset()
				plain.Write(piece)
				plain.Write(rest)
			case 4:
				b.Reference(piece)
				plain.Write(piece)
			case 5:
				b.Grow(n)
				b.ReadFrom(bytes.NewReader(piece))
				plain.Write(piece)
			case 6:
				x, y := make([]byte, n), make([]byte, n)
				i, err := b.Read(x)
				j, want := plain.Read(y)
				if i != j || err != want || !bytes.Equal(x, y) {
					t.Fatalf("Read: %d, %v; want %d, %v", i, err, j, want)
				}
			case 7:
				if x, y := b.Next(n), plain.Next(n); !bytes.Equal(x, y) {
					t.Fatalf("Next: %x, want %x", x, y)
				}
			case 8:
				x, y := b.View(n), plain.Next(n)
				if !bytes.Equal(x, y) {
					t.Fatalf("View: %x, want %x", x, y)
				}
				views = append(views, kept{x, bytes.Clone(x)})
			case 9:
				x, err := b.ReadByte()
				y, want := plain.ReadByte()
				if x != y || err != want {
					t.Fatalf("ReadByte: %x, %v; want %x, %v", x, err, y, want)
				}
				if err == nil && n&1 == 0 && (b.UnreadByte() != nil || plain.UnreadByte() != nil) {
					t.Fatal("a byte cannot be unread")
				}
			case 10:
				if n < 2 {
					b.Reset()
					plain.Reset()
					continue
				}
				x, err := b.Discard(n)
				if y := len(plain.Next(n)); x != y || (err == nil) != (x == n) {
					t.Fatalf("Discard: %d, %v; want %d", x, err, y)
				}
			case 11:
				var x, y bytes.Buffer
				to := &short{most: n}
				b.WriteTo(to)
				x.Write(to.Bytes())
				y.Write(plain.Next(n))
				if !bytes.Equal(x.Bytes(), y.Bytes()) {
					t.Fatalf("WriteTo: %x, want %x", x.Bytes(), y.Bytes())
				}
			}
			if b.Len() != plain.Len() || !bytes.Equal(peekAll(&b), plain.Bytes()) {
				t.Fatalf("after %d steps: %x, want %x", k+1, peekAll(&b), plain.Bytes())
			}
		}
		for _, v := range views {
			if !bytes.Equal(v.view, v.copied) {
				t.Fatalf("a view became %x, was %x", v.view, v.copied)
			}
		}
	})
}
