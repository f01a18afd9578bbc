package schema

// Each test checks one rule of Compat with two versions of a Go type. Each version writes values,
// and the other version reads them.

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/slipstream-go/slipstream/internal/corpus"
)

// rule describes two versions of a type and the verdict that Compat must return.
type rule[O, N any] struct {
	old    *Schema[O]
	new    *Schema[N]
	want   Verdict
	same   func(o *O, n *N) bool // the fields of both versions are equal
	onlyO  func(o *O) bool       // the fields that only the old version contains are zero
	onlyN  func(n *N) bool       // the fields that only the new version contains are zero
	follow int                   // minimum number of bytes of the new version's Tail that the old version leaves unread
}

func derive[T any]() *Schema[T] {
	s, err := Derive[T]()
	if err != nil {
		panic(err)
	}
	return s
}

// check writes values with each version and reads them with the other. If the verdict is negative,
// at least one value must fail to be read.
func (r rule[O, N]) check(t *testing.T) {
	t.Helper()
	v, err := Compat(r.old.Shape(), r.new.Shape())
	if v != r.want {
		t.Errorf("%s → %s: %v, want %v; %v", r.old, r.new, v, r.want, err)
	}
	oldBad, newBad := 0, 0
	for seed := range uint64(300) {
		rnd := corpus.New(seed)
		var o, gotO O
		var n, gotN N
		for _, f := range []struct {
			n *node
			v reflect.Value
		}{{r.old.n, reflect.ValueOf(&o)}, {r.old.n, reflect.ValueOf(&gotO)}, {r.new.n, reflect.ValueOf(&n)}, {r.new.n, reflect.ValueOf(&gotN)}} {
			fillDeep(rnd, f.n, f.v.Elem(), 3)
		}
		b, err := r.old.Append(nil, &o)
		if err != nil {
			t.Fatal(err)
		}
		rest, err := r.new.Parse(b, &gotN)
		if err != nil || len(rest) > 0 && !r.old.n.hasTail() || !r.same(&o, &gotN) || r.onlyN != nil && !r.onlyN(&gotN) {
			if newBad++; v&NewReadsOld != 0 {
				t.Fatalf("%s reads %x of %s as %+v, %d %v", r.new, b, r.old, gotN, len(rest), err)
			}
		}
		if b, err = r.new.Append(nil, &n); err != nil {
			t.Fatal(err)
		}
		rest, err = r.old.Parse(b, &gotO)
		if err != nil || len(rest) > 0 && !r.new.n.hasTail() || len(rest) < r.follow || !r.same(&gotO, &n) || r.onlyO != nil && !r.onlyO(&gotO) {
			if oldBad++; v&OldReadsNew != 0 {
				t.Fatalf("%s reads %x of %s as %+v, %d %v", r.old, b, r.new, gotO, len(rest), err)
			}
		}
	}
	if v&NewReadsOld == 0 && newBad == 0 || v&OldReadsNew == 0 && oldBad == 0 {
		t.Errorf("%s → %s: %v, but nothing shows that", r.old, r.new, v)
	}
}

// fillDeep is like fillValue, but supports recursive types, up to depth.
func fillDeep(rnd *rand.Rand, n *node, v reflect.Value, depth int) {
	switch {
	case n.kind == kindSelf:
		fillDeep(rnd, n.elem, v, depth)
	case n.kind == kindOpt && n.elem.kind == kindSelf:
		if depth > 0 && rnd.IntN(3) > 0 {
			v.Set(reflect.New(v.Type().Elem()))
			fillDeep(rnd, n.elem, v.Elem(), depth-1)
		}
	case n.kind == kindStruct:
		for _, f := range n.fields {
			if f.n != nil {
				fillDeep(rnd, f.n, v.FieldByName(f.name), depth)
			}
		}
	default:
		fillValue(rnd, n, v, 3)
	}
}

func TestRuleNames(t *testing.T) {
	type old struct{ A uint8 }
	type new struct{ B uint8 }
	rule[old, new]{old: derive[old](), new: derive[new](), want: Equal, same: func(o *old, n *new) bool { return o.A == n.B }}.check(t)
}

type base struct {
	Name string `wire:"str8"`
	Age  uint8
}

type tailed struct {
	Name  string `wire:"str8"`
	Age   uint8
	Email *string        `wire:"tail opt(str8)"`
	Tags  []string       `wire:"tail list8(str8)"`
	Map   map[uint8]bool `wire:"tail map8(u8,bool)"`
}

