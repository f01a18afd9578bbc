package json

import (
	"reflect"
	"strconv"
	"strings"
	"testing"
)

// The plans of some types equal the expected plans.
func TestEncodePlans(t *testing.T) {
	if strconv.IntSize != 64 || !inlineStructs {
		t.Skip("offsets are those of a 64-bit machine, and structs in structs are taken apart")
	}
	for _, c := range []struct {
		v    any
		want string
	}{
		{struct {
			A string
			B struct {
				C int
				D bool
			}
			E string
		}{}, `
: steady calm bounded
  reserve 38
  +0   string     "{\"A\":\"", then reserve 87
  +16  int64      "\",\"B\":{\"C\":"
  +24  bool       ",\"D\":"
  +32  string     "},\"E\":\"", then reserve 35
  +0   end        "\"}"`},
		{struct {
			A int      `json:",omitempty"`
			B string   `json:",omitempty"`
			C []string `json:"a name that is longer than thirty-two bytes,omitempty"`
			D float64  `json:",string"`
			*Deep
		}{}, `
: calm bounded
  reserve 190
  +0   int64      ",\"A\":", omitted when 64 bits are 0
  +8   string end ",\"B\":\"", omitted when its length is 0, then reserve 161
  +0   none       ",\"a name that is longer than thi", omitted when its length is 0, with the next 1
  +24  nilable    "rty-two bytes\":" []string, then reserve 161
  +48  float64    ",\"D\":\""
  +0   none       "\""
  +0   int64      ",\"Z\":", omitted never or behind 2 pointers
  +8   int64      ",\"W\":", omitted never or behind 2 pointers
  +8   int64      ",\"Y\":", omitted never or behind 1 pointers
  +0   end        "}"`},
		{struct {
			A any
			B *recursive
			C float32
			D byPointer
		}{}, `
:
  reserve 37
  +0   nilable    "{\"A\":" interface {}, then reserve 37
  +16  nilable    ",\"B\":" *json.recursive, then reserve 106
  +24  float32    ",\"C\":"
  +32  int64      ",\"D\":{\"X\":"
  +0   end        "}}"`},
		{[]map[int]bool{}, `
: calm bounded`},
		{&byPointer{}, `
: bounded method`},
	} {
		typ := reflect.TypeOf(c.v)
		got := strings.TrimPrefix(encodePlans.of(typ).String(), typ.String())
		if got, want := strings.TrimSpace(got), strings.TrimSpace(c.want); got != want {
			t.Errorf("%T\n%s\nwant\n%s", c.v, got, want)
		}
	}
}

// methodsDiffer returns true exactly for the types whose encoding depends on whether a value is
// addressable.
func TestEncodeVariants(t *testing.T) {
	for _, c := range []struct {
		v    any
		want bool
	}{
		{1, false}, {byValue{}, false}, {byPointer{}, true}, {&byPointer{}, false}, {[]byPointer{}, false}, {[2]byPointer{}, true}, {struct{ A struct{ B byPointer } }{}, true},
		{map[string]byPointer{}, false}, {mixed{}, true}, {struct{ A *byPointer }{}, false}, {recursive{}, false}, {struct{ A Marshaler }{}, false},
	} {
		if got := methodsDiffer(reflect.TypeOf(c.v)); got != c.want {
			t.Errorf("%T: %v", c.v, got)
		}
	}
}
