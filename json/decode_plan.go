package json

// How a Go type is decoded: an op for each type, compiled once. An op is a static function and the
// data that it works with.

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

// decodeKind is what the loops over fields and elements handle themselves.
type decodeKind uint8

const (
	decodesOther   decodeKind = iota // through the op's function
	decodesString                    // any type of kind string without methods
	decodesInt64                     // any 64-bit integer type without methods
	decodesUint64                    // the same, unsigned
	decodesFloat64                   // …
	decodesBool                      // …
	decodesAny                       // any interface type without methods
)

type decodeOp struct {
	decode decodeFunc
	kind   decodeKind
	nils   nilWords
	bits   uint8 // of a number
	flat   bool  // values hold no pointers
	size   uintptr
	typ    reflect.Type
	word   mem.Raw // the type word of typ
	ptr    mem.Raw // the type word of *typ

	elem   *decodeOp
	key    *decodeOp // of a map whose keys decode themselves
	fields *decodeFields
	length int           // of an array
	hint   atomic.Uint32 // how long the last slice was

	said    reflect.Type // of a text or an interface: the type that errors name, which may be a pointer to typ
	table   mem.Raw      // the method table of *typ as an Unmarshaler or encoding.TextUnmarshaler
	json    bool         // *typ is an Unmarshaler
	foreign bool         // decode calls a method that the caller wrote
}

// nilWords is how many words null sets to zero.
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

// decodeFields is how a struct is decoded.
type decodeFields struct {
	typ    reflect.Type
	list   []decodeField // in the order of declaration
	names  *plan.Names
	folded *plan.Names // by the names in one case
	byFold []uint16    // index in list, by index in folded
	first  atomic.Pointer[decodeField]
}

// decodeField is a field, and the key that is expected for it: `"name":` as two words under masks,
// or as text where it is longer.
type decodeField struct {
	key0, mask0 uint64
	key1, mask1 uint64
	size        uint8 // of the key as it is expected; 0 where it never is
	kind        decodeKind
	quoted      bool
	offset      uint32
	op          *decodeOp
	next        atomic.Pointer[decodeField] // what mostly follows
	text        string                      // `"name":`
	name        string
	path        string // the name after those of embedded structs: how errors call it
	hops        []plan.Hop
}

// rootOp is how what a pointer points to is decoded.
type rootOp struct {
	elem    *decodeOp
	foreign bool // some method of the caller may be called
	doubt   doubt

	// For v2.go.
	unlike, hopeless, closed bool
}

var (
	roots     plan.Cache[*rootOp]
	compiling sync.Mutex
	decodeOps = map[opKey]*decodeOp{} // under compiling
)

// opKey is what an op depends on.
type opKey struct {
	t reflect.Type
	// Whether methods of *t count: package reflect has to be able to find them, by the name of t or
	// through a pointer, and to call them.
	methods bool
}

// rootOf is how v is decoded into, or nil if v is no pointer or nil.
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

// rootFor is how what a pointer of type t points to is decoded.
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

// isForeign reports whether decode calls a method of the caller.
func isForeign(o *decodeOp) bool { return o.foreign }

// reaches reports whether o, or an op that it may call, is such.
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
			if o.fields.list[i].op.reaches(such, seen) { // nil for the last one
				return true
			}
		}
	}
	return false
}

// mayEnd reports whether values of o's type, which hold no pointers, may end decoding: by a method
// of theirs, or by a field with the option string. What was decoded before is seen then.
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

// saying is o with errors that name t: those of a text, and of what an interface holds, name the
// pointer that leads to it.
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

// harmless reports whether the methods of t do nothing but read their argument: those of the
// standard library. They may be called for input of which nobody knows yet that all of it is valid,
// since then what they leave is thrown away.
func harmless(t reflect.Type) bool {
	switch t.PkgPath() {
	case "log/slog", "math/big", "net", "net/netip", "regexp", "time":
		return true
	}
	return false
}

// isFlat reports whether values of t hold no pointers.
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
	s.list = make([]decodeField, len(fields)+1) // the last one is never found: it follows the last field
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
			// It is embedded, has a tag, and its type is not exported: like the pointers on the way
			// to promoted fields, it cannot be set.
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

// expect sets the words of the key.
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

// never makes the field one that is not expected: no key begins with that byte.
func (f *decodeField) never() { f.key0, f.mask0 = 1, 0xff }

// keyMask tells which bytes of a word belong to a text of n bytes.
func keyMask(n int) uint64 {
	switch {
	case n <= 0:
		return 0
	case n >= 8:
		return 1<<64 - 1
	}
	return 1<<(8*uint(n)) - 1
}

// pathOf is a field's name as errors give it.
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
		o.decode = decodeNothing // such a map is no target, not even when it is empty
	}
}