type tailedLess struct {
	Name  string `wire:"str8"`
	Age   uint8
	Email *string `wire:"tail opt(str8)"`
}

// A reader of an older message gets zeros for the missing fields. A reader of a newer message
// leaves the unknown fields unread.
func TestRuleTail(t *testing.T) {
	rule[base, tailed]{old: derive[base](), new: derive[tailed](), want: Both, follow: 3,
		same:  func(o *base, n *tailed) bool { return o.Name == n.Name && o.Age == n.Age },
		onlyN: func(n *tailed) bool { return n.Email == nil && n.Tags == nil && n.Map == nil }}.check(t)
	rule[tailedLess, tailed]{old: derive[tailedLess](), new: derive[tailed](), want: Both, follow: 2,
		same: func(o *tailedLess, n *tailed) bool {
			return o.Name == n.Name && o.Age == n.Age && reflect.DeepEqual(o.Email, n.Email)
		},
		onlyN: func(n *tailed) bool { return n.Tags == nil && n.Map == nil }}.check(t)
	rule[tailed, base]{old: derive[tailed](), new: derive[base](), want: Both,
		same:  func(o *tailed, n *base) bool { return o.Name == n.Name && o.Age == n.Age },
		onlyO: func(o *tailed) bool { return o.Email == nil && o.Tags == nil && o.Map == nil }}.check(t)
}

// If the new version moves a field into the Tail, the field can be missing. The old version cannot
// read messages without the field.
func TestRuleTailOfOldFields(t *testing.T) {
	old := Struct(F("Name", func(b *base) *string { return &b.Name }, Str8), F("Age", func(b *base) *uint8 { return &b.Age }, U8))
	new := Struct(F("Name", func(b *base) *string { return &b.Name }, Str8), Tail(F("Age", func(b *base) *uint8 { return &b.Age }, U8)))
	if v, err := Compat(old.Shape(), new.Shape()); v != NewReadsOld {
		t.Error(v, err)
	}
	var b base
	if _, err := new.Parse([]byte("\x01a"), &b); err != nil {
		t.Error(err)
	}
	if _, err := old.Parse([]byte("\x01a"), &b); err == nil {
		t.Error("it is read without Age")
	}
}

// Messages with a Tail cannot be concatenated without frames.
func TestRuleTailNeedsFrames(t *testing.T) {
	for _, err := range derive[tailed]().ParseAll([]byte("\x01a\x01")) {
		if !isError(err, ErrEnd, "", 0) {
			t.Error(err)
		}
	}
}

func TestRuleSkip(t *testing.T) {
	type old struct {
		A uint8
		_ struct{} `wire:"skip4"`
		_ struct{} `wire:"skip6"`
		B string
	}
	type new struct {
		A  uint8
		F  float32   `wire:"f32be"`
		In [3]bool   // in both versions
		_  struct{}  `wire:"skip1"`
		U  [1]uint16 // completes the 10 bytes of the old version
		B  string
	}
	rule[old, new]{old: derive[old](), new: derive[new](), want: Both,
		same:  func(o *old, n *new) bool { return o.A == n.A && o.B == n.B },
		onlyN: func(n *new) bool { return n.F == 0 && n.In == [3]bool{} && n.U == [1]uint16{} }}.check(t)
	rule[new, old]{old: derive[new](), new: derive[old](), want: Both,
		same:  func(o *new, n *old) bool { return o.A == n.A && o.B == n.B },
		onlyO: func(n *new) bool { return n.F == 0 && n.In == [3]bool{} && n.U == [1]uint16{} }}.check(t)
	type more struct {
		A uint8
		F float64
		_ struct{} `wire:"skip3"`
		B string
	}
	rule[old, more]{old: derive[old](), new: derive[more](), want: Incompatible, same: func(o *old, n *more) bool { return o.A == n.A && o.B == n.B }}.check(t)
}

// Skipped bytes are read as a time of eight zero bytes, which is the Unix epoch and not the zero
// time.
func TestRuleSkipTime(t *testing.T) {
	type old struct {
		_ struct{} `wire:"skip9"`
	}
	type new struct {
		At time.Time
		_  struct{} `wire:"skip1"`
	}
	rule[old, new]{old: derive[old](), new: derive[new](), want: Both, same: func(*old, *new) bool { return true },
		onlyN: func(n *new) bool { return n.At.Equal(time.Unix(0, 0)) && !n.At.IsZero() }}.check(t)
}

