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

// Version is the release of github.com/vmihailenco/msgpack that this package stands in for.
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

// Register makes enc and dec write and read values of value's type; a nil one leaves that direction
// as it is. They go before what the type has by its methods. They are called for nil too: a nil
// pointer when a pointer type is registered, and nil on the wire. The value that dec is given is
// settable. No value may be kept beyond the call.
//
// bool, numbers, string, []byte, []any and map[string]any that stand in an any are always written
// as what they are.
//
// A registration counts from the next value on, and may be made at any time, while others encode
// and decode too. Each one costs all types their plans: register at the start.
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

// MarshalerUnmarshaler is a type that writes and reads itself.
type MarshalerUnmarshaler interface {
	Marshaler
	Unmarshaler
}

// RegisterExt makes values of value's type the ext id, whose data is what MarshalMsgpack gives. In
// an any, the ext is decoded as a value of that type. With a nil pointer as value, what it would
// point to is the ext, and an any holds a pointer.
//
// An id stands for one type: the last that is registered. Type -1 is the time of the specification;
// registered, it becomes what it is registered for wherever no type is given.
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

// RegisterExtEncoder makes values of value's type the ext id, with the data that enc gives. The
// Encoder that enc is given has the options of the one that calls it; what is written to it is
// dropped.
func RegisterExtEncoder(id int8, value any, enc func(*Encoder, reflect.Value) ([]byte, error)) {
	t, addr := extType(value)
	register(func(r *registry) {
		r.dropExtEncoder(id)
		r.encoders[t] = &typeEncoder{ext: enc, id: id, addr: addr}
	})
}

// RegisterExtDecoder makes dec read the ext id into values of value's type: v is settable, or a
// pointer when value is one.
//
// The Decoder that dec is given holds the n bytes of the ext and no more: it ends after them, what
// dec leaves of them is passed over, and nothing that is done to it, such as Reset, concerns the
// decoder that called. It has the options of that one, but none of its interned strings. It must
// not be kept.
func RegisterExtDecoder(id int8, value any, dec func(d *Decoder, v reflect.Value, n int) error) {
	t, addr := extType(value)
	register(func(r *registry) {
		r.dropExtDecoder(id)
		x := &typeDecoder{typ: t, ext: dec, id: id, addr: addr}
		r.decoders[t], r.exts[uint8(id)] = x, x
	})
}

// UnregisterExt makes the ext id unknown again, in both directions; type -1 is the time again.
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
