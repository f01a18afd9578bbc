//go:build !goexperiment.jsonv2

package json

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
)

// resumeDocument returns about n bytes with every kind of value, nested in one another.
func resumeDocument(n int) string {
	var b strings.Builder
	b.WriteString("[[{\"a\":[")
	for i := 0; b.Len() < n; i++ {
		fmt.Fprintf(&b, "{\"name %d\" : [1, -2.5e3,true , [[], {}],null],\n    \"text\":\"a\\\"\\u00e9 %s\"},", i, strings.Repeat("long ", i%40))
	}
	b.WriteString("0]}]]")
	return b.String()
}

// The errors of long documents are encoding/json's. The documents are truncated or contain a wrong
// byte, and are so long that skip notes its positions.
func TestErrorsOfLongDocuments(t *testing.T) {
	text := resumeDocument(5 * trailStep)
	check := func(b []byte) {
		t.Helper()
		var want, got *SyntaxError
		if !errors.As(json.Unmarshal(b, new(json.RawMessage)), &want) {
			return // it is valid
		}
		if err := Unmarshal(b, new(any)); !errors.As(err, &got) || *got != *want && (got.Error() != want.Error() || got.Offset != want.Offset) {
			t.Fatalf("%v, want %v at %d, in %d bytes", err, want, want.Offset, len(b))
		}
	}
	for i := 0; i < len(text); i += 3 {
		check([]byte(text[:i]))
		for _, c := range "\x01x\"]},:\\" {
			check([]byte(text[:i] + string(c) + text[i+1:]))
		}
	}
	check([]byte(text + "   x"))
	check([]byte(strings.Repeat("[", maxDepth+1)))
	check([]byte(strings.Repeat(" ", 5*trailStep) + "x"))
}

// To explain an error, the scanner reads only the bytes after the last position that skip noted,
// wherever the error is.
func TestScannerResumes(t *testing.T) {
	text := resumeDocument(64 * trailStep)
	for _, at := range []int{len(text) / 2, len(text) - 1} {
		b := []byte(text)
		b[at] = 1
		var s scanner
		from := s.resume(b)
		if end, _ := s.scan(b, from); end != at || end-from > 3*trailStep {
			t.Errorf("from %d to %d, and the wrong byte is at %d", from, end, at)
		}
	}
}