func TestRuleText(t *testing.T) {
	type old struct {
		A string          `wire:"str16be"`
		B map[string]bool `wire:"map8(str8,bool)"`
		C []byte
	}
	type new struct {
		A []byte          `wire:"blob16be"`
		B map[string]bool `wire:"map8(str8,bool)"`
		C string
	}
	rule[old, new]{old: derive[old](), new: derive[new](), want: Both, same: func(o *old, n *new) bool {
		return o.A == string(n.A) && string(o.C) == n.C && len(o.B) == len(n.B)
	}}.check(t)
	type wider struct {
		A []byte          `wire:"blob32be"`
		B map[string]bool `wire:"map8(str8,bool)"`
		C string
	}
	rule[new, wider]{old: derive[new](), new: derive[wider](), want: Incompatible, same: func(o *new, n *wider) bool {
		return string(o.A) == string(n.A)
	}}.check(t)
}

func TestRuleTime(t *testing.T) {
	type old struct{ A, B time.Time }
	type new struct {
		A int64
		B time.Time
	}
	rule[old, new]{old: derive[old](), new: derive[new](), want: Both, same: func(o *old, n *new) bool {
		return o.A.UnixNano() == n.A && o.B.Equal(n.B)
	}}.check(t)
	type unsigned struct {
		A uint64
		B time.Time
	}
	rule[old, unsigned]{old: derive[old](), new: derive[unsigned](), want: Incompatible, same: func(o *old, n *unsigned) bool {
		return o.A.UnixNano() >= 0 && uint64(o.A.UnixNano()) == n.A
	}}.check(t)
}

func TestRuleBool(t *testing.T) {
	type old struct {
		A bool
		B []bool
		C map[bool]*bool
	}
	type new struct {
		A uint8
		B []uint8 `wire:"list16(u8)"`
		C map[uint8]*uint8
	}
	is := func(b bool, n uint8) bool { return b && n == 1 || !b && n == 0 }
	same := func(o *old, n *new) bool {
		for k, b := range o.B {
			if !is(b, n.B[k]) {
				return false
			}
		}
		for k, b := range o.C {
			key := uint8(0)
			if k {
				key = 1
			}
			if m := n.C[key]; (b == nil) != (m == nil) || b != nil && !is(*b, *m) {
				return false
			}
		}
		return is(o.A, n.A) && len(o.B) == len(n.B) && len(o.C) == len(n.C)
	}
	rule[old, new]{old: derive[old](), new: derive[new](), want: NewReadsOld, same: same}.check(t)
	rule[new, old]{old: derive[new](), new: derive[old](), want: OldReadsNew, same: func(n *new, o *old) bool { return same(o, n) }}.check(t)
}

func TestRuleWrittenOut(t *testing.T) {
	type pair struct {
		X uint8
		Y string
	}
	type old struct {
		A pair
		B [2]pair
		C uint8
	}
	type rest struct {
		Y string
		C uint8
	}
	type new struct {
		X    uint8
		Y    string
		B0   pair
		X1   uint8
		Rest rest
	}
	rule[old, new]{old: derive[old](), new: derive[new](), want: Both, same: func(o *old, n *new) bool {
		return o.A == pair{n.X, n.Y} && o.B == [2]pair{n.B0, {n.X1, n.Rest.Y}} && o.C == n.Rest.C
	}}.check(t)
}

type chain struct {
	On   bool
	Next *chain
}

// The links of the chain alternate between the types oddLink and evenLink.
type oddLink struct {
	On   bool
	Next *evenLink
}

type evenLink struct {
	On   uint8
	Next *oddLink
}

func (c *chain) list() (all []uint8) {
	for ; c != nil; c = c.Next {
		all = append(all, uint8(b2i(c.On)))
	}
	return all
}

func (c *oddLink) list() (all []uint8) {
	for ; c != nil; c = c.Next.Next {
		all = append(all, uint8(b2i(c.On)))
		if c.Next == nil {
			break
		}
		all = append(all, c.Next.On)
	}
	return all
}

// Compat compares recursive types until a pair of types repeats.
func TestRuleSelf(t *testing.T) {
	old := Struct(F("On", func(c *chain) *bool { return &c.On }, Bool), F("Next", func(c *chain) **chain { return &c.Next }, Opt(Self[chain]())))
	even := Part(F("On", func(c *evenLink) *uint8 { return &c.On }, U8), F("Next", func(c *evenLink) **oddLink { return &c.Next }, Opt(Self[oddLink]())))
	new := Struct(F("On", func(c *oddLink) *bool { return &c.On }, Bool), F("Next", func(c *oddLink) **evenLink { return &c.Next }, Opt(even)))
	rule[chain, oddLink]{old: old, new: new, want: NewReadsOld, same: func(o *chain, n *oddLink) bool {
		return slices.Equal(o.list(), n.list())
	}}.check(t)
}

