package msgpack

// Codecs that are registered for types, and types that are registered as ext.
//
// What is registered is a snapshot that never changes, held by an atomic pointer: registering makes
// the next one. Plans hold the codecs that stood in the snapshot when they were compiled; after a
// new snapshot is in place all plans are dropped, and types compile again when they are next met. A
// value that is under way is finished with the codecs that it started with.

import (
	"maps"
	"reflect"
	"sync"
	"sync/atomic"

	"github.com/slipstream-go/slipstream/internal/mem"
)

// Version returns the release of github.com/vmihailenco/msgpack whose API this package has.
func Version() string { return "5.4.1" }

// typeEncoder is how a type is written: by encode, or as an ext.
type typeEncoder struct {
	encode func(*Encoder, reflect.Value) error
	ext    func(*Encoder, reflect.Value) ([]byte, error) // gives the data of the ext
	id     int8                                          // of the ext
	addr   bool                                          // ext takes a pointer to the value
}

// typeDecoder is how a type is read: by decode, or from an ext.
type typeDecoder struct {
	typ    reflect.Type
	decode func(*Decoder, reflect.Value) error
	ext    func(*Decoder, reflect.Value, int) error
	id     int8
	addr   bool
}

// registry is what is registered. A type that is registered as an ext by a pointer to it stands
// there as the type itself.
type registry struct {
	encoders map[reflect.Type]*typeEncoder
	decoders map[reflect.Type]*typeDecoder
	exts     [256]*typeDecoder // by the ext's id, as a uint8
	ownTime  bool              // time.Time has another encoder than ours
}

var (
	registered = func() *atomic.Pointer[registry] { // never nil, nor is what it holds
		p := new(atomic.Pointer[registry])
		p.Store(new(registry))
		return p
	}()
	registeredMu sync.Mutex // held while the next snapshot is made
)

// register puts a changed copy of the registry in place, and then drops all plans that were made by
// the old one. A plan that is compiled meanwhile, by whichever of them, is made under the lock of
// its set: it is dropped with the rest, or new.
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
// that direction does not change. They have precedence over the type's methods. They are also
// called for nil: with a nil pointer, if a pointer type is registered, and for nil in the input.
// The value passed to dec is settable. The functions must not keep the value.
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

// RegisterExt makes values of value's type the ext id. The data of the ext is the result of
// MarshalMsgpack. In an any, the ext becomes a value of that type. If value is a nil pointer, the
// type it points to is registered, and an any gets a pointer.
//
// An id stands for one type, the last one that was registered. Type -1 is the timestamp of the
// specification; after a registration, it is the registered type wherever the target does not give
// a type.
func RegisterExt(id int8, value MarshalerUnmarshaler) {
	RegisterExtEncoder(id, value, func(_ *Encoder, v reflect.Value) ([]byte, error) {
		return v.Interface().(Marshaler).MarshalMsgpack()
	})
	RegisterExtDecoder(id, value, func(d *Decoder, v reflect.Value, n int) error {
		data := make([]byte, n) // the method's to keep
		if err := d.ReadFull(data); err != nil {
			return err
		}
		return v.Interface().(Unmarshaler).UnmarshalMsgpack(data)
	})
}

// RegisterExtEncoder makes values of value's type the ext id, with the data that enc returns. The
// Encoder passed to enc has the options of the calling encoder; what is written to it is discarded.
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

// UnregisterExt removes the registration of the ext id for both directions. Type -1 becomes the
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

// extType is the type that becomes an ext, and whether its functions take a pointer to it.
func extType(value any) (t reflect.Type, addr bool) {
	t = typeToRegister(value)
	if t.Kind() == reflect.Pointer {
		return t.Elem(), true
	}
	return t, false
}

// compileRegistered lets what is registered for t take the place of all else.
func (o *op) compileRegistered(t reflect.Type) {
	r := registered.Load()
	if x := r.encoders[t]; x != nil {
		o.encode, o.encoder, o.kind, o.custom = encodeRegistered, x, kindOther, false
		if x.ext != nil {
			o.encode = encodeExt
		}
		// A pointer is given as it is; of anything else enc may take the address.
		o.through, o.receiver = false, !o.pointer
	}
	if x := r.decoders[t]; x != nil {
		o.decode, o.decoder, o.kind = decodeRegistered, x, kindOther
		if x.ext != nil {
			o.decode = decodeExt
		}
	}
}

// reflectAt is the value at p, or a pointer to it.
func reflectAt(t reflect.Type, p mem.Pointer, addr bool) reflect.Value {
	v := reflect.NewAt(t, mem.RawAs(p, t))
	if addr {
		return v
	}
	return v.Elem()
}

// registeredValue is a value with its registered functions, as a custom codec.
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
