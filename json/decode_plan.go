package json

// This file compiles plans for decoding. Each Go type is compiled once to an op, which consists of
// a static function and its data.

import (
	"encoding"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/slipstream-go/slipstream/internal/mem"
	"github.com/slipstream-go/slipstream/internal/plan"
)

// decodeKind is the kind of a value. The loops over fields and elements use it to decode most kinds
// without calling the op's function.
type decodeKind uint8

const (
	decodesOther   decodeKind = iota // decoded by the op's function
	decodesString                    // any type of kind string without methods
	decodesInt64                     // any 64-bit integer type without methods
	decodesUint64                    // any unsigned 64-bit integer type without methods
	decodesFloat64                   // …
	decodesBool                      // …
	decodesAny                       // any interface type without methods
)

type decodeOp struct {
	decode decodeFunc
	kind   decodeKind
	nils   nilWords
	bits   uint8 // size of a number
	flat   bool  // values contain no pointers
	size   uintptr
	typ    reflect.Type
	word   mem.Raw // the type word of typ
	ptr    mem.Raw // the type word of *typ

	elem   *decodeOp
	key    *decodeOp // op of a map's key type, if the type has the method UnmarshalText
	fields *decodeFields
	length int           // length of an array
	hint   atomic.Uint32 // length of the last slice

	said    reflect.Type // for types with UnmarshalText and interfaces: the type in errors, typ or a pointer to typ
	table   mem.Raw      // the method table of *typ as an Unmarshaler or encoding.TextUnmarshaler
	json    bool         // *typ is an Unmarshaler
	foreign bool         // decode calls a user's method
}

// nilWords is the number of words of a target that null sets to zero.
type nilWords uint8

func (n nilWords) clear(p mem.Pointer) {
	switch n {
	case 1:
		*mem.At[mem.Raw](p, 0) = nil
	case 2:
		*mem.At[any](p, 0) = nil
	case 3:
		*mem.At[mem.Slice](p, 0) = mem.Slice{}
	}
}

// decodeFields contains the fields of a struct and their names.
type decodeFields struct {
	typ    reflect.Type
	list   []decodeField // in the order of declaration
	names  *plan.Names
	folded *plan.Names // names, converted by foldName so that case is ignored
	byFold []uint16    // indexes in list, indexed by the results of folded
	first  atomic.Pointer[decodeField]
}

// decodeField is a field and its expected key, `"name":`. Two words and their masks describe the
// first 16 bytes of the key. The rest of a longer key is compared with text.
type decodeField struct {
	key0, mask0 uint64
	key1, mask1 uint64
	size        uint8 // size of the expected key; 0 if the field never matches
	kind        decodeKind
	quoted      bool
	offset      uint32
	op          *decodeOp
	next        atomic.Pointer[decodeField] // the field that usually follows in the input
	text        string                      // `"name":`
	name        string
	path        string // name in errors: the names of the embedded structs, followed by the name of the field
	hops        []plan.Hop
}

// rootOp describes how to decode into the target of a pointer.
type rootOp struct {
	elem    *decodeOp
	foreign bool // a user's method may be called
	doubt   doubt

	// The code in v2.go uses these fields.
	unlike, hopeless, closed bool
}

var (
	roots     plan.Cache[*rootOp]
	compiling sync.Mutex
	decodeOps = map[opKey]*decodeOp{} // guarded by compiling
)

// opKey is the key of an op in decodeOps.
type opKey struct {
	t reflect.Type
	// methods is true if the decoder calls the methods of *t. This is possible only if package
	// reflect can find and call them: t must have a name, or the value must be reached through a
	// pointer.
	methods bool
}

// rootOf returns the rootOp for v. If v is nil or not a pointer, it returns nil.
func rootOf(v any) *rootOp {
	f := mem.FaceOf(v)
	if r, ok := roots.Get(f.Type); ok && f.Data != nil {
		return r
	}
	t := reflect.TypeOf(v)
	if t == nil || t.Kind() != reflect.Pointer || f.Data == nil {
		return nil
	}
	return rootFor(t)
}

// rootFor returns the rootOp for pointers of type t.
func rootFor(t reflect.Type) *rootOp {
	if r, ok := roots.Get(mem.TypeWord(t)); ok {
		return r
	}
	compiling.Lock()
	defer compiling.Unlock()
	o := compileDecode(t.Elem(), t.Name() == "")
	if o.said != nil {
		o = o.saying(t)
	}
	r := &rootOp{elem: o, foreign: o.reaches(isForeign, map[*decodeOp]bool{})}
	if onV2 {
		r.hopeless = !takesNothing(o.typ) && o.reaches(func(o *decodeOp) bool { return takesNothing(o.typ) }, map[*decodeOp]bool{})
		r.unlike = o.reaches(func(o *decodeOp) bool { return unlike(o.typ) }, map[*decodeOp]bool{})
		r.closed = closed(t.Elem(), map[reflect.Type]bool{})
	}
	return roots.Put(mem.TypeWord(t), r)
}

// isForeign reports whether o.decode calls a user's method.
func isForeign(o *decodeOp) bool { return o.foreign }

