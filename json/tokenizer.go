package json

// Tokenizer: the tokens of a document, one after the other.
//
//	tokenizer.go         what it shows, and Next
//	tokenizer_scan.go    where a string, a number or a run of blanks ends
//
// What may come next is a set of bits, allow, and that is all there is of the grammar: each token
// has a bit that must be in it, and puts another set in its place. The containers that are open are
// counted in depth; how far each had come when the next one was opened is kept in frames, and
// beyond their number in deep.

import (
	"bytes"
	"math"
	"math/bits"
	"strconv"
	"unicode/utf8"

	"github.com/slipstream-go/slipstream/internal/mem"
)

// Tokenizer goes through JSON token by token, without allocating:
//
//	t := json.NewTokenizer(data)
//	for t.Next() {
//		switch t.Kind().Class() {
//		case json.String:
//			…
//		}
//	}
//	if t.Err != nil {
//		…
//	}
//
// The input may hold several values, one after the other, as [Decoder] reads them; or none. It is
// checked as it is read: all tokens that Next gives are part of valid JSON, as far as it has been
// read, and Err is nil at the end if and only if every value was valid and whole. (That of
// segmentio/encoding/json looks at single tokens only.)
//
// A Tokenizer is stricter than a [Decoder] about numbers and words that touch: it refuses 01, 1-2
// and nulltrue, which a Decoder, like that of encoding/json, reads as two values each.
//
// The tokens are scalars, { } [ ] and also the colons and commas. For the document {"a":[7,8]} they
// are
//
//	       {  "a"   :   [   7   ,   8   ]   }
//	Depth  0   1    1   1   2   2   2   1   0
//	Index  0   0    0   0   0   0   1   0   0
//	IsKey     true
//
// All fields are for reading. A Tokenizer must not be copied between calls of Next.
type Tokenizer struct {
	// Delim is the token if it is one of { } [ ] : and , else 0.
	Delim Delim

	// Value is the token as it stands in the input, to which it refers.
	Value RawValue

	// Err is why Next was false: nil at the end of the input, else a *SyntaxError with the text
	// that encoding/json has for it, and an Offset from the beginning of the input.
	Err error

	// Depth is the number of arrays and objects that the token is in. A bracket is not in what it
	// opens or closes.
	Depth int

	// Index is the number of commas before the token in the array or object that it is in: the
	// position of the element, or of the pair. A comma does not count itself.
	Index int

	// IsKey tells that the token is the key of an object.
	IsKey bool

	allow, after allowed // what may come next, and what after the next value that is complete
	kind         Kind
	data         []byte
	pos          int // after the token; see fail
	depth, index int // as Depth and Index are of the next token
	outermost    int // where the container at depth 0 begins
	frames       [32]frame
	deep         []frame
}

// A frame is where a container had come to when another was opened in it: its index above its set
// of what comes after a value.
type frame uint64

// allowed is a set of tokens.
type allowed uint8

const (
	allowValue allowed = 1 << iota
	allowKey
	allowColon
	allowComma
	allowArrayEnd
	allowObjectEnd

	afterElement = allowComma | allowArrayEnd
	afterMember  = allowComma | allowObjectEnd
)

// NewTokenizer is a Tokenizer of b, which must not change as long as it, or a Value that it gave,
// is in use.
func NewTokenizer(b []byte) *Tokenizer {
	return &Tokenizer{data: b, allow: allowValue, after: allowValue}
}

// Reset makes t a Tokenizer of b from the beginning, as NewTokenizer does.
func (t *Tokenizer) Reset(b []byte) {
	*t = Tokenizer{data: b, allow: allowValue, after: allowValue, deep: t.deep[:0]}
}

// Next goes on to the next token, and reports whether there is one. Once it is false it stays so
// until Reset: at the end of the input t is as if it were reset to none; after an error there is no
// token either, Err tells what was found, Depth and Index are those of the token that should have
// been there, and Remaining counts from where that begins.
func (t *Tokenizer) Next() bool {
	data, i := t.data, t.pos
	if uint(i) >= uint(len(data)) {
		return t.end()
	}
	c := data[i]
	if c <= ' ' {
		if i = skipBlanks(data, i); i == len(data) {
			return t.end()
		}
		c = data[i]
	}
	t.Depth, t.Index = t.depth, t.index
	t.IsKey = false
	kind := Undefined
	switch tokenStarts[c] {
	case startsString:
		return t.string(data, i)
	case startsNumber:
		return t.number(data, i)
	case startsWord:
		return t.word(data, i)
	case isColon:
		if t.allow&allowColon == 0 {
			return t.fail(i)
		}
		t.allow = allowValue
	case isComma:
		if t.allow&allowComma == 0 {
			return t.fail(i)
		}
		t.index++
		t.allow = allowValue << (t.after / allowObjectEnd) // the next bit is allowKey
	case opensArray:
		if !t.open(i) {
			return false
		}
		t.allow, t.after = allowValue|allowArrayEnd, afterElement
		kind = Array
	case opensObject:
		if !t.open(i) {
			return false
		}
		t.allow, t.after = allowKey|allowObjectEnd, afterMember
		kind = Object
	case closesArray:
		if t.allow&allowArrayEnd == 0 {
			return t.fail(i)
		}
		t.close()
	case closesObject:
		if t.allow&allowObjectEnd == 0 {
			return t.fail(i)
		}
		t.close()
	default:
		return t.fail(i)
	}
	t.kind = kind
	t.Delim = Delim(c)
	t.Value = data[i : i+1 : i+1]
	t.pos = i + 1
	return true
}

