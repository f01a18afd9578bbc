package schema

// These tests use hostile input: schemas that look harmless, values that change while they are
// used, and messages that announce more than they contain.

import (
	"bytes"
	"errors"
	"io"
	"net/netip"
	"reflect"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"testing"
)

type (
	treeOfLists   []treeOfLists
	treeOfMaps    map[string]treeOfMaps
	pointless     *pointless
	arrayOfSlices [2][]arrayOfSlices
)

// A type that is recursive without a struct in between has no notation. Derive reports it as a
// mistake. It does not overflow the stack, which would end the process.
func TestBugDeriveOfTypesWithoutStruct(t *testing.T) {
	type wrong struct {
		A treeOfLists
		B treeOfMaps `wire:"map8(str8,_)"`
		C pointless
		D []arrayOfSlices
	}
	_, err := Derive[wrong]()
	if err == nil {
		t.Fatal("no mistakes")
	}
	for _, want := range []string{"wrong.A: schema.treeOfLists contains itself", "wrong.B: schema.treeOfMaps contains itself", "wrong.C: schema.pointless contains itself",
		"wrong.D: []schema.arrayOfSlices contains itself"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("missing: %s in\n%v", want, err)
		}
	}
	// With a struct in between, the type is valid, whichever type of the cycle is derived.
	type right struct {
		A structList
		B map[string]structOfList
	}
	s, err := Derive[right]()
	if want := "{A list16({L list16(^0)}), B map16(str16,{L list16(^0)})}"; err != nil || s.String() != want {
		t.Fatal(s, err)
	}
	v := right{structList{{}, {structList{{}}}}, map[string]structOfList{"x": {structList{{}}}}}
	b, err := s.Append(nil, &v)
	var got right
	if err != nil {
		t.Fatal(err)
	}
	if rest, err := s.Parse(b, &got); err != nil || len(rest) > 0 || !reflect.DeepEqual(got, v) {
		t.Error(got, err)
	}
}

type (
	structList   []structOfList
	structOfList struct{ L structList }
)

type (
	chainA struct {
		Value uint8
		Next  *chainB
	}
	chainB chainA
)

// As can convert a Self to a type with the same memory layout.
func TestBugAsOfSelf(t *testing.T) {
	s, err := Build(
		F("value", func(c *chainA) *uint8 { return &c.Value }, U8),
		F("next", func(c *chainA) **chainB { return &c.Next }, Opt(As[chainB](Self[chainA]()))))
	if err != nil || s.String() != "{value u8, next opt(^0)}" {
		t.Fatal(s, err)
	}
	v := chainA{1, &chainB{2, &chainB{Value: 3}}}
	b, err := s.Append(nil, &v)
	if err != nil || string(b) != "\x01\x01\x02\x01\x03\x00" {
		t.Fatalf("%x %v", b, err)
	}
	var got chainA
	if _, err := s.Parse(b, &got); err != nil || !reflect.DeepEqual(got, v) {
		t.Error(got, err)
	}
	if _, err := Build(F("next", func(c *chainA) **chainB { return &c.Next }, Opt(As[chainB](Self[inner]())))); err == nil ||
		!strings.Contains(err.Error(), "their memory layouts differ") {
		t.Error(err)
	}
}

// As rejects an interface type as another interface type, because their memory layouts differ. The
// first word of an interface with methods is not a type pointer.
func TestBugAsOfInterfaces(t *testing.T) {
	text := Part(Get("text", Str8, func(e *error) string { return (*e).Error() }, func(e *error, s string) { *e = errors.New(s) }))
	type box struct{ V any }
	if s, err := Build(F("v", func(b *box) *any { return &b.V }, As[any](text))); err == nil || !strings.Contains(err.Error(), "their memory layouts differ") {
		t.Error(s, err)
	}
	type failure struct{ Err error }
	s := Struct(F("err", func(f *failure) *error { return &f.Err }, As[error](text)))
	var v failure
	if _, err := s.Parse([]byte("\x02no"), &v); err != nil || v.Err == nil || v.Err.Error() != "no" {
		t.Error(v, err)
	}
}

