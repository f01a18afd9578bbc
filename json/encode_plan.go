package json

// This file compiles plans for encoding. Each Go type is compiled once to an encodeOp, which
// consists of a static function that writes a value of the type, and the data for this function.
//
// A struct is compiled to a list of steps, which includes the steps of the structs within it. Each
// step writes a literal text and then a value. The text contains all characters between two values:
// the closing characters of the first value, a comma, the key of the second value, and the opening
// characters of the second value.
//
//	struct{ A string; B struct{ C int; D bool }; E string }
//
//	`{"A":"`  string  `","B":{"C":`  int  `,"D":`  bool  `},"E":"`  string  `"}`
//
// If a step can be omitted, its text must not contain closing characters of the previous value.
// These are written by an extra step without a value. If the first step can be omitted, the texts
// of all fields begin with a comma. At the end, the encoder replaces the first comma by the opening
// brace.
//
// The methods of a value depend on whether it is addressable. encoding/json calls a method with a
// pointer receiver for the target of a pointer and for an element of a slice, but not for a value
// in a map or an interface. Types for which this makes a difference have two ops.

import (
	"encoding"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/slipstream-go/slipstream/internal/decimal"
	"github.com/slipstream-go/slipstream/internal/mem"
	"github.com/slipstream-go/slipstream/internal/plan"
)

// An encodeFunc writes the value at p, which has o's type, to e.b at n. It returns the position
// after the value (see encode.go).
type encodeFunc func(e *encoder, o *encodeOp, p mem.Pointer, n int) int

// A directFunc is like an encodeFunc, but for values that consist of one word. It takes the value
// itself instead of its address.
type directFunc func(e *encoder, o *encodeOp, word mem.Raw, n int) int

// encodeOp describes how to write values of one type.
type encodeOp struct {
	encode         encodeFunc
	encodeWord     directFunc // like encode, but takes the value itself; for pointers and maps, which an interface stores in its data word
	kind           stepKind   // kind of a step that writes such a value
	direct         bool       // an interface contains the value itself, not a pointer to it
	bounded        bool       // values cannot contain themselves, because the type contains neither itself nor an interface
	steady         bool       // writing a value does not change the encoder, and cannot fail
	structs        bool       // encode is encodeStruct
	method         bool       // values are written by a method of the type
	any            bool       // typ is an interface without methods
	whole          bool       // compilation is complete
	calm           bool       // no user's method is called
	length         int        // length of an array
	size           uintptr
	slack          int // number of bytes that are requested in addition to the needed space
	elem           *encodeOp
	encodeElements elementsFunc // for the elements of a slice or an array
	fields         *encodeFields
	entries        *mapEntries
	table          mem.Raw // mem.MethodTable of the interface whose method encode calls
	typ            reflect.Type
	last           atomic.Uint32 // length of the previous result of Marshal
}

// stepKind selects the code that executes a step in the struct loop.
type stepKind uint8

const (
	stepOther     stepKind = iota // value that the op writes
	stepNilable                   // value that the op writes, or null if the value's first word is 0
	stepNone                      // no value
	stepRoom                      // no value; requests more space
	stepString                    // the text of a string, without quotes
	stepStringEnd                 // the text of a string, and the closing quote
	stepBool
	stepInt64
	stepInt32
	stepInt16
	stepInt8
	stepUint64
	stepUint32
	stepUint16
	stepUint8
	stepFloat64
	stepFloat32
	stepTime
	stepEnd // no value: the struct ends
)

var stepNames = [...]string{"other", "nilable", "none", "room", "string", "string end", "bool", "int64", "int32", "int16", "int8",
	"uint64", "uint32", "uint16", "uint8", "float64", "float32", "time", "end"}

// valueRoom contains the maximum length of a value for each stepKind. The length includes extra
// bytes that are stored after the value. For values of unknown length, it is 0.
var valueRoom = [...]int{stepNone: 1, stepBool: wordRoom, stepInt64: decimal.IntRoom, stepInt32: decimal.IntRoom, stepInt16: decimal.IntRoom,
	stepInt8: decimal.IntRoom, stepUint64: decimal.IntRoom, stepUint32: decimal.IntRoom, stepUint16: decimal.IntRoom,
	stepUint8: decimal.IntRoom, stepFloat64: decimal.FloatRoom, stepFloat32: decimal.FloatRoom, stepTime: timeRoom, stepEnd: 1}

