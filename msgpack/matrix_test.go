package msgpack_test

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"maps"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/slipstream-go/slipstream/internal/corpus"
	"github.com/slipstream-go/slipstream/internal/corpus/matrix"
	"github.com/slipstream-go/slipstream/internal/msgpwire"
	"github.com/slipstream-go/slipstream/msgpack"
)

// The matrix decodes every kind of value into every kind of target, from every source, by every
// decoding function.
func TestMatrix(t *testing.T) { matrix.Run(t, matrixFormat()) }

func matrixFormat() matrix.Format {
	return matrix.Format{
		Leaves:    matrixLeaves(),
		Wraps:     matrixWraps,
		Struct:    matrixStruct,
		Subject:   matrixSubject,
		Fill:      matrixFill,
		Spare:     true,
		Tangled:   true,
		ViewsUsed: true,
		Options:   matrix.FieldNames(reflect.TypeFor[msgpack.DecodeOptions]()),
		Elsewhere: map[string]string{"JSONFields": "it changes the list of fields and no op, which internal/plan compares with that of encoding/json"},
	}
}

// stampID is the ext id of stamp.
const stampID = 97

// Types that encode and decode themselves, each by other methods.
type (
	stamp  struct{ text string } // an ext
	pair   struct{ a, b int64 }  // an array, by CustomEncoder
	shout  struct{ text string } // a string, by Marshaler
	letter struct{ text string } // a str, by TextMarshaler
	blob   struct{ text string } // a bin, by BinaryMarshaler; a str by TextUnmarshaler
)

func init() {
	msgpack.RegisterExtEncoder(stampID, stamp{}, func(_ *msgpack.Encoder, v reflect.Value) ([]byte, error) {
		return []byte(v.Interface().(stamp).text), nil
	})
	msgpack.RegisterExtDecoder(stampID, stamp{}, func(d *msgpack.Decoder, v reflect.Value, n int) error {
		b := make([]byte, n)
		if n%2 == 0 { // also for an ext without data
			if k, err := d.Buffered().Read(b); k != n || err != nil {
				return fmt.Errorf("%d of %d bytes: %w", k, n, err)
			}
		} else if err := d.ReadFull(b); err != nil {
			return err
		}
		s, err := stampOf(b)
		v.Set(reflect.ValueOf(s))
		return err
	})
}

// stampOf rejects some texts.
func stampOf(b []byte) (stamp, error) {
	if len(b) > 0 && b[0] == '!' {
		return stamp{}, errors.New("no stamp")
	}
	return stamp{string(b)}, nil
}

func (s *stamp) decodeOracle(o *oracle) error {
	x, err := o.ext()
	if err == nil && x.Type != stampID {
		err = errOracle
	}
	if err == nil {
		o.called()
		*s, err = stampOf(x.Data)
	}
	return err
}

func (p pair) EncodeMsgpack(e *msgpack.Encoder) error {
	return errors.Join(e.EncodeArrayLen(2), e.EncodeInt(p.a), e.EncodeInt(p.b))
}

func (p *pair) DecodeMsgpack(d *msgpack.Decoder) error {
	n, err := d.DecodeArrayLen()
	if err == nil && n != 2 {
		err = errOracle
	}
	if err != nil {
		return err
	}
	for _, to := range []*int64{&p.a, &p.b} {
		n, err := d.DecodeInt64()
		if err != nil {
			return err
		}
		*to = n
	}
	return nil
}

func (p *pair) decodeOracle(o *oracle) error {
	h, err := o.next()
	if err == nil && (h.kind != 'a' || h.n != 2) {
		err = errOracle
	}
	for _, to := range []*int64{&p.a, &p.b} {
		if err == nil {
			err = o.decode(reflect.ValueOf(to).Elem())
		}
	}
	return err
}

func (s shout) MarshalMsgpack() ([]byte, error) { return msgpack.Marshal(s.text) }

func (s *shout) UnmarshalMsgpack(b []byte) error {
	if len(b) > 60 {
		return errors.New("too long")
	}
	s.text = string(b) // as encoded
	for i := range b { // the bytes belong to the method
		b[i] = '!'
	}
	return nil
}

func (l letter) MarshalText() ([]byte, error) { return []byte(l.text), nil }

func (l *letter) UnmarshalText(b []byte) error {
	l.text = string(b)
	clear(b)
	return nil
}

