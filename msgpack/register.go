package msgpack

// The registry contains the codecs and the ext ids that are registered for Go types.
//
// The registry is an immutable snapshot behind an atomic pointer. Each registration stores a new
// snapshot, and then drops all plans. Plans must be dropped, because a plan contains the codecs of
// the snapshot from which it was compiled. Each type is compiled again at its next use. If a value
// is being encoded or decoded during a registration, the earlier codecs are used for the rest of
// the value.

import (
	"maps"
	"reflect"
	"sync"
	"sync/atomic"

	"github.com/slipstream-go/slipstream/internal/mem"
)

// Version returns the release of github.com/vmihailenco/msgpack whose API this package implements.
func Version() string { return "5.4.1" }

// typeEncoder writes the values of a registered type. It calls the function encode, or writes an
// ext.
type typeEncoder struct {
	encode func(*Encoder, reflect.Value) error
	ext    func(*Encoder, reflect.Value) ([]byte, error) // returns the data of the ext
	id     int8                                          // id of the ext
	addr   bool                                          // ext takes a pointer to the value
}

// typeDecoder reads the values of a registered type. It calls the function decode, or reads an ext.
type typeDecoder struct {
	typ    reflect.Type
	decode func(*Decoder, reflect.Value) error
	ext    func(*Decoder, reflect.Value, int) error
	id     int8
	addr   bool
}

// registry contains all registrations. If a pointer type is registered as an ext, the key in the
// maps is the pointer's element type.
type registry struct {
	encoders map[reflect.Type]*typeEncoder
	decoders map[reflect.Type]*typeDecoder
	exts     [256]*typeDecoder // indexed by the ext's id, converted to uint8
	ownTime  bool              // an encoder is registered for time.Time
}

var (
	registered = func() *atomic.Pointer[registry] { // neither the atomic.Pointer nor the pointer in it is ever nil
		p := new(atomic.Pointer[registry])
		p.Store(new(registry))
		return p
	}()
	registeredMu sync.Mutex // held while the next snapshot is made
)

// register stores a changed copy of the registry, and then drops all plans that were compiled from
// the old registry. If a plan is compiled at the same time, its set is locked meanwhile. So the
// plan is either dropped with the other plans, or compiled from the new registry.
func register(change func(*registry)) {
	registeredMu.Lock()
	defer registeredMu.Unlock()
	old := registered.Load()
	next := &registry{encoders: make(map[reflect.Type]*typeEncoder), decoders: make(map[reflect.Type]*typeDecoder), exts: old.exts}
	maps.Copy(next.encoders, old.encoders)
	maps.Copy(next.decoders, old.decoders)
	change(next)
	next.ownTime = next.encoders[timeType] != nil
	registered.Store(next)
	defaultPlans.forget()
	for _, s := range otherPlans.Range {
		s.(*planSet).forget()
	}
}

func (s *planSet) forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cache.Clear()
}

// has reports whether an encoder or a decoder is registered for t.
func (r *registry) has(t reflect.Type) bool { return r.encoders[t] != nil || r.decoders[t] != nil }

func (r *registry) dropExtEncoder(id int8) {
	maps.DeleteFunc(r.encoders, func(_ reflect.Type, x *typeEncoder) bool { return x.ext != nil && x.id == id })
}

func (r *registry) dropExtDecoder(id int8) {
	maps.DeleteFunc(r.decoders, func(_ reflect.Type, x *typeDecoder) bool { return x.ext != nil && x.id == id })
	r.exts[uint8(id)] = nil
}

// Register sets the functions that write and read values of one type, which is the type of the
// argument `value`. If one of the functions is nil, the registration for that direction does not
// change. The functions have precedence over the type's methods. They are also called for nil: enc
// for a nil pointer, if a pointer type is registered, and dec for nil in the input. The
// reflect.Value passed to dec is settable. The functions must not keep their reflect.Value.
//
// Registrations do not apply to bools, numbers, strings, []byte, []any and map[string]any in an
// interface of type any. Such values are always written in their default form.
//
// A registration takes effect with the next value. Types may be registered at any time, even while
// other goroutines encode and decode. Each registration discards the compiled plans of all types,
// so register types at the start of the program.
func Register(value any, enc func(*Encoder, reflect.Value) error, dec func(*Decoder, reflect.Value) error) {
	t := typeToRegister(value)
	register(func(r *registry) {
		if enc != nil {
			r.encoders[t] = &typeEncoder{encode: enc}
		}
		if dec != nil {
			r.decoders[t] = &typeDecoder{typ: t, decode: dec}
		}
	})
}

// MarshalerUnmarshaler is implemented by types that encode and decode themselves.
type MarshalerUnmarshaler interface {
	Marshaler
	Unmarshaler
}

