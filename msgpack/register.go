package msgpack

// Registered codecs of types, and types registered as ext.
//
// The registry is an immutable snapshot behind an atomic pointer. Each registration stores a new
// snapshot and then drops all plans. A plan contains the codecs of the snapshot from which it was
// compiled, so each type is compiled again at its next use. A value that is being encoded or
// decoded meanwhile is finished with the earlier codecs.

import (
	"maps"
	"reflect"
	"sync"
	"sync/atomic"

	"github.com/slipstream-go/slipstream/internal/mem"
)

// Version returns the release of github.com/vmihailenco/msgpack whose API this package implements.
func Version() string { return "5.4.1" }

// typeEncoder writes the values of a registered type: it calls encode, or writes an ext.
type typeEncoder struct {
	encode func(*Encoder, reflect.Value) error
	ext    func(*Encoder, reflect.Value) ([]byte, error) // returns the data of the ext
	id     int8                                          // of the ext
	addr   bool                                          // ext takes a pointer to the value
}

// typeDecoder reads the values of a registered type: it calls decode, or reads an ext.
type typeDecoder struct {
	typ    reflect.Type
	decode func(*Decoder, reflect.Value) error
	ext    func(*Decoder, reflect.Value, int) error
	id     int8
	addr   bool
}

// registry contains all registrations. If a pointer type is registered as an ext, the key in the
// maps is the type that it points to.
type registry struct {
	encoders map[reflect.Type]*typeEncoder
	decoders map[reflect.Type]*typeDecoder
	exts     [256]*typeDecoder // by the ext's id, as a uint8
	ownTime  bool              // an encoder is registered for time.Time
}

var (
	registered = func() *atomic.Pointer[registry] { // neither it nor the pointer that it holds is ever nil
		p := new(atomic.Pointer[registry])
		p.Store(new(registry))
		return p
	}()
	registeredMu sync.Mutex // held while the next snapshot is made
)

// register stores a changed copy of the registry, and then drops all plans that were compiled from
// the old registry. A plan that is compiled meanwhile is compiled under the lock of its set. So the
// plan is either dropped with the others, or compiled from the new registry.
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

// has reports whether t has a registered codec in either direction.
func (r *registry) has(t reflect.Type) bool { return r.encoders[t] != nil || r.decoders[t] != nil }

func (r *registry) dropExtEncoder(id int8) {
	maps.DeleteFunc(r.encoders, func(_ reflect.Type, x *typeEncoder) bool { return x.ext != nil && x.id == id })
}

func (r *registry) dropExtDecoder(id int8) {
	maps.DeleteFunc(r.decoders, func(_ reflect.Type, x *typeDecoder) bool { return x.ext != nil && x.id == id })
	r.exts[uint8(id)] = nil
}

// Register sets the functions that write and read values of value's type. If one of them is nil,
// that direction does not change. The functions have precedence over the type's methods. They are
// also called for nil: for a nil pointer, if a pointer type is registered, and for nil in the
// input. The value passed to dec is settable. The functions must not keep the value.
//
// In an any, bool, numbers, string, []byte, []any and map[string]any are always written in their
// default form.
//
// A registration applies from the next value on. It may be made at any time, also during encoding
// and decoding in other goroutines. Each registration discards the encoding plans of all types, so
// register types at the start of the program.
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

// RegisterExt registers value's type for the ext id: its values are written as that ext and read
// from it. The data of the ext is the result of MarshalMsgpack. In an any, the ext becomes a value
// of that type. If value is a nil pointer, the type it points to is registered, and an any gets a
// pointer.
//
// An id identifies one type, the last one registered. The id -1 is the timestamp of the
// specification. If it is registered, it becomes the registered type wherever the target does not
// determine the type.
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

// RegisterExtEncoder makes encoders write values of value's type as the ext id, with the data that
// enc returns. The Encoder passed to enc has the options of the calling encoder. Bytes that enc
// writes to it are discarded.
func RegisterExtEncoder(id int8, value any, enc func(*Encoder, reflect.Value) ([]byte, error)) {
	t, addr := extType(value)
	register(func(r *registry) {
		r.dropExtEncoder(id)
		r.encoders[t] = &typeEncoder{ext: enc, id: id, addr: addr}
	})
}

// RegisterExtDecoder sets the function that reads the ext id into values of value's type. v is
// settable, or a pointer if value is one.
//
// The Decoder passed to dec contains exactly the n bytes of the ext. Bytes that dec does not read
// are skipped, and calls such as Reset do not affect the calling decoder. It has the options of the
// calling decoder, but not its interned strings. Dec must not keep it.
func RegisterExtDecoder(id int8, value any, dec func(d *Decoder, v reflect.Value, n int) error) {
	t, addr := extType(value)
	register(func(r *registry) {
		r.dropExtDecoder(id)
		x := &typeDecoder{typ: t, ext: dec, id: id, addr: addr}
		r.decoders[t], r.exts[uint8(id)] = x, x
	})
}

// UnregisterExt removes the registration of the ext id for both directions. The id -1 becomes the
// timestamp again.
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

// extType returns the type to register as an ext for value. addr reports whether its functions get
// a pointer to the value.
func extType(value any) (t reflect.Type, addr bool) {
	t = typeToRegister(value)
	if t.Kind() == reflect.Pointer {
		return t.Elem(), true
	}
	return t, false
}

// compileRegistered replaces the functions in o with the codecs that are registered for t, if any.
func (o *op) compileRegistered(t reflect.Type) {
	r := registered.Load()
	if x := r.encoders[t]; x != nil {
		o.encode, o.encoder, o.kind, o.custom = encodeRegistered, x, kindOther, false
		if x.ext != nil {
			o.encode = encodeExt
		}
		// enc gets a pointer as it is. Other values are addressable, because enc may take their
		// address.
		o.through, o.receiver = false, !o.pointer
	}
	if x := r.decoders[t]; x != nil {
		o.decode, o.decoder, o.kind = decodeRegistered, x, kindOther
		if x.ext != nil {
			o.decode = decodeExt
		}
	}
}

// reflectAt returns the value of type t at p or, with addr set, a pointer to it.
func reflectAt(t reflect.Type, p mem.Pointer, addr bool) reflect.Value {
	v := reflect.NewAt(t, mem.RawAs(p, t))
	if addr {
		return v
	}
	return v.Elem()
}

// registeredValue implements CustomEncoder and CustomDecoder for a value by its registered
// functions.
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
