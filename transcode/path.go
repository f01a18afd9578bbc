package transcode

import (
	"slices"

	"github.com/slipstream-go/slipstream/internal/wire"
	"github.com/slipstream-go/slipstream/json"
)

// pathTo is the path to what begins at data[at], where the tokens before that are valid. It reads these again, so that nobody has
// to remember the keys of a document without faults.
func pathTo(data []byte, at int) string {
	type step struct {
		list, member bool // in an array; in an object, behind a key
		index        int
		key          []byte
	}
	var open []step
	t := json.NewTokenizer(data)
	for t.Next() && len(data)-t.Remaining()-len(t.Value) < at {
		last := len(open) - 1
		switch {
		case t.Delim == '[' || t.Delim == '{':
			open = append(open, step{list: t.Delim == '['})
		case t.Delim == ']' || t.Delim == '}':
			open = open[:last]
		case t.Delim == ',':
			open[last].index++
			open[last].member = false
		case t.IsKey:
			open[last].member, open[last].key = true, t.Value
		}
	}
	var path wire.Path
	for _, s := range slices.Backward(open) {
		if s.list {
			path.Index(s.index)
		} else if s.member {
			path.Field(string(json.Unescape(s.key)))
		}
	}
	return path.String()
}
