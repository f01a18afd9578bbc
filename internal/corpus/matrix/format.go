package matrix

import (
	"errors"
	"io"
	"math/rand/v2"
	"reflect"
)

// Format describes the format of the package under test.
type Format struct {
	// Leaves contains the kinds from which types are built. A leaf may be a complete struct, for
	// example a type with methods or a type that refers to itself.
	Leaves []Kind
	// Messages contains kinds of complete messages. A format defines Leaves, Messages, or both.
	Messages []Kind
	// Wraps contains functions that make a kind from another kind, for example a list, a map or a
	// pointer. They return false for a kind that they cannot wrap.
	Wraps []func(r *rand.Rand, k Kind) (Kind, bool)
	// Struct makes the kind of a struct with the given fields, like [StructOf].
	Struct func(r *rand.Rand, fields []Kind) Kind
	// Root makes the kind of a message with the given fields. If Root is nil, Struct is used.
	Root func(r *rand.Rand, fields []Kind) Kind
	// Turn, if not nil, returns a kind with the same Go type, possibly with another notation. Some
	// targets contain views that were decoded in the notation of that other kind. For example, a
	// decoder that reads a []byte as a list must not treat views from a decoder of blobs as its own
	// memory.
	Turn func(r *rand.Rand, k Kind) Kind
	// Subject returns the subject for a kind of message. An error fails the test.
	Subject func(k Kind) (*Subject, error)

	// Fill, if not nil, either sets v to a random value and returns true, or returns false. If it
	// returns false, v is filled according to its Go kind.
	Fill func(r *rand.Rand, v reflect.Value) bool
	// Text returns a random string. If Text is nil, corpus.String is used.
	Text func(r *rand.Rand) string
	// Opaque contains types, in addition to time.Time, whose values are compared as a whole. The
	// memory inside opaque values is not examined.
	Opaque []reflect.Type
	// Equal compares opaque values. If Equal is nil, reflect.DeepEqual is used. Equal is not called
	// for times, which are compared by instant and zone.
	Equal func(a, b any) bool
	// Spare extends the comparison to the memory between the length and the capacity of slices. If
	// Spare is not set, a decoder may write to that memory.
	Spare bool
	// Tangled makes values in the target share memory with each other, not only with values outside
	// the target. It also makes pointers in the target point to other values in the target,
	// including values that contain the pointer.
	Tangled bool
	// ViewsUsed reports whether every way may decode into a target that contains views. If it is
	// false, only ways that decode views may decode into such a target.
	ViewsUsed bool
	// ExactErrors reports whether, after an error, the target must equal the oracle's target.
	ExactErrors bool
	// Options contains the names of all options of the package that affect decoding. For each
	// option, there must be a way that sets only this option, and the option must change a result
	// of that way. Otherwise the option must be a key in Elsewhere. The value in Elsewhere states
	// where the option is tested, and why it cannot be tested here.
	Options   []string
	Elsewhere map[string]string
	// Explains, if not nil, reports whether decoding the given input may leave the string s in a
	// target after an error. If Explains is nil, s must be a part of the input. Strings that
	// existed before, and the empty string, are always allowed.
	Explains func(input []byte, s string) bool
}

// Kind is a type in the format.
type Kind struct {
	Name string            // the type in the format's notation, for failures
	Type reflect.Type      // the Go type
	Tag  reflect.StructTag // the tag of a struct field of this kind
	Data any               // data for use by the format's own functions
}

// Subject is a type under test.
type Subject struct {
	// Encode encodes v as a message. If it returns an error, the value is skipped.
	Encode func(v reflect.Value) ([]byte, error)
	// Oracle is the independent decoder. It defines the contract.
	Oracle Decode
	// Ways contains the package's ways to decode, with their options.
	Ways []Way
}

// Decode decodes the message at the beginning of b into *target. It returns the number of bytes
// consumed, or -1 if the number is unknown. The memory of b stays valid and does not change after
// the call, so the target may contain views of it.
type Decode func(b []byte, target reflect.Value) (n int, err error)

// ErrUnspecified is returned by an oracle or a way if the contract does not define the result of
// decoding. It is also returned if the contract does not define whether decoding succeeds. In both
// cases, only memory is checked, as after an error.
var ErrUnspecified = errors.New("matrix: the contract does not define the result")

// Way is one way to decode. Either Bytes or Stream is set.
type Way struct {
	Name string
	// Bytes decodes from bytes.
	Bytes Decode
	// Stream returns a function that decodes the next message from r. After this function has
	// returned an error, it is not called again.
	Stream func(r io.Reader) func(target reflect.Value) error
	// Views reports whether decoded values may refer to the input or, for a Stream, to a buffer.
	Views bool
	// Owned reports whether the target must not contain views, because the way writes to the memory
	// of its slices.
	Owned bool
	// Brief reports whether views that a Stream returns are valid only until its next message.
	Brief bool
	// Oracle, if not nil, replaces the oracle of the subject, for options that change which input
	// is accepted or which values are decoded.
	Oracle Decode

	// Options contains the names of the options that the way sets, from Format.Options. If it
	// contains a single option, that option must sometimes have an effect. An effect is a result
	// that differs from the result of Plain. The following results also count as effects. With
	// Views, the target contains a view. With OwnStrings, a string has a separate allocation. With
	// Exact, the way reads no byte after the message.
	Options []string
	// Plain is the oracle of the same way without its options. If Plain is nil, the oracle of the
	// subject is used.
	Plain Decode
	// OwnStrings reports whether each string in a target has a separate allocation.
	OwnStrings bool
	// Exact reports whether a Stream never reads a byte of the next message.
	Exact bool
}

// StructOf returns a struct type with a field for each kind, with the kind's tag. The fields are
// named F0, F1 and so on.
func StructOf(fields []Kind) reflect.Type {
	list := make([]reflect.StructField, len(fields))
	for i, k := range fields {
		list[i] = reflect.StructField{Name: fieldName(i), Type: k.Type, Tag: k.Tag}
	}
	return reflect.StructOf(list)
}
