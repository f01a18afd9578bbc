package json

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"
)

type refusing struct{ X int }

func (r refusing) MarshalJSON() ([]byte, error) { return nil, errors.New("refused") }

type stringerOf struct{ X any }

func (s stringerOf) String() string { return "" }

// MarshalOf gives encoding/json's results in each of three calls. The later calls use the state
// that the first call has created.
func TestMarshalOf(t *testing.T) {
	type pair struct {
		A string
		B any
	}
	marshalsOf(t, 7)
	marshalsOf(t, "<é>")
	marshalsOf(t, math.NaN())
	marshalsOf(t, []int{1, 2})
	marshalsOf(t, [0]int{})
	marshalsOf(t, map[string]int{"b": 1, "a": 2})
	marshalsOf(t, pair{"x", 1.5})
	marshalsOf(t, pair{"x", make(chan int)})
	marshalsOf(t, &pair{"x", nil})
	marshalsOf(t, (*pair)(nil))
	marshalsOf(t, struct{ P *pair }{&pair{}})
	marshalsOf(t, struct{ F func() }{})
	marshalsOf(t, [spareMax]byte{1})
	marshalsOf(t, [spareMax + 1]byte{1})
	marshalsOf(t, strings.Repeat("long", ownRoom))
	marshalsOf(t, "short again")
	marshalsOf(t, time.Unix(1e9, 5).UTC())
	marshalsOf(t, json.RawMessage(` [ 1 ] `))
	marshalsOf(t, any(nil))
	marshalsOf(t, any(pair{"x", []any{nil}}))
	marshalsOf[fmt.Stringer](t, stringerOf{1})
	marshalsOf[fmt.Stringer](t, nil)
	marshalsOf[error](t, nil)
	marshalsOf[json.Marshaler](t, nil)
	marshalsOf[json.Marshaler](t, refusing{})
	marshalsOf(t, refusing{})
	marshalsOf(t, byValue{1})
	marshalsOf(t, byPointer{1}) // not addressable, so its method is not called
	marshalsOf(t, struct{ A, B byPointer }{})
	marshalsOf(t, []byPointer{{1}})
	marshalsOf(t, mixed{1})
}

func marshalsOf[T any](t *testing.T, v T) {
	t.Helper()
	want, wantErr := json.Marshal(v)
	for range 3 {
		got, err := MarshalOf(v)
		if _, err := MarshalOf("which must not lie where the result does"); err != nil {
			t.Fatal(err)
		}
		if diff := differs(got, err, want, wantErr); diff != "" || err != nil && got != nil {
			t.Errorf("%T: %s", v, diff)
		}
	}
}

// UnmarshalOf gives encoding/json's results, and no part of a value appears in the next one.
func TestUnmarshalOf(t *testing.T) {
	type list struct {
		A string
		B []int
		C map[string]int
		D any
		E *list
		F [2]int
	}
	full := `{"A":"a","B":[1,2],"C":{"k":1},"D":[1,{"x":"y"}],"E":{"A":"b"},"F":[1,2]}`
	inputs := []string{full, `{"B":[3]}`, full, `{}`, full, `null`, `{"A":1,"B":[4]}`, `{"B":["x",5],"C":{"l":2}}`, full[:40], ``, full + "1", `[]`, full, `{"D":{"z":1}}`}
	unmarshalsOf[list](t, inputs)
	unmarshalsOf[*list](t, inputs)
	unmarshalsOf[any](t, inputs)
	unmarshalsOf[fmt.Stringer](t, inputs)
	unmarshalsOf[func()](t, inputs)
	unmarshalsOf[struct {
		list
		Long [spareMax]byte
	}](t, inputs)
	unmarshalsOf[int](t, []string{"1", "2.5", " 3 ", "null", "x"})
	unmarshalsOf[time.Time](t, []string{`"2026-01-02T03:04:05Z"`, `"x"`, `null`, `"2026-01-02T03:04:05+01:30"`})
	unmarshalsOf[keeper](t, []string{`{"A":1}`, `2`, `[`})
}

func unmarshalsOf[T any](t *testing.T, inputs []string) {
	t.Helper()
	var all, want []T
	for _, in := range inputs {
		var w T
		wantErr := json.Unmarshal([]byte(in), &w)
		v, err := UnmarshalOf[T]([]byte(in))
		if fmt.Sprintf("%T %v", err, err) != fmt.Sprintf("%T %v", wantErr, wantErr) {
			t.Errorf("%T of %s: error %v, want %v", v, in, err, wantErr)
		}
		all, want = append(all, v), append(want, w)
	}
	if !reflect.DeepEqual(all, want) { // compared at the end, because later values must not change earlier ones
		t.Errorf("got  %+v\nwant %+v", all, want)
	}
}

// keepsPointer keeps its latest receiver in kept.
type keepsPointer struct{ text string }

var kept *keepsPointer

func (k *keepsPointer) UnmarshalJSON(b []byte) error {
	k.text, kept = string(b), k
	return nil
}

// A method may keep its receiver: UnmarshalOf does not reuse it.
func TestUnmarshalOfLeavesReceivers(t *testing.T) {
	type holder struct{ K keepsPointer }
	for range 2 {
		if _, err := UnmarshalOf[holder]([]byte(`{"K":1}`)); err != nil || kept.text != "1" {
			t.Fatalf("%v, %v", kept, err)
		}
		first := kept
		if _, err := UnmarshalOf[holder]([]byte(`{"K":2}`)); err != nil || kept.text != "2" || first.text != "1" {
			t.Errorf("%v, %v, %v", kept, first, err)
		}
	}
}

// MarshalOf and UnmarshalOf make one allocation fewer than the functions that take an interface.
func TestOfAllocations(t *testing.T) {
	if encodeRace {
		t.Skip("counted without the race detector")
	}
	type event struct {
		ID    int64
		OK    bool
		Value float64
	}
	v := event{1, true, 0.5}
	data, err := MarshalOf(v)
	if err != nil {
		t.Fatal(err)
	}
	if got := testing.AllocsPerRun(200, func() { MarshalOf(v) }); got > 1 {
		t.Errorf("MarshalOf: %v allocations, want 1", got)
	}
	if got := testing.AllocsPerRun(200, func() { UnmarshalOf[event](data) }); got > 0 {
		t.Errorf("UnmarshalOf: %v allocations, want none", got)
	}
}