// encodePlanSet contains the ops of all types.
type encodePlanSet struct {
	cache plan.Cache[*encodeOp] // ops of values that are not addressable, with the type word as the key
	mu    sync.Mutex
	ops   map[encodeType]*encodeOp
}

// encodeType identifies an op by its type, and by whether the values are addressable.
type encodeType struct {
	typ         reflect.Type
	addressable bool
}

var encodePlans = &encodePlanSet{ops: map[encodeType]*encodeOp{}}

// byWord returns the op for values in an interface whose type is the type of v. The argument `word`
// is the type word of this type.
func (s *encodePlanSet) byWord(word mem.Raw, v any) *encodeOp {
	if o, ok := s.cache.Get(word); ok {
		return o
	}
	return s.of(reflect.TypeOf(v))
}

// of returns the op for values of type t in an interface.
func (s *encodePlanSet) of(t reflect.Type) *encodeOp {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.cache.Put(mem.TypeWord(t), s.compile(t, false))
}

var (
	marshalerType     = reflect.TypeFor[Marshaler]()
	textMarshalerType = reflect.TypeFor[encoding.TextMarshaler]()
	encodeTimeType    = reflect.TypeFor[time.Time]()
	encodeNumberType  = reflect.TypeFor[Number]()
	encodeRawType     = reflect.TypeFor[RawMessage]()
	encodeAnyType     = reflect.TypeFor[any]()
)

func (s *encodePlanSet) compile(t reflect.Type, addressable bool) *encodeOp {
	addressable = addressable && methodsDiffer(t)
	key := encodeType{t, addressable}
	if o := s.ops[key]; o != nil {
		return o
	}
	o := &encodeOp{typ: t, size: t.Size(), direct: !mem.Indirect(t), slack: textRoom}
	s.ops[key] = o
	in := o
	if onV2 && unlike(t) {
		in = &encodeOp{typ: t, size: o.size, direct: o.direct, slack: textRoom}
		o.encode, o.elem = encodeUnlike, in
	}
	if !in.byMethod(addressable) {
		s.compileKind(in, addressable)
	}
	in.whole, o.whole = true, true
	return o
}

// methodsDiffer reports whether different methods write addressable values of type t and values
// that are not addressable.
func methodsDiffer(t reflect.Type) bool {
	if methodOf(t, true) != methodOf(t, false) {
		return true
	}
	switch t.Kind() {
	case reflect.Array:
		return methodsDiffer(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			if methodsDiffer(t.Field(i).Type) {
				return true
			}
		}
	}
	return false
}

// methodOf returns the interface type whose method writes values of type t. If t has no such
// method, it returns nil.
func methodOf(t reflect.Type, addressable bool) reflect.Type {
	if addressable && t.Kind() != reflect.Pointer && t.Kind() != reflect.Interface {
		t = reflect.PointerTo(t)
	}
	switch {
	case t.Implements(marshalerType):
		return marshalerType
	case t.Implements(textMarshalerType):
		return textMarshalerType
	}
	return nil
}

