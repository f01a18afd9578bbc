package json

// This file creates encoding/json's errors for invalid input.
//
// Only encoding/json can create these errors, because the text of a SyntaxError is not exported.
// However, encoding/json need not read the whole input:
//   - The method skip reads the valid part of the input, and records positions. It is several times
//     as fast as a scanner.
//   - A scanner continues at the last recorded position, and finds the invalid byte.
//   - encoding/json decodes a document of a few bytes, which brings it into the same state as the
//     scanner, followed by the invalid byte. So it returns the same error.
//   - The offset of a SyntaxError is exported, so it is then set to the offset in the input.

import (
	"encoding/json"
	"errors"
	"strings"
)

var errDisagree = errors.New("json: valid input was not understood; please report it")

// explain returns encoding/json's error for data, which is not a valid document.
func explain(data []byte) error {
	if !onV2 { // the errors of v2 depend on more than the state
		if err := explainState(data); err != nil {
			return err
		}
	}
	if err := json.Unmarshal(data, new(RawMessage)); err != nil {
		return err
	}
	return errDisagree
}

// explainState returns encoding/json's error for data, or nil if data is valid. It derives the
// error from the state of a scanner at the invalid byte.
func explainState(data []byte) error {
	var s scanner
	i, seen := s.scan(data, s.resume(data))
	if seen == unfinished && s.whole() {
		seen = complete
	}
	if seen == complete {
		for i < len(data) && isBlank(data[i]) {
			i++
		}
	}
	return s.explain(data, i, seen)
}

// trailStep is the number of bytes between the positions that the method `skip` records.
const trailStep = 1 << 10

// A trail contains the last position that the method `skip` recorded before it found an invalid
// byte.
type trail struct {
	lim   int // the limit of the window; d.lim is lower, and is the next position to record
	at    int
	state scanState
	nest  []byte
}

// resume sets s to the state of a scanner that has scanned a part of data from the beginning. It
// returns the end of that part.
func (s *scanner) resume(data []byte) int {
	s.reset()
	if len(data) <= 2*trailStep {
		return 0
	}
	d := decoders.Get().(*decoder)
	d.open(data)
	t := trail{lim: d.lim, state: atValue, nest: s.nest}
	d.trail, d.lim, d.depth = &t, trailStep, 0
	d.skip(d.blanks(0))
	d.trail = nil
	d.release()
	s.state, s.nest = t.state, t.nest
	return t.at
}

// nearIn is the variant of the method `near` for the method `skip`. If there is a trail, nearIn
// records the position i in the trail. The arguments `depth` and `state` are the values that `skip`
// has reached at i.
//
//go:noinline
func (d *decoder) nearIn(i, depth int, state scanState) int {
	t := d.trail
	if t == nil || i > t.lim {
		return d.near(i)
	}
	if depth > 0 { // at depth 0 the value ends at i
		t.at, t.state, t.nest = i, state, append(t.nest[:0], d.nest[1:depth+1]...)
	}
	d.lim = min(i+trailStep, t.lim)
	return i
}

// explain returns encoding/json's error for the byte b[i], which is invalid in the state of s. If i
// is len(b), it returns the error for the end of the input. If there is no error, it returns nil.
func (s *scanner) explain(b []byte, i int, seen verdict) error {
	var sample string
	if seen == complete {
		sample = `""` // or any other document
	} else if sample = s.sample(); s.tooDeep(b, i) {
		sample = strings.Repeat("[", maxDepth)
	}
	document := append(make([]byte, 0, 16), sample...)
	offset := i
	if i < len(b) {
		document = append(document, b[i])
		offset++
	}
	e, ok := json.Unmarshal(document, new(RawMessage)).(*SyntaxError)
	if !ok {
		return nil
	}
	e.Offset = int64(offset)
	return e
}

// tooDeep reports whether an array or object that begins at b[i] would exceed the maximum depth. It
// returns false if no value is allowed at b[i].
func (s *scanner) tooDeep(b []byte, i int) bool {
	return len(s.nest) == maxDepth && (s.state == atValue || s.state == atFirst) && i < len(b) && (b[i] == '[' || b[i] == '{')
}

// sample returns the beginning of a document that brings encoding/json into the state of s.
func (s *scanner) sample() string {
	inObject, inList := false, false
	if n := len(s.nest); n > 0 {
		inObject = s.nest[n-1] == '}'
		inList = !inObject
	}
	switch s.state {
	case atValue:
		switch {
		case inObject:
			return `{"":`
		case inList:
			return `[0,`
		}
		return ``
	case atFirst:
		return `[`
	case atFirstKey:
		return `{`
	case atKey:
		return `{"":0,`
	case atColon:
		return `{""`
	case atNext:
		if inObject {
			return `{"":""`
		}
		return `[""`
	case inString:
		return `"`
	case inEscape:
		return `"\`
	case inHex:
		return `"\u`
	case inWord:
		return s.word[:s.spelled]
	case inNumber:
		switch s.number {
		case afterMinus:
			return `-`
		case afterPoint:
			return `0.`
		case afterE:
			return `0e`
		case afterSign:
			return `0e+`
		}
		return `[0` // the number may end here, but not the input
	}
	return `""`
}
