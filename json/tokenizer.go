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

// Tokenizer reads JSON token by token, without allocating:
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
// The input is a sequence of values, perhaps empty, as a [Decoder] reads them. It is validated
// while it is read: tokens are returned as long as the input up to there is valid, and at the end
// Err is nil only if all values were valid and complete. (The Tokenizer of segmentio/encoding/json
// checks only single tokens.)
//
// A Tokenizer is stricter than a Decoder about adjacent numbers and literals: 01, 1-2 and nulltrue
// are errors here, but two values for a Decoder, as in encoding/json.
//
// Tokens are scalars, { } [ ] and also colons and commas. The tokens of the document {"a":[7,8]}
// are
//
//	       {  "a"   :   [   7   ,   8   ]   }
//	Depth  0   1    1   1   2   2   2   1   0
//	Index  0   0    0   0   0   0   1   0   0
//	IsKey     true
//
// Fields are set by Next, and must not be changed. A Tokenizer must not be copied between calls of
// Next.
type Tokenizer struct {
	// Delim is the token if it is one of { } [ ] : and , and otherwise 0.
	Delim Delim

	// Value is the unparsed token, a view of the input.
	Value RawValue

	// Err is the reason why Next returned false: nil at the end of the input, and otherwise a
	// *SyntaxError with encoding/json's text and an Offset from the beginning of the input.
	Err error

	// Depth is the number of arrays and objects around the token. A bracket is outside of what it
	// opens or closes.
	Depth int

	// Index is the position of the token's element or pair in its array or object: the number of
	// commas before it. A comma does not count itself.
	Index int

	// IsKey reports whether the token is a key of an object.
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

// NewTokenizer returns a Tokenizer of b. b must not change while the Tokenizer, or a Value from it,
// is in use.
func NewTokenizer(b []byte) *Tokenizer {
	return &Tokenizer{data: b, allow: allowValue, after: allowValue}
}

// Reset makes t a Tokenizer of b, as [NewTokenizer] does.
func (t *Tokenizer) Reset(b []byte) {
	*t = Tokenizer{data: b, allow: allowValue, after: allowValue, deep: t.deep[:0]}
}

// Next advances to the next token, and reports whether there is one. After it has returned false,
// it does so until Reset. At the end of the input, t is like a Tokenizer of an empty input. After
// an error there is no token, Err is set, Depth and Index are those of the missing token, and
// Remaining counts from its place.
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

// Remaining returns the number of bytes after the token, which begins len(t.Value) bytes before
// that.
func (t *Tokenizer) Remaining() int { return len(t.data) - t.pos }

// Kind returns the kind of the token.
func (t *Tokenizer) Kind() Kind { return t.kind }

// Bool returns whether the token is true.
func (t *Tokenizer) Bool() bool { return t.kind == True }

// Int returns the token if it is a number without fraction and exponent that fits an int64, and
// otherwise 0.
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

// Uint returns the token if it is a number without sign, fraction and exponent that fits a uint64,
// and otherwise 0.
func (t *Tokenizer) Uint() uint64 {
	if t.kind != Uint {
		return 0
	}
	return readUint(t.Value)
}

// Float returns the token, a number, as the nearest float64, which is infinite beyond the range.
// For other tokens it returns 0.
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

// String returns the text of a string token, and nil for other tokens. If the text has no escapes
// and is valid UTF-8, the result is a view of the input. Otherwise it is new memory: use
// [AppendUnescape] and Value to avoid that.
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
