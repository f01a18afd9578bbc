package transcode

import (
	"bytes"
	"slices"

	"github.com/slipstream-go/slipstream/internal/wire"
	"github.com/slipstream-go/slipstream/json"
)

// pathTo returns the path to what begins at data[at]; the tokens before that are valid. It reads
// these again with t, so that nobody has to remember the keys of a document without faults. The
// first pass finds how many arrays and objects are open, so that the second one allocates no more
// than their steps: a short document can open thousands.
func pathTo(t *json.Tokenizer, data []byte, at int) string {
	depth := 0
	for range tokensBefore(t, data, at) {
		switch t.Delim {
		case '[', '{':
			depth++
		case ']', '}':
			depth--
		}
	}
	type step struct {
		key   []byte // of the member, or nil before it has one
		index int    // of the element, or -1 in an object
	}
	steps := make([]step, depth)
	for range tokensBefore(t, data, at) {
		switch outer := t.Depth - 1; {
		case t.Delim == '[' && t.Depth < depth:
			steps[t.Depth] = step{}
		case t.Delim == '{' && t.Depth < depth:
			steps[t.Depth] = step{index: -1}
		case outer < 0 || outer >= depth: // what is in it is closed before at
		case t.IsKey:
			steps[outer].key = t.Value
		case t.Delim == ',' && steps[outer].index < 0:
			steps[outer].key = nil
		case t.Delim == ',':
			steps[outer].index++
		}
	}
	path := make(wire.Path, 0, depth)
	for _, s := range slices.Backward(steps) {
		if s.index >= 0 {
			path.Index(s.index)
		} else if s.key != nil {
			path.Field(string(json.Unescape(s.key)))
		}
	}
	return path.String()
}

// tokensBefore yields once for each token of data[:at]. The token is in t. What is at data[at] is
// not read: it may be at fault, and an error takes its time.
func tokensBefore(t *json.Tokenizer, data []byte, at int) func(yield func() bool) {
	return func(yield func() bool) {
		t.Reset(data)
		for end := 0; len(bytes.TrimLeft(data[end:at], " \t\r\n")) > 0 && t.Next() && yield(); {
			end = len(data) - t.Remaining()
		}
	}
}