// A nil target causes a recoverable panic, regardless of the size of its type. In a large type, a
// field can lie beyond the unmapped page at address zero.
func TestBugNilTargets(t *testing.T) {
	type far struct {
		Free [1 << 16]byte
		A    uint8
	}
	type pointer struct{ P *far }
	a := F("a", func(f *far) *uint8 { return &f.A }, U8)
	s := Struct(a)
	at := Struct(F("p", func(p *pointer) *far { return p.P }, Part(a)))
	for name, use := range map[string]func(){
		"Append":    func() { s.Append(nil, nil) },
		"Write":     func() { s.Write(io.Discard, nil) },
		"Parse":     func() { s.Parse([]byte{1}, nil) },
		"Unmarshal": func() { s.Unmarshal([]byte{1}, nil) },
		"Read":      func() { s.Read(strings.NewReader("\x01"), nil) },
		"Next":      func() { s.Reader(strings.NewReader("\x01")).Next(nil) },
		"F":         func() { at.Append(nil, new(pointer)) },
		"F back":    func() { at.Parse([]byte{1}, new(pointer)) },
	} {
		func() {
			defer debug.SetPanicOnFault(debug.SetPanicOnFault(true)) // turns a fault that would end the process into a panic
			defer func() {
				err, ok := recover().(runtime.Error)
				if _, faulty := err.(interface{ Addr() uintptr }); !ok || faulty {
					t.Errorf("%s: %v", name, err)
				}
			}()
			use()
		}()
	}
}

// Build rejects a struct that always contains another value of its type, wherever the struct
// occurs.
func TestBugEndlessParts(t *testing.T) {
	type loop struct{ next *loop }
	type box struct {
		L []loop
		P *loop
	}
	always := Part(F("next", func(l *loop) *loop { return l.next }, Self[loop]()))
	_, err := Build(F("l", func(b *box) *[]loop { return &b.L }, List(H32, always)), F("p", func(b *box) **loop { return &b.P }, Opt(always)))
	const text = ": a value contains another value of its type without an option, so the message has no end"
	if want := "schema: schema.box.l" + text + "\nschema: schema.box.p" + text; err == nil || err.Error() != want {
		t.Error(err)
	}
}

// Derive rejects a struct without exported fields, because its content would be lost silently.
func TestBugDeriveOfClosedStructs(t *testing.T) {
	type host struct {
		Name string
		Addr []netip.Addr
		Set  map[string]struct{}
	}
	if s, err := Derive[host](); err == nil || err.Error() != "schema: schema.host.Addr: netip.Addr has no exported fields: nothing of it would be written" {
		t.Error(s, err)
	}
	type left struct {
		Name string
		Lock sync.Mutex `wire:"-"`
		None struct{}
		Free struct {
			_ struct{} `wire:"skip0"`
		}
	}
	if s, err := Derive[left](); err != nil || s.String() != "{Name str16, None {}, Free {skip0}}" {
		t.Error(s, err)
	}
}

type wide struct{ A, B, C, D, E, F, G, H uint64 }

