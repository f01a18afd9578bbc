package schema

import (
	"reflect"
	"strings"
	"testing"
	"time"
)

type derivedPart struct {
	X uint16 `wire:"u16be"`
	Y int8
}

type derived struct {
	Name    string `wire:"str8"`
	Free    string
	N       int
	Small   int `wire:"i32"`
	U       uint
	F       float32 `wire:"f32be"`
	Ok      bool
	At      time.Time
	Zone    time.Time `wire:"timezone"`
	Data    []byte
	Tags    []string `wire:"list8(str8)"`
	Parts   []derivedPart
	Arr     [3]uint16              `wire:"array(u16be)"`
	Map     map[string]derivedPart `wire:"map8(str8,_)"`
	Opt     *int64
	_       struct{} `wire:"skip4"`
	Left    []byte   `wire:"-"`
	private int      //lint:ignore U1000 Derive must skip it
	Next    *derived
	For     time.Duration
}

type derivedTail struct {
	Name  string
	Email *string `wire:"tail opt(str8)"`
}

// A derived schema reads and writes like the same schema written by hand.
func TestDerive(t *testing.T) {
	s, err := Derive[derived](SortMaps)
	if err != nil {
		t.Fatal(err)
	}
	const part = "{X u16be, Y i8}"
	const want = "{Name str8, Free str16, N i64, Small i32, U u64, F f32be, Ok bool, At time, Zone timezone, Data blob16, Tags list8(str8), " +
		"Parts list16(" + part + "), Arr array3(u16be), Map map8(str8," + part + "), Opt opt(i64), skip4, Next opt(^0), For i64}"
	if s.String() != want {
		t.Errorf("%s, want\n%s", s, want)
	}
	n := int64(7)
	v := derived{Name: "a", Free: "b", N: -1, Small: -2, U: 3, F: 1.5, Ok: true, At: time.Unix(1, 2).UTC(), Zone: time.Unix(3, 4).UTC(),
		Data: []byte{1}, Tags: []string{"x", "y"}, Parts: []derivedPart{{1, 2}, {3, 4}}, Arr: [3]uint16{1, 2, 3},
		Map: map[string]derivedPart{"k": {5, 6}, "l": {7, 8}}, Opt: &n, For: time.Hour}
	v.Next = &derived{Name: "next", At: time.Unix(5, 6).UTC(), Zone: time.Unix(7, 8).UTC()}
	b, err := s.Append(nil, &v)
	if err != nil {
		t.Fatal(err)
	}
	var got derived
	if rest, err := s.Parse(b, &got); err != nil || len(rest) > 0 || !reflect.DeepEqual(got, v) {
		t.Errorf("%+v %v", got, err)
	}
}

// A tag marks the start of the Tail. A struct with a Tail cannot contain itself.
func TestDeriveTail(t *testing.T) {
	s, err := Derive[derivedTail]()
	if err != nil || s.String() != "{Name str16, [Email opt(str8)]}" {
		t.Fatal(s, err)
	}
	v := derivedTail{Name: "x", Email: new(string)}
	if rest, err := s.Parse(fromHex("0100 61"), &v); err != nil || len(rest) > 0 || v != (derivedTail{Name: "a"}) {
		t.Error(v, err)
	}
	type endless struct {
		Next *endless
		Tail uint8 `wire:"tail u8"`
	}
	if s, err := Derive[endless](); err == nil {
		t.Errorf("%s: the Tail of the struct within has no end", s)
	}
}

// A derived schema reads the value that it wrote.
func TestDeriveRoundTrip(t *testing.T) {
	type plain struct {
		A []derivedPart
		B map[uint8][]string `wire:"map8(_,list8(str8))"`
		C *[2]string
		D map[string]*derivedPart
	}
	s, err := Derive[plain]()
	if err != nil {
		t.Fatal(err)
	}
	v := plain{[]derivedPart{{1, 2}}, map[uint8][]string{1: {"a"}, 2: nil}, &[2]string{"x", "y"}, map[string]*derivedPart{"p": {3, 4}, "q": nil}}
	b, err := s.Append(nil, &v)
	if err != nil {
		t.Fatal(err)
	}
	for _, got := range []plain{{}, {B: map[uint8][]string{9: nil}, A: make([]derivedPart, 4)}} {
		if rest, err := s.Parse(b, &got); err != nil || len(rest) > 0 || !reflect.DeepEqual(got, v) {
			t.Errorf("%+v %v", got, err)
		}
	}
}

// Derive reports every mistake in the tags.
func TestDeriveMistakes(t *testing.T) {
	type wrong struct {
		A string           `wire:"u8"`
		B uint8            `wire:"str8"`
		C []string         `wire:"list8(u8)"`
		D map[string]uint8 `wire:"map8(str8)"`
		E chan int
		F int      `wire:"i24"`
		G [2]uint8 `wire:"array3(u8)"`
		H string   `wire:"str9"`
		I float64  `wire:"f32"`
		J int      `wire:"time"`
		k int      `wire:"u8"` //lint:ignore U1000 read by its tag
		L []string `wire:"blob8"`
		M string   `wire:"str8)"`
		_ int      `wire:"skipx"`
	}
	_, err := Derive[wrong]()
	if err == nil {
		t.Fatal("no mistakes")
	}
	for _, want := range []string{"wrong.A: string cannot be u8", "wrong.B: uint8 cannot be str8", "wrong.C: string cannot be u8", `wrong.D: "map8(str8)" is no type`,
		`wrong.E: "chan int" is no type`, "wrong.F: there is no number i24", "wrong.G: [2]uint8 does not have 3 elements", `wrong.H: there is no header "9"`,
		"wrong.I: float64 cannot be f32", "wrong.J: int cannot be time", "wrong.k: it has a tag but is not exported", "wrong.L: []string cannot be blob8",
		`wrong.M: "str8)" is no type`, `wrong: "x" is not a number from 0 to 1048576`} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("missing: %s", want)
		}
	}
	if n := strings.Count(err.Error(), "\n") + 1; n != 14 {
		t.Errorf("%d mistakes:\n%v", n, err)
	}
	if _, err := Derive[int](); err == nil {
		t.Error("a schema of an int")
	}
}
