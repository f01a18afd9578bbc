package schema

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"reflect"
	"runtime"
	"testing"
	"time"
	"unsafe"

	"github.com/slipstream-go/slipstream/internal/mem"
)

// hidden is an interface that no type created by reflection implements.
type hidden interface{ hidden() }

type embedded struct{ A, B uint16 }

type Behind struct{ A, B uint16 }

type generic[T any] struct {
	Before T
	A, B   uint16
}

// strange contains a field of every kind that an accessor can read.
type strange struct {
	A, B  uint16
	Any   any
	Err   error
	Deep  io.ReadWriteCloser
	Conn  net.Conn
	Func  func(int) string
	Chan  chan int
	In    <-chan int
	Out   chan<- string
	Raw   unsafe.Pointer
	Word  uintptr
	When  time.Time
	Map   map[string]int
	Funcs []func()
	Chain **int
	C     complex128
	Index uint8
	List  [4]uint16
	Lists [2][3]uint16
	Empty struct{}
	embedded
	*Behind
	G    generic[string]
	H    generic[struct{}]
	Nine [3]uint32
	Last struct{}
}

// Build calls an accessor with several filled values to find out which field it returns. Only
// accessors that always return the same field are compiled to an offset. If an accessor that
// sometimes returns B became the offset of A, the schema would write the wrong field.
func TestBugAccessors(t *testing.T) {
	or := func(b bool, s *strange) *uint16 {
		if b {
			return &s.A
		}
		return &s.B
	}
	var seen []*strange
	late := time.Now().Add(-time.Hour)
	for name, c := range map[string]struct {
		at     func(*strange) *uint16
		offset bool
	}{
		"a field":                     {func(s *strange) *uint16 { return &s.A }, true},
		"of an embedded struct":       {func(s *strange) *uint16 { return &s.embedded.B }, true},
		"of an embedded pointer":      {func(s *strange) *uint16 { return &s.Behind.B }, false},
		"of a generic struct":         {func(s *strange) *uint16 { return &s.G.B }, true},
		"of another":                  {func(s *strange) *uint16 { return &s.H.A }, true},
		"of an array in an array":     {func(s *strange) *uint16 { return &s.Lists[1][2] }, true},
		"by an any":                   {func(s *strange) *uint16 { return or(s.Any == nil, s) }, false},
		"by an error":                 {func(s *strange) *uint16 { return or(s.Err == nil, s) }, false},
		"by an interface":             {func(s *strange) *uint16 { return or(s.Deep == nil, s) }, false},
		"by a large one":              {func(s *strange) *uint16 { return or(s.Conn == nil, s) }, false},
		"what an interface says":      {func(s *strange) *uint16 { return or(s.Err == nil || s.Err.Error() == "", s) }, false},
		"by a function":               {func(s *strange) *uint16 { return or(s.Func == nil, s) }, false},
		"what a function says":        {func(s *strange) *uint16 { return or(s.Func == nil || s.Func(1) == "", s) }, false},
		"by a channel":                {func(s *strange) *uint16 { return or(s.Chan == nil, s) }, false},
		"by a channel to receive by":  {func(s *strange) *uint16 { return or(s.In == nil, s) }, false},
		"by a channel to send to":     {func(s *strange) *uint16 { return or(s.Out == nil, s) }, false},
		"by a raw pointer":            {func(s *strange) *uint16 { return or(s.Raw == nil, s) }, false},
		"by a word":                   {func(s *strange) *uint16 { return or(s.Word == 0, s) }, false},
		"by a time":                   {func(s *strange) *uint16 { return or(s.When.IsZero(), s) }, false},
		"by an hour":                  {func(s *strange) *uint16 { return or(s.When.Before(late), s) }, false},
		"by a map":                    {func(s *strange) *uint16 { return or(s.Map == nil, s) }, false},
		"by functions":                {func(s *strange) *uint16 { return or(len(s.Funcs) == 0, s) }, false},
		"by a pointer to a pointer":   {func(s *strange) *uint16 { return or(s.Chain == nil, s) }, false},
		"by a complex number":         {func(s *strange) *uint16 { return or(real(s.C) == 0, s) }, false},
		"by an index":                 {func(s *strange) *uint16 { return &s.List[s.Index%4] }, false},
		"by an index of three":        {func(s *strange) *uint16 { return &s.Lists[0][s.Index%3] }, false},
		"by a bit":                    {func(s *strange) *uint16 { return or(s.Index&0x80 == 0, s) }, false},
		"by another bit":              {func(s *strange) *uint16 { return or(s.Index&2 == 0, s) }, false},
		"by itself":                   {func(s *strange) *uint16 { seen = append(seen, s); return or(len(seen)%3 == 0, s) }, false},
		"half of another field":       {func(s *strange) *uint16 { return (*uint16)(unsafe.Pointer(&s.Nine[1])) }, false},
		"between two fields":          {func(s *strange) *uint16 { return (*uint16)(unsafe.Add(unsafe.Pointer(&s.A), 1)) }, false},
		"a field, by other means":     {func(s *strange) *uint16 { return (*uint16)(unsafe.Add(unsafe.Pointer(s), unsafe.Offsetof(s.B))) }, true},
		"a field, and more besides":   {func(s *strange) *uint16 { s.Index++; s.Map = nil; return &s.A }, true},
		"a field, or a panic":         {func(s *strange) *uint16 { _ = s.Funcs[0]; return &s.A }, false},
		"the other field once called": {func() func(s *strange) *uint16 { n := 0; return func(s *strange) *uint16 { n++; return or(n == 1, s) } }(), false},
	} {
		off, ok := offsetOf(c.at)
		if ok != c.offset {
			t.Errorf("%s: an offset: %v, of %d", name, ok, off)
		}
		if v := new(strange); ok && unsafe.Add(unsafe.Pointer(v), off) != unsafe.Pointer(c.at(v)) {
			t.Errorf("%s: offset %d", name, off)
		}
	}
	if off, ok := offsetOf(func(s *strange) *struct{} { return &s.Empty }); !ok || off != unsafe.Offsetof(strange{}.Empty) {
		t.Errorf("a field without size: %d %v", off, ok)
	}
	if off, ok := offsetOf(func(s *strange) *struct{} { return &s.Last }); !ok || off != unsafe.Offsetof(strange{}.Last) {
		t.Errorf("the last field, without size: %d %v", off, ok)
	}
	if off, ok := offsetOf(func(s *strange) *strange { return s }); !ok || off != 0 {
		t.Errorf("the struct itself: %d %v", off, ok)
	}
	if off, ok := offsetOf(func(s *struct{}) *struct{} { return s }); !ok || off != 0 {
		t.Errorf("a struct without size: %d %v", off, ok)
	}
	if _, ok := offsetOf(func(s *struct{ H hidden }) *uint16 { return nil }); ok {
		t.Error("nil, of a struct with an interface that cannot be made")
	}
	if off, ok := offsetOf(func(n *int) *int { return n }); !ok || off != 0 {
		t.Errorf("a number: %d %v", off, ok)
	}
}

