package transcode

import (
	"errors"
	"strconv"

	"github.com/slipstream-go/slipstream/internal/wire"
)

// Error reports an error in the input, and its position.
//
//	type Error struct {
//		Offset int64  // of the value at fault, in bytes from the start of the input or the stream
//		Path   string // of the value at fault, as in users[3].name; for a key, the path of its map
//		Cause  error  // what is wrong
//	}
//
//	func (e *Error) Error() string                   // returns the text of Cause alone
//	func (e *Error) Unwrap() error                   // returns Cause, for errors.Is and errors.As
//	func (e *Error) Where() string                   // returns Path and Offset in words
//	func (e *Error) Format(s fmt.State, verb rune)   // prints Cause; %+v adds Where
//
// The verb %+v prints the position after the text, as in "transcode: the text is not valid UTF-8 in
// users[3].name, at byte 96".
type Error = wire.Error

// maxDepth is the maximum nesting depth of arrays and maps.
const maxDepth = 10000

var (
	errDepth      = errors.New("transcode: values nest deeper than " + strconv.Itoa(maxDepth))
	errTrailing   = errors.New("transcode: bytes follow the value")
	errKey        = errors.New("transcode: a map key is an array or map, which JSON does not allow")
	errNonFinite  = errors.New("transcode: NaN or an infinity, which JSON does not have")
	errTime       = errors.New("transcode: a timestamp that has no form in RFC 3339")
	errUTF8       = errors.New("transcode: the text is not valid UTF-8")
	errRange      = errors.New("transcode: the number is beyond the range of a float64")
	errLongString = errors.New("transcode: the string is too long for MessagePack")
	errLongList   = errors.New("transcode: the array or object has too many elements for MessagePack")
)

// extError is the error for an ext that is not a timestamp.
type extError int8

func (e extError) Error() string {
	return "transcode: an ext of type " + strconv.Itoa(int(e)) + ", which JSON does not have"
}

// codeError is the error for an undefined code.
type codeError byte

func (e codeError) Error() string {
	return "transcode: unknown code " + strconv.FormatUint(uint64(e), 16)
}
