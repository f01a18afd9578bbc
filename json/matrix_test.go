package json_test

// The matrix decodes every kind of value into every kind of target, from every source, by every
// decoding function. The oracle is jsonoracle. If encoding/json has the function too, its result
// must be the same, and the error texts are compared.

import (
	"bytes"
	std "encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"iter"
	"math/big"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/slipstream-go/slipstream/internal/corpus"
	"github.com/slipstream-go/slipstream/internal/corpus/jsonoracle"
	"github.com/slipstream-go/slipstream/internal/corpus/matrix"
	"github.com/slipstream-go/slipstream/json"
)

func TestMatrix(t *testing.T) {
	if json.OnV2 {
		t.Skip("the oracle is that of Go 1.26; the differential tests run against both")
	}
	f := matrixFormat()
	f.Options = matrix.ConstantNames(t, "ParseFlags")
	matrix.Run(t, f)
}

// matrixFormat returns the format for JSON, without the names of the options.
func matrixFormat() matrix.Format {
	return matrix.Format{
		Leaves: matrixLeaves(),
		Wraps:  matrixWraps,
		Struct: func(_ *rand.Rand, fields []matrix.Kind) matrix.Kind {
			typ := matrix.StructOf(fields)
			return matrix.Kind{Name: typ.String(), Type: typ}
		},
		Subject:     matrixSubject,
		Fill:        matrixFill,
		Text:        matrixText,
		Opaque:      []reflect.Type{reflect.TypeFor[big.Int]()},
		Tangled:     true,
		ViewsUsed:   true,
		ExactErrors: true,
		Explains:    func([]byte, string) bool { return true }, // the matrix compares the target with the oracle's
	}
}

type (
	ownText    struct{ s string } // has text methods
	ownValue   struct{ s string } // has JSON methods and rejects some values
	ownRaw     []byte             // has JSON methods and reuses its memory
	namedText  string
	matrixTree struct {
		Name string
		Kids []*matrixTree
		Next *matrixTree
		By   map[string]*matrixTree
	}
	inlined  struct{ A, B int }
	inlining struct {
		inlined
		*Inlined
		C string
	}
	Inlined struct{ D []string }
	kin     struct { // refers to its parent, and so to the value that contains it
		*Kin
		Parent *kin
		Nodes  []kin
		Pair   [2]*kin
		Any    any
		N      int
	}
	Kin struct {
		Of   *kin
		List []*kin
		Text *string
	}
)

func (o ownText) MarshalText() ([]byte, error) { return []byte(o.s), nil }
func (o *ownText) UnmarshalText(b []byte) error {
	if bytes.HasPrefix(b, []byte("long")) {
		return fmt.Errorf("%.4s is refused", b)
	}
	o.s = string(b)
	return nil
}
func (o ownValue) MarshalJSON() ([]byte, error) { return std.Marshal(o.s) }
func (o *ownValue) UnmarshalJSON(b []byte) error {
	if b[0] == '{' {
		return fmt.Errorf("%.4s is refused", b)
	}
	o.s = string(b)
	return nil
}
func (o ownRaw) MarshalJSON() ([]byte, error) { return std.Marshal(len(o)) }
func (o *ownRaw) UnmarshalJSON(b []byte) error {
	*o = append((*o)[:0], b...)
	return nil
}

