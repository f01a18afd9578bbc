package parco

import (
	"errors"
	"fmt"
	"io"

	"github.com/slipstream-go/slipstream/schema"
)

// These are Parco's errors. If the error is in a message, it is wrapped in a [schema.Error] that
// contains its position, so use errors.Is.
var (
	// ErrNotIntegerType is never returned, as in Parco.
	ErrNotIntegerType = errors.New("parco: not an integer type")
	// ErrOverflow: a number, a length or a time does not fit its encoding or its Go type.
	ErrOverflow = errors.New("parco: a value does not fit")
	// ErrCannotRead: the input ends too early.
	ErrCannotRead = errors.New("parco: the input ends too early")
	// ErrCannotWrite: a writer accepted only a part of the bytes, or the argument `box` is too
	// short. With errors.Is, it also matches io.ErrShortWrite.
	ErrCannotWrite = fmt.Errorf("parco: not all bytes could be written: %w", io.ErrShortWrite)
	// ErrAlreadyRegistered: a registry already contains a model with this id.
	ErrAlreadyRegistered = errors.New("parco: the id is registered already")
	// ErrUnknownType: a registry contains no model with this id, or the model has another Go type.
	ErrUnknownType = errors.New("parco: unknown type")
	// ErrInvalidLength: a slice does not have the length of its Array.
	ErrInvalidLength = errors.New("parco: invalid length")
)

// ErrUnSufficientBytes is returned by the functions that parse a number if there are too few bytes.
// With errors.Is, it also matches [ErrCannotRead].
type ErrUnSufficientBytes struct{ want, have int }

func NewErrUnSufficientBytesError(want, have int) ErrUnSufficientBytes {
	return ErrUnSufficientBytes{want, have}
}

func (e ErrUnSufficientBytes) Error() string {
	return fmt.Sprintf("parco: %d bytes where there should be %d", e.have, e.want)
}

// Is reports whether target is [ErrCannotRead], or an ErrUnSufficientBytes with the same number of
// wanted bytes and with 0 as the number of bytes present. In Parco, the number of bytes present is
// always 0 in errors of this type.
func (e ErrUnSufficientBytes) Is(target error) bool {
	return target == ErrCannotRead || target == ErrUnSufficientBytes{want: e.want}
}

// ErrFieldNotFound is never returned, as in Parco.
type ErrFieldNotFound struct{ field string }

func NewErrFieldNotFoundError(field string) ErrFieldNotFound { return ErrFieldNotFound{field} }

func (e ErrFieldNotFound) Error() string { return "parco: there is no field " + e.field }

// ErrTypeAssertion contains the expected and the actual Go type of a value. It is joined with
// [ErrUnknownType].
type ErrTypeAssertion struct{ want, have string }

func NewErrTypeAssertionError(want, have string) ErrTypeAssertion {
	return ErrTypeAssertion{want, have}
}

func (e ErrTypeAssertion) Error() string {
	return "parco: a value of type " + e.have + " where there should be one of type " + e.want
}

// ErrCompile is an error in a model, such as a field without a getter. It is returned at the first
// use of the model.
type ErrCompile struct{ reason string }

func NewErrCompile(reason string) ErrCompile { return ErrCompile{reason} }

func (e ErrCompile) Error() string { return e.reason }

// meaning joins an error in a message with the corresponding error of Parco.
type meaning struct{ cause, is error }

func (m *meaning) Error() string { return m.cause.Error() }

func (m *meaning) Unwrap() []error { return []error{m.cause, m.is} }

var meanings = []meaning{
	{schema.ErrShort, ErrCannotRead}, {io.EOF, ErrCannotRead}, {schema.ErrOverflow, ErrOverflow}, {schema.ErrTime, ErrOverflow},
	{schema.ErrSize, ErrOverflow}, {schema.ErrItems, ErrOverflow}, {schema.ErrLength, ErrInvalidLength},
}

// explain returns err, joined with the corresponding error of Parco.
func explain(err error) error {
	if err == io.EOF {
		err = &schema.Error{Cause: io.EOF}
	}
	e, ok := err.(*schema.Error)
	if !ok {
		return err
	}
	for _, m := range meanings {
		if errors.Is(e.Cause, m.cause) && !errors.Is(e.Cause, m.is) {
			e.Cause = &meaning{e.Cause, m.is}
		}
	}
	return e
}

// causeOf returns err without its position. It is used if the position in the message is not known.
func causeOf(err error) error {
	if e, ok := err.(*schema.Error); ok {
		return e.Cause
	}
	return err
}
