package matrix

import (
	"errors"
	"io"
	"math/rand/v2"
	"reflect"
)

// Format describes the format of the package under test.
type Format struct {
	// Leaves contains the kinds from which types are built. A leaf may be a whole struct, for
	// example a type with methods or a type that refers to itself.
	Leaves []Kind
	// Messages contains kinds of complete messages. A format defines Leaves, Messages, or both.
	Messages []Kind
	// Wraps contains functions that make a kind from another kind: a list of it, a map, a pointer.
	// They report false for a kind that they cannot wrap.
	Wraps []func(r *rand.Rand, k Kind) (Kind, bool)
	// Struct makes the kind of a struct with these fields, as [StructOf] does.
	Struct func(r *rand.Rand, fields []Kind) Kind
	// Root makes the kind of a message. If Root is nil, Struct is used.
	Root func(r *rand.Rand, fields []Kind) Kind
	// Turn, if not nil, returns a kind of the same Go type that may have another notation. Some
	// targets contain views that a way of that kind has decoded. For example, a decoder that reads
	// a []byte as a list must not treat views from a decoder of blobs as memory of its own.
	Turn func(r *rand.Rand, k Kind) Kind
	// Subject returns the subject for a kind of message. An error fails the test.
	Subject func(k Kind) (*Subject, error)

	// Fill, if not nil, sets v to a random value and reports true, or it reports false. Then v is
	// filled according to its Go kind.
	Fill func(r *rand.Rand, v reflect.Value) bool
	// Text returns a random string. If Text is nil, corpus.String is used.
	Text func(r *rand.Rand) string
	// Opaque contains types that are compared by Equal, in addition to time.Time. The memory inside
	// of opaque values is not examined.
	Opaque []reflect.Type
	// Equal compares opaque values. If Equal is nil, reflect.DeepEqual is used. Times are not
	// passed to Equal, but compared by instant and zone.
	Equal func(a, b any) bool
	// Spare extends the comparison to the memory between length and capacity of slices. Without it,
	// a decoder may write there.
	Spare bool
	// Tangled makes values of the target share memory with each other, not only with other values.
	// It also makes pointers in the target point to its other values, including values that contain
	// the pointer.
	Tangled bool
	// ViewsUsed reports whether every way may decode into a target that contains views. Otherwise,
	// only ways that decode views may.
	ViewsUsed bool
	// ExactErrors reports whether, after an error, the target must equal the oracle's target.
	ExactErrors bool
	// Options contains the names of all options of the package that affect decoding. For each
	// option, a way must set it alone, and there it must change a result. Otherwise it must be a
	// key of Elsewhere, whose value says where the option is tested and why it cannot be tested
	// here.
	Options   []string
	Elsewhere map[string]string
	// Explains, if not nil, reports whether s can be a string of a target after an error, for this
	// input. If Explains is nil, s must be a part of the input. Strings that existed before, and
	// the empty string, are always allowed.
	Explains func(input []byte, s string) bool
}

// Kind is a type in the format.
type Kind struct {
	Name string            // the type in the format's notation, for failures
	Type reflect.Type      // the Go type
	Tag  reflect.StructTag // the tag of a struct field of this kind
	Data any               // data for the format's own use
}

// Subject is a type under test.
type Subject struct {
	// Encode returns v as a message. A value that cannot be encoded is skipped.
	Encode func(v reflect.Value) ([]byte, error)
	// Oracle decodes according to the contract.
	Oracle Decode
	// Ways contains the package's ways to decode, with their options.
	Ways []Way
}

// Decode decodes the message at the beginning of b into *target. It returns the number of bytes
// consumed, or -1 if the number is unknown. The memory of b stays valid and does not change after
// the call, so the target may contain views of it.
type Decode func(b []byte, target reflect.Value) (n int, err error)

// ErrUnspecified is the error of an oracle, or of a way, if the contract does not define the result
// of decoding or whether decoding succeeds. Then only memory is checked, as after an error.
var ErrUnspecified = errors.New("matrix: the contract does not say")

// Way is one way to decode. Either Bytes or Stream is set.
type Way struct {
	Name string
	// Bytes decodes from bytes.
	Bytes Decode
	// Stream returns a function that decodes the next message of r. That function is not called
	// again after it has returned an error.
	Stream func(r io.Reader) func(target reflect.Value) error
	// Views reports whether decoded values may refer to the input or, for a Stream, to a buffer.
	Views bool
	// Owned reports whether the target must not contain views, because the way writes to the memory
	// of its slices.
	Owned bool
	// Brief reports whether the views of a Stream are valid only until its next message.
	Brief bool
	// Oracle, if not nil, replaces the oracle of the subject, for options that change which input
	// is accepted or which values are decoded.
	Oracle Decode

	// Options contains the names of the options that the way sets, from Format.Options. If it
	// contains a single option, that option must sometimes have an effect. The effect is a result
	// different from that of Plain, views if Views is set, separately allocated strings if
	// OwnStrings is set, or reading no further if Exact is set.
	Options []string
	// Plain is the oracle of the same way without its options. If Plain is nil, the oracle of the
	// subject is used.
	Plain Decode
	// OwnStrings reports that no two strings of a target share an allocation.
	OwnStrings bool
	// Exact reports that a Stream reads no byte of the next message.
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