// These changes are incompatible, although many of the messages can be parsed.
func TestRuleChanges(t *testing.T) {
	type old struct {
		A uint32
		B string
	}
	o := derive[old]()
	type signed struct {
		A int32
		B string
	}
	rule[old, signed]{old: o, new: derive[signed](), want: Incompatible, same: func(o *old, n *signed) bool {
		return int64(o.A) == int64(n.A)
	}}.check(t)
	type float struct {
		A float32
		B string
	}
	rule[old, float]{old: o, new: derive[float](), want: Incompatible, same: func(o *old, n *float) bool {
		return float32(o.A) == n.A
	}}.check(t)
	type big struct {
		A uint32 `wire:"u32be"`
		B string
	}
	rule[old, big]{old: o, new: derive[big](), want: Incompatible, same: func(o *old, n *big) bool { return o.A == n.A }}.check(t)
	type wide struct {
		A uint64
		B string
	}
	rule[old, wide]{old: o, new: derive[wide](), want: Incompatible, same: func(o *old, n *wide) bool { return uint64(o.A) == n.A }}.check(t)
	type order struct {
		B string
		A uint32
	}
	rule[old, order]{old: o, new: derive[order](), want: Incompatible, same: func(o *old, n *order) bool {
		return o.A == n.A && o.B == n.B
	}}.check(t)
	type inserted struct {
		A uint32
		X uint16
		B string
	}
	rule[old, inserted]{old: o, new: derive[inserted](), want: Incompatible, same: func(o *old, n *inserted) bool { return o.A == n.A && o.B == n.B }}.check(t)
	type dropped struct{ A uint32 }
	rule[old, dropped]{old: o, new: derive[dropped](), want: Incompatible, same: func(o *old, n *dropped) bool { return o.A == n.A }}.check(t)
	type added struct {
		A uint32
		B string
		C uint8
	}
	rule[old, added]{old: o, new: derive[added](), want: Incompatible, same: func(o *old, n *added) bool { return o.A == n.A && o.B == n.B }}.check(t)
}

// The Go types of the fields are not part of the encoding.
func TestRuleAs(t *testing.T) {
	type old struct{ A int64 }
	type new struct{ A time.Duration }
	rule[old, new]{old: derive[old](), want: Equal, new: Struct(F("A", func(n *new) *time.Duration { return &n.A }, As[time.Duration](I64))),
		same: func(o *old, n *new) bool { return time.Duration(o.A) == n.A }}.check(t)
}

// Compat reports shapes that are too large to expand, and allocates at most 256 MB before it does.
func TestTooLarge(t *testing.T) {
	name := strings.Repeat("n", maxName)
	long := "{" + strings.Repeat(name+" {", 50) + "a array250({" + manyFields(1100) + "})" + strings.Repeat("}", 51)
	other := strings.Replace(long, "f0 u8", "f0 i8", 1)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	v, err := Compat(mustShape(long), mustShape(other))
	runtime.ReadMemStats(&after)
	const want = "schema: the schemas are too large to be compared"
	if v != Incompatible || err == nil || err.Error() != want+"\n"+want {
		t.Error(v, err)
	}
	if got := after.TotalAlloc - before.TotalAlloc; got > 256<<20 {
		t.Errorf("it takes %d bytes", got)
	}
}

// An array whose size exceeds the maximum that Compat counts does not replace a Skip.
func TestHuge(t *testing.T) {
	skips := strings.Repeat("skip1048576,", 1023) + "skip1048575" // hugeWire bytes in total
	if v, err := Compat(mustShape("{"+skips+"}"), mustShape("{x array1073741823(array2(u8))}")); v != Incompatible {
		t.Error(v, err)
	}
	if v, err := Compat(mustShape("{"+skips+"}"), mustShape("{x array1073741822(u8), skip1}")); v != Both {
		t.Error(v, err)
	}
}

func manyFields(n int) string {
	var all []string
	for k := range n {
		all = append(all, fmt.Sprintf("f%d u8", k))
	}
	return strings.Join(all, ",")
}