func matrixLeaves() []matrix.Kind {
	var all []matrix.Kind
	add := func(tag reflect.StructTag, types ...reflect.Type) {
		for _, t := range types {
			all = append(all, matrix.Kind{Name: t.String(), Type: t, Tag: tag})
		}
	}
	add("",
		reflect.TypeFor[bool](), reflect.TypeFor[int](), reflect.TypeFor[int8](), reflect.TypeFor[int16](), reflect.TypeFor[int32](), reflect.TypeFor[int64](),
		reflect.TypeFor[uint](), reflect.TypeFor[uint8](), reflect.TypeFor[uint16](), reflect.TypeFor[uint32](), reflect.TypeFor[uint64](), reflect.TypeFor[uintptr](),
		reflect.TypeFor[float32](), reflect.TypeFor[float64](), reflect.TypeFor[string](), reflect.TypeFor[namedText](), reflect.TypeFor[[]byte](),
		reflect.TypeFor[json.Number](), reflect.TypeFor[json.RawMessage](), reflect.TypeFor[any](), reflect.TypeFor[time.Time](), reflect.TypeFor[time.Duration](),
		reflect.TypeFor[ownText](), reflect.TypeFor[ownValue](), reflect.TypeFor[ownRaw](), reflect.TypeFor[*ownValue](), reflect.TypeFor[matrixTree](), reflect.TypeFor[kin](), reflect.TypeFor[inlining](),
		reflect.TypeFor[[]any](), reflect.TypeFor[map[string]any](), reflect.TypeFor[map[string]string](), reflect.TypeFor[[]string](), reflect.TypeFor[[2]bool]())
	add(`json:",string"`, reflect.TypeFor[int](), reflect.TypeFor[string](), reflect.TypeFor[*bool](), reflect.TypeFor[float64](), reflect.TypeFor[*uint8](), reflect.TypeFor[json.Number]())
	return all
}

var matrixKeys = []reflect.Type{reflect.TypeFor[string](), reflect.TypeFor[namedText](), reflect.TypeFor[int](), reflect.TypeFor[uint8](), reflect.TypeFor[ownText]()}

var matrixWraps = []func(r *rand.Rand, k matrix.Kind) (matrix.Kind, bool){
	func(_ *rand.Rand, k matrix.Kind) (matrix.Kind, bool) {
		return wrapped(reflect.SliceOf(k.Type)), k.Tag == ""
	},
	func(_ *rand.Rand, k matrix.Kind) (matrix.Kind, bool) {
		return wrapped(reflect.PointerTo(k.Type)), k.Tag == ""
	},
	func(r *rand.Rand, k matrix.Kind) (matrix.Kind, bool) {
		return wrapped(reflect.ArrayOf(r.IntN(4), k.Type)), k.Tag == ""
	},
	func(r *rand.Rand, k matrix.Kind) (matrix.Kind, bool) {
		return wrapped(reflect.MapOf(matrixKeys[r.IntN(len(matrixKeys))], k.Type)), k.Tag == ""
	},
}

func wrapped(t reflect.Type) matrix.Kind { return matrix.Kind{Name: t.String(), Type: t} }

// manyMembers returns the beginning of an object with so many members that names are not compared
// one by one. Sometimes two members have the same name.
func manyMembers(r *rand.Rand) []byte {
	b := []byte("{")
	for k := range 20 {
		b = fmt.Appendf(b, `"member%d":%d,`, k, k)
	}
	if r.IntN(2) == 0 {
		b = fmt.Appendf(b, `"member%d":0,`, r.IntN(20))
	}
	return b
}

// matrixText returns a text, mostly short, in any script. It contains characters that need escapes,
// and is sometimes invalid UTF-8.
func matrixText(r *rand.Rand) string {
	s := corpus.String(r)
	switch r.IntN(8) {
	case 0:
		s += strings.Repeat([]string{"é", "日本", "😀", "<&>", "\n\"\\", "\u2028"}[r.IntN(6)], r.IntN(60))
	case 1:
		s += "\xff\xc3"
	}
	return s
}