func (x blob) MarshalBinary() ([]byte, error)  { return []byte(x.text), nil }
func (x *blob) UnmarshalText(b []byte) error   { x.text = string(b[:len(b)/2]); return nil }
func (x *blob) UnmarshalBinary(b []byte) error { x.text = string(b); return nil }

// Structs with all kinds of tags.
type (
	Inner struct {
		A int8 `msgpack:",alias:old"`
		B []string
	}
	Outer struct {
		C string
		D map[string]int16
	}
	embedding struct {
		Inner
		*Outer
		E any
	}
	asArray struct {
		_msgpack struct{} `msgpack:",as_array"` //lint:ignore U1000 read by its tag
		A        int
		B        []byte
		C        *string
	}
	growing struct {
		_msgpack struct{} `msgpack:",as_array,any_length"` //lint:ignore U1000 read by its tag
		A        uint16
		*Outer
	}
	endless struct {
		Next *endless
		More []endless
		Text string
	}
	holder struct{ E any } // E may hold a pointer, which is not allowed in a map key
	bulky  struct {        // so large that memory for several is not allocated before they arrive
		Text string
		Room [1280]complex128 `msgpack:"-"`
	}
	omitting struct {
		A int            `msgpack:"a,omitempty"`
		B string         `msgpack:"-"`
		C map[string]any `msgpack:"a name of more than sixteen bytes,omitempty,alias:c,alias:cc"`
	}
)

// Named types of several kinds.
type (
	Word   string
	Number int64
	Bytes  []byte
	List   []string
	Table  map[string]any
)

func leaf[T any]() matrix.Kind {
	t := reflect.TypeFor[T]()
	return matrix.Kind{Name: t.String(), Type: t}
}

func matrixLeaves() []matrix.Kind {
	return []matrix.Kind{
		leaf[bool](), leaf[int](), leaf[int8](), leaf[int16](), leaf[int32](), leaf[int64](), leaf[uint](), leaf[uint8](), leaf[uint16](),
		leaf[uint32](), leaf[uint64](), leaf[float32](), leaf[float64](), leaf[string](), leaf[[]byte](), leaf[[5]byte](), leaf[any](),
		leaf[time.Time](), leaf[time.Duration](), leaf[msgpack.RawMessage](), leaf[msgpack.Raw](), leaf[msgpack.Ext](),
		leaf[stamp](), leaf[pair](), leaf[shout](), leaf[letter](), leaf[blob](),
		leaf[embedding](), leaf[asArray](), leaf[growing](), leaf[endless](), leaf[omitting](), leaf[holder](), leaf[[]bulky](),
		leaf[Word](), leaf[Number](), leaf[Bytes](), leaf[List](), leaf[Table](), leaf[[]any](), leaf[map[string]any](),
		leaf[map[string]string](), leaf[map[string]int](), leaf[map[string]int64](), leaf[map[string]float64](), leaf[map[string]bool](),
		leaf[map[int]string](), leaf[map[any]any](), leaf[map[Word][]int](), leaf[[]string](), leaf[[]int64](), leaf[[]float64](), leaf[[][]byte](),
		leaf[[]int](), leaf[[3]string](), leaf[[2]any](), leaf[**string](),
	}
}

var matrixWraps = []func(r *rand.Rand, k matrix.Kind) (matrix.Kind, bool){
	func(_ *rand.Rand, k matrix.Kind) (matrix.Kind, bool) { return typed(reflect.SliceOf(k.Type)), true },
	func(_ *rand.Rand, k matrix.Kind) (matrix.Kind, bool) { return typed(reflect.PointerTo(k.Type)), true },
	func(r *rand.Rand, k matrix.Kind) (matrix.Kind, bool) {
		return typed(reflect.ArrayOf(r.IntN(4), k.Type)), true
	},
	func(r *rand.Rand, k matrix.Kind) (matrix.Kind, bool) {
		keys := []reflect.Type{reflect.TypeFor[string](), reflect.TypeFor[Word](), reflect.TypeFor[int16](), reflect.TypeFor[uint64](), reflect.TypeFor[bool]()}
		return typed(reflect.MapOf(keys[r.IntN(len(keys))], k.Type)), true
	},
}

func typed(t reflect.Type) matrix.Kind { return matrix.Kind{Name: t.String(), Type: t} }

