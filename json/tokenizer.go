package json

// A Tokenizer returns the tokens of a document, one after the other.
//
//	tokenizer.go         the type and its methods
//	tokenizer_scan.go    the ends of strings, words and runs of blanks
//
// The only state of the grammar is the field allow, which is the set of tokens that may come next.
// Each token must be in this set, and determines the next set. The field depth is the number of
// open containers. When a container is opened, the state of the enclosing container is saved in
// frames, or in deep if frames is full.

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
// The input is a sequence of any number of values, as for a [Decoder]. A Tokenizer validates the
// input while it reads: it returns a token only if the input is valid up to and including this
// token. At the end of the input, Err is nil only if all values were valid and complete. (The
// Tokenizer of segmentio/encoding/json checks only single tokens.)
//
// A Tokenizer is stricter than a Decoder about adjacent numbers and literals. It returns an error
// for 01, 1-2 and nulltrue. A Decoder reads each of these inputs as two values, as in
// encoding/json.
//
// A token is a scalar, a brace, a bracket, a colon or a comma. The tokens of the document
// {"a":[7,8]} are
//
//	       {  "a"   :   [   7   ,   8   ]   }
//	Depth  0   1    1   1   2   2   2   1   0
//	Index  0   0    0   0   0   0   1   0   0
//	IsKey     true
//
// Next sets the exported fields. The caller must not change them, and must not copy a Tokenizer
// between calls of Next.
type Tokenizer struct {
	// Delim is the token if the token is one of { } [ ] : and the comma. Otherwise, it is 0.
	Delim Delim

	// Value is the unparsed token, a view of the input.
	Value RawValue

	// Err is the reason why Next returned false. At the end of the input, it is nil. Otherwise, it
	// is a *SyntaxError with encoding/json's text and an Offset that is relative to the beginning
	// of the input.
	Err error

	// Depth is the number of arrays and objects that enclose the token. A bracket is not enclosed
	// by the array or object that it opens or closes.
	Depth int

	// Index is the index of the token's element or pair in the enclosing array or object. It equals
	// the number of commas before the token in that array or object. For a comma, the comma itself
	// is not counted.
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

// A frame is the saved state of a container, stored when another container is opened inside it. The
// lowest byte is the set of tokens that may come after a value. The other bytes are the index.
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

// NewTokenizer returns a Tokenizer that reads b. The slice b must not change while the Tokenizer,
// or a Value from the Tokenizer, is in use.
func NewTokenizer(b []byte) *Tokenizer {
	return &Tokenizer{data: b, allow: allowValue, after: allowValue}
}

// Reset makes t read b from the beginning, like a Tokenizer from [NewTokenizer].
func (t *Tokenizer) Reset(b []byte) {
	*t = Tokenizer{data: b, allow: allowValue, after: allowValue, deep: t.deep[:0]}
}

// Next advances to the next token, and reports whether there is a token. After it has returned
// false, it returns false until Reset is called. At the end of the input, t is in the same state as
// a Tokenizer of an empty input. After an error, there is no token, and Err is set. Depth and Index
// then have the values of the token that is invalid or missing, and Remaining counts the bytes from
// the position of that token.
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

// string implements Next for a string at i. The string is a key or a value.
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
	end := i + 1
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
	end, kind := scanString(data, end)
	if end < 0 {
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

// take makes the scalar data[i:end] the current token.
func (t *Tokenizer) take(data []byte, i, end int, kind Kind) bool {
	t.kind = kind
	t.Delim = 0
	t.Value = data[i:end:end]
	t.pos = end
	return true
}

// open saves the state of the current container, and opens another container at i. It fails if no
// container is allowed there.
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

// close ends the current container, and restores the state of the enclosing container.
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

// fail implements Next for a token at i that is not valid, or is not allowed there.
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

// Remaining returns the number of input bytes after the current token. The token begins
// len(t.Value) bytes before the remaining bytes.
func (t *Tokenizer) Remaining() int { return len(t.data) - t.pos }

// Kind returns the kind of the token.
func (t *Tokenizer) Kind() Kind { return t.kind }

// Bool reports whether the token is the literal true.
func (t *Tokenizer) Bool() bool { return t.kind == True }

// Int returns the value of a number token that has no fraction and no exponent, and fits an int64.
// For other tokens, it returns 0.
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

// Uint returns the value of a number token that has no sign, no fraction and no exponent, and fits
// a uint64. For other tokens, it returns 0.
func (t *Tokenizer) Uint() uint64 {
	if t.kind != Uint {
		return 0
	}
	return readUint(t.Value)
}

// Float returns the value of a number token, rounded to the nearest float64. For a number out of
// range, it returns infinity. For other tokens, it returns 0.
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

// String returns the text of a string token. For other tokens, it returns nil. If the text contains
// no escapes and is valid UTF-8, the result is a view of the input. Otherwise, String allocates
// memory for the result. To avoid this allocation, pass Value to [AppendUnescape].
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

// readUint returns the number that consists of the digits in b. If the number does not fit a
// uint64, it returns 0.
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