func (s *encodePlanSet) compileKind(o *encodeOp, addressable bool) {
	t := o.typ
	o.bounded, o.steady, o.calm = true, true, true
	switch t.Kind() {
	case reflect.Bool:
		o.kind, o.encode = stepBool, encodeBool
	case reflect.Int8:
		o.kind, o.encode = stepInt8, encodeInt8
	case reflect.Int16:
		o.kind, o.encode = stepInt16, encodeInt16
	case reflect.Int, reflect.Int32, reflect.Int64:
		o.kind, o.encode = stepInt64, encodeInt64
		if t.Size() == 4 {
			o.kind, o.encode = stepInt32, encodeInt32
		}
		if t == durationType {
			o.kind, o.encode = stepOther, encodeDuration
		}
	case reflect.Uint8:
		o.kind, o.encode = stepUint8, encodeUint8
	case reflect.Uint16:
		o.kind, o.encode = stepUint16, encodeUint16
	case reflect.Uint, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		o.kind, o.encode = stepUint64, encodeUint64
		if t.Size() == 4 {
			o.kind, o.encode = stepUint32, encodeUint32
		}
	case reflect.Float32:
		o.kind, o.encode, o.steady = stepFloat32, encodeFloat32, false
	case reflect.Float64:
		o.kind, o.encode, o.steady = stepFloat64, encodeFloat64, false
	case reflect.String:
		o.kind, o.encode = stepString, encodeString
		if t == encodeNumberType {
			o.kind, o.encode, o.steady = stepOther, encodeNumber, false
		}
	case reflect.Interface:
		o.kind, o.encode = stepNilable, encodeInterface
		o.bounded, o.steady, o.calm = false, false, false
		if t.NumMethod() == 0 {
			o.encode, o.any = encodeAny, true
		}
	case reflect.Pointer:
		o.kind, o.encode, o.encodeWord = stepNilable, encodePointer, encodePointed
		o.inherit(s.compile(t.Elem(), true))
	case reflect.Slice:
		s.compileSlice(o, t)
	case reflect.Array:
		o.encode, o.length = encodeArray, t.Len()
		o.inherit(s.compile(t.Elem(), addressable))
		o.encodeElements = elementsOf(o.elem)
	case reflect.Map:
		s.compileMap(o, t)
	case reflect.Struct:
		o.encode, o.structs = encodeStruct, true
		o.fields = s.compileStruct(o, addressable)
	default:
		o.encode, o.steady = encodeUnsupported, false
	}
}

// inherit sets o.elem to elem, and calls include for elem.
func (o *encodeOp) inherit(elem *encodeOp) {
	o.elem = elem
	o.include(elem)
}

// include updates the properties `bounded`, `steady` and `calm` of o for values that contain a
// value with the op `part`. It clears each property that `part` does not have. If `part` has not
// been compiled completely, its type contains the type of o. In this case, include clears all three
// properties.
func (o *encodeOp) include(part *encodeOp) {
	o.bounded = o.bounded && part.bounded && part.whole
	o.steady = o.steady && part.steady && part.whole
	o.calm = o.calm && part.calm && part.whole
	o.slack = max(o.slack, part.slack)
}

func (s *encodePlanSet) compileSlice(o *encodeOp, t reflect.Type) {
	o.kind = stepNilable
	if t.Elem().Kind() == reflect.Uint8 && methodOf(t.Elem(), true) == nil {
		o.encode = encodeBytes
		return
	}
	o.encode = encodeSlice
	o.inherit(s.compile(t.Elem(), true))
	o.encodeElements = elementsOf(o.elem)
	if t.Elem() == encodeAnyType {
		o.encode = encodeList
	}
}

// encodeFields contains the steps of a struct twice: with plain keys, and with keys that are
// escaped for HTML.
type encodeFields struct{ plain, html encodeSteps }

type encodeSteps struct {
	first      *encodeStep // first step of list; the last step is a stepEnd
	list       []encodeStep
	room       int  // space to request before the first step
	omitsFirst bool // the first field can be omitted, so the struct loop writes the opening brace
}

// encodeStep writes a text and a value.
type encodeStep struct {
	text   mem.Block
	op     *encodeOp
	omit   *encodeOmit // nil if the value is never omitted
	offset uintptr     // offset of the value, in the struct or in the target of omit's last hop
	room   uint32      // space to request after a value of unknown length, for all bytes up to and including the text before the next value of unknown length
	len    uint8       // length of text
	kind   stepKind
}

// encodeOmit describes when a value is omitted.
type encodeOmit struct {
	hops   []plan.Hop  // embedded pointers on the way to the value; if one of them is nil, the value is omitted
	test   omitTest    // test of the value
	quick  quickTest   // test that reads only the first words of the value
	asks   bool        // the test calls a method, which may be a user's method
	skip   int         // number of steps for the value after the first step
	last   *encodeStep // the last step for the value
	offset uintptr     // offset of the value, in the struct or in the target of the last hop
}

