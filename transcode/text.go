package transcode

import (
	"bytes"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// isText reports whether a JSON string from a tokenizer is valid UTF-8 and contains no escapes of
// unpaired surrogates. In such a string, no part is replaced by U+FFFD.
func isText(token []byte) bool {
	if !utf8.Valid(token) {
		return false
	}
	for {
		k := bytes.IndexByte(token, '\\')
		if k < 0 {
			return true
		}
		token = token[k:]
		if token[1] != 'u' {
			token = token[2:]
			continue
		}
		r := unit(token)
		token = token[6:]
		if !utf16.IsSurrogate(r) {
			continue
		}
		if utf16.DecodeRune(r, unit(token)) == utf8.RuneError {
			return false
		}
		token = token[6:]
	}
}

// unit returns the code unit of the \u escape at the beginning of s. If s does not begin with such
// an escape, it returns 0.
func unit(s []byte) rune {
	if len(s) < 6 || s[0] != '\\' || s[1] != 'u' {
		return 0
	}
	v, _ := strconv.ParseUint(string(s[2:6]), 16, 16)
	return rune(v)
}