// matrixStruct returns a struct type of these fields, with names of several lengths.
func matrixStruct(r *rand.Rand, kinds []matrix.Kind) matrix.Kind {
	fields := make([]reflect.StructField, len(kinds))
	for i, k := range kinds {
		tag, other := "", ""
		switch r.IntN(7) {
		case 0:
			tag = fmt.Sprintf("a_name_of_middling_len%d", i)
		case 1:
			tag = fmt.Sprintf("%s%d", strings.Repeat("long", 8), i)
		case 2:
			tag = fmt.Sprintf("n%d,alias:old%d,alias:older%d", i, i, i)
		case 3:
			other = fmt.Sprintf("other%d", i)
		}
		fields[i] = reflect.StructField{Name: fmt.Sprintf("F%d", i), Type: k.Type}
		if tag != "" {
			fields[i].Tag = reflect.StructTag(fmt.Sprintf("msgpack:%q", tag))
		}
		if other != "" {
			fields[i].Tag = reflect.StructTag(fmt.Sprintf("json:%q", other))
		}
	}
	return typed(reflect.StructOf(fields))
}

func matrixFill(r *rand.Rand, v reflect.Value) bool {
	switch p := v.Addr().Interface().(type) {
	case *time.Time:
		*p = time.Unix(r.Int64N(1<<35)-1<<33, r.Int64N(1e9))
		switch r.IntN(4) {
		case 0:
			*p = time.Time{}
		case 1:
			*p = p.Truncate(time.Second)
		}
	case *msgpack.RawMessage:
		*p = rawOf(r)
	case *msgpack.Raw:
		*p = msgpack.Raw(rawOf(r))
	case *msgpack.Ext:
		*p = msgpack.Ext{Type: int8(r.IntN(90) + 1), Data: []byte(corpus.String(r))}
	case *stamp:
		p.text = corpus.String(r)
	case *pair:
		p.a, p.b = corpus.Int(r), corpus.Int(r)
	case *shout:
		p.text = corpus.String(r)
	case *letter:
		p.text = corpus.String(r)
	case *blob:
		p.text = corpus.String(r)
	case *[]bulky:
		*p = make([]bulky, 5+r.IntN(3))
		for i := range *p {
			(*p)[i].Text = corpus.String(r)
		}
	case *holder:
		switch r.IntN(8) {
		case 6:
			p.E = msgpack.Ext{Type: 5, Data: []byte(corpus.String(r))}
		case 0:
			p.E = new(int16)
		case 1:
			p.E = &[]string{corpus.String(r), "b"}
		case 2:
			p.E = &Inner{A: 1, B: []string{corpus.String(r)}}
		case 3:
			p.E = []byte(corpus.String(r))
		case 4:
			p.E = (*int)(nil)
		case 5:
			p.E = &map[string]any{"a": corpus.Any(r, 3)}
		default:
			p.E = corpus.Any(r, 2)
		}
	default:
		return false
	}
	return true
}

func rawOf(r *rand.Rand) []byte {
	b, err := msgpack.Marshal(corpus.Any(r, 2))
	if err != nil {
		panic(err)
	}
	return b
}