// stepBuilder builds the steps of a struct.
type stepBuilder struct {
	set    *encodePlanSet
	whole  *encodeOp
	html   bool
	steps  []encodeStep
	text   []byte     // collected text to write before the next value
	values int        // number of values of known length since space was requested
	behind []plan.Hop // embedded pointers on the way to the value that is being added
}

func (s *encodePlanSet) compileStruct(o *encodeOp, addressable bool) *encodeFields {
	f := new(encodeFields)
	f.plain = s.compileSteps(o, addressable, false)
	f.html = s.compileSteps(o, addressable, true)
	if slices.EqualFunc(f.plain.list, f.html.list, func(a, b encodeStep) bool { return a.text == b.text && a.len == b.len }) {
		f.html = f.plain // nothing in the keys is escaped
	}
	return f
}

// compileSteps builds the steps of o. If html is true, it escapes the keys for HTML.
func (s *encodePlanSet) compileSteps(o *encodeOp, addressable, html bool) encodeSteps {
	b := stepBuilder{set: s, whole: o, html: html}
	all := encodeSteps{omitsFirst: omitsFirst(o.typ)}
	b.addStruct(o.typ, 0, addressable, all.omitsFirst)
	b.add(encodeStep{kind: stepEnd})
	all.first, all.list = &b.steps[0], b.steps
	for i := range b.steps {
		if omit := b.steps[i].omit; omit != nil {
			omit.last = &b.steps[i+omit.skip]
		}
	}
	all.room = reserve(b.steps)
	o.slack = max(o.slack, all.room)
	return all
}

// omitsFirst reports whether the first field of the struct t can be omitted.
func omitsFirst(t reflect.Type) bool {
	fields := fieldsOf(t)
	return len(fields) > 0 && omits(&fields[0])
}

// addStruct adds the steps of the struct t. The argument `offset` is the offset of t in the outer
// struct that is being compiled. If omitsFirst is true, the struct loop writes the opening brace.
func (b *stepBuilder) addStruct(t reflect.Type, offset uintptr, addressable, omitsFirst bool) {
	lead := byte('{')
	if omitsFirst {
		lead = ','
	}
	fields := fieldsOf(t)
	for i := range fields {
		f := &fields[i]
		if !omits(f) {
			b.addField(f, lead, offset, addressable)
			lead = ','
			continue
		}
		b.split()
		b.end()
		mark := len(b.steps)
		omit := omission(f, addressable)
		b.whole.calm = b.whole.calm && !omit.asks
		omit.offset = f.Offset
		if len(f.Hops) > 0 {
			omit.hops = slices.Clone(f.Hops)
			omit.hops[0].Offset += offset
			b.behind = omit.hops
			b.addField(f, lead, 0, true)
			b.behind = nil
		} else {
			omit.offset += offset
			b.addField(f, lead, offset, addressable)
		}
		b.split()
		b.end()
		omit.skip = len(b.steps) - mark - 1
		b.steps[mark].omit = omit
	}
	if len(fields) == 0 {
		b.text = append(b.text, '{')
	}
	b.text = append(b.text, '}')
}

// addField adds the byte `lead`, the key of a field, and the field's value. The argument `offset`
// is the offset of the struct that contains the field.
func (b *stepBuilder) addField(f *field, lead byte, offset uintptr, addressable bool) {
	b.text = append(b.text, lead, '"')
	if b.html {
		b.text = appendHTMLEscaped(b.text, f.Name)
	} else {
		b.text = append(b.text, f.Name...)
	}
	b.text = append(b.text, '"', ':')

	o := b.set.compile(f.Type, addressable)
	b.whole.include(o)
	offset += f.Offset
	quote := false
	switch {
	case f.quoted && o.kind >= stepBool && o.kind <= stepFloat32:
		quote = true
	case f.quoted:
		o = b.set.quoted(o)
	case o.kind == stepString:
		quote = true
	case b.inlines(o):
		b.addStruct(o.typ, offset, addressable, false)
		return
	}
	if quote {
		b.text = append(b.text, '"')
	}
	b.add(encodeStep{op: o, offset: offset, kind: o.kind})
	if quote {
		b.text = append(b.text, '"')
	}
}

// inlineSteps limits the number of steps of a struct. If the steps of an inner struct would exceed
// the limit, the inner struct is written by its own op.
const inlineSteps = 200

