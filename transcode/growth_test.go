package transcode

// These tests measure how the cost of every function grows with its input.

import (
	"bytes"
	"encoding/binary"
	"io"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/slipstream-go/slipstream/internal/growth"
	"github.com/slipstream-go/slipstream/internal/msgpwire"
)

func TestGrowthOfCalls(t *testing.T) {
	packed, text := growthPacked(), growthText()
	growth.Check(t, slices.Concat(growth.Cross(packedCalls(), packed), growth.Cross(textCalls(), text)))
	growth.Covers(t, append(growth.Names(packedCalls()), growth.Names(textCalls())...), map[string]string{
		"Error.*":  "a line of text",
		"*Error.*": "a line of text",
	})
}

func packedCalls() []growth.Call[[]byte] {
	return []growth.Call[[]byte]{
		{Name: "AppendJSON", Run: func(b []byte) { _, _ = AppendJSON(nil, b, NonFiniteAsNull|ExtAsObject) }, Alloc: 120},
		{Name: "AppendJSON strict", Run: func(b []byte) { _, _ = AppendJSON(nil, b, RejectInvalidUTF8|EscapeHTML) }, Alloc: 120},
		{Name: "WriteJSON", Run: func(b []byte) { _ = WriteJSON(io.Discard, growth.Pieces(b, 1000), ExtAsNull) }, Alloc: 80},
		{Name: "WriteJSON bytes", Run: func(b []byte) { _ = WriteJSON(io.Discard, growth.Pieces(b, 1), ExtAsNull) }, Alloc: 80},
	}
}

// textCalls returns the calls that read JSON. Alloc is their worst case: each byte opens a list,
// and the text ends in an error. For each list, they allocate 70 bytes for its header, 35 for the
// tokenizer, 60 for the error's path, and 40 for the explanation by encoding/json. There are at
// most 10,000 lists.
func textCalls() []growth.Call[[]byte] {
	return []growth.Call[[]byte]{
		{Name: "AppendMessagePack", Run: func(b []byte) { _, _ = AppendMessagePack(nil, b, 0) }, Alloc: 220},
		{Name: "AppendMessagePack strict", Run: func(b []byte) { _, _ = AppendMessagePack(nil, b, RejectInvalidUTF8) }, Alloc: 220},
		{Name: "WriteMessagePack", Run: func(b []byte) { _ = WriteMessagePack(io.Discard, growth.Pieces(b, 1000), 0) }, Alloc: 240},
		{Name: "WriteMessagePack bytes", Run: func(b []byte) { _ = WriteMessagePack(io.Discard, growth.Pieces(b, 1), 0) }, Alloc: 240},
	}
}

// made returns a family of as many repetitions of unit as fit into n bytes.
func made(name, before, unit, after string) growth.Family[[]byte] {
	return growth.Family[[]byte]{Name: name, Make: func(n int) []byte {
		return []byte(before + strings.Repeat(unit, max(1, n/len(unit))) + after)
	}}
}

// upTo limits the family to inputs of up to n bytes.
func upTo(n int, f growth.Family[[]byte]) growth.Family[[]byte] {
	f.Most = n
	return f
}

// claims returns a family of nested elements. Each element announces a count of half the message's
// length.
func claims(name, before, after string) growth.Family[[]byte] {
	return growth.Family[[]byte]{Name: name, Make: func(n int) []byte {
		unit := before + string(binary.BigEndian.AppendUint32(nil, uint32(n/2))) + after
		return []byte(strings.Repeat(unit, n/len(unit)))
	}}
}

