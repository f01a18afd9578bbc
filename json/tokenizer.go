package json

// Tokenizer: the tokens of a document, one after the other.
//
//	tokenizer.go         the type and its methods
//	tokenizer_scan.go    the ends of strings, words and runs of blanks
//
// The only state of the grammar is allow, the set of tokens that may come next. A token must be in
// the set, and replaces the set with another one. depth is the number of open containers. When a
// container is opened, the state of the container around it is saved in frames, or in deep if
// frames is full.

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
// The input is a sequence of values, perhaps empty, as a [Decoder] reads them. A Tokenizer
// validates the input while it reads: it returns tokens as long as the input is valid up to there.
// At the end, Err is nil only if all values were valid and complete. (The Tokenizer of
// segmentio/encoding/json checks only single tokens.)
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
// Next sets the fields, which must not be changed. A Tokenizer must not be copied between calls of
// Next.
type Tokenizer struct {
	// Delim is the token if it is one of { } [ ] : and , and otherwise 0.
	Delim Delim

	// Value is the unparsed token, a view of the input.
	Value RawValue

	// Err is the reason why Next returned false: nil at the end of the input, and otherwise a
	// *SyntaxError with encoding/json's text and an Offset from the beginning of the input.
	Err error

	// Depth is the number of arrays and objects around the token. A bracket is outside of the array
	// or object that it opens or closes.
	Depth int

	// Index is the position of the token's element or pair in its array or object: the number of
	// commas before it. A comma does not count itself.
	Index int

	// IsKey reports whether the token is a key of an object.
	IsKey bool

	allow, after allowed // the tokens that may come next, and those that may come after the next complete value
	kind         Kind
	data         []byte
	pos          int // the position after the token; see fail
	depth, index int // Depth and Index of the next token
	outermost    int // the position of the container at depth 0
	frames       [32]frame
	deep         []frame
}

// A frame is the state of a container in which another one was opened. The lowest byte is the set
// of tokens that may come after a value; the other bytes are the index.
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
// it returns false until Reset is called. At the end of the input, t is like a Tokenizer of an
// empty input. After an error there is no token, and Err is set. Depth and Index are then those of
// the missing token, and Remaining counts from its position.
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
		t.allow = allowValue << (t.after / allowObjectEnd) // in an object, the next bit: allowKey
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

// string implements Next for a string at i, which is a key or a value.
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

// number implements Next for a number at i.
func (t *Tokenizer) number(data []byte, i int) bool {
	end, kind := scanNumber(data, i)
	if end < 0 || end < len(data) && parts[data[end]] || t.allow&allowValue == 0 {
		return t.fail(i)
	}
	t.allow = t.after
	return t.take(data, i, end, kind)
}

// word implements Next for true, false or null at i.
func (t *Tokenizer) word(data []byte, i int) bool {
	end, kind := scanWord(data, i)
	if end < 0 || t.allow&allowValue == 0 {
		return t.fail(i)
	}
	t.allow = t.after
	return t.take(data, i, end, kind)
}

// take makes data[i:end], a scalar, the current token.
func (t *Tokenizer) take(data []byte, i, end int, kind Kind) bool {
	t.kind = kind
	t.Delim = 0
	t.Value = data[i:end:end]
	t.pos = end
	return true
}

// open saves the state of the current container and opens another one at i, if one is allowed
// there.
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

// close ends the current container, and restores the state of the container around it.
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

// end implements Next at the end of the input.
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

// fail implements Next for a token at i that is not valid, or not allowed there.
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
	t.data, t.pos = nil, i-len(t.data) // no token can be read any more, but Remaining still counts from i
	return false
}

// Remaining returns the number of bytes after the token. The token begins len(t.Value) bytes before
// them.
func (t *Tokenizer) Remaining() int { return len(t.data) - t.pos }

// Kind returns the kind of the token.
func (t *Tokenizer) Kind() Kind { return t.kind }

// Bool reports whether the token is true.
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

// Float returns the token, a number, as the nearest float64. A number out of range becomes
// infinite. For other tokens Float returns 0.
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

// readUint returns the number that consists of the digits in b, or 0 if it does not fit a uint64.
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
