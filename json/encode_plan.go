package json

// A Go type becomes an encodeOp, once: a record of data and a static function that appends a value
// of that type.
//
// A struct becomes a list of steps, in which the structs within it are taken apart too. Each step
// is some literal text and then a value. The text is all that stands between two values: what
// closes the one, a comma, the key of the next, what opens it.
//
//	struct{ A string; B struct{ C int; D bool }; E string }
//
//	`{"A":"`  string  `","B":{"C":`  int  `,"D":`  bool  `},"E":"`  string  `"}`
//
// A step that can be left out stands for itself: what comes before is closed by a step without a
// value. Where that may hit the first step, all begin with a comma, and the brace takes the place
// of the first one at the end.
//
// Whether a value can be addressed decides which methods it has: encoding/json calls one with a
// pointer receiver for what a pointer or a slice leads to, but not for what a map or an interface
// holds. Types for which that makes a difference have two ops.

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

// An encodeFunc writes the value at p, of the type of o, at n in e.b, and gives where it ends: see
// encode.go.
type encodeFunc func(e *encoder, o *encodeOp, p mem.Pointer, n int) int

// A directFunc is an encodeFunc that gets the value itself, which is one word.
type directFunc func(e *encoder, o *encodeOp, word mem.Raw, n int) int

// encodeOp is how values of one type are written.
type encodeOp struct {
	encode         encodeFunc
	encodeWord     directFunc // the same, given the value itself: for pointers and maps, which an interface holds in its data word
	kind           stepKind   // of a step that writes such a value
	direct         bool       // an interface holds the value itself, not a pointer to it
	bounded        bool       // values cannot contain themselves: neither does the type, nor is there an interface in it
	steady         bool       // writing a value changes nothing in the encoder and cannot fail
	structs        bool       // encode is encodeStruct
	method         bool       // written by a method of the type
	any            bool       // typ is an interface without methods
	whole          bool       // compiled to its end
	calm           bool       // no method of the caller's is called
	length         int        // of an array
	size           uintptr
	slack          int // how much room is asked for at once, beyond what is needed
	elem           *encodeOp
	encodeElements elementsFunc // of a slice or an array
	fields         *encodeFields
	entries        *mapEntries
	table          mem.Raw // mem.MethodTable of the interface whose method encode calls
	typ            reflect.Type
	last           atomic.Uint32 // bytes that the last value took, when it was marshalled
}

// stepKind is what the struct loop switches on.
type stepKind uint8

