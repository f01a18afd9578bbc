package schema

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/slipstream-go/slipstream/internal/mem"
	"github.com/slipstream-go/slipstream/internal/wire"
)

// These errors concern models.
var (
	// ErrUnknown: no model has this id.
	ErrUnknown = errors.New("schema: an unknown id")
	// ErrRegistered: another model already has this id.
	ErrRegistered = errors.New("schema: the id is taken")
	// ErrType: the model with this id has a Go type that differs from the requested type.
	ErrType = errors.New("schema: the model has a different Go type")
)

// Registry reads and writes messages of several schemas, which are called its models. Each message
// is preceded by the id of its model, as in Parco's Multi:
//
//	00   03 63 61 74   03        id u8, {name str8, age u8}
//
// Models may be registered at any time. Reading and writing are safe for concurrent use, and do not
// lock a mutex.
//
// If the schema of a model has a Tail, the end of the input is the end of the message. So such a
// message must be the last message of the input, and cannot be read from a stream.
type Registry[K comparable] struct {
	heads   *Schema[head[K]]
	spare   sync.Pool     // contains values of type *head[K]
	framed  bool          // heads contain the length of the body
	unknown func(K) error // returns the error for an unknown id

	adding sync.Mutex
	models atomic.Pointer[map[K]model[K]] // the maps are immutable
}

// head is the part of a message before the body.
type head[K comparable] struct {
	id     K
	length uint32 // length of the body; only in frames
}

// NewRegistry returns a Registry without models. The argument `id` is the type of the ids. Like
// [Struct], NewRegistry panics if this type contains a mistake.
func NewRegistry[K comparable](id Type[K]) *Registry[K] {
	return newRegistry(func(id K) error { return fmt.Errorf("%w: %v", ErrUnknown, id) },
		F("id", func(h *head[K]) *K { return &h.id }, id))
}

func newRegistry[K comparable](unknown func(K) error, fields ...Field[head[K]]) *Registry[K] {
	r := &Registry[K]{heads: Struct(fields...).With(Alias), framed: len(fields) > 1, unknown: unknown}
	r.spare.New = func() any { return new(head[K]) }
	r.models.Store(&map[K]model[K]{})
	return r
}

// model is one schema of a Registry. It hides the Go type of the schema.
type model[K comparable] interface {
	dispatch(in input[K]) (rest []byte, err error)
	parse(in input[K]) (id K, v any, rest []byte, err error)
}

// modelOf is a model whose Go type is T.
type modelOf[K comparable, T any] struct {
	r       *Registry[K]
	id      K
	head    []byte // the encoded head
	s       *Schema[T]
	targets sync.Pool                  // contains values of type *T
	take    func(v *T) error           // passes v, or its upgraded value, to the function of the newest version
	newest  func(v *T) (K, any, error) // returns v, or its upgraded value, and the id of the newest version
}

// Register adds a model with the schema s. The argument `on` is the handler, a function that
// [Registry.Dispatch] calls with the value of each message of the model. If Dispatch is not used,
// the handler may be nil.
//
// The *T that the handler receives is valid until the handler returns. After that, any goroutine
// may read another message into it, as [Schema.Parse] does. So the handler may keep strings (unless
// s has the option Alias), but must not keep slices, maps or pointers. Fields of T that are not in
// s keep their values from earlier calls.
func Register[K comparable, T any](r *Registry[K], id K, s *Schema[T], on func(*T) error) error {
	if on == nil {
		on = func(*T) error { return fmt.Errorf("schema: model %v has no handler", id) }
	}
	return (&modelOf[K, T]{r: r, id: id, s: s, take: on, newest: func(v *T) (K, any, error) { return id, v, nil }}).register()
}

// Upgrade adds the schema s as an older version of a registered model, which is called the target
// model. The argument `id` is the id of the older version, and the argument `to` is the id of the
// target model. When a message of the older version is read, the function `up` converts its value
// to the type of the target model. The target model may itself be an older version of a third
// model, so that readers receive only the newest version.
//
// The function `up` receives a pointer to the older value, and a pointer to a zero value, which it
// must set. The new value may share memory with the older value. If the function returns an error,
// the method that reads the message returns this error, wrapped.
func Upgrade[K comparable, A, B any](r *Registry[K], id K, s *Schema[A], to K, up func(old *A, new *B) error) error {
	newer, err := modelFor[K, B](r, to)
	switch {
	case err != nil:
		return err
	case up == nil:
		return fmt.Errorf("schema: model %v has no upgrade function", id)
	}
	convert := func(old *A, new *B) error {
		if err := up(old, new); err != nil {
			return fmt.Errorf("schema: upgrading model %v to %v: %w", id, to, err)
		}
		return nil
	}
	values := sync.Pool{New: func() any { return new(B) }}
	take := func(old *A) error {
		v := values.Get().(*B)
		err := convert(old, v)
		if err == nil {
			err = newer.take(v)
		}
		*v = *new(B) // because it may share memory with old
		values.Put(v)
		return err
	}
	newest := func(old *A) (K, any, error) {
		v := new(B)
		if err := convert(old, v); err != nil {
			return id, nil, err
		}
		return newer.newest(v)
	}
	return (&modelOf[K, A]{r: r, id: id, s: s, take: take, newest: newest}).register()
}

