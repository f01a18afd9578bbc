package parco

import (
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/slipstream-go/slipstream/schema"
)

// ModelMultiBuilder is a registry of models. Each message is preceded by the id of its model. The
// header is the encoding of this id. A registry may be used concurrently, even while models are
// registered.
type ModelMultiBuilder[T comparable] struct {
	header Type[T]
	lock   sync.RWMutex
	models map[T]builderAny
}

type builderAny interface {
	ParseAny(io.Reader) (any, error)
	CompileAny(any, io.Writer) error
}

type serializable[T comparable] interface{ ParcoID() T }

// MultiBuilder returns a registry without models.
func MultiBuilder[T comparable](header Type[T]) *ModelMultiBuilder[T] {
	return &ModelMultiBuilder[T]{header: header, models: make(map[T]builderAny)}
}

// Register adds a model, which is a ModelBuilder or your own implementation. If the id is already
// registered, the error is [ErrAlreadyRegistered]. If the header cannot encode the id, Register
// returns the error of the header.
func (b *ModelMultiBuilder[T]) Register(id T, builder builderAny) (*ModelMultiBuilder[T], error) {
	if err := b.header.Compile(id, io.Discard); err != nil {
		return b, fmt.Errorf("id %v: %w", id, err)
	}
	b.lock.Lock()
	defer b.lock.Unlock()
	if _, ok := b.models[id]; ok {
		return b, fmt.Errorf("id %v: %w", id, ErrAlreadyRegistered)
	}
	b.models[id] = builder
	return b, nil
}

// MustRegister is like [ModelMultiBuilder.Register], but panics on error.
func (b *ModelMultiBuilder[T]) MustRegister(id T, builder builderAny) *ModelMultiBuilder[T] {
	if _, err := b.Register(id, builder); err != nil {
		panic(err)
	}
	return b
}

func (b *ModelMultiBuilder[T]) model(id T) (builderAny, error) {
	b.lock.RLock()
	defer b.lock.RUnlock()
	if m, ok := b.models[id]; ok {
		return m, nil
	}
	return nil, &schema.Error{Cause: fmt.Errorf("id %v: %w", id, ErrUnknownType)}
}

// Compile writes an item to w. The item's method ParcoID must return the id of the item's model.
func (b *ModelMultiBuilder[T]) Compile(item serializable[T], w io.Writer) error {
	return b.CompileAny(item.ParcoID(), item, w)
}

// CompileAny writes an item to w, with a single call of Write. The model with the given id encodes
// the item. If the item cannot be encoded, CompileAny writes no bytes.
func (b *ModelMultiBuilder[T]) CompileAny(id T, item any, w io.Writer) error {
	m, err := b.model(id)
	if err != nil {
		return err
	}
	return write(w, func(dst []byte) ([]byte, error) {
		return appended(dst, func(w io.Writer) error {
			if err := b.header.Compile(id, w); err != nil {
				return err
			}
			return m.CompileAny(item, w)
		})
	})
}

// Parse reads an id, and then a message of the model with this id. At the end of r, the error
// matches io.EOF and [ErrCannotRead]. Offsets in other errors are relative to the beginning of the
// id.
func (b *ModelMultiBuilder[T]) Parse(r io.Reader) (id T, item any, err error) {
	if id, err = b.header.Parse(r); err != nil {
		return id, nil, err
	}
	m, err := b.model(id)
	if err != nil {
		return id, nil, err
	}
	if item, err = m.ParseAny(r); err != nil {
		return id, nil, b.after(id, err)
	}
	return id, item, nil
}

// after adds the encoded length of the id to the offset of err, and returns err. The error err must
// be an error in the message that follows the id.
func (b *ModelMultiBuilder[T]) after(id T, err error) error {
	header, _ := appended(nil, func(w io.Writer) error { return b.header.Compile(id, w) })
	if errors.Is(err, io.EOF) {
		err = explain(&schema.Error{Cause: schema.ErrShort})
	}
	if e, ok := err.(*schema.Error); ok {
		e.Offset += int64(len(header))
	}
	return err
}

// global is the registry of the functions below, for programs that need only one.
var global = MultiBuilder(UInt8Header())

// RegisterModel adds a model with an id from 0 to 255.
func RegisterModel(id int, builder builderAny) error {
	_, err := global.Register(id, builder)
	return err
}

// CompileModel writes an item to w. The item's method ParcoID must return the id of the item's
// model.
func CompileModel(item serializable[int], w io.Writer) error { return global.Compile(item, w) }

// CompileAnyModel writes an item to w. The model with the given id encodes the item.
func CompileAnyModel(id int, item any, w io.Writer) error { return global.CompileAny(id, item, w) }

// ParseModel reads an id, and then a message of the model with this id.
func ParseModel(r io.Reader) (int, any, error) { return global.Parse(r) }