// Parse allocates nothing for a count of elements that exceeds the rest of the input. The same
// holds for a count of elements without bytes that exceeds MaxItems.
func TestCountsDoNotAllocate(t *testing.T) {
	type list struct{ Wide []wide }
	elements := Part(F("a", func(w *wide) *uint64 { return &w.A }, U64))
	s := Struct(F("wide", func(l *list) *[]wide { return &l.Wide }, List(H32, elements)))
	empty := Struct(F("wide", func(l *list) *[]wide { return &l.Wide }, List(H32, Part(Skip[wide](0)))))
	var v list
	for _, c := range []struct {
		s     *Schema[list]
		b     string
		cause error
	}{{s, "\x40\x42\x0f\x00", ErrShort}, {s, "\xff\xff\xff\xff", ErrShort}, {empty, "\xff\xff\xff\xff", ErrItems}} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if _, err := c.s.Parse([]byte(c.b), &v); !isError(err, c.cause, "wide", 0) {
			t.Errorf("%x: %+v", c.b, err)
		}
		runtime.ReadMemStats(&after)
		if got := after.TotalAlloc - before.TotalAlloc; got > 64<<10 {
			t.Errorf("%x allocates %d bytes", c.b, got)
		}
	}
	if _, err := empty.With(MaxItems(3)).Parse([]byte("\x03\x00\x00\x00"), &v); err != nil || len(v.Wide) != 3 {
		t.Error(err)
	}
	if _, err := empty.With(MaxItems(2)).Parse([]byte("\x03\x00\x00\x00"), &v); !errors.Is(err, ErrItems) {
		t.Error(err)
	}
	type lists struct{ Lists []list }
	many := Struct(F("lists", func(l *lists) *[]list { return &l.Lists }, List(H8, empty.Type())))
	two := []byte("\x02\x02\x00\x00\x00\x02\x00\x00\x00")
	if _, err := many.With(MaxItems(3)).Parse(two, new(lists)); !isError(err, ErrItems, "lists[1].wide", 5) {
		t.Errorf("over two lists: %+v", err)
	}
}

// A string, blob, list or map that is too long for its header returns an error.
func TestHeadersAreChecked(t *testing.T) {
	type all struct {
		List []uint8
		Text string
		Blob []byte
		Map  map[int32]uint8
		Two  []uint16
	}
	check := func(h Header, most int) {
		s := Struct(
			F("text", func(a *all) *string { return &a.Text }, Str(h)),
			F("list", func(a *all) *[]uint8 { return &a.List }, List(h, U8)),
			F("blob", func(a *all) *[]byte { return &a.Blob }, Blob(h)),
			F("two", func(a *all) *[]uint16 { return &a.Two }, List(h, U16BE)),
			F("map", func(a *all) *map[int32]uint8 { return &a.Map }, Map(h, I32, U8)))
		m := make(map[int32]uint8)
		for i := range int32(most) {
			m[i] = 1
		}
		v := all{make([]uint8, most), strings.Repeat("x", most), make([]byte, most), m, make([]uint16, most)}
		b, err := s.Append(nil, &v)
		if err != nil {
			t.Fatalf("%v of %d: %v", h, most, err)
		}
		var got all
		if rest, err := s.Parse(b, &got); err != nil || len(rest) > 0 || !reflect.DeepEqual(got, v) {
			t.Errorf("%v of %d: %v", h, most, err)
		}
		for path, more := range map[string]func(a *all){
			"text": func(a *all) { a.Text += "x" }, "list": func(a *all) { a.List = append(a.List, 1) }, "blob": func(a *all) { a.Blob = append(a.Blob, 1) },
			"two": func(a *all) { a.Two = append(a.Two, 1) }, "map": func(a *all) {
				a.Map = map[int32]uint8{-1: 1}
				for k := range m {
					a.Map[k] = 1
				}
			},
		} {
			w := v
			more(&w)
			dst := []byte("dst")
			if b, err := s.Append(dst, &w); !isError(err, ErrOverflow, path, -1) || string(b) != "dst" {
				t.Errorf("%v of %d: %+v, %d bytes", h, most+1, err, len(b))
			}
		}
	}
	check(H8, 255)
	check(HI8, 127)
	check(H16, 65535)
	check(H16BE, 65535)
	check(HI16, 32767)
	check(HI16BE, 32767)
}

// A chain of options that exceeds MaxDepth is rejected. See also TestSelf.
func TestDepthOfOptions(t *testing.T) {
	type chain struct{ Next *chain }
	s := Struct(F("next", func(c *chain) **chain { return &c.Next }, Opt(Self[chain]())))
	if _, err := s.Parse(bytes.Repeat([]byte{1}, 10_000_000), new(chain)); !errors.Is(err, ErrDepth) {
		t.Error(err)
	}
	if _, err := s.With(MaxDepth(1_000_000)).Parse(append(bytes.Repeat([]byte{1}, 100_000), 0), new(chain)); err != nil {
		t.Error(err)
	}
}