// matrixSubject returns every way to decode a type.
func matrixSubject(k matrix.Kind) (*matrix.Subject, error) {
	oracleOf := func(options msgpack.DecodeOptions) matrix.Decode {
		return func(b []byte, target reflect.Value) (int, error) {
			o := &oracle{DecodeOptions: options, b: b}
			err := o.message(target.Elem())
			return o.i, err
		}
	}
	subject := &matrix.Subject{Encode: matrixEncode, Oracle: oracleOf(msgpack.DecodeOptions{})}
	add := func(name string, options msgpack.DecodeOptions, bytes matrix.Decode, stream func(io.Reader) func(reflect.Value) error) {
		subject.Ways = append(subject.Ways, matrix.Way{
			Name: name, Bytes: bytes, Stream: stream, Views: options.ZeroCopy && bytes != nil, Owned: options.ReuseBytes, Oracle: oracleOf(options),
			Options: matrix.FieldsSet(options), OwnStrings: options.OwnStrings,
		})
	}
	none := msgpack.DecodeOptions{}
	add("Unmarshal", none, func(b []byte, target reflect.Value) (int, error) { return -1, msgpack.Unmarshal(b, target.Interface()) }, nil)
	add("Raw.Decode", none, func(b []byte, target reflect.Value) (int, error) {
		return -1, msgpack.Raw(b).Decode(target.Interface())
	}, nil)
	add("Feed", none, func(b []byte, target reflect.Value) (int, error) {
		var f msgpack.Feed
		return -1, feedPieces(&f, bytes.NewReader(b), target.Interface())
	}, nil)
	subject.Ways[len(subject.Ways)-1].Oracle = func(b []byte, target reflect.Value) (int, error) {
		o := &oracle{b: b}
		err := o.message(target.Elem())
		if len(o.bare) > 0 { // a Feed waits for the whole ext
			return -1, matrix.ErrUnspecified
		}
		return o.i, err
	}
	used := msgpack.NewDecoder(nil) // reused for all calls, whatever has failed before
	decode := func(options msgpack.DecodeOptions) matrix.Decode {
		return func(b []byte, target reflect.Value) (int, error) {
			used.ResetBytes(b)
			used.SetOptions(options)
			err := used.Decode(target.Interface())
			return int(used.InputOffset()), err
		}
	}
	add("Decoder, DecodeValue", none, func(b []byte, target reflect.Value) (int, error) {
		d := msgpack.NewDecoder(nil)
		d.ResetBytes(b)
		err := d.DecodeValue(target)
		return int(d.InputOffset()), err
	}, nil)
	add("Elements, and Decode inside a method", none, func(b []byte, target reflect.Value) (int, error) {
		d := msgpack.NewDecoder(nil)
		d.ResetBytes(append([]byte{0x91}, b...))
		elementTarget = target.Interface()
		for _, err := range msgpack.Elements[element](d) {
			if err != nil {
				return -1, err
			}
		}
		if b[0] == msgpwire.Nil { // no method is called for nil
			return 1, msgpack.Unmarshal(b, elementTarget)
		}
		return int(d.InputOffset()) - 1, nil
	}, nil)
	names := slices.Sorted(maps.Keys(matrixOptions)) // sorted, so that a seed always selects the same case
	for _, name := range names {
		options := matrixOptions[name]
		add("Decoder, "+name, options, decode(options), nil)
		add("options.Unmarshal, "+name, options, func(b []byte, target reflect.Value) (int, error) {
			return -1, options.Unmarshal(b, target.Interface())
		}, nil)
	}
	for _, name := range names {
		options := matrixOptions[name]
		if options.ZeroCopy {
			options.ZeroCopy = false // not possible with a reader
			name += " that is not"
		}
		add("Decoder over a reader, "+name, options, nil, func(r io.Reader) func(reflect.Value) error {
			d := msgpack.NewDecoder(r)
			set := matrixOptions[strings.TrimSuffix(name, " that is not")]
			d.SetOptions(set)
			return func(target reflect.Value) error { return d.Decode(target.Interface()) }
		})
	}
	add("Decoder over an io.ByteScanner", none, nil, func(r io.Reader) func(reflect.Value) error {
		d := msgpack.NewDecoder(bufio.NewReaderSize(r, 16))
		return func(target reflect.Value) error { return d.Decode(target.Interface()) }
	})
	add("Decoder over a bytes.Buffer", none, nil, func(r io.Reader) func(reflect.Value) error {
		var b bytes.Buffer
		b.ReadFrom(r)
		d := msgpack.NewDecoder(&b)
		return func(target reflect.Value) error { return d.Decode(target.Interface()) }
	})
	for _, share := range []int{0, 1} {
		add(fmt.Sprintf("Decoder over a Buffer, ShareMin %d", share), none, nil, func(r io.Reader) func(reflect.Value) error {
			b := &msgpack.Buffer{ShareMin: share}
			d := msgpack.NewDecoder(b)
			return func(target reflect.Value) error {
				b.ReadFrom(r) // read here, so that reuse of shared memory would be detected
				return d.Decode(target.Interface())
			}
		})
	}
	for _, zeroCopy := range []bool{false, true} { // a Feed copies in both cases
		add(fmt.Sprintf("Feed, ZeroCopy %v", zeroCopy), none, nil, func(r io.Reader) func(reflect.Value) error {
			var f msgpack.Feed
			f.Decoder().SetOptions(msgpack.DecodeOptions{ZeroCopy: zeroCopy})
			return func(target reflect.Value) error { return feedPieces(&f, r, target.Interface()) }
		})
	}
	return subject, nil
}

