package transcode

import (
	"bytes"
	"slices"

	"github.com/slipstream-go/slipstream/internal/wire"
	"github.com/slipstream-go/slipstream/json"
)

// pathTo returns the path of the value that begins at data[at]. All tokens before this value must
// be valid. pathTo reads these tokens again with t, so that no keys need to be stored for valid
// documents. A first pass counts the arrays and objects that are open at the end, because a short
// document can open thousands of them. So the second pass allocates memory only for the steps of
// these arrays and objects.
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
		key   []byte // of the current member, or nil before its key
		index int    // of the current element, or -1 in an object
	}
	steps := make([]step, depth)
	for range tokensBefore(t, data, at) {
		switch outer := t.Depth - 1; {
		case t.Delim == '[' && t.Depth < depth:
			steps[t.Depth] = step{}
		case t.Delim == '{' && t.Depth < depth:
			steps[t.Depth] = step{index: -1}
		case outer < 0 || outer >= depth: // it is closed before at
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

// tokensBefore yields once for each token in data[:at]. The current token is in t. The token at
// data[at] is not read, because it may be invalid, and creating an error takes time.
func tokensBefore(t *json.Tokenizer, data []byte, at int) func(yield func() bool) {
	return func(yield func() bool) {
		t.Reset(data)
		for end := 0; len(bytes.TrimLeft(data[end:at], " \t\r\n")) > 0 && t.Next() && yield(); {
			end = len(data) - t.Remaining()
		}
	}
}
