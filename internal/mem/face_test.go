package mem

import (
	"fmt"
	"net"
	"reflect"
	"testing"
)

type (
	wrapsPointer   struct{ p *int }
	pointerAndZero struct {
		_ struct{}
		p *int
	}
	zeroLast struct {
		p *int
		_ [0]int
	}
	two struct{ p, q *int }
)

// Indirect agrees with the compiler's representation of interfaces.
func TestIndirect(t *testing.T) {
	n := 1
	p := &n
	ch, m, f := make(chan int), map[int]int{}, func() {}
	for _, c := range []struct {
		v     any
		first Raw // the value's first word
	}{
		{p, Raw(p)}, {ch, reflect.ValueOf(ch).UnsafePointer()}, {m, reflect.ValueOf(m).UnsafePointer()},
		{wrapsPointer{p}, Raw(p)}, {[1]*int{p}, Raw(p)}, {pointerAndZero{p: p}, Raw(p)}, {zeroLast{p: p}, Raw(p)},
		{[1]wrapsPointer{{p}}, Raw(p)}, {two{p, p}, Raw(p)}, {[2]*int{p, p}, Raw(p)}, {Raw(p), Raw(p)},
	} {
		if direct := FaceOf(c.v).Data == c.first; direct == Indirect(reflect.TypeOf(c.v)) {
			t.Errorf("%T: the word is the value: %v, Indirect: %v", c.v, direct, !direct)
		}
	}
	for _, v := range []any{1, "a", []int{1}, struct{}{}, [0]*int{}, true, 1.5, two{}, struct{ a, b int }{}} {
		if !Indirect(reflect.TypeOf(v)) {
			t.Errorf("%T is held by pointer", v)
		}
	}
	if Indirect(reflect.TypeOf(f)) || !Indirect(reflect.TypeFor[error]()) {
		t.Error("func is held itself, an interface is not")
	}
}

// Box returns an interface that equals the compiler's interface.
func TestBox(t *testing.T) {
	if !BoxWorks() {
		var none Pointer
		if Box(nil, none) != nil {
			t.Error("Box gives something where it does not work")
		}
		t.Skip("boxing is left to the compiler")
	}
	u16, u64, f, s, list := uint16(7), uint64(1<<60), 1.5, "text", []any{1, "a"}
	for _, c := range []struct {
		p    Pointer
		want any
	}{{PointerTo(&u16), u16}, {PointerTo(&u64), u64}, {PointerTo(&f), f}, {PointerTo(&s), s}, {PointerTo(&list), list}} {
		if got := Box(TypeWord(reflect.TypeOf(c.want)), c.p); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%T %v, want %T", got, got, c.want)
		}
	}
	wide := uint64(300)
	if got := Box(TypeWord(reflect.TypeFor[uint16]()), PointerTo(&wide)); got != uint16(300) {
		t.Errorf("a narrow number in the low bytes of a word: %v", got)
	}
}

// WithMethods returns an interface with methods for a pointer.
func TestWithMethods(t *testing.T) {
	a, b := net.IPv4(1, 2, 3, 4), net.IPv4(5, 6, 7, 8)
	table := MethodTable[fmt.Stringer](&a)
	if !BoxWorks() {
		if table != nil {
			t.Error("a table where interfaces are left to the compiler")
		}
		return
	}
	if got := WithMethods[fmt.Stringer](table, PointerTo(&b)); got != fmt.Stringer(&b) || got.String() != "5.6.7.8" {
		t.Errorf("%T %v", got, got)
	}
}

// The views of strings, slices and types return the right words and bytes.
func TestViews(t *testing.T) {
	b := []byte("abc")
	if String(b) != "abc" || string(Bytes("xyz")) != "xyz" || String(nil) != "" || len(Bytes("")) != 0 {
		t.Error("string and bytes")
	}
	var v any = 5
	if FaceOf(v).Type != TypeWord(reflect.TypeFor[int]()) || *RawAt[int](FaceOf(v).Data, 0) != 5 {
		t.Error("the words of an interface")
	}
	if *RawAt[int](NewAt(reflect.TypeFor[int]()), 0) != 0 {
		t.Error("a new int")
	}
	pair := [2]int32{1, 2}
	if *At[int32](PointerTo(&pair), 4) != 2 || *At[int32](Add(PointerTo(&pair), 4), 0) != 2 {
		t.Error("an offset")
	}
}

// GrowSlice keeps the elements and clears the new memory.
func TestGrowSlice(t *testing.T) {
	type element struct {
		p *int
		n int
	}
	n := 7
	s := append(make([]element, 0, 4), element{&n, 1}, element{&n, 2})
	GrowSlice(At[Slice](PointerTo(&s), 0), reflect.TypeFor[[]element](), 100)
	if len(s) != 2 || cap(s) < 100 || s[1] != (element{&n, 2}) {
		t.Errorf("%d of %d: %v", len(s), cap(s), s)
	}
	for i, e := range s[2:100] {
		if e != (element{}) {
			t.Errorf("element %d is %v", i+2, e)
		}
	}
}
