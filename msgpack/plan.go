package msgpack

// Each Go type is compiled once into an op. An op contains data and two static functions, which
// decode and encode a value of the type at an address. A structPlan stores the fields of a struct
// in two flat arrays, one for decoding and one for encoding. The loops that decode and encode
// structs iterate over these arrays. A switch in each loop handles the most common leaf kinds, and
// the op's function handles all other kinds.

import (
	"encoding"
	"fmt"
	"math"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/slipstream-go/slipstream/internal/mem"
	"github.com/slipstream-go/slipstream/internal/msgpwire"
	"github.com/slipstream-go/slipstream/internal/plan"
)

// kind selects the case of the switch in the loops over a struct's fields.
type kind uint8

const (
	kindOther kind = iota // handled by the op's function
	kindString
	kindInt // int and int64
	kindUint
	kindFloat64
	kindBool
	kindFixedInt  // an int64 that is always written in 8 bytes
	kindFixedUint // a uint64 that is always written in 8 bytes
)

type (
	// A decodeFn reads the value at d.b[i:] into *p, and returns the offset after it, or -1 with
	// d.err set. It may replace d.b.
	decodeFn func(d *Decoder, o *op, p mem.Pointer, i int) int
	// An encodeFn appends *p to b. It stores an error in e.err.
	encodeFn func(e *Encoder, o *op, p mem.Pointer, b []byte) []byte
)

// op contains the functions and data for reading and writing values of one type.
type op struct {
	decode  decodeFn
	encode  encodeFn
	kind    kind
	traits  traits
	size    uintptr
	length  int // of an array
	elem    *op
	key     *op
	fields  *structPlan
	encoder *typeEncoder // registered
	decoder *typeDecoder // registered
	typ     reflect.Type
	last    atomic.Uint32 // size in bytes of the last value that Marshal encoded

	// Method tables (mem.MethodTable) of the interfaces with the type's encoding and decoding
	// methods.
	writes, reads, readsText mem.Raw
}

// traits is a set of facts about a type.
type traits uint16

const (
	isPointer traits = 1 << iota
	isInterface
	isPointerShaped  // an interface contains the value itself, not a pointer to it
	canBeNil         // a value can be nil, but the type is neither a pointer nor an interface
	needsAddress     // encode calls a method with a pointer receiver, of the type or of a part of it
	encodesTarget    // the type is a pointer, and the pointer's target is encoded in its place
	encodesByMethod  // encode is encodeCustom, and writes contains the method table
	encodesStateless // encoding uses only the flags of the Encoder; the type contains no interface, no method and no recursive type
	decodesStateless // decoding calls no method, and does not change the Decoder's state
)

func (o *op) is(t traits) bool { return o.traits&t != 0 }

func (o *op) set(t traits, on bool) {
	if o.traits &^= t; on {
		o.traits |= t
	}
}

// structPlan contains the fields of a struct, in the order in which they are written.
type structPlan struct {
	in        []inField // indexed like list, followed by a field that never matches
	keys      []string  // encoded keys, indexed like list
	out       []outField
	names     *plan.Names
	byName    []*inField // indexed by the results of names
	header    []byte     // header of the map if no field can be omitted
	omits     bool       // a field can be omitted
	asArray   bool
	anyLength bool // an array may be shorter or longer than the struct
	slow      bool // use appendStructSlow: written as an array, or a field can be omitted or is interned
	list      []plan.Field
}

// inField describes a field for decoding.
//
// key1 and key2 contain the encoded key: the header and the name. mask1 and mask2 select the bytes
// to compare. For a key of more than 16 bytes, they never match, and the key is compared as text.
type inField struct {
	key1, mask1 uint64
	key2, mask2 uint64
	op          *op
	offset      uint32
	index       uint16 // in structPlan.list
	size        uint8  // size of the encoded key in bytes
	kind        kind
	hops        bool
}