// reaches reports whether the function `such` returns true for o, or for an op that o may call. The
// map `seen` contains the ops already visited.
func (o *decodeOp) reaches(such func(*decodeOp) bool, seen map[*decodeOp]bool) bool {
	if o == nil || seen[o] {
		return false
	}
	seen[o] = true
	if such(o) || o.elem.reaches(such, seen) || o.key.reaches(such, seen) {
		return true
	}
	if o.fields != nil {
		for i := range o.fields.list {
			if o.fields.list[i].op.reaches(such, seen) { // op is nil in the last entry
				return true
			}
		}
	}
	return false
}

// mayEnd reports whether decoding into o's type may end early with an error. The caller then sees
// the values that were decoded before the error. A method of the type, or a field with the tag
// option "string", can cause this. The type must not contain pointers.
func (o *decodeOp) mayEnd() bool {
	switch {
	case o.json || o.said != nil:
		return true
	case o.elem != nil:
		return o.elem.mayEnd()
	case o.fields != nil:
		for i := range o.fields.list[:len(o.fields.list)-1] {
			if f := &o.fields.list[i]; f.quoted || f.op.mayEnd() {
				return true
			}
		}
	}
	return false
}

// saying returns a copy of o whose errors contain the type t. Errors about a type with
// UnmarshalText, or about a value in an interface, contain the type of the pointer to the value.
func (o *decodeOp) saying(t reflect.Type) *decodeOp {
	c := &decodeOp{decode: o.decode, kind: o.kind, nils: o.nils, size: o.size, typ: o.typ, word: o.word, ptr: o.ptr, elem: o.elem, said: t, table: o.table, foreign: o.foreign}
	if o.typ.Kind() == reflect.Pointer {
		c.elem = o.elem.saying(t)
	}
	return c
}

var (
	unmarshalerType     = reflect.TypeFor[Unmarshaler]()
	textUnmarshalerType = reflect.TypeFor[encoding.TextUnmarshaler]()
	timeType            = reflect.TypeFor[time.Time]()
	numberType          = reflect.TypeFor[Number]()
	rawMessageType      = reflect.TypeFor[RawMessage]()
)

func compileDecode(t reflect.Type, methods bool) *decodeOp {
	if o := decodeOps[opKey{t, methods}]; o != nil {
		return o
	}
	pointer := reflect.PointerTo(t)
	o := &decodeOp{typ: t, size: t.Size(), word: mem.TypeWord(t), ptr: mem.TypeWord(pointer), flat: isFlat(t)}
	decodeOps[opKey{t, methods}] = o
	switch t.Kind() {
	case reflect.Pointer, reflect.Map:
		o.nils = 1
	case reflect.Interface:
		o.nils = 2
	case reflect.Slice:
		o.nils = 3
	}
	if methods && t.Kind() != reflect.Pointer {
		switch {
		case t == numberType:
			o.decode = decodeNumber
			return o
		case pointer.Implements(unmarshalerType):
			o.json = true
			switch {
			case t == timeType:
				o.decode = decodeTime
			case t == rawMessageType:
				o.decode = decodeRaw
			default:
				o.decode = decodeUnmarshaler
				o.foreign = !harmless(t)
			}
			o.table = mem.MethodTable(reflect.New(t).Interface().(Unmarshaler))
			return o
		case pointer.Implements(textUnmarshalerType):
			o.decode = decodeText
			o.foreign = !harmless(t)
			o.said = t
			o.table = mem.MethodTable(reflect.New(t).Interface().(encoding.TextUnmarshaler))
			return o
		}
	}
	switch t.Kind() {
	case reflect.String:
		o.decode, o.kind = decodeString, decodesString
		if t == numberType {
			o.decode, o.kind = decodeNumber, decodesOther
		}
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		o.decode, o.bits = decodeInt, uint8(t.Bits())
		if o.bits == 64 {
			o.kind = decodesInt64
		}
		if t == durationType {
			o.decode, o.kind = decodeDuration, decodesOther
		}
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		o.decode, o.bits = decodeUint, uint8(t.Bits())
		if o.bits == 64 {
			o.kind = decodesUint64
		}
	case reflect.Float64:
		o.decode, o.kind = decodeFloat64, decodesFloat64
	case reflect.Float32:
		o.decode = decodeFloat32
	case reflect.Bool:
		o.decode, o.kind = decodeBool, decodesBool
	case reflect.Interface:
		o.decode, o.said = decodeFace, t
		if t.NumMethod() == 0 {
			o.decode, o.kind = decodeAny, decodesAny
		}
	case reflect.Pointer:
		o.decode = decodePointer
		o.elem = compileDecode(t.Elem(), t.Name() == "")
		if o.elem.said != nil {
			o.elem, o.said = o.elem.saying(t), t
		}
	case reflect.Struct:
		o.decode = decodeStruct
		o.fields = compileFields(t)
	case reflect.Slice:
		o.decode = decodeSlice
		o.elem = compileDecode(t.Elem(), t.Elem().Name() != "")
		if o.elem.flat && o.elem.size > 0 && o.elem.size <= 64 && !o.elem.mayEnd() {
			o.decode = decodeFlatSlice
		}
		if t.Elem().Kind() == reflect.Uint8 {
			o.decode = decodeBytes
		}
	case reflect.Array:
		o.decode = decodeArray
		o.length = t.Len()
		o.elem = compileDecode(t.Elem(), t.Elem().Name() != "")
	case reflect.Map:
		compileMap(o)
	default:
		o.decode = decodeNothing
	}
	return o
}

