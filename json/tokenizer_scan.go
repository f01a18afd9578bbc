package json

// This file contains functions that find the end of a token for a Tokenizer. The token begins at
// data[i]. If the token is not valid, the returned end is negative.

import (
	"math/bits"

	"github.com/slipstream-go/slipstream/internal/mem"
	"github.com/slipstream-go/slipstream/internal/simd"
)

// These are the classes of bytes. The class of a byte depends on the token that begins with it.
const (
	startsNothing = iota
	startsString
	startsNumber
	startsWord
	isColon
	isComma
	opensArray
	opensObject
	closesArray
	closesObject
)

var tokenStarts = [256]uint8{
	'"': startsString, '-': startsNumber, 't': startsWord, 'f': startsWord, 'n': startsWord,
	'0': startsNumber, '1': startsNumber, '2': startsNumber, '3': startsNumber, '4': startsNumber,
	'5': startsNumber, '6': startsNumber, '7': startsNumber, '8': startsNumber, '9': startsNumber,
	':': isColon, ',': isComma, '[': opensArray, '{': opensObject, ']': closesArray, '}': closesObject,
}

// parts is true for the bytes that cannot follow a number or a word: all bytes except blanks,
// delimiters and quotes.
var parts = func() (t [256]bool) {
	for c := range t {
		t[c] = true
	}
	for _, c := range " \t\r\n{}[]:,\"" {
		t[c] = false
	}
	return t
}()

// skipBlanks returns the position after the blanks at data[i].
func skipBlanks(data []byte, i int) int {
	for ; i < len(data); i++ {
		switch data[i] {
		case '\n':
			// Many blanks may follow the end of a line.
			for len(data)-i > 8 {
				m := mem.Load64(data, i+1) ^ spaces
				if m != 0 {
					i += bits.TrailingZeros64(m) >> 3
					break
				}
				i += 8
			}
		case ' ', '\t', '\r':
		default:
			return i
		}
	}
	return i
}

// scanString scans the rest of a string. The part of the string before i must have the kind
// Unescaped.
func scanString(data []byte, i int) (end int, kind Kind) {
	for ; i < len(data); i++ {
		switch c := data[i]; {
		case c == '"':
			return i + 1, Unescaped
		case c == '\\' || c < ' ' || c >= 0x7f:
			return scanText(data, i), String
		}
	}
	return -1, Undefined
}

// scanText scans the rest of a string of any kind.
func scanText(data []byte, i int) (end int) {
	for i < len(data) {
		switch c := data[i]; {
		case c == '"':
			return i + 1
		case c == '\\':
			if i++; i == len(data) {
				return -1
			}
			switch {
			case meanings[data[i]] != 0:
				i++
			case data[i] != 'u' || hex4(data, i+1) < 0:
				return -1
			default:
				i += 5
			}
		case c < ' ':
			return -1
		default:
			i += simd.FindStop(mem.From(data, i), len(data)-i)
		}
	}
	return -1
}

// scanWord scans true, false or null.
func scanWord(data []byte, i int) (end int, kind Kind) {
	if len(data)-i < 5 {
		switch string(data[i:]) {
		case "null":
			return i + 4, Null
		case "true":
			return i + 4, True
		}
		return -1, Undefined
	}
	end = literal(data, i)
	if end < 0 || end < len(data) && parts[data[end]] {
		return -1, Undefined
	}
	switch data[i] {
	case 'n':
		return end, Null
	case 't':
		return end, True
	}
	return end, False
}
