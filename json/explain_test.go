package json

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/slipstream-go/slipstream/internal/growth"
	"github.com/slipstream-go/slipstream/internal/guard"
)

// invalidDocuments, if truncated or with bytes replaced or inserted, reach each state of the
// grammar.
var invalidDocuments = []string{
	``, ` `, `{}`, `[]`, ` { } `, `""`, `0`, `-0`, `12`, `-1.5e+10`, `1E5`, `true`, `false`, `null`,
	`[1,2 , 3]`, `[ "a" ,true,false,null]`, `[[[]],{}]`, `[-0.0e-0,1]`,
	`{"a":1}`, `{ "a" : "b" , "c" : [ ] }`, `{"a":{"b":{"c":null}},"d":-1}`,
	`"\n\"\\\/\b\f\r\t"`, `"\u00e9\ud83d\ude00"`, `["\u12ab","x\ty"]`, `{"\u0061":0.25}`, "\"é\xff\"", "[\"\xe2\x82\"]",
}

// explained compares explain with encoding/json, for any data. It returns an error that describes
// the difference.
func explained(data []byte) error {
	err := json.Unmarshal(data, new(json.RawMessage))
	if err == nil {
		if got := explain(data); got != errDisagree {
			return fmt.Errorf("%q is valid: %v", data, got)
		}
		return nil
	}
	got := explain(data)
	if fmt.Sprintf("%#v", got) != fmt.Sprintf("%#v", err) {
		return fmt.Errorf("%q: %#v, want %#v", data, got, err)
	}
	// The state alone must produce an error. explain calls encoding/json otherwise, and that would
	// hide a missing case.
	if got := explainState(data); !onV2 && got == nil {
		return fmt.Errorf("%q: no error of the state, want %v", data, err)
	}
	return nil
}

// explain returns encoding/json's error for each byte at each position, and for each position at
// which the input may end.
func TestErrorInEachState(t *testing.T) {
	for _, text := range invalidDocuments {
		for i := range len(text) + 1 {
			if err := explained([]byte(text[:i])); err != nil {
				t.Error(err)
			}
			for c := range 256 {
				inserted := text[:i] + string([]byte{byte(c)}) + text[i:]
				if err := explained([]byte(inserted)); err != nil {
					t.Error(err)
				}
				if i < len(text) {
					replaced := []byte(text)
					replaced[i] = byte(c)
					if err := explained(replaced); err != nil {
						t.Error(err)
					}
				}
			}
		}
	}
	for _, deep := range []string{strings.Repeat("[", maxDepth+1), strings.Repeat(`{"":`, maxDepth) + "[x", strings.Repeat("[", maxDepth) + "x", strings.Repeat("[", maxDepth)} {
		for _, more := range []string{"", "]", "}", "[", "{", "x"} {
			if err := explained([]byte(deep + more)); err != nil {
				t.Error(err)
			}
		}
	}
}

// A Decoder returns the same errors after it has read a value. The reader returns all bytes at once
// or one at a time.
func TestDecoderErrorInEachState(t *testing.T) {
	for _, text := range invalidDocuments {
		for i := range len(text) {
			for _, c := range []byte("\x00\x1f {}[]:,\"\\x01.e+-tu\xff") {
				replaced := []byte("[1] " + text)
				replaced[4+i] = c
				for name, reader := range map[string]func(io.Reader) io.Reader{
					"whole": func(r io.Reader) io.Reader { return r }, "bytes": iotest.OneByteReader, "last with EOF": iotest.DataErrReader,
				} {
					ours, theirs := NewDecoder(reader(bytes.NewReader(replaced))), json.NewDecoder(reader(bytes.NewReader(replaced)))
					for n := range 3 {
						var v, want any
						err, wantErr := ours.Decode(&v), theirs.Decode(&want)
						if fmt.Sprintf("%#v", err) != fmt.Sprintf("%#v", wantErr) {
							t.Errorf("value %d of %q, %s: %#v, want %#v", n, replaced, name, err, wantErr)
						}
						if err != nil {
							break
						}
					}
				}
			}
		}
	}
}

// FuzzExplain compares the errors for any input.
func FuzzExplain(f *testing.F) {
	for _, text := range invalidDocuments {
		f.Add([]byte(text))
		f.Add([]byte(text + "x"))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		data = guard.Test(t, data)
		if err := explained(data); err != nil {
			t.Error(err)
		}
	})
}

// Explaining an error costs as much as finding the scanner's state, which is a third of the cost of
// encoding/json. TestErrorInEachState and the rows of the guide would not detect that explain calls
// encoding/json each time.
func TestErrorCost(t *testing.T) {
	if onV2 {
		t.Skip("encoding/json is asked each time")
	}
	data := []byte("[" + strings.Repeat(`{"id":1,"name":"web-1"},`, 1<<15) + "!")
	call := func(f func([]byte) error) func() func() {
		return func() func() { return func() { f(data) } }
	}
	const enough = 2
	if ratio, ok := growth.Ratio(12, enough, call(explain), call(explainState)); ok && ratio > enough {
		t.Errorf("the error costs %.1f times what its state costs", ratio)
	}
}
