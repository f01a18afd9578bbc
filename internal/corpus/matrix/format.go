package matrix

import (
	"errors"
	"io"
	"math/rand/v2"
	"reflect"
)

// Format is what a package under test says of its format.
type Format struct {
	// Leaves are the kinds that types are made of. They may be whole structs, as types with methods
	// or types that lead to themselves.
	Leaves []Kind
	// Messages are kinds of messages as they are. A format has Leaves, Messages, or both.
	Messages []Kind
	// Wraps make a kind of another one: a list of it, a map, a pointer. They report false for a
	// kind that they cannot wrap.
	Wraps []func(r *rand.Rand, k Kind) (Kind, bool)
	// Struct makes the kind of a struct with these fields, as [StructOf] does.
	Struct func(r *rand.Rand, fields []Kind) Kind
	// Root makes the kind of a message. It is Struct if it is nil.
	Root func(r *rand.Rand, fields []Kind) Kind
	// Turn, if not nil, returns a kind of the same Go type that may have another notation. Some
	// targets hold views that a way of that kind has decoded: who reads a []byte as a list must not
	// take the views of a reader of blobs for memory of its own.
	Turn func(r *rand.Rand, k Kind) Kind
	// Subject is called for each message kind. An error fails the test.
	Subject func(k Kind) (*Subject, error)

	// Fill, if not nil, sets v to a random value and reports true, or reports false: then v is
	// filled by its Go kind.
	Fill func(r *rand.Rand, v reflect.Value) bool
	// Text returns a random string. It is corpus.String if it is nil.
	Text func(r *rand.Rand) string
	// Opaque are types that are compared by Equal, and whose memory is not looked at, besides
	// time.Time.
	Opaque []reflect.Type
	// Equal compares opaque values. It is reflect.DeepEqual if it is nil; times are compared by
	// instant and zone before.
	Equal func(a, b any) bool
	// Spare has the memory between length and capacity of slices compared too. Else a decoder may
	// write there.
	Spare bool
	// Tangled has values of the target share memory with each other, not only with other values,
	// and its pointers lead to its other values, also to those that contain them.
	Tangled bool
	// ViewsUsed tells that a target that holds views may be decoded into by any way. Else only ways
	// that decode views follow.
	ViewsUsed bool
	// ExactErrors tells that after an error the target holds what the oracle's target does.
	ExactErrors bool
	// Options are the names of all options of the package that decoding knows. Each is set alone by
	// a way, where it must be seen to change something, or is a key of Elsewhere, whose value says
	// where it is tested and why it cannot be here.
	Options   []string
	Elsewhere map[string]string
	// Explains, if not nil, reports whether s can be a string of a target after an error, for this
	// input. Strings that were there before can, and the empty one. If it is nil, s must be a part
	// of the input.
	Explains func(input []byte, s string) bool
}

// Kind is a type in the format.
type Kind struct {
	Name string            // the type in the format's notation, for failures
	Type reflect.Type      // the Go type
	Tag  reflect.StructTag // the tag of a struct field of this kind
	Data any               // what else the format wants to know of it
}

// Subject is a type under test.
type Subject struct {
	// Encode returns a message. A value that cannot be encoded is skipped.
	Encode func(v reflect.Value) ([]byte, error)
	// Oracle decodes as the contract says.
	Oracle Decode
	// Ways are the entries of the package, with their options.
	Ways []Way
}

// Decode decodes the message at the beginning of b into what target, a pointer, points to. It
// returns the number of bytes that it took, or -1 if that is not known. The memory of b is valid
// and does not change after the call, so views may be made of it.
type Decode func(b []byte, target reflect.Value) (n int, err error)

// ErrUnspecified is returned by an oracle, or by a way, where nobody says what is decoded and
// whether it can be. Then only memory is looked at, as after an error.
var ErrUnspecified = errors.New("matrix: the contract does not say")

// Way is one way to decode. Either Bytes or Stream is set.
type Way struct {
	Name string
	// Bytes decodes from bytes.
	Bytes Decode
	// Stream returns a function that decodes the next message of r. It is not called again after it
	// returned an error.
	Stream func(r io.Reader) func(target reflect.Value) error
	// Views tells that decoded values may lie in the input or, of a Stream, in a buffer.
	Views bool
	// Owned tells that the target must not hold views: the way writes where its slices are.
	Owned bool
	// Brief tells that the views of a Stream are valid until its next message only.
	Brief bool
	// Oracle replaces that of the subject, for options that change what is accepted or what is
	// decoded.
	Oracle Decode

	// Options are the names of those that the way sets, of Format.Options. If it is one, it must at
	// times give another result than Plain, or views where Views is set, strings of their own where
	// OwnStrings is, and read no further where Exact is.
	Options []string
	// Plain is the oracle of the same way without its options. It is that of the subject if it is
	// nil.
	Plain Decode
	// OwnStrings tells that no two strings of a target share an allocation.
	OwnStrings bool
	// Exact tells that a Stream reads no byte of the next message.
	Exact bool
}

// StructOf returns a struct type with a field for each kind, with their tags. The fields are F0, F1
// and so on.
func StructOf(fields []Kind) reflect.Type {
	list := make([]reflect.StructField, len(fields))
	for i, k := range fields {
		list[i] = reflect.StructField{Name: fieldName(i), Type: k.Type, Tag: k.Tag}
	}
	return reflect.StructOf(list)
}