// element decodes its value into elementTarget.
type element struct{}

var elementTarget any

func (*element) DecodeMsgpack(d *msgpack.Decoder) error { return d.Decode(elementTarget) }

var matrixOptions = map[string]msgpack.DecodeOptions{
	"no options":            {},
	"ZeroCopy":              {ZeroCopy: true},
	"ZeroCopy, Loose":       {ZeroCopy: true, Loose: true},
	"Loose":                 {Loose: true},
	"UTC":                   {UTC: true},
	"StructTag":             {StructTag: "json"},
	"ReuseBytes":            {ReuseBytes: true},
	"OwnStrings":            {OwnStrings: true},
	"StrictInts":            {StrictInts: true},
	"DisallowUnknownFields": {DisallowUnknownFields: true},
	"Loose, UTC":            {Loose: true, UTC: true},
	"RawExt":                {RawExt: true},
	"AnyLength":             {AnyLength: true},
	"MaxBytes of a GB":      {MaxBytes: 1 << 30},
	"MaxBytes":              {MaxBytes: 60},
	"MaxDepth":              {MaxDepth: 3},
	"MaxElements":           {MaxElements: 4},
	"MaxString":             {MaxString: 33},
	"StrictUTF8":            {StrictUTF8: true},
	"StrictUTF8, ZeroCopy":  {StrictUTF8: true, ZeroCopy: true},
	"UniqueKeys":            {UniqueKeys: true},
}

// feedPieces feeds pieces of r until a value is complete.
func feedPieces(f *msgpack.Feed, r io.Reader, target any) error {
	piece := make([]byte, 7)
	for {
		err := f.Next(target)
		if err != msgpack.ErrMore {
			return err
		}
		n, err := r.Read(piece)
		f.Feed(piece[:n])
		if n == 0 && err == io.EOF {
			return io.EOF
		}
	}
}

// matrixEncode encodes v in one of the forms that senders may choose. The output of Marshal is the
// seed of the choice.
func matrixEncode(v reflect.Value) ([]byte, error) {
	b, err := msgpack.EncodeOptions{SortMapKeys: true}.Marshal(v.Addr().Interface())
	if err != nil {
		return nil, err
	}
	h := fnv.New64a()
	h.Write(b)
	r := corpus.New(h.Sum64())
	switch r.IntN(4) {
	case 0:
		return b, nil
	case 1:
		return msgpack.EncodeOptions{SortMapKeys: true, ArrayStructs: r.IntN(2) == 0, CompactInts: r.IntN(2) == 0, CompactFloats: r.IntN(2) == 0, StructTag: []string{"", "json"}[r.IntN(2)]}.Marshal(v.Addr().Interface())
	}
	rw := rewriter{r, b, 0}
	return rw.value(nil), nil
}

// rewriter writes the values of b in other forms, and occasionally another value.
type rewriter struct {
	r *rand.Rand
	b []byte
	i int
}

// value appends the next value to dst.
func (w *rewriter) value(dst []byte) []byte {
	o := oracle{b: w.b, i: w.i}
	whole, err := o.skip()
	if err != nil {
		panic(err)
	}
	from := w.i
	switch w.r.IntN(60) {
	case 0:
		w.i = o.i
		return append(dst, msgpwire.Nil)
	case 1:
		w.i = o.i
		return append(dst, rawOf(w.r)...)
	}
	o.i = from
	h, _ := o.next()
	w.i = o.i
	changed := w.r.IntN(6) == 0
	switch h.kind {
	case 'i':
		if changed || w.r.IntN(4) == 0 {
			return appendNumber(w.r, dst, h)
		}
	case 's', 'B':
		w.i += h.n
		if changed {
			return appendText(w.r, dst, whole[len(whole)-h.n:])
		}
	case 'x':
		w.i += h.n
	case 'a':
		return w.elements(dst, h.n, changed)
	case 'm':
		return w.pairs(dst, h.n, changed)
	}
	return append(dst, w.b[from:w.i]...)
}

