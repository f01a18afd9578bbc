package msgpack

// The Query methods find the values that a path selects. Decoder and Raw share the code that
// searches the bytes of a complete value. The Decoder decodes the selected values, and Raw returns
// views of them.

import (
	"fmt"
	"io"
	"iter"
	"strconv"
	"strings"

	"github.com/slipstream-go/slipstream/internal/mem"
	"github.com/slipstream-go/slipstream/internal/wire"
)

// Path selects parts of a value. It is a sequence of steps that are separated by dots, such as
// users.0.name.
//
// In a map, a step selects the value of a key. The key must be a str or bin with the same bytes as
// the step, or an int whose decimal form is the step. If a key is repeated, its last value is
// selected, as in decoding. In an array, a step is an index, starting with 0. The step * selects
// all values of a map or an array. A backslash makes the following dot, asterisk or backslash a
// part of the key: a\.b is one step, and \* is the key *. An empty step ends the path. The empty
// path selects the value itself.
//
// A Path may be used concurrently.
type Path struct{ steps []step }

type step struct {
	key string
	all bool // the step is *
}

// ParsePath parses a path. It returns an error only if the path has more than 10,000 steps, which
// is the maximum depth of a value.
func ParsePath(path string) (Path, error) {
	var p Path
	for path != "" && path[0] != '.' {
		if len(p.steps) == maxDepth {
			return Path{}, depthError(maxDepth)
		}
		var s step
		s, path = cutStep(path)
		p.steps = append(p.steps, s)
	}
	return p, nil
}

// cutStep splits path into its first step and the rest.
func cutStep(path string) (s step, rest string) {
	escaped := false
	end := 0
	for ; end < len(path) && path[end] != '.'; end++ {
		if path[end] == '\\' && end+1 < len(path) && strings.IndexByte(`.*\`, path[end+1]) >= 0 {
			escaped = true
			end++
		}
	}
	s.key, rest = path[:end], strings.TrimPrefix(path[end:], ".")
	s.all = s.key == "*"
	if escaped {
		s.key = unescape.Replace(s.key)
	}
	return s, rest
}

var unescape = strings.NewReplacer(`\.`, ".", `\*`, "*", `\\`, `\`)

// Query reads the next value, and decodes only the parts of the value that match path. Each part is
// decoded as if into type any. The results are in the order of the input. [Path] describes the
// syntax of a path. Query first searches for the end of the value, so a value from a stream must
// arrive completely, and is buffered.
//
// If no part matches, the result and the error are nil. Query returns an error if path continues
// inside a value that is neither an array nor a map, or if a step into an array is not an index. If
// the value is complete, the next call reads the following value, even after an error.
func (d *Decoder) Query(path string) ([]any, error) {
	p, err := ParsePath(path)
	if err != nil {
		return nil, err
	}
	mark := d.begin()
	g := d.guard(mark)
	defer g.done()
	next := d.skipJoining(mark)
	if next < 0 {
		return nil, g.end(-1)
	}
	flags := d.flags
	d.flags &^= internStrings // all strings of the value are in the dict already
	defer func() { d.flags = flags }()
	var found []any
	w := walk{b: d.b, base: d.base}
	whole := w.from(mark, p.steps, func(i int) bool {
		v, end := d.readAny(i)
		if end < 0 {
			w.err, w.path = d.err, append(w.path, d.path...)
			d.err = nil
			d.path.Reset()
			return false
		}
		found = append(found, v)
		return true
	})
	if !whole {
		w.err.Path = w.path.String()
		if d.inside > 1 {
			d.inner = w.err
		}
		d.depth = g.depth
		_ = g.end(next)
		return nil, w.err
	}
	return found, g.end(next)
}

// Query returns an iterator over views of the parts of r that match p, in the order of the input.
// If p continues inside a value that is neither an array nor a map, or if a step into an array is
// not an index, the iterator yields a missing value and an error, and ends. The offset in the error
// is relative to the start of r. If r is a missing value, the iterator yields no values.
func (r Raw) Query(p Path) iter.Seq2[Raw, error] {
	return func(yield func(Raw, error) bool) {
		if len(r) == 0 {
			return
		}
		w := walk{b: r}
		w.from(0, p.steps, func(i int) bool {
			v := r.at(i)
			if v == nil {
				return w.fail(i, io.ErrUnexpectedEOF)
			}
			return yield(v, nil)
		})
		if w.err != nil {
			w.err.Path = w.path.String()
			yield(nil, w.err)
		}
	}
}

// walk follows the steps of a path through a value. It calls visit with the offset of each selected
// value, until visit returns false.
type walk struct {
	b    []byte
	base int64     // offset of b[0] in the input
	err  *Error    // the error that ended the walk, if any
	path wire.Path // path of err; each level adds its step on return
}

type visitor = func(i int) (more bool)

func (w *walk) fail(i int, cause error) bool {
	w.err = &Error{Offset: w.base + int64(i), Cause: cause}
	return false
}

// from calls visit for the values that the steps select in the value at i. It returns false if the
// walk must end.
func (w *walk) from(i int, steps []step, visit visitor) bool {
	if len(steps) == 0 {
		return visit(i)
	}
	if i >= len(w.b) {
		return w.fail(i, io.ErrUnexpectedEOF)
	}
	s, rest := steps[0], steps[1:]
	switch Raw(w.b[i:]).Kind() {
	case KindArray:
		return w.array(i, s, rest, visit)
	case KindMap:
		return w.table(i, s, rest, visit)
	}
	return w.fail(i, fmt.Errorf("msgpack: unsupported code=%x decoding key=%q", w.b[i], s.key))
}

func (w *walk) array(i int, s step, rest []step, visit visitor) bool {
	if s.all {
		n, i := readCount(w.b, i, false)
		for k := range n {
			next := skip(w.b, i)
			if next < 0 {
				return w.fail(i, io.ErrUnexpectedEOF)
			}
			if !w.element(i, k, rest, visit) {
				return false
			}
			i = next
		}
		return true
	}
	k, err := strconv.Atoi(s.key)
	if err != nil {
		return w.fail(i, &indexError{s.key, err})
	}
	if i = elementAt(w.b, i, k); i < 0 {
		return true
	}
	return w.element(i, k, rest, visit)
}

// indexError reports that a step into an array is not an index.
type indexError struct {
	key   string
	cause error // a *strconv.NumError
}

func (e *indexError) Error() string {
	return fmt.Sprintf("msgpack: invalid array index %q in the path", e.key)
}

func (e *indexError) Unwrap() error { return e.cause }

func (w *walk) element(i, k int, rest []step, visit visitor) bool {
	more := w.from(i, rest, visit)
	if w.err != nil {
		w.path.Index(k)
	}
	return more
}

func (w *walk) table(i int, s step, rest []step, visit visitor) bool {
	if s.all {
		var room keyRoom
		n, i := readCount(w.b, i, true)
		for range n {
			key, _, value := keyText(w.b, i, &room)
			next := skip(w.b, value)
			if next < 0 {
				return w.fail(i, io.ErrUnexpectedEOF)
			}
			if !w.value(value, key, rest, visit) {
				return false
			}
			i = next
		}
		return true
	}
	if i = valueAt(w.b, i, s.key); i < 0 {
		return true
	}
	return w.value(i, mem.Bytes(s.key), rest, visit)
}

func (w *walk) value(i int, key []byte, rest []step, visit visitor) bool {
	more := w.from(i, rest, visit)
	if w.err != nil {
		w.path.Field(string(key))
	}
	return more
}