// RegisterExt registers the type of the argument `value` for the ext id. Values of this type are
// then written as an ext with this id, and read from such an ext. The data of the ext is the result
// of MarshalMsgpack. Decoding such an ext into type any yields a value of the registered type. If
// `value` is a pointer, which may be nil, its element type is registered, and decoding into type
// any yields a pointer.
//
// An id identifies only one type, the type that was registered last. The specification reserves the
// id -1 for timestamps. If a type is registered for -1, it replaces time.Time wherever the target
// does not determine the type.
func RegisterExt(id int8, value MarshalerUnmarshaler) {
	RegisterExtEncoder(id, value, func(_ *Encoder, v reflect.Value) ([]byte, error) {
		return v.Interface().(Marshaler).MarshalMsgpack()
	})
	RegisterExtDecoder(id, value, func(d *Decoder, v reflect.Value, n int) error {
		data := make([]byte, n) // the method may keep it
		if err := d.ReadFull(data); err != nil {
			return err
		}
		return v.Interface().(Unmarshaler).UnmarshalMsgpack(data)
	})
}

// RegisterExtEncoder makes encoders write values of one type as an ext with this id. The type is
// the type of the argument `value`. The data of the ext is the result of the function enc. The
// Encoder passed to enc has the options of the calling encoder. Bytes that enc writes to this
// Encoder are discarded.
func RegisterExtEncoder(id int8, value any, enc func(*Encoder, reflect.Value) ([]byte, error)) {
	t, addr := extType(value)
	register(func(r *registry) {
		r.dropExtEncoder(id)
		r.encoders[t] = &typeEncoder{ext: enc, id: id, addr: addr}
	})
}

// RegisterExtDecoder sets the function that reads an ext with this id into values of one type,
// which is the type of the argument `value`. If `value` is a pointer, the function dec receives a
// pointer in its argument v. Otherwise, v is settable.
//
// The Decoder passed to dec contains exactly the n bytes of the ext. Bytes that dec does not read
// are skipped. Calls of methods such as Reset do not affect the calling decoder. The Decoder has
// the options of the calling decoder, but not its interned strings. The function dec must not keep
// the Decoder.
func RegisterExtDecoder(id int8, value any, dec func(d *Decoder, v reflect.Value, n int) error) {
	t, addr := extType(value)
	register(func(r *registry) {
		r.dropExtDecoder(id)
		x := &typeDecoder{typ: t, ext: dec, id: id, addr: addr}
		r.decoders[t], r.exts[uint8(id)] = x, x
	})
}

// UnregisterExt removes the registration of the ext id for both directions. After
// UnregisterExt(-1), an ext of type -1 is decoded as a timestamp, as by default.
func UnregisterExt(id int8) {
	register(func(r *registry) {
		r.dropExtEncoder(id)
		r.dropExtDecoder(id)
	})
}

func typeToRegister(value any) reflect.Type {
	if value == nil {
		panic("msgpack: a nil has no type to register")
	}
	return reflect.TypeOf(value)
}

// extType returns the type to register as an ext for value. The result `addr` reports whether the
// registered functions receive a pointer to the value.
func extType(value any) (t reflect.Type, addr bool) {
	t = typeToRegister(value)
	if t.Kind() == reflect.Pointer {
		return t.Elem(), true
	}
	return t, false
}

// compileRegistered replaces the functions in o by the codecs that are registered for t, if there
// are any.
func (o *op) compileRegistered(t reflect.Type) {
	r := registered.Load()
	if x := r.encoders[t]; x != nil {
		o.encode, o.encoder, o.kind = encodeRegistered, x, kindOther
		o.set(encodesByMethod, false)
		if x.ext != nil {
			o.encode = encodeExt
		}
		// If the value is a pointer, enc receives it unchanged. Any other value is passed as an
		// addressable reflect.Value, because enc may take its address.
		o.set(encodesTarget, false)
		o.set(needsAddress, !o.is(isPointer))
	}
	if x := r.decoders[t]; x != nil {
		o.decode, o.decoder, o.kind = decodeRegistered, x, kindOther
		if x.ext != nil {
			o.decode = decodeExt
		}
	}
}

// reflectAt returns the value of type t at p. If addr is true, it returns a pointer to the value.
func reflectAt(t reflect.Type, p mem.Pointer, addr bool) reflect.Value {
	v := reflect.NewAt(t, mem.RawAs(p, t))
	if addr {
		return v
	}
	return v.Elem()
}

// registeredValue implements CustomEncoder and CustomDecoder for a value. Its methods call the
// functions that are registered for the value's type.
type registeredValue struct {
	*typeEncoder
	*typeDecoder
	v reflect.Value
}

func (r registeredValue) EncodeMsgpack(e *Encoder) error { return r.typeEncoder.encode(e, r.v) }
func (r registeredValue) DecodeMsgpack(d *Decoder) error { return r.typeDecoder.decode(d, r.v) }

func encodeRegistered(e *Encoder, o *op, p mem.Pointer, b []byte) []byte {
	return e.custom(b, registeredValue{typeEncoder: o.encoder, v: reflectAt(o.typ, p, false)})
}

func decodeRegistered(d *Decoder, o *op, p mem.Pointer, i int) int {
	return d.custom(i, registeredValue{typeDecoder: o.decoder, v: reflectAt(o.typ, p, false)})
}