// elements appends the elements of an array to dst, sometimes one less. If changed is set, it may
// append one more.
func (w *rewriter) elements(dst []byte, n int, changed bool) []byte {
	var list []byte
	count := n
	for k := range n {
		if list = w.value(list); k == n-2 && w.r.IntN(12) == 0 {
			o := oracle{b: w.b, i: w.i}
			if _, err := o.skip(); err != nil {
				panic(err)
			}
			w.i = o.i
			count--
			break
		}
	}
	if changed && count == n && w.r.IntN(4) == 0 {
		list, count = append(list, rawOf(w.r)...), n+1
	}
	if changed {
		dst = append(dst, 0xdd, 0, 0, byte(count>>8), byte(count))
	} else {
		dst = msgpwire.AppendArrayLen(dst, count)
	}
	return append(dst, list...)
}

// pairs appends the pairs of a map to dst. If changed is set, it shuffles them, and may repeat a
// pair or add one.
func (w *rewriter) pairs(dst []byte, n int, changed bool) []byte {
	list := make([][]byte, n)
	for k := range list {
		key := oracle{b: w.b, i: w.i}
		name, _ := key.skip()
		w.i = key.i
		list[k] = w.value(append([]byte{}, name...))
	}
	if changed {
		w.r.Shuffle(n, func(i, j int) { list[i], list[j] = list[j], list[i] })
		switch w.r.IntN(6) {
		case 0:
			list = append(list, append(msgpwire.AppendString(nil, corpus.String(w.r)), rawOf(w.r)...))
		case 1:
			if n > 0 {
				list = append(list, list[w.r.IntN(n)])
			}
		case 2:
			list = append(list, append(msgpwire.AppendInt(nil, corpus.Int(w.r)), rawOf(w.r)...))
		case 3:
			nan := append(msgpwire.AppendFloat64(nil, math.NaN()), msgpwire.Nil)
			list = append(list, nan, nan)
		case 4:
			if n > 0 {
				list = append(list, w.renamed(list[w.r.IntN(n)]))
			}
		}
	}
	for _, pair := range list { // a number in another width is the same key
		if c := pair[0]; w.r.IntN(8) == 0 && (c <= msgpwire.FixintMax || c >= msgpwire.Uint8 && c <= msgpwire.Int64 || c >= msgpwire.Negfixint) {
			list = append(list, w.renamed(pair))
			break
		}
	}
	dst = msgpwire.AppendMapLen(dst, len(list))
	for _, p := range list {
		dst = append(dst, p...)
	}
	return dst
}

// renamed returns the pair with another form of its key: an int in another width, or an alias from
// matrixStruct.
func (w *rewriter) renamed(pair []byte) []byte {
	o := oracle{b: pair}
	whole, err := o.skip()
	if err != nil {
		panic(err)
	}
	value := pair[o.i:]
	o.i = 0
	switch h, _ := o.next(); h.kind {
	case 'i':
		return append(appendNumber(w.r, nil, h), value...)
	case 's':
		if number, ok := strings.CutPrefix(string(whole[len(whole)-h.n:]), "n"); ok {
			return append(msgpwire.AppendString(nil, "old"+number), value...)
		}
	}
	return pair
}

// appendNumber appends an int in another form.
func appendNumber(r *rand.Rand, dst []byte, h head) []byte {
	switch n := int64(h.num); r.IntN(4) {
	case 0:
		if f := float64(n); math.Abs(f) < 1<<53 {
			return msgpwire.AppendFloat64(dst, f)
		}
		return msgpwire.AppendCode64(dst, msgpwire.Uint64, h.num)
	case 1:
		return msgpwire.AppendCode64(dst, msgpwire.Uint64, h.num)
	case 2:
		return msgpwire.AppendCode64(dst, msgpwire.Int64, h.num)
	default:
		return append(dst, msgpwire.Int16, byte(n>>8), byte(n))
	}
}

// appendText appends a str or bin with any header that fits.
func appendText(r *rand.Rand, dst, text []byte) []byte {
	n := len(text)
	switch r.IntN(4) {
	case 0:
		dst = msgpwire.AppendBytesLen(dst, n)
	case 1:
		dst = append(dst, msgpwire.Str16, byte(n>>8), byte(n))
	case 2:
		dst = append(dst, msgpwire.Str32, 0, 0, byte(n>>8), byte(n))
	default:
		dst = append(dst, msgpwire.Bin16, byte(n>>8), byte(n))
	}
	return append(dst, text...)
}