// growthPacked returns messages in MessagePack.
func growthPacked() []growth.Family[[]byte] {
	array := func(name, unit, last string) growth.Family[[]byte] {
		return growth.Family[[]byte]{Name: name, Make: func(n int) []byte {
			times := max(1, n/len(unit))
			b := binary.BigEndian.AppendUint32([]byte{0xdd}, uint32(times+min(1, len(last))))
			return append(append(b, strings.Repeat(unit, times)...), last...)
		}}
	}
	var ext []byte
	ext = append(msgpwire.AppendExtHeader(ext, 9, 5), "12345"...)
	rec := string(msgpwire.AppendFloat64([]byte("\x83\xa1a\x01\xa1b\x93\x01\xa1x\xc0\xa1c"), 1.5))
	return slices.Concat(
		growth.Map("", slices.Concat(growth.Scripts(), growth.NotUTF8()), func(s string) []byte { return msgpwire.AppendString(nil, s) }),
		growth.Map("a key", slices.Concat(growth.Scripts(), growth.NotUTF8()), func(s string) []byte {
			return append(msgpwire.AppendString([]byte{0x81}, s), 1)
		}),
		growth.Map("bin", growth.Scripts()[:1], func(s string) []byte { return msgpwire.AppendBytes(nil, []byte(s)) }),
		growth.Map("ext", growth.Scripts()[:1], func(s string) []byte { return append(msgpwire.AppendExtHeader(nil, 9, len(s)), s...) }),
		[]growth.Family[[]byte]{
			array("records", rec, ""),
			made("values", "", rec, ""),
			array("a bad byte at the end", rec, "\xc1"),
			array("ints", "\xcd\x12\x34", ""),
			array("strings", "\xa1a", ""),
			array("exts", string(ext), ""),
			array("times", "\xd6\xff\x12\x34\x56\x78", ""),
			array("floats", string(msgpwire.AppendFloat64(nil, 1.23456789e-300)), ""),
			array("empty arrays", "\x90", ""),
			array("empty maps", "\x80", ""),
			array("claims", "\xdd\xff\xff\xff\xff", ""),
			claims("claims of half the message", "\xdd", ""),
			claims("claims of half the message, maps", "\xdf", "\x01"),
			upTo(9000, made("open arrays", "", "\x91", "")),
			made("too many open arrays", "", "\x91", ""),
			made("too many open maps", "", "\x81\xa1a", ""),
			array("control bytes", "\xa3\x01\x02\x03", ""),
			{Name: "one large value, then small ones", Make: func(n int) []byte {
				b := msgpwire.AppendString(nil, strings.Repeat("x", min(65535, n/2)))
				return append(b, strings.Repeat("\x81\xa1a\x01", n/8)...)
			}},
			{Name: "keys", Make: func(n int) []byte {
				b := binary.BigEndian.AppendUint32([]byte{0xdf}, uint32(n/10))
				for i := range n / 10 {
					b = append(msgpwire.AppendString(b, "key "+strconv.Itoa(i)), 1)
				}
				return b
			}},
			{Name: "deep arrays", Make: func(n int) []byte {
				times := n/9000 + 1
				b := binary.BigEndian.AppendUint32([]byte{0xdd}, uint32(times))
				return append(b, strings.Repeat(strings.Repeat("\x91", n/times)+"\x01", times)...)
			}},
		})
}

// growthText returns JSON documents.
func growthText() []growth.Family[[]byte] {
	quoted := func(s string) []byte { return []byte(`"` + s + `"`) }
	const rec = `{"a":1,"b":[1,"x",null],"c":1.5},`
	return slices.Concat(
		growth.Map("", slices.Concat(growth.Scripts(), growth.NotUTF8()), quoted),
		growth.Map("an escape at the start", slices.Concat(growth.Scripts(), growth.NotUTF8()), func(s string) []byte { return quoted(`\n` + s) }),
		growth.Map("escapes", growth.Scripts(), func(s string) []byte { return quoted(growth.Every(s, `\t`, 60)) }),
		growth.Map("a key", slices.Concat(growth.Scripts(), growth.NotUTF8()), func(s string) []byte { return []byte(`{"\n` + s + `":1}`) }),
		[]growth.Family[[]byte]{
			made("escapes only", `"`, `\u00e9`, `"`),
			made("lone surrogates", `"`, `\ud83d`, `"`),
			made("records", "[", rec, "1]"),
			made("lines", "", strings.TrimSuffix(rec, ",")+"\n", ""),
			made("a bad byte at the end", "[", rec, "x]"),
			made("a cut document", "[", rec, ""),
			made("numbers", "[", "12345.678,", "1]"),
			made("a long integer", "1", "1", ""),
			made("a long fraction", "0.", "123456789", ""),
			made("zeros, then a digit", "0.", "0", "1"),
			made("long floats", "[", "0.12345678901234567890123456789,", "1]"),
			made("strings", "[", `"a",`, `"a"]`),
			made("empty lists", "[", "[],", "[]]"),
			made("empty objects", "[", "{},", "{}]"),
			made("one key", "{", `"a":1,`, `"a":1}`),
			made("one key, a list", "{", `"a":[1,2],`, `"a":1}`),
			upTo(9000, made("open lists", "", "[", "")),
			upTo(9000*5, made("open objects", "", `{"a":`, "")),
			made("too many open lists", "", "[", ""),
			made("too many open objects", "", `{"a":`, ""),
			made("blanks", "[", " ", "1]"),
			made("blanks only", "", " \n", ""),
			made("blanks between tokens", "[", " {  \"a\" \n : \t [ 1 , 2 ] } ,\r\n", "1]"),
			{Name: "one large value, then small ones", Make: func(n int) []byte {
				return append(quoted(strings.Repeat("x", min(65535, n/2))), strings.Repeat(`{"a":1}`+"\n", n/16)...)
			}},
			{Name: "keys", Make: func(n int) []byte {
				b := []byte("{")
				for i := range n / 12 {
					b = append(strconv.AppendInt(append(b, `"key `...), int64(i), 10), `":1,`...)
				}
				return append(b, `"a":1}`...)
			}},
			{Name: "deep wide lists", Most: 128 << 10, Make: func(n int) []byte { // each has a header of more than one byte
				const open = "[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,"
				return []byte(strings.Repeat(open, n/len(open)) + "1" + strings.Repeat("]", n/len(open)))
			}},
			{Name: "wide lists", Make: func(n int) []byte {
				return made("", "[", "["+strings.Repeat("1,", 20)+"1],", "1]").Make(n)
			}},
			{Name: "deep lists", Make: func(n int) []byte {
				times := n/18000 + 1
				depth := n / times / 2
				return []byte("[" + strings.Repeat(strings.Repeat("[", depth)+strings.Repeat("]", depth)+",", times) + "1]")
			}},
		})
}