// inlines reports whether the steps of o are added to the outer struct.
func (b *stepBuilder) inlines(o *encodeOp) bool {
	return inlineStructs && b.behind == nil && o.fields != nil && !o.fields.plain.omitsFirst && len(b.steps)+len(o.fields.plain.list) < inlineSteps
}

// stretch is the maximum number of consecutive values of known length for which space is requested
// in one step.
const stretch = 24

// add adds the step s with the collected text. If the text is too long for one step, split adds
// steps for its beginning.
func (b *stepBuilder) add(s encodeStep) {
	b.split()
	s.len = uint8(copy(s.text.Text[:], b.text))
	if b.behind != nil && s.op != nil {
		s.omit = &encodeOmit{hops: b.behind, quick: quickNever}
	}
	b.text = b.text[:0]
	b.steps = append(b.steps, s)
	if valueRoom[s.kind] == 0 {
		b.values = 0
	} else if b.values++; b.values == stretch {
		b.values = 0
		b.steps = append(b.steps, encodeStep{kind: stepRoom})
	}
}

// split adds steps without values until the rest of the collected text fits into one step.
func (b *stepBuilder) split() {
	for len(b.text) > mem.BlockSize {
		s := encodeStep{len: mem.BlockSize, kind: stepNone}
		copy(s.text.Text[:], b.text)
		b.text = append(b.text[:0], b.text[mem.BlockSize:]...)
		b.steps = append(b.steps, s)
	}
}

// end adds a step with the collected text and without a value. If the text is only a closing quote
// after a string step, end makes the quote part of that step instead.
func (b *stepBuilder) end() {
	last := len(b.steps) - 1
	switch {
	case len(b.text) == 0:
	case string(b.text) == `"` && b.steps[last].kind == stepString:
		b.steps[last].kind = stepStringEnd
		b.text = b.text[:0]
	default:
		b.add(encodeStep{kind: stepNone})
	}
}

// String returns the plan of a type as text. The tests in encode_plan_test.go compare this text
// with golden texts.
func (o *encodeOp) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%v:%s\n", o.typ, o.traits())
	if o.fields == nil {
		return b.String()
	}
	fmt.Fprintf(&b, "  reserve %d\n", o.fields.plain.room)
	for _, s := range o.fields.plain.list {
		fmt.Fprintf(&b, "  +%-3d %-10s %q", s.offset, stepNames[s.kind], s.text.Text[:s.len])
		if s.kind == stepOther || s.kind == stepNilable {
			fmt.Fprintf(&b, " %v", s.op.typ)
		}
		if s.omit != nil {
			fmt.Fprintf(&b, ", omitted %s", quickNames[s.omit.quick])
			if len(s.omit.hops) > 0 {
				fmt.Fprintf(&b, " or behind %d pointers", len(s.omit.hops))
			}
			if s.omit.skip > 0 {
				fmt.Fprintf(&b, ", with the next %d", s.omit.skip)
			}
		}
		if s.room > 0 {
			fmt.Fprintf(&b, ", then reserve %d", s.room)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// traits returns words for the properties of o.
func (o *encodeOp) traits() (words string) {
	for _, w := range []struct {
		is   bool
		word string
	}{{o.steady, " steady"}, {o.calm, " calm"}, {o.bounded, " bounded"}, {o.method, " method"}} {
		if w.is {
			words += w.word
		}
	}
	return words
}

// reserve computes the space that must be requested after each step, and stores it in the steps. It
// returns the space that must be requested before the first step.
func reserve(steps []encodeStep) int {
	need := make([]int, len(steps)+1) // space that each step needs, through the text of the next value of unknown length
	need[len(steps)] = block
	for i := len(steps) - 1; i >= 0; i-- {
		step := &steps[i]
		if value := valueRoom[step.kind]; value > 0 {
			need[i] = int(step.len) + value + need[i+1]
		} else {
			step.room = uint32(need[i+1])
			need[i] = int(step.len) + block
		}
		if step.omit != nil {
			need[i] = max(need[i], need[i+1+step.omit.skip])
		}
	}
	return need[0]
}