// outField describes a field for encoding.
type outField struct {
	text    string // the encoded key, followed by 8 bytes of padding
	op      *op
	empty   test // nil if the field is never omitted
	always  test // used with the option that may omit every field
	offset  uint32
	kind    kind
	hops    bool
	spills  bool   // the key may be stored in whole words, because the value always overwrites the extra bytes of the last word
	reserve uint32 // number of bytes to reserve before this field, for all fields up to the next field with a reservation; 0 for none
	index   uint16
}

// planRules identifies a set of plans.
type planRules struct {
	tag       string // the tag key for fields without a msgpack tag
	json      bool   // embedded structs as in encoding/json
	jsonEmpty bool   // omitempty as in encoding/json
}

// planSet contains the plans of all types for one set of planRules.
type planSet struct {
	planRules
	rules plan.Rules
	cache plan.Cache[*op]
	mu    sync.Mutex
	open  map[reflect.Type]*op // ops being compiled, for recursive types
}

var defaultPlans = newPlanSet(planRules{})

var otherPlans sync.Map // planRules → *planSet

func newPlanSet(r planRules) *planSet {
	return &planSet{planRules: r, rules: plan.Rules{Key: "msgpack", Fallback: r.tag, Marker: "_msgpack", Opaque: encodesItself, Dominance: r.json}}
}

func plansFor(r planRules) *planSet {
	if r == (planRules{}) {
		return defaultPlans
	}
	s, ok := otherPlans.Load(r)
	if !ok {
		s, _ = otherPlans.LoadOrStore(r, newPlanSet(r))
	}
	return s.(*planSet)
}

// tagged returns the rules of s, but with another tag key.
func (s *planSet) tagged(tag string) planRules {
	r := s.planRules
	r.tag = tag
	return r
}