// matrixFill sets values of types that a random value of the Go kind does not suit.
func matrixFill(r *rand.Rand, v reflect.Value) bool {
	switch p := v.Addr().Interface().(type) {
	case *json.Number:
		*p = json.Number([]string{"0", "-1", "1.5", "1e3", "12345678901234567890"}[r.IntN(5)])
	case *json.RawMessage:
		*p = json.RawMessage([]string{"null", `{"a":[1, 2]}`, `"x"`, "12.50", "[]"}[r.IntN(5)])
	case *time.Time:
		*p = time.Unix(r.Int64N(4e9), r.Int64N(1e9)).UTC()
	case *ownText:
		p.s = matrixText(r)
	case *ownValue:
		p.s = matrixText(r)
	case *matrixTree:
		p.Name = matrixText(r)
		if r.IntN(3) > 0 {
			p.Kids = []*matrixTree{{Name: "kid"}, nil, {By: map[string]*matrixTree{"a": nil}}}[:r.IntN(4)]
		}
		if r.IntN(3) == 0 {
			p.Next = &matrixTree{Name: matrixText(r)}
		}
	case *any:
		switch r.IntN(12) {
		case 0:
			*p = new(int)
		case 1:
			*p = &[]any{matrixText(r), 2.5}
		case 2:
			*p = &map[string]any{matrixText(r): nil}
		case 3:
			s := matrixText(r)
			to := &s
			*p = &to
		case 4:
			*p = &matrixTree{Name: matrixText(r)}
		case 5:
			*p = []any{map[string]any{"a": matrixText(r)}, 1.5, nil, true}
		case 6:
			*p = map[string]any{"F0": []any{}, matrixText(r): float64(r.IntN(1000))}
		case 7:
			*p = float64(r.Int64())
		case 8:
			*p = matrixText(r)
		}
	default:
		return false
	}
	return true
}

// holdsRaw reports whether values of type t can contain a RawMessage, whose memory encoding/json
// reuses.
func holdsRaw(t reflect.Type, seen map[reflect.Type]bool) bool {
	if t == reflect.TypeFor[json.RawMessage]() {
		return true
	}
	if seen[t] {
		return false
	}
	seen[t] = true
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
		return holdsRaw(t.Elem(), seen)
	case reflect.Struct:
		for i := range t.NumField() {
			if holdsRaw(t.Field(i).Type, seen) {
				return true
			}
		}
	}
	return false
}

// unlessPanics makes a decoder of encoding/json return ErrUnspecified instead of a certain panic.
// encoding/json panics if an element refers back to its slice, and sets it to fewer elements or to
// nil.
func unlessPanics(decode matrix.Decode) matrix.Decode {
	return func(b []byte, target reflect.Value) (n int, err error) {
		defer func() {
			if r := recover(); r != nil {
				if text := fmt.Sprint(r); !strings.Contains(text, "in SetLen") {
					panic(r)
				}
				n, err = -1, matrix.ErrUnspecified
			}
		}()
		return decode(b, target)
	}
}

// matrixFlags contains sets of flags with their names and the corresponding options of the oracle.
var matrixFlags = []struct {
	name  string
	flags json.ParseFlags
	o     jsonoracle.Options
}{
	{"", 0, jsonoracle.Options{}},
	{"UseNumber", json.UseNumber, jsonoracle.Options{Number: true}},
	{"UseInt64", json.UseInt64, jsonoracle.Options{Int64: true}},
	{"UseUint64", json.UseUint64, jsonoracle.Options{Uint64: true}},
	{"UseUint64|UseInt64|UseBigInt|UseNumber", json.UseUint64 | json.UseInt64 | json.UseBigInt | json.UseNumber, jsonoracle.Options{Uint64: true, Int64: true, BigInt: true, Number: true}},
	{"UseBigInt", json.UseBigInt, jsonoracle.Options{BigInt: true}},
	{"UseDurationText", json.UseDurationText, jsonoracle.Options{DurationText: true}},
	{"DontMatchCaseInsensitiveStructFields", json.DontMatchCaseInsensitiveStructFields, jsonoracle.Options{ExactCase: true}},
	{"DisallowUnknownFields", json.DisallowUnknownFields, jsonoracle.Options{NoUnknown: true}},
	{"RejectDuplicateNames", json.RejectDuplicateNames, jsonoracle.Options{NoTwice: true}},
	{"RejectDuplicateNames|DontMatchCaseInsensitiveStructFields|DisallowUnknownFields|UseInt64",
		json.RejectDuplicateNames | json.DontMatchCaseInsensitiveStructFields | json.DisallowUnknownFields | json.UseInt64,
		jsonoracle.Options{NoTwice: true, ExactCase: true, NoUnknown: true, Int64: true}},
	{"ReuseRawMessage", json.ReuseRawMessage, jsonoracle.Options{ReuseRaw: true}},
	{"DontCopyString|DontCopyNumber|DontCopyRawMessage", json.ZeroCopy, jsonoracle.Options{RawViews: true}},
	{"DontCopyString", json.DontCopyString, jsonoracle.Options{}},
	{"DontCopyNumber", json.DontCopyNumber, jsonoracle.Options{}},
	{"DontCopyNumber|UseNumber", json.DontCopyNumber | json.UseNumber, jsonoracle.Options{Number: true}},
	{"DontCopyRawMessage", json.DontCopyRawMessage, jsonoracle.Options{RawViews: true}},
}