const (
	stepOther     stepKind = iota // by the op
	stepNilable                   // by the op; where the first word is 0, it is null
	stepNone                      // no value
	stepRoom                      // no value; more room is asked for
	stepString                    // the text of a string, without quotes
	stepStringEnd                 // and the quote that closes it
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

// valueRoom is what a value takes at the most, and what is stored beyond it, by stepKind; 0 for one
// of unknown length.
var valueRoom = [...]int{stepNone: 1, stepBool: wordRoom, stepInt64: decimal.IntRoom, stepInt32: decimal.IntRoom, stepInt16: decimal.IntRoom,
	stepInt8: decimal.IntRoom, stepUint64: decimal.IntRoom, stepUint32: decimal.IntRoom, stepUint16: decimal.IntRoom,
	stepUint8: decimal.IntRoom, stepFloat64: decimal.FloatRoom, stepFloat32: decimal.FloatRoom, stepTime: timeRoom, stepEnd: 1}

// encodePlanSet holds the ops of all types.
type encodePlanSet struct {
	cache plan.Cache[*encodeOp] // of values that cannot be addressed, by the type's word
	mu    sync.Mutex
	ops   map[encodeType]*encodeOp
}

// encodeType is a type, and whether values of it can be addressed.
type encodeType struct {
	typ         reflect.Type
	addressable bool
}

var encodePlans = &encodePlanSet{ops: map[encodeType]*encodeOp{}}

// byWord is the op for what an interface with this type word holds; v is any such interface.
func (s *encodePlanSet) byWord(word mem.Raw, v any) *encodeOp {
	if o, ok := s.cache.Get(word); ok {
		return o
	}
	return s.of(reflect.TypeOf(v))
}

// of is the op for values of t in an interface.
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

// methodsDiffer reports whether it makes a difference if values of t can be addressed.
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

// methodOf is the interface by which values of t are written, or nil.
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

// inherit sets o's element.
func (o *encodeOp) inherit(elem *encodeOp) {
	o.elem = elem
	o.include(elem)
}

// include makes o as tame as a part of it. A part that is not compiled to its end contains o.
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

// encodeFields is the steps of a struct, in the two ways of writing its keys.
type encodeFields struct{ plain, html encodeSteps }

type encodeSteps struct {
	first      *encodeStep // of list, whose last one is a stepEnd
	list       []encodeStep
	room       int  // asked for before the first step
	omitsFirst bool // each step can be left out up to the first that brings the brace
}

// encodeStep is a text and a value.
type encodeStep struct {
	text   mem.Block
	op     *encodeOp
	omit   *encodeOmit // nil where the value is never left out
	offset uintptr     // of the value, in the struct or after the last hop of omit
	room   uint32      // asked for after a value of unknown length: up to the next such value, and through its text
	len    uint8       // of text
	kind   stepKind
}

// encodeOmit is when a value is left out.
type encodeOmit struct {
	hops   []plan.Hop  // embedded pointers on the way to the value: it is left out where one is nil
	test   omitTest    // of the value
	quick  quickTest   // the same, of values that are judged by their first words
	asks   bool        // the test calls a method, which may be the caller's
	skip   int         // the number of steps for the value, besides the first
	last   *encodeStep // the last step for the value
	offset uintptr     // of the value, in the struct or after the last hop
}

// stepBuilder makes the steps of a struct.
type stepBuilder struct {
	set    *encodePlanSet
	whole  *encodeOp
	html   bool
	steps  []encodeStep
	text   []byte     // to go before the next value
	values int        // of known length, since room was asked for
	behind []plan.Hop // where the value lies that is being added
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

// compileSteps makes the steps of o, with the keys as html asks for.
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

// omitsFirst reports whether the first field of the struct t can be left out.
func omitsFirst(t reflect.Type) bool {
	fields := fieldsOf(t)
	return len(fields) > 0 && omits(&fields[0])
}

// addStruct adds the struct t, at offset in the one that steps are made for. With omitsFirst, the
// brace is left to the struct loop.
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

// addField adds a field's key, after lead, and its value; offset is that of the struct.
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

// inlineSteps is how many steps a struct may have before the structs in it are no longer taken
// apart.
const inlineSteps = 200

// inlines reports whether values of o are written by steps of the struct that they are in.
func (b *stepBuilder) inlines(o *encodeOp) bool {
	return inlineStructs && b.behind == nil && o.fields != nil && !o.fields.plain.omitsFirst && len(b.steps)+len(o.fields.plain.list) < inlineSteps
}

// stretch is how many values of known length may follow each other before room is asked for again.
const stretch = 24

// add adds a step with the text that has gathered, or as much of it as fits.
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

// split puts what does not fit into one step's text into steps without values.
func (b *stepBuilder) split() {
	for len(b.text) > mem.BlockSize {
		s := encodeStep{len: mem.BlockSize, kind: stepNone}
		copy(s.text.Text[:], b.text)
		b.text = append(b.text[:0], b.text[mem.BlockSize:]...)
		b.steps = append(b.steps, s)
	}
}

// end writes the text that has gathered without waiting for a value.
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

// String prints the plan of a type: the goldens in encode_plan_test.go are made of it.
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

// traits are the words for what is special in o.
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

// reserve computes how much room is asked for, and where. It gives what is asked for before the
// first step.
func reserve(steps []encodeStep) int {
	need := make([]int, len(steps)+1) // before each step, through the text of the next value of unknown length
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