// of returns the op for t.
func (s *planSet) of(t reflect.Type) *op {
	if o, ok := s.cache.Get(mem.TypeWord(t)); ok {
		return o
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open = make(map[reflect.Type]*op)
	o := s.compile(t)
	for t, o := range s.open {
		s.cache.Put(mem.TypeWord(t), o)
	}
	s.open = nil
	if kept, ok := s.cache.Get(mem.TypeWord(t)); ok {
		return kept
	}
	return o
}

// byWord returns the op for the type of v. The argument `word` is the type word of this type.
func (s *planSet) byWord(word mem.Raw, v any) *op {
	if o, ok := s.cache.Get(word); ok {
		return o
	}
	return s.of(reflect.TypeOf(v))
}

var (
	customEncoderType     = reflect.TypeFor[CustomEncoder]()
	customDecoderType     = reflect.TypeFor[CustomDecoder]()
	marshalerType         = reflect.TypeFor[Marshaler]()
	unmarshalerType       = reflect.TypeFor[Unmarshaler]()
	binaryMarshalerType   = reflect.TypeFor[encoding.BinaryMarshaler]()
	binaryUnmarshalerType = reflect.TypeFor[encoding.BinaryUnmarshaler]()
	textMarshalerType     = reflect.TypeFor[encoding.TextMarshaler]()
	textUnmarshalerType   = reflect.TypeFor[encoding.TextUnmarshaler]()
	errorType             = reflect.TypeFor[error]()
	timeType              = reflect.TypeFor[time.Time]()
	anyType               = reflect.TypeFor[any]()
	valueType             = reflect.TypeFor[reflect.Value]() // the value that it contains is encoded
	rawMessageType        = reflect.TypeFor[RawMessage]()
	rawType               = reflect.TypeFor[Raw]()
)

// encodesItself reports whether t has an encoding or decoding method, or is registered. It is also
// true for time.Time.
func encodesItself(t reflect.Type) bool {
	if t == timeType || registered.Load().has(t) {
		return true
	}
	p := reflect.PointerTo(t)
	for _, i := range []reflect.Type{customEncoderType, marshalerType, binaryMarshalerType, textMarshalerType,
		customDecoderType, unmarshalerType, binaryUnmarshalerType, textUnmarshalerType} {
		if p.Implements(i) {
			return true
		}
	}
	return false
}

func (s *planSet) compile(t reflect.Type) *op {
	if o := s.open[t]; o != nil {
		return o
	}
	if o, ok := s.cache.Get(mem.TypeWord(t)); ok {
		return o
	}
	o := &op{typ: t, size: t.Size()}
	o.set(isPointerShaped, !mem.Indirect(t))
	o.set(canBeNil, nilable(t.Kind()))
	s.open[t] = o
	s.compileKind(o, t)
	s.compileMethods(o, t)
	o.compileRegistered(t)
	o.set(encodesStateless, o.isEncodedStateless())
	o.set(decodesStateless, o.isDecodedStateless())
	return o
}

// isDecodedStateless computes the trait decodesStateless. For a recursive type, it is false,
// because the type's own op is not finished yet.
func (o *op) isDecodedStateless() bool {
	switch {
	case o.typ == timeType || o.typ == rawMessageType:
		return o.decoder == nil
	case o.is(isInterface) || encodesItself(o.typ):
		return false
	case o.fields != nil:
		for k := range o.fields.list {
			if !o.fields.in[k].op.is(decodesStateless) {
				return false
			}
		}
		return true
	}
	return (o.key == nil || o.key.is(decodesStateless)) && (o.elem == nil || o.elem.is(decodesStateless))
}

// isEncodedStateless computes the trait encodesStateless. For a recursive type, it is false,
// because the type's own op is not finished yet.
func (o *op) isEncodedStateless() bool {
	switch {
	case o.typ == timeType || o.typ == rawMessageType:
		return o.encoder == nil
	case o.writes != nil || o.is(isInterface) || o.typ == valueType || encodesItself(o.typ):
		return false
	case o.fields != nil:
		for k := range o.fields.out {
			if !o.fields.out[k].op.is(encodesStateless) {
				return false
			}
		}
		return true
	case o.key != nil && !o.key.is(encodesStateless) || o.elem != nil && !o.elem.is(encodesStateless):
		return false
	}
	switch o.typ.Kind() {
	case reflect.Chan, reflect.Func, reflect.Complex64, reflect.Complex128, reflect.UnsafePointer, reflect.Struct:
		return false // the type is unsupported; for a struct, fields is nil
	}
	return true
}

// compileKind sets the functions of o according to the kind of t.
func (s *planSet) compileKind(o *op, t reflect.Type) {
	switch t.Kind() {
	case reflect.Bool:
		o.kind, o.decode, o.encode = kindBool, decodeBool, encodeBool
	case reflect.Int:
		o.decode, o.encode = intOps(t.Size()).decode, encodeInt
		if t.Size() == 8 {
			o.kind = kindInt
		}
	case reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		ops := intOps(t.Size())
		o.decode, o.encode, o.kind = ops.decode, ops.encode, ops.kind
	case reflect.Uint, reflect.Uintptr:
		o.decode, o.encode = uintOps(t.Size()).decode, encodeUint
		if t.Size() == 8 {
			o.kind = kindUint
		}
	case reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		ops := uintOps(t.Size())
		o.decode, o.encode, o.kind = ops.decode, ops.encode, ops.kind
	case reflect.Float32:
		o.decode, o.encode = decodeFloat32, encodeFloat32
	case reflect.Float64:
		o.kind, o.decode, o.encode = kindFloat64, decodeFloat64, encodeFloat64
	case reflect.String:
		o.kind, o.decode, o.encode = kindString, decodeString, encodeString
	case reflect.Pointer:
		o.set(isPointer|encodesTarget, true)
		o.elem = s.compile(t.Elem())
		o.decode, o.encode = decodePointer, encodePointer
	case reflect.Interface:
		o.set(isInterface, true)
		o.decode, o.encode = decodeInterface, encodeInterface
		if t == anyType {
			o.decode, o.encode = decodeAny, encodeAny
		}
	case reflect.Slice:
		s.compileSlice(o, t)
	case reflect.Array:
		o.length = t.Len()
		o.elem = s.compile(t.Elem())
		o.set(needsAddress, o.elem.is(needsAddress))
		o.decode, o.encode = decodeArray, encodeArray
		if t.Elem().Kind() == reflect.Uint8 {
			o.decode, o.encode = decodeByteArray, encodeByteArray
		}
	case reflect.Map:
		s.compileMap(o, t)
	case reflect.Struct:
		o.decode, o.encode = decodeStruct, encodeStruct
		o.fields = s.compileStruct(t)
		if t.Size() > math.MaxUint32 || len(o.fields.list) > math.MaxUint16 { // exceeds the integer types in inField and outField
			o.decode, o.encode, o.fields = decodeUnsupported, encodeUnsupported, nil
			return
		}
		for i := range o.fields.out {
			f := &o.fields.out[i]
			if f.op.is(needsAddress) && !f.hops {
				o.set(needsAddress, true)
			}
		}
	default:
		o.decode, o.encode = decodeUnsupported, encodeUnsupported
	}
}

func (s *planSet) compileSlice(o *op, t reflect.Type) {
	o.elem = s.compile(t.Elem())
	o.decode, o.encode = decodeSlice, encodeSlice
	plain := o.elem.fields == nil && !encodesItself(t.Elem())
	switch t.Elem().Kind() {
	case reflect.Uint8:
		o.decode, o.encode = decodeBytes, encodeBytes
	case reflect.String:
		if plain {
			o.decode, o.encode = decodeStrings, encodeStrings
		}
	case reflect.Int64:
		if plain {
			o.decode, o.encode = decodeInt64s, encodeInt64s
		}
	case reflect.Float64:
		if plain {
			o.decode, o.encode = decodeFloat64s, encodeFloat64s
		}
	}
}

func (s *planSet) compileMap(o *op, t reflect.Type) {
	o.key, o.elem = s.compile(t.Key()), s.compile(t.Elem())
	o.decode, o.encode = decodeMap, encodeMap
	if t.Key().Kind() != reflect.String || encodesItself(t.Key()) || encodesItself(t.Elem()) {
		return
	}
	switch t.Elem().Kind() {
	case reflect.String:
		o.decode, o.encode = decodeMapText, encodeMapOf(appendStringOf)
	case reflect.Float64:
		o.decode, o.encode = decodeMapOf(readFloat64At), encodeMapOf(appendFloat64Of)
	case reflect.Int64:
		o.decode, o.encode = decodeMapOf(readInt64At), encodeMapOf(appendFixedInt64Of)
	case reflect.Int:
		o.decode, o.encode = decodeMapOf(readIntAt), encodeMapOf(appendIntOf)
	case reflect.Bool:
		o.decode, o.encode = decodeMapOf(readBoolAt), encodeMapOf(appendBoolOf)
	case reflect.Interface:
		if t.Elem() == anyType {
			o.decode, o.encode = decodeMapAny, encodeMapAny
		}
	}
}

// compileMethods makes o call the encoding and decoding methods of t, if there are any.
func (s *planSet) compileMethods(o *op, t reflect.Type) {
	if t == timeType {
		o.decode, o.encode, o.kind = decodeTimeValue, encodeTimeValue, kindOther
		return
	}
	if t == rawMessageType || t == rawType {
		o.decode, o.encode = decodeRawMessage, encodeRawMessage
		return
	}
	if t.Kind() == reflect.Pointer {
		return // its op calls the op of the element, which has the methods
	}
	if t.Kind() == reflect.Interface {
		if t == errorType {
			o.encode = encodeErrorInterface
		}
		return // the value in it is written by the value's methods
	}
	p := reflect.PointerTo(t)
	// Methods with a value receiver have precedence over methods with a pointer receiver.
	if o.encodeBy(t, t) {
		o.set(needsAddress, false)
	} else if o.encodeBy(p, t) {
		o.set(needsAddress, true)
	}
	text := p.Implements(textUnmarshalerType)
	if text {
		o.readsText = tableOf[encoding.TextUnmarshaler](t)
	}
	switch {
	case p.Implements(customDecoderType):
		o.decode, o.reads, o.kind = decodeCustom, tableOf[CustomDecoder](t), kindOther
	case p.Implements(unmarshalerType):
		o.decode, o.reads, o.kind = decodeUnmarshaler, tableOf[Unmarshaler](t), kindOther
	case p.Implements(binaryUnmarshalerType):
		o.decode, o.reads, o.kind = decodeBinary, tableOf[encoding.BinaryUnmarshaler](t), kindOther
		if text {
			o.decode = decodeBinaryOrText
		}
	case text:
		o.decode, o.kind = decodeText, kindOther
	}
}

// encodeBy makes o call an encoding method of the type `by`, which is t or the type of a pointer to
// t. It reports whether there is such a method.
func (o *op) encodeBy(by, t reflect.Type) bool {
	switch {
	case by.Implements(customEncoderType):
		o.encode, o.writes = encodeCustom, tableOf[CustomEncoder](t)
		o.set(encodesByMethod, o.writes != nil)
	case by.Implements(marshalerType):
		o.encode, o.writes = encodeMarshaler, tableOf[Marshaler](t)
	case by.Implements(binaryMarshalerType):
		o.encode, o.writes = encodeBinary, tableOf[encoding.BinaryMarshaler](t)
	case by.Implements(textMarshalerType):
		o.encode, o.writes = encodeText, tableOf[encoding.TextMarshaler](t)
	default:
		return false
	}
	o.kind = kindOther
	return true
}

func (s *planSet) compileStruct(t reflect.Type) *structPlan {
	read := s.rules.Fields(t)
	sp := &structPlan{asArray: read.AsArray, anyLength: read.AnyLength, list: read.Fields}
	var names []string
	enter := func(name string, at int) {
		names = append(names, name)
		sp.byName = append(sp.byName, &sp.in[at])
	}
	sp.in = make([]inField, 0, len(read.Fields)+1)
	for i := range read.Fields {
		f := &read.Fields[i]
		o := s.compile(f.Type)
		if f.Tag.Has("intern") {
			o = s.internField(o)
			sp.slow = true
		}
		key := string(msgpwire.AppendString(nil, f.Name))
		sp.keys = append(sp.keys, key)
		sp.in = append(sp.in, newInField(f, o, i, key))
		if !f.Hidden {
			sp.out = append(sp.out, s.newOutField(f, o, i))
			sp.omits = sp.omits || f.Omit || f.Zero
		}
	}
	for i := range read.Fields {
		enter(read.Fields[i].Name, i)
		for _, alias := range read.Fields[i].Aliases {
			enter(alias, i)
		}
	}
	sp.names = plan.NewNames(names)
	for i := range sp.in {
		if f := &sp.in[i]; sp.byName[sp.names.Find([]byte(read.Fields[i].Name))] != f {
			// A later field has the same name and takes precedence, so this field never matches.
			f.neverMatch()
			sp.keys[i] = neverKey
		}
	}
	var end inField
	end.neverMatch()
	sp.in = append(sp.in, end)
	sp.keys = append(sp.keys, neverKey)
	sp.slow = sp.slow || sp.omits || sp.asArray
	if read.AsArray {
		sp.header = msgpwire.AppendArrayLen(nil, len(sp.out))
	} else {
		sp.header = msgpwire.AppendMapLen(nil, len(sp.out))
	}
	sp.reserve()
	return sp
}

func newInField(f *plan.Field, o *op, index int, key string) inField {
	in := inField{op: o, offset: uint32(f.Offset), kind: o.kind, hops: len(f.Hops) > 0, index: uint16(index)}
	if in.hops {
		in.offset = 0 // the field is in another struct, at the end of the hops
	}
	switch {
	case in.hops || !inlineLeaves:
		in.kind = kindOther
	case in.kind == kindFixedInt:
		in.kind = kindInt
	case in.kind == kindFixedUint:
		in.kind = kindUint
	}
	if len(key) > 16 {
		in.neverMatch()
		return in
	}
	var words, masks [16]byte
	for i := range copy(words[:], key) {
		masks[i] = 0xff
	}
	in.size = uint8(len(key))
	in.key1, in.key2 = mem.Load64(words[:], 0), mem.Load64(words[:], 8)
	in.mask1, in.mask2 = mem.Load64(masks[:], 0), mem.Load64(masks[:], 8)
	return in
}

// neverKey differs from every encoded key.
const neverKey = "\xc1"

// neverMatch sets the words of f so that they match no valid key. Because the size is 0, they match
// no invalid key either.
func (f *inField) neverMatch() {
	f.key1, f.mask1, f.key2, f.mask2, f.size = msgpwire.Never, 0xff, 0, 0, 0
}

func (s *planSet) newOutField(f *plan.Field, o *op, index int) outField {
	text := msgpwire.AppendString(nil, f.Name)
	padded := string(append(text, make([]byte, 8)...)) // for whole words
	out := outField{text: padded[:len(text)], op: o, offset: uint32(f.Offset), kind: o.kind, hops: len(f.Hops) > 0, index: uint16(index)}
	if out.hops {
		out.offset = 0
	}
	if out.hops || !inlineLeaves {
		out.kind = kindOther
	}
	out.empty, out.always = s.omission(f), s.emptiness(f.Type, true)
	return out
}

// Maximum and minimum encoded size of a leaf's value, in bytes. The sizes include the code, but not
// the text of a string.
var leafMax = [...]int{kindOther: 0, kindString: 5, kindInt: 9, kindUint: 9, kindFloat64: 9, kindBool: 1, kindFixedInt: 9, kindFixedUint: 9}
var leafMin = [...]int{kindOther: 1, kindString: 1, kindInt: 1, kindUint: 1, kindFloat64: 9, kindBool: 1, kindFixedInt: 9, kindFixedUint: 9}

// reserve sets the number of bytes that each field reserves, so that capacity is checked once for a
// run of leaves. A run begins at the first field after a value of unknown length, and ends with the
// header of the next value of unknown length.
func (sp *structPlan) reserve() {
	start, sum := 0, 0
	for i := range sp.out {
		f := &sp.out[i]
		keyed := len(f.text)
		if sp.asArray {
			keyed = 0
		}
		sum += keyed + leafMax[f.kind]
		if open := f.kind == kindOther || f.kind == kindString; open || i == len(sp.out)-1 {
			sp.out[start].reserve = uint32(sum + 8)
			start, sum = i+1, 0
		}
		spill := (8 - keyed%8) % 8
		f.spills = spill <= leafMin[f.kind] && !mem.Checked
	}
}

// String returns a description of the plan of a type. The golden files in testdata contain such
// descriptions.
func (o *op) String() string {
	var s strings.Builder
	fmt.Fprintf(&s, "%v: %s\n", o.typ, kindNames[o.kind])
	if o.fields != nil {
		for i := range o.fields.list {
			f := &o.fields.in[i]
			fmt.Fprintf(&s, "  +%-4d %-10s %q", f.offset, kindNames[f.kind], o.fields.list[i].Name)
			if f.hops {
				fmt.Fprintf(&s, " through %d embedded pointers", len(o.fields.list[i].Hops))
			}
			if o.fields.list[i].Hidden {
				s.WriteString(" only read")
			}
			s.WriteByte('\n')
		}
		for i := range o.fields.out {
			if f := &o.fields.out[i]; f.reserve > 0 {
				fmt.Fprintf(&s, "  reserve %d bytes at %q\n", f.reserve, o.fields.list[f.index].Name)
			}
		}
	}
	return s.String()
}

var kindNames = [...]string{"other", "string", "int", "uint", "float64", "bool", "fixed int", "fixed uint"}