// matrixSubject returns every decoding function, with the oracle for each.
func matrixSubject(k matrix.Kind) (*matrix.Subject, error) {
	var wantErr error // of the last oracle call
	oracle := func(o jsonoracle.Options) matrix.Decode {
		return func(b []byte, target reflect.Value) (int, error) { return jsonoracle.Decode(b, target, o) }
	}
	noting := func(d matrix.Decode) matrix.Decode {
		return func(b []byte, target reflect.Value) (n int, err error) {
			n, err = d(b, target)
			wantErr = err
			return n, err
		}
	}
	// same checks the type and text of err against encoding/json's error, if encoding/json was
	// called.
	raw := holdsRaw(k.Type, make(map[reflect.Type]bool))
	same := func(err error) error {
		if !raw && err != nil && wantErr != nil && wantErr != matrix.ErrUnspecified && (err.Error() != wantErr.Error() || reflect.TypeOf(err) != reflect.TypeOf(wantErr)) {
			panic(fmt.Sprintf("the error is %#v, want %#v", err, wantErr))
		}
		return err
	}
	unmarshal := unlessPanics(func(b []byte, target reflect.Value) (int, error) { return -1, std.Unmarshal(b, target.Interface()) })
	parse := func(flags json.ParseFlags) matrix.Decode {
		return func(b []byte, target reflect.Value) (int, error) {
			rest, err := json.Parse(b, target.Interface(), flags)
			return len(b) - len(rest), err
		}
	}
	first := func(o jsonoracle.Options) matrix.Decode {
		o.First, o.Blanks = true, true
		d := oracle(o)
		return func(b []byte, target reflect.Value) (int, error) {
			n, err := d(b, target)
			if err != nil {
				n = -1
			}
			return n, err
		}
	}
	stdDecoder := func(set func(*std.Decoder)) matrix.Decode {
		return unlessPanics(func(b []byte, target reflect.Value) (int, error) {
			d := std.NewDecoder(bytes.NewReader(b))
			set(d)
			err := d.Decode(target.Interface())
			return int(d.InputOffset()), err
		})
	}
	decoder := func(set func(*json.Decoder)) func(io.Reader) func(reflect.Value) error {
		return func(r io.Reader) func(reflect.Value) error {
			d := json.NewDecoder(r)
			set(d)
			return func(target reflect.Value) error { return d.Decode(target.Interface()) }
		}
	}
	// noted returns a stream whose errors must equal encoding/json's.
	noted := func(open func(io.Reader) func(reflect.Value) error) func(io.Reader) func(reflect.Value) error {
		return func(r io.Reader) func(reflect.Value) error {
			next := open(r)
			return func(target reflect.Value) error { return same(next(target)) }
		}
	}
	subject := &matrix.Subject{
		Encode: func(v reflect.Value) ([]byte, error) {
			b, err := std.Marshal(v.Interface())
			if err != nil {
				return nil, err
			}
			h := fnv.New64a()
			h.Write(b)
			r := rand.New(rand.NewPCG(h.Sum64(), 1))
			if r.IntN(4) == 0 { // a sender may encode durations as text
				if b, err = json.Append(nil, v.Interface(), json.DurationText); err != nil {
					return nil, err
				}
			}
			if bytes.HasPrefix(b, []byte("{")) && len(b) > 2 && r.IntN(8) == 0 {
				b = append(manyMembers(r), b[1:]...)
			}
			return append(jsonoracle.Vary(r, b), '\n'), nil
		},
		Oracle: oracle(jsonoracle.Options{}),
	}
	original := unmarshal // the oracle for functions that encoding/json has too
	if raw {
		original = subject.Oracle
	} else {
		subject.Ways = append(subject.Ways, matrix.Way{Name: "encoding/json", Bytes: unmarshal})
	}
	subject.Ways = append(subject.Ways,
		matrix.Way{Name: "Unmarshal", Bytes: func(b []byte, target reflect.Value) (int, error) {
			return -1, same(json.Unmarshal(b, target.Interface()))
		}, Oracle: noting(original)},
		matrix.Way{Name: "UnmarshalRead", Bytes: func(b []byte, target reflect.Value) (int, error) {
			return -1, same(json.UnmarshalRead(iotest.HalfReader(bytes.NewReader(b)), target.Interface(), 0))
		}, Oracle: noting(original)})
	plain := first(jsonoracle.Options{})
	for _, p := range matrixFlags {
		subject.Ways = append(subject.Ways, matrix.Way{
			Name: "Parse, " + p.name, Bytes: parse(p.flags), Oracle: first(p.o), Views: p.flags&json.ZeroCopy != 0, Owned: p.flags&json.ReuseRawMessage != 0,
			Options: strings.FieldsFunc(p.name, func(c rune) bool { return c == '|' }), Plain: plain,
		})
	}
	originalStream, originalStrict := stdDecoder(func(*std.Decoder) {}), stdDecoder(func(d *std.Decoder) { d.UseNumber(); d.DisallowUnknownFields() })
	if raw {
		originalStream, originalStrict = oracle(jsonoracle.Options{First: true}), oracle(jsonoracle.Options{First: true, Number: true, NoUnknown: true})
	}
	subject.Ways = append(subject.Ways,
		matrix.Way{Name: "Decoder", Stream: noted(decoder(func(*json.Decoder) {})), Oracle: noting(originalStream)},
		matrix.Way{Name: "Decoder, UseNumber, DisallowUnknownFields", Stream: noted(decoder(func(d *json.Decoder) { d.UseNumber(); d.DisallowUnknownFields() })),
			Oracle: noting(originalStrict)},
		matrix.Way{Name: "Decoder, DontMatchCase…", Stream: decoder((*json.Decoder).DontMatchCaseInsensitiveStructFields), Oracle: oracle(jsonoracle.Options{First: true, ExactCase: true})},
		matrix.Way{Name: "Decoder, ZeroCopy", Stream: decoder((*json.Decoder).ZeroCopy), Views: true, Oracle: oracle(jsonoracle.Options{First: true, RawViews: true})},
		matrix.Way{Name: "Decoder, DontCopyString, DontCopyNumber", Stream: decoder(func(d *json.Decoder) { d.DontCopyString(); d.DontCopyNumber() }), Views: true,
			Oracle: oracle(jsonoracle.Options{First: true})},
		matrix.Way{Name: "Decoder, DontCopyRawMessage, UseDurationText", Stream: decoder(func(d *json.Decoder) { d.DontCopyRawMessage(); d.UseDurationText() }), Views: true,
			Oracle: oracle(jsonoracle.Options{First: true, RawViews: true, DurationText: true})},
		matrix.Way{Name: "Decoder, ReuseRawMessage", Stream: decoder((*json.Decoder).ReuseRawMessage), Owned: true, Oracle: oracle(jsonoracle.Options{First: true, ReuseRaw: true})},
		matrix.Way{Name: "Decoder, RejectDuplicateNames", Stream: decoder((*json.Decoder).RejectDuplicateNames), Oracle: oracle(jsonoracle.Options{First: true, NoTwice: true})},
		matrix.Way{Name: "Lines", Stream: func(r io.Reader) func(reflect.Value) error {
			next, _ := iter.Pull2(json.Lines[json.RawMessage](r, 0))
			return func(target reflect.Value) error {
				raw, err, ok := next()
				switch {
				case !ok:
					return io.EOF
				case err != nil:
					return err
				}
				return json.Unmarshal(raw, target.Interface())
			}
		}, Oracle: oracle(jsonoracle.Options{LineByLine: true})},
	)
	return subject, nil
}