// TestGrowthHeld sends one large message and then many small ones through the same pools.
func TestGrowthHeld(t *testing.T) {
	call := func(make func(n int) []byte, f func(b []byte) any) func(int, int) func(int) any {
		return func(large, small int) func(int) any {
			in := map[int][]byte{large: make(large), small: make(small)}
			return func(n int) any { return f(in[n]) }
		}
	}
	text := made("", "{", `"key":["é\n",1.5],`, `"a":1}`).Make
	packed := made("", "", "\x81\xa1a\x92\x01\xa3xyz", "").Make
	growth.CheckHeld(t, []growth.Held{
		{Name: "AppendJSON", Start: call(func(n int) []byte { return msgpwire.AppendString(nil, strings.Repeat("x", n)) },
			func(b []byte) any { out, _ := AppendJSON(nil, b, 0); return out }), Kept: 8},
		{Name: "AppendMessagePack", Start: call(text, func(b []byte) any { out, _ := AppendMessagePack(nil, b, 0); return out }), Kept: 8},
		{Name: "AppendMessagePack, not valid", Start: call(text, func(b []byte) any { _, _ = AppendMessagePack(nil, b[:len(b)-1], 0); return nil })},
		{Name: "WriteJSON", Start: call(packed, func(b []byte) any { _ = WriteJSON(io.Discard, growth.Pieces(b, 4096), 0); return nil })},
		{Name: "WriteMessagePack", Start: call(text, func(b []byte) any { _ = WriteMessagePack(io.Discard, growth.Pieces(b, 4096), 0); return nil })},
		{Name: "WriteJSON, one stream", Start: inOneStream(t, WriteJSON, func(n int) []byte { return msgpwire.AppendString(nil, strings.Repeat("x", n)) })},
		{Name: "WriteMessagePack, one stream", Start: inOneStream(t, WriteMessagePack, text)},
		{Name: "WriteMessagePack, one stream of wide lists", Start: inOneStream(t, WriteMessagePack,
			made("", "[", "["+strings.Repeat("1,", 16)+"1],", "1]").Make)},
		{Name: "WriteMessagePack, one stream of strings", Start: inOneStream(t, WriteMessagePack, made("", `["`, "x", `"]`).Make)},
	})
}

// inOneStream returns the Start function of a Held test. A single call reads the messages one by
// one from its stream.
func inOneStream(t *testing.T, run convert, message func(n int) []byte) func(large, small int) func(n int) any {
	return func(large, small int) func(n int) any {
		in := map[int][]byte{large: message(large), small: message(small)}
		r := &stepReader{next: make(chan []byte), waits: make(chan struct{})}
		t.Cleanup(func() { close(r.next) })
		go func() {
			if err := run(io.Discard, r, 0); err != nil {
				t.Error(err)
			}
		}()
		<-r.waits
		return func(n int) any {
			r.next <- in[n]
			<-r.waits
			return nil
		}
	}
}

// stepReader returns the messages from next. Before it waits for a message, it sends to waits.
type stepReader struct {
	next  chan []byte
	waits chan struct{}
	rest  []byte
}

func (r *stepReader) Read(b []byte) (int, error) {
	if len(r.rest) == 0 {
		r.waits <- struct{}{}
		rest, ok := <-r.next
		if !ok {
			return 0, io.EOF
		}
		r.rest = rest
	}
	n := copy(b, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

// TestForgets checks the functions that use packers from a pool.
func TestForgets(t *testing.T) {
	on := func(in string, call func(b []byte)) func() *byte {
		return func() *byte { b := []byte(in + strings.Repeat(" ", 100)); call(b); return &b[0] }
	}
	const document, cut, packed = `{"a":["b",1.5,"\n"]}`, `{"a":["b",`, "\x81\xa1a\x92\x01\xa3xyz"
	growth.CheckForgets(t, map[string]func() *byte{
		"AppendMessagePack":            on(document, func(b []byte) { _, _ = AppendMessagePack(nil, b, 0) }),
		"AppendMessagePack, not valid": on(cut, func(b []byte) { _, _ = AppendMessagePack(nil, b, 0) }),
		"WriteMessagePack":             on(document, func(b []byte) { _ = WriteMessagePack(io.Discard, bytes.NewReader(b), 0) }),
		"AppendJSON":                   on(packed, func(b []byte) { _, _ = AppendJSON(nil, b[:len(packed)], 0) }),
		"WriteJSON":                    on(packed, func(b []byte) { _ = WriteJSON(io.Discard, bytes.NewReader(b[:len(packed)]), 0) }),
	})
}