// harmless reports whether t belongs to certain packages of the standard library. The decoding
// methods of these types only read their argument. So they may be called before the whole input is
// known to be valid: if the input is invalid, their results are dropped.
func harmless(t reflect.Type) bool {
	switch t.PkgPath() {
	case "log/slog", "math/big", "net", "net/netip", "regexp", "time":
		return true
	}
	return false
}

// isFlat reports whether values of t contain no pointers.
func isFlat(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Bool, reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr,
		reflect.Float32, reflect.Float64, reflect.Complex64, reflect.Complex128:
		return true
	case reflect.Array:
		return isFlat(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			if !isFlat(t.Field(i).Type) {
				return false
			}
		}
		return true
	}
	return false
}

func compileFields(t reflect.Type) *decodeFields {
	s := &decodeFields{typ: t}
	fields := fieldsOf(t)
	s.list = make([]decodeField, len(fields)+1) // no key matches the last entry, which follows the last field
	names := make([]string, len(fields))
	var folded []string
	foldedAt := map[string]bool{}
	for i := range fields {
		f := &fields[i]
		names[i] = f.Name
		if fold := foldName(f.Name); !foldedAt[fold] {
			foldedAt[fold] = true
			folded = append(folded, fold)
			s.byFold = append(s.byFold, uint16(i))
		}
		in := &s.list[i]
		*in = decodeField{name: f.Name, text: string(appendString(nil, f.Name, false)) + ":", quoted: f.quoted, offset: uint32(f.Offset), hops: f.Hops}
		in.expect()
		in.path = pathOf(t, f.Index, f.Name)
		switch {
		case f.Exported:
			in.op = compileDecode(f.Type, f.Type.Name() != "")
		case f.Type.Kind() == reflect.Pointer:
			// The field is embedded and has a tag, and its type is not exported. Such a field
			// cannot be set, like the embedded pointers on the way to promoted fields.
			in.hops = append(slices.Clip(f.Hops), plan.Hop{Offset: f.Offset, Type: f.Type.Elem()})
			in.offset = 0
			in.op = compileDecode(f.Type.Elem(), false)
		default:
			in.op = compileDecode(f.Type, false)
		}
		in.kind = in.op.kind
		if f.quoted || len(in.hops) > 0 {
			in.kind = decodesOther
		}
		in.next.Store(&s.list[i+1])
	}
	s.names, s.folded = plan.NewNames(names), plan.NewNames(folded)
	last := &s.list[len(fields)]
	last.never()
	last.next.Store(&s.list[0])
	s.first.Store(&s.list[0])
	return s
}

// expect sets the words of the expected key, and the masks of these words.
func (f *decodeField) expect() {
	const longest = 64
	if len(f.text) > longest {
		f.never()
		return
	}
	f.size = uint8(len(f.text))
	padded := append([]byte(f.text), make([]byte, 16)...)
	f.key0, f.mask0 = mem.Load64(padded, 0), keyMask(len(f.text))
	f.key1, f.mask1 = mem.Load64(padded, 8), keyMask(len(f.text)-8)
	f.key0 &= f.mask0
	f.key1 &= f.mask1
}

// never sets an expected key that never matches. Its first byte is 1, and no key begins with the
// byte 1.
func (f *decodeField) never() { f.key0, f.mask0 = 1, 0xff }

// keyMask returns a mask of the first n bytes of a word.
func keyMask(n int) uint64 {
	switch {
	case n <= 0:
		return 0
	case n >= 8:
		return 1<<64 - 1
	}
	return 1<<(8*uint(n)) - 1
}

// pathOf returns the name of a field in errors: the names of the embedded structs, followed by
// name.
func pathOf(t reflect.Type, index []int, name string) string {
	path := ""
	for _, i := range index[:len(index)-1] {
		if t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
		f := t.Field(i)
		path += f.Name + "."
		t = f.Type
	}
	return path + name
}

func compileMap(o *decodeOp) {
	t := o.typ
	o.elem = compileDecode(t.Elem(), t.Elem().Name() != "")
	o.decode = decodeMap
	if reflect.PointerTo(t.Key()).Implements(textUnmarshalerType) {
		o.key = compileDecode(t.Key(), true)
		return
	}
	switch t.Key().Kind() {
	case reflect.String:
		switch {
		case o.elem.kind == decodesAny && t.Elem() == reflect.TypeFor[any]():
			o.decode = decodeMapAny
		case t.Elem().Kind() == reflect.String && o.elem.kind == decodesString:
			o.decode = decodeMapString
		}
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
	default:
		o.decode = decodeNothing // no object fits such a map, not even an empty one
	}
}
