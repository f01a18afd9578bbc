package json

// The errors of encoding/json for input that is not valid.
//
// Only encoding/json can make them: the text of a SyntaxError is not exported. It need not read the
// input for that. A scanner finds the byte that is wrong, from a place on that skip came to, which
// is several times as fast; a document of a few bytes that leads encoding/json into the same state,
// followed by the same byte, gives the same error. The offset is exported, so it is set to that of
// the input.

import (
	"encoding/json"
	"errors"
	"strings"
)

var errDisagree = errors.New("json: valid input was not understood; please report it")

// explain returns encoding/json's error for data, which is not a valid document.
func explain(data []byte) error {
	if !onV2 { // whose errors depend on more than the state
		if err := explainState(data); err != nil {
			return err
		}
	}
	if err := json.Unmarshal(data, new(RawMessage)); err != nil {
		return err
	}
	return errDisagree
}

// explainState returns encoding/json's error for data by way of the state that a scanner is in
// where data is wrong, or nil if it is not.
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

// trailStep is after how many bytes skip notes where it is.
const trailStep = 1 << 10

// A trail is the last place that skip noted, before it found that the input is not valid.
type trail struct {
	lim   int // where the window ends: d.lim is before it
	at    int
	state scanState
	nest  []byte
}

// resume sets s to a state that scanning data from the start leads to, and returns the position.
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

// nearIn is near for skip, which is in state at depth.
//
//go:noinline
func (d *decoder) nearIn(i, depth int, state scanState) int {
	t := d.trail
	if t == nil || i > t.lim {
		return d.near(i)
	}
	if depth > 0 { // else the value ends at i
		t.at, t.state, t.nest = i, state, append(t.nest[:0], d.nest[1:depth+1]...)
	}
	d.lim = min(i+trailStep, t.lim)
	return i
}

// explain returns encoding/json's error for b[i], which is wrong in the state of s, or for the end
// of the input if i is len(b). It returns nil if there is no error.
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

// tooDeep reports whether b[i] begins a container where a value may stand, but none that nests
// deeper.
func (s *scanner) tooDeep(b []byte, i int) bool {
	return len(s.nest) == maxDepth && (s.state == atValue || s.state == atFirst) && i < len(b) && (b[i] == '[' || b[i] == '{')
}

// sample returns the beginning of a document that leads encoding/json into the state of s.
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
		return `[0` // which may end the number, but not the input
	}
	return `""`
}
