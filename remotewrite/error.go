package remotewrite

import (
	"errors"
	"io"
	"math"
	"slices"

	"github.com/slipstream-go/slipstream/internal/wire"
)

// Error reports an error in a body, and its position. The error text contains all fields:
//
//	remotewrite: timeseries[3].labels[1].name: unexpected EOF (offset 96)
type Error struct {
	Offset int64  // offset of the field, in bytes from the start of the body
	Path   string // path of the field, such as timeseries[3].labels[1].name; empty for the body itself
	Cause  error  // io.ErrUnexpectedEOF for a body that ends too early, ErrVersion, or an error that contains only a text
}

func (e *Error) Error() string { return wire.Located("remotewrite", e.Path, e.Offset, e.Cause) }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Cause }

// ErrVersion is the cause of the error for a body that contains only fields of the other Remote
// Write version. Without this error, the body would be read as an empty request.
var ErrVersion = errors.New("remotewrite: the body contains only fields of the other protocol version")

var errNoVersion = errors.New("remotewrite: the version is neither V1 nor V2")

// These errors are causes for invalid encodings. If the input ends too early, the cause is
// io.ErrUnexpectedEOF instead.
var (
	errVarint   = errors.New("remotewrite: a varint of more than 64 bits")
	errNumber   = errors.New("remotewrite: a field number that is 0 or above 2^29-1")
	errWireType = errors.New("remotewrite: an undefined wire type")
	errEndGroup = errors.New("remotewrite: an end-group tag without a start-group tag")
	errType     = errors.New("remotewrite: a field with the wrong wire type")
	errPacked   = errors.New("remotewrite: the last packed number goes beyond its field")
	errRef      = errors.New("remotewrite: a reference beyond the symbols")
	errOdd      = errors.New("remotewrite: an odd number of label references")
	errLong     = errors.New("remotewrite: a body of 4 GB or more")
	errSymbol   = errors.New("remotewrite: symbols[0] is not empty")
)

// A fault contains the data of an Error while its path is not complete.
type fault struct {
	at    int
	path  wire.Path
	cause error
}

func (f *fault) error() error {
	return &Error{Offset: int64(f.at), Path: f.path.String(), Cause: f.cause}
}

// fieldFault returns the reason why readField failed at i.
func fieldFault(b []byte, i int) *fault {
	v, at := readVarint(b, i)
	switch {
	case at < 0:
		return varintFault(b, i)
	case v&7 == typeEnd:
		return &fault{at: i, cause: errEndGroup}
	case v < 8 || v > math.MaxUint32:
		return &fault{at: i, cause: errNumber}
	}
	if v&7 == typeGroup {
		return groupFault(b, at)
	}
	return valueFault(b, i, at, v&7)
}

// valueFault returns the reason why readValue failed at the offset `at`. The value belongs to the
// field at i.
func valueFault(b []byte, i, at int, wireType uint64) *fault {
	if wireType > typeFixed32 {
		return &fault{at: i, cause: errWireType}
	}
	if wireType == typeVarint || wireType == typeBytes {
		if _, next := readVarint(b, at); next < 0 {
			return varintFault(b, at)
		}
	}
	return &fault{at: i, cause: io.ErrUnexpectedEOF}
}

// groupFault returns the reason why skipGroup failed, and the position of the error. The search
// begins at i.
func groupFault(b []byte, i int) *fault {
	for {
		v, at := readVarint(b, i)
		if at < 0 {
			return varintFault(b, i)
		}
		next := at
		if v&7 != typeGroup && v&7 != typeEnd {
			if _, next = readValue(b, at, v&7); next < 0 {
				return valueFault(b, i, at, v&7)
			}
		}
		i = next
	}
}

// varintFault returns the reason why there is no valid varint at i.
func varintFault(b []byte, i int) *fault {
	if len(b)-i < maxVarint && !slices.ContainsFunc(b[i:], func(c byte) bool { return c < 0x80 }) {
		return &fault{at: i, cause: io.ErrUnexpectedEOF}
	}
	return &fault{at: i, cause: errVarint}
}