// In the later rounds, fill leaves no pointer, interface, function or channel nil.
func TestFilled(t *testing.T) {
	for round := range fillings {
		v := new(strange)
		fill(mem.PointerTo(v), reflect.TypeFor[strange](), round)
		runtime.GC() // panics if fill left an invalid pointer
		for i, all := 0, reflect.ValueOf(v).Elem(); i < all.NumField(); i++ {
			switch f := all.Field(i); f.Kind() {
			case reflect.Interface, reflect.Func, reflect.Chan, reflect.UnsafePointer, reflect.Pointer:
				if f.IsNil() == (round > 1) {
					t.Errorf("round %d: %s is nil: %v", round, all.Type().Field(i).Name, f.IsNil())
				}
			}
		}
	}
}

// An accessor that selects a field by the content of the value is called for each message.
func TestCalledAccessors(t *testing.T) {
	type union struct {
		Kind uint8
		Num  uint32
		Alt  uint32
	}
	s := Struct(
		F("kind", func(u *union) *uint8 { return &u.Kind }, U8),
		F("value", func(u *union) *uint32 {
			if u.Kind&1 == 0 {
				return &u.Num
			}
			return &u.Alt
		}, U32BE))
	for _, v := range []union{{0, 7, 0}, {1, 0, 8}, {90, 9, 0}} {
		b, err := s.Append(nil, &v)
		if want := []byte{v.Kind, 0, 0, 0, byte(v.Num + v.Alt)}; err != nil || !bytes.Equal(b, want) {
			t.Errorf("%x, want %x, %v", b, want, err)
		}
		var got union
		if _, err := s.Parse(b, &got); err != nil || got != v {
			t.Errorf("%+v, want %+v, %v", got, v, err)
		}
	}
	// An accessor that allocates a missing value is called once for each list element and map
	// entry.
	type leaf struct{ P *Behind }
	type tree struct {
		L []leaf
		M map[uint8]leaf
	}
	at := Part(F("a", func(l *leaf) *uint16 {
		if l.P == nil {
			l.P = new(Behind)
		}
		return &l.P.A
	}, U16))
	trees := Struct(F("l", func(t *tree) *[]leaf { return &t.L }, List(H8, at)), F("m", func(t *tree) *map[uint8]leaf { return &t.M }, Map(H8, U8, at)))
	in := []byte("\x03\x01\x00\x02\x00\x03\x00" + "\x02\x05\x04\x00\x06\x05\x00")
	var v tree
	for range 2 {
		if _, err := trees.Parse(in, &v); err != nil {
			t.Fatal(err)
		}
		got := fmt.Sprint(v.L[0].P.A, v.L[1].P.A, v.L[2].P.A, v.M[5].P.A, v.M[6].P.A)
		if got != "1 2 3 4 5" {
			t.Errorf("read %s", got)
		}
	}
	if b, err := trees.With(SortMaps).Append(nil, &v); err != nil || !bytes.Equal(b, in) {
		t.Errorf("%x %v", b, err)
	}
}
