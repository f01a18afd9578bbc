package schema

// These tests use hostile input: schemas that look harmless, values that change while they are
// used, and messages that announce more than they contain.

import (
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