func (m *modelOf[K, T]) register() error {
	var err error
	r := m.r
	if m.head, err = r.heads.Append(nil, &head[K]{id: m.id}); err != nil {
		return err
	}
	m.targets.New = func() any { return new(T) }
	r.adding.Lock()
	defer r.adding.Unlock()
	models := maps.Clone(*r.models.Load())
	if models[m.id] != nil {
		return fmt.Errorf("%w: %v", ErrRegistered, m.id)
	}
	models[m.id] = m
	r.models.Store(&models)
	return nil
}

// modelFor returns the model with this id. Its Go type must be T.
func modelFor[K comparable, T any](r *Registry[K], id K) (*modelOf[K, T], error) {
	found := (*r.models.Load())[id]
	if found == nil {
		return nil, r.unknown(id)
	}
	m, ok := found.(*modelOf[K, T])
	if !ok {
		return nil, fmt.Errorf("%w: %v is no %v", ErrType, id, wire.TypeName(reflect.TypeFor[T]()))
	}
	return m, nil
}

// AppendModel appends the id and v to dst, as [Schema.Append] does. After an error, it returns dst
// unchanged.
func AppendModel[K comparable, T any](r *Registry[K], dst []byte, id K, v *T) ([]byte, error) {
	m, err := modelFor[K, T](r, id)
	if err != nil {
		return dst, err
	}
	return m.append(dst, v)
}

func (m *modelOf[K, T]) append(dst []byte, v *T) ([]byte, error) {
	body := len(dst) + len(m.head)
	b, err := m.s.Append(append(dst, m.head...), v)
	switch {
	case err != nil:
		return dst, moved(err, len(m.head))
	case m.r.framed && !H32.put(b, body-H32.size(), len(b)-body):
		return dst, cut(len(m.head), exceeds(ErrOverflow, "a body of %d bytes exceeds a frame's %d", len(b)-body, headerMax[H32]))
	}
	return b, nil
}

// WriteModel writes the id and v to w, with a single call of Write. If the id or v cannot be
// encoded, it writes no bytes.
func WriteModel[K comparable, T any](r *Registry[K], w io.Writer, id K, v *T) error {
	return writeOnce(w, func(b []byte) ([]byte, error) { return AppendModel(r, b, id, v) })
}

// Dispatch reads the message at the beginning of b, and passes it to the handler of its model. It
// returns the rest of b after the message, and the handler's error. If the message cannot be read,
// the result `rest` is b.
func (r *Registry[K]) Dispatch(b []byte) (rest []byte, err error) {
	m, in, err := r.open(b)
	if err != nil {
		return b, err
	}
	return m.dispatch(in)
}

// Parse reads the message at the beginning of b into a new value, and converts the value to the
// newest version of its model. The result `v` is a pointer to the converted value. The result `id`
// is the id of the newest version.
func (r *Registry[K]) Parse(b []byte) (id K, v any, rest []byte, err error) {
	m, in, err := r.open(b)
	if err != nil {
		return id, nil, b, err
	}
	return m.parse(in)
}

// input describes where the body of a message is. The body begins at b[at], and the body of a frame
// ends at b[end]. If `stream` is not nil, the body follows the head that this reader has read last.
type input[K comparable] struct {
	b       []byte // begins with the head
	at, end int
	stream  *Reader[head[K]]
}

// open reads the head at the beginning of b.
func (r *Registry[K]) open(b []byte) (m model[K], in input[K], err error) {
	h := r.spare.Get().(*head[K])
	body, err := r.heads.Parse(b, h)
	in = input[K]{b: b, at: len(b) - len(body), end: len(b)}
	if err == nil {
		m, err = r.find(h.id)
	}
	if err == nil && r.framed {
		if uint64(h.length) > uint64(len(body)) {
			err = cut(in.at, ErrShort)
		} else {
			in.end = in.at + int(h.length)
		}
	}
	*h = head[K]{} // because its id may be a view of b
	r.spare.Put(h)
	return m, in, err
}