// string is Next for a string at i, a key or a value.
func (t *Tokenizer) string(data []byte, i int) bool {
	switch {
	case t.allow&allowValue != 0:
		t.allow = t.after
	case t.allow&allowKey != 0:
		t.allow = allowColon
		t.IsKey = true
	default:
		return t.fail(i)
	}
	end, kind := i+1, Undefined
	for len(data)-end >= 8 {
		w := mem.Load64(data, end)
		if m := stops(w) | (w+ones)&highs; m != 0 {
			end += bits.TrailingZeros64(m) >> 3
			if data[end] == '"' {
				return t.take(data, i, end+1, Unescaped)
			}
			break
		}
		end += 8
	}
	if end, kind = scanString(data, end); end < 0 {
		return t.fail(i)
	}
	return t.take(data, i, end, kind)
}

// number is Next for a number at i.
func (t *Tokenizer) number(data []byte, i int) bool {
	end, kind := scanNumber(data, i)
	if end < 0 || end < len(data) && parts[data[end]] || t.allow&allowValue == 0 {
		return t.fail(i)
	}
	t.allow = t.after
	return t.take(data, i, end, kind)
}

// word is Next for true, false or null at i.
func (t *Tokenizer) word(data []byte, i int) bool {
	end, kind := scanWord(data, i)
	if end < 0 || t.allow&allowValue == 0 {
		return t.fail(i)
	}
	t.allow = t.after
	return t.take(data, i, end, kind)
}

// take makes data[i:end] the token, which is a scalar.
func (t *Tokenizer) take(data []byte, i, end int, kind Kind) bool {
	t.kind = kind
	t.Delim = 0
	t.Value = data[i:end:end]
	t.pos = end
	return true
}

// open keeps where the current container has come to, if another may be opened in it.
func (t *Tokenizer) open(i int) bool {
	if t.allow&allowValue == 0 || t.depth == maxDepth {
		return t.fail(i)
	}
	f := frame(t.index)<<8 | frame(t.after)
	if t.depth < len(t.frames) {
		t.frames[t.depth] = f
	} else {
		t.deep = append(t.deep[:t.depth-len(t.frames)], f)
	}
	if t.depth == 0 {
		t.outermost = i
	}
	t.depth++
	t.index = 0
	return true
}

// close goes back to where the container had come to that the current one is in.
func (t *Tokenizer) close() {
	t.depth--
	var f frame
	if t.depth < len(t.frames) {
		f = t.frames[t.depth]
	} else {
		f = t.deep[t.depth-len(t.frames)]
	}
	t.index = int(f >> 8)
	t.after = allowed(f)
	t.allow = t.after
	t.Depth, t.Index = t.depth, t.index
}

// end is Next where the input ends.
func (t *Tokenizer) end() bool {
	switch {
	case t.allow == 0: // after an error
	case t.depth > 0:
		t.Depth, t.Index = t.depth, t.index
		return t.fail(len(t.data))
	default:
		t.Reset(nil)
	}
	return false
}

// fail is Next where the token at i is not valid, or not in its place.
func (t *Tokenizer) fail(i int) bool {
	t.Delim, t.Value, t.IsKey, t.kind = 0, nil, false, Undefined
	value := i
	if t.depth > 0 {
		value = t.outermost
	}
	t.Err = explain(t.data[value:])
	if e, ok := t.Err.(*SyntaxError); ok {
		e.Offset += int64(value)
	}
	t.allow = 0
	t.data, t.pos = nil, i-len(t.data) // nothing can be read any more, but as much remains
	return false
}

// Remaining is the number of bytes after the token. It begins len(t.Value) bytes before that.
func (t *Tokenizer) Remaining() int { return len(t.data) - t.pos }

// Kind is what the token is.
func (t *Tokenizer) Kind() Kind { return t.kind }

// Bool is the value of a token that is true or false; false for others.
func (t *Tokenizer) Bool() bool { return t.kind == True }

// Int is the value of a token that is a number without fraction and exponent, if it fits; else 0.
func (t *Tokenizer) Int() int64 {
	switch t.kind {
	case Uint:
		if v := readUint(t.Value); v <= math.MaxInt64 {
			return int64(v)
		}
	case Int:
		if v := readUint(t.Value[1:]); v <= -math.MinInt64 {
			return -int64(v)
		}
	}
	return 0
}

// Uint is the value of a token that is a number without sign, fraction and exponent, if it fits;
// else 0.
func (t *Tokenizer) Uint() uint64 {
	if t.kind != Uint {
		return 0
	}
	return readUint(t.Value)
}

// Float is the value of a token that is a number, as the nearest float64: too large a number is
// infinite. For other tokens it is 0.
func (t *Tokenizer) Float() float64 {
	if t.kind.Class() != Num {
		return 0
	}
	if t.kind == Uint && len(t.Value) <= 15 { // exact in a float64
		return float64(readUint(t.Value))
	}
	f, _ := strconv.ParseFloat(mem.String(t.Value), 64)
	return f
}

// String is the text of a token that is a string, nil for others. If the text stands in the input
// as it is, the result refers to it: it is valid as long as the input does not change. If not,
// because there are escapes, or bytes that are not valid UTF-8, it is new memory: [AppendUnescape]
// and Value do without.
func (t *Tokenizer) String() []byte {
	if t.kind.Class() != String {
		return nil
	}
	n := len(t.Value) - 1
	text := t.Value[1:n:n]
	if t.kind == Unescaped || bytes.IndexByte(text, '\\') < 0 && utf8.Valid(text) {
		return text
	}
	text, _ = appendUnquoted(nil, text)
	return text
}

// readUint is the number that the digits of b write, or 0 if it does not fit.
func readUint(b []byte) (v uint64) {
	for _, c := range b {
		high, low := bits.Mul64(v, 10)
		sum, carry := bits.Add64(low, uint64(c-'0'), 0)
		if high|carry != 0 {
			return 0
		}
		v = sum
	}
	return v
}