// find returns the model with the id of a message.
func (r *Registry[K]) find(id K) (model[K], error) {
	m := (*r.models.Load())[id]
	if m == nil {
		return nil, &Error{Path: r.heads.n.fields[0].name, Cause: r.unknown(id)}
	}
	return m, nil
}

// read reads the body into v, and returns the bytes after the message.
func (m *modelOf[K, T]) read(in input[K], v *T) (rest []byte, err error) {
	if in.stream != nil {
		return nil, follow(in.stream, m.s, v)
	}
	rest, err = m.s.Parse(in.b[in.at:in.end], v)
	if err == nil && m.r.framed && len(rest) > 0 {
		err = &Error{Offset: int64(in.end - in.at - len(rest)), Cause: ErrFrame}
	}
	if err != nil {
		return in.b, moved(err, in.at)
	}
	return in.b[in.end-len(rest):], nil
}

// moved adds n to the offset of err, because the message begins n bytes earlier. The error err must
// be an [*Error].
func moved(err error, n int) error {
	err.(*Error).Offset += int64(n)
	return err
}

func (m *modelOf[K, T]) dispatch(in input[K]) (rest []byte, err error) {
	v := m.targets.Get().(*T)
	if rest, err = m.read(in, v); err != nil {
		return rest, err
	}
	size := len(in.b) - len(rest)
	if in.stream != nil {
		size = in.stream.taken()
	}
	err = m.take(v)
	if size <= maxPooled {
		m.targets.Put(v)
	}
	return rest, err
}

func (m *modelOf[K, T]) parse(in input[K]) (id K, v any, rest []byte, err error) {
	t := new(T)
	if rest, err = m.read(in, t); err != nil {
		return m.id, nil, rest, err
	}
	id, v, err = m.newest(t)
	return id, v, rest, err
}

// ModelReader reads a sequence of messages of several models from an io.Reader. A [Reader] does the
// same for messages of one schema.
type ModelReader[K comparable] struct {
	r     *Registry[K]
	heads *Reader[head[K]]
	head  head[K]
}

// Reader returns a reader of messages from src. It uses only the options Exact and MaxBytes of the
// argument `set`. All other options come from the schemas.
func (r *Registry[K]) Reader(src io.Reader, set ...Option) *ModelReader[K] {
	return &ModelReader[K]{r: r, heads: r.heads.Reader(src, append(slices.Clip(set), Alias)...)}
}

// Dispatch reads a message as [Registry.Dispatch] does. At the end of the stream, it returns
// io.EOF. If the handler or an upgrade returns an error, the next call reads the next message.
// After any other error, Dispatch returns the same error again.
func (m *ModelReader[K]) Dispatch() error {
	found, in, err := m.next()
	if err == nil {
		_, err = found.dispatch(in)
	}
	return err
}

// Parse reads a message as [Registry.Parse] does. It returns the same errors as
// [ModelReader.Dispatch].
func (m *ModelReader[K]) Parse() (id K, v any, err error) {
	found, in, err := m.next()
	if err == nil {
		id, v, _, err = found.parse(in)
	}
	return id, v, err
}

// next reads the head of the next message. If the message is a frame, it also reads the body.
func (m *ModelReader[K]) next() (found model[K], in input[K], err error) {
	r := m.heads
	if err = r.Next(&m.head); err != nil {
		return nil, in, err
	}
	if found, err = m.r.find(m.head.id); err != nil {
		r.err = err
		return nil, in, err
	}
	in.stream = r
	if m.r.framed {
		in, err = m.frame()
	}
	return found, in, err
}

// taken returns the number of bytes of the current message that have been read.
func (r *Reader[T]) taken() int { return r.at - r.feed.from }

// follow reads the body of a message into v. Immediately before the call, r must have read the head
// of the same message.
func follow[H, T any](r *Reader[H], s *Schema[T], v *T) error {
	d, o := &r.d, &s.options
	if s.n.hasTail() {
		r.err = &Error{Offset: int64(r.taken()), Cause: ErrEnd}
		return r.err
	}
	d.next(s.pg, o)
	i := d.run(s.pg, s.n.place(mem.PointerTo(v)), 1, r.at)
	if i < 0 {
		r.err = d.fault.error(r.feed.from)
		return r.err
	}
	r.at = i
	return nil
}
