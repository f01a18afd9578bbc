package json_test

import (
	std "encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/slipstream-go/slipstream/json"
)

type sealed struct{ A int }

// Decoding into a nil embedded pointer to an unexported struct is an error, because only the
// struct's own package may set the pointer.
func TestSealedPointer(t *testing.T) {
	inGo126(t)
	type target struct {
		*sealed `json:"s"`
		B       int
	}
	var v target
	err := json.Unmarshal([]byte(`{"s":{"A":1},"B":2}`), &v)
	if err == nil || err.Error() != "json: cannot set embedded pointer to unexported struct: json_test.sealed" || v.sealed != nil || v.B != 2 {
		t.Errorf("%v, %+v", err, v)
	}
	for _, doc := range []string{`{"s":{"A":1},"B":2}`, `{"s":null,"B":2}`, `{"s":[],"B":2}`} {
		got, want := target{sealed: &sealed{7}}, target{sealed: &sealed{7}}
		err, wantErr := json.Unmarshal([]byte(doc), &got), std.Unmarshal([]byte(doc), &want)
		if !reflect.DeepEqual(err, wantErr) || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v, %+v; want %v, %+v", doc, err, got.sealed, wantErr, want.sealed)
		}
	}
}

// Decoding into pointers that lead back to themselves terminates. encoding/json never returns here.
func TestCircle(t *testing.T) {
	type loop *loop
	var l loop
	if err := json.Unmarshal([]byte(`1`), &l); err == nil {
		t.Error("a type that is a pointer to itself has a value")
	}
	var a, b any
	a, b = &b, &a
	if err := json.Unmarshal([]byte(`1`), &a); err == nil {
		t.Error("two interfaces that hold pointers to each other have a value")
	}
	if a != any(&b) || b != any(&a) {
		t.Error("the target has changed")
	}
	var self any
	self = &self
	if err := json.Unmarshal([]byte(`[1]`), &self); err != nil || !reflect.DeepEqual(self, []any{1.0}) {
		t.Errorf("%v, %v", self, err) // as in encoding/json
	}
}

// Parse decodes the first of several values and returns the remaining bytes.
func TestParse(t *testing.T) {
	for _, c := range []struct{ in, rest string }{
		{`1`, ``}, {` 1 `, ``}, {`1 2`, `2`}, {`{"a":1}{"b":2}`, `{"b":2}`}, {"[1]\n\tx", `x`}, {`"a"`, ``}, {`"a"b`, `b`}, {`true,`, `,`}, {`12]`, `]`},
	} {
		var v any
		rest, err := json.Parse([]byte(c.in), &v, 0)
		if err != nil || string(rest) != c.rest || v == nil {
			t.Errorf("%q: %v, rest %q, %v", c.in, v, rest, err)
		}
		var invalid *json.InvalidUnmarshalError
		if rest, err := json.Parse([]byte(c.in), nil, 0); string(rest) != c.rest || !reflect.DeepEqual(err, error(&json.InvalidUnmarshalError{})) {
			t.Errorf("%q into nil: rest %q, %v, %T", c.in, rest, err, invalid)
		}
	}
	for _, in := range []string{``, ` `, `{`, `tru`, `-`, `[1,]`, `"a`} {
		v := any(7)
		want := std.Unmarshal([]byte(in), new(any))
		if rest, err := json.Parse([]byte(in), &v, 0); string(rest) != in || !reflect.DeepEqual(err, want) || v != 7 {
			t.Errorf("%q: %v, rest %q, %v; want %v", in, v, rest, err, want)
		}
	}
	var n struct{ A int }
	rest, err := json.Parse([]byte(`{"A":"x","B":1} 2`), &n, json.DisallowUnknownFields)
	if string(rest) != "2" || err == nil || err.Error() != "json: cannot unmarshal string into Go struct field .A of type int" {
		t.Errorf("rest %q, %v", rest, err)
	}
}

// Each combination of number flags gives the documented types in an any.
func TestNumberFlags(t *testing.T) {
	const doc = `[1,-2,3.5,18446744073709551616,99999999999999999999,1e2,-9223372036854775808,18446744073709551615,-0]`
	for flags := range json.ParseFlags(16) {
		var f json.ParseFlags
		for i, flag := range []json.ParseFlags{json.UseNumber, json.UseBigInt, json.UseInt64, json.UseUint64} {
			if flags>>i&1 == 1 {
				f |= flag
			}
		}
		var v []any
		if _, err := json.Parse([]byte(doc), &v, f); err != nil {
			t.Fatal(err)
		}
		for i, text := range []string{"1", "-2", "3.5", "18446744073709551616", "99999999999999999999", "1e2", "-9223372036854775808", "18446744073709551615", "-0"} {
			if got, want := reflect.TypeOf(v[i]).String(), typeUnder(text, f); got != want {
				t.Errorf("%s under %b: %s, want %s", text, f, got, want)
			}
			if back, err := std.Marshal(v[i]); err != nil || f&json.UseNumber != 0 && string(back) != text && text != "-0" {
				t.Errorf("%s under %b: %s, %v", text, f, back, err)
			}
		}
	}
}

// typeUnder returns the type according to the documentation of the flags.
func typeUnder(text string, f json.ParseFlags) string {
	isInt := std.Unmarshal([]byte(text), new(int64)) == nil
	isUint := std.Unmarshal([]byte(text), new(uint64)) == nil
	whole := text != "3.5" && text != "1e2"
	switch {
	case f&json.UseUint64 != 0 && isUint:
		return "uint64"
	case f&json.UseInt64 != 0 && isInt:
		return "int64"
	case f&json.UseBigInt != 0 && whole:
		return "*big.Int"
	case f&json.UseNumber != 0:
		return "json.Number"
	}
	return "float64"
}

// With ZeroCopy, values are views of the input where possible. Without it, they are copies.
func TestViews(t *testing.T) {
	type target struct {
		S, E string
		N    json.Number
		R    json.RawMessage
		M    map[string]string
		A    any
	}
	for _, pad := range []string{"", strings.Repeat(" ", 2000)} {
		doc := []byte(pad + `{"S":"text","E":"a\tb","N":12,"R":[1, 2],"M":{"k":"v"},"A":"any"}` + pad)
		var views, copies target
		if _, err := json.Parse(doc, &views, json.ZeroCopy); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(doc, &copies); err != nil || !reflect.DeepEqual(views, copies) {
			t.Fatal(err, views, copies)
		}
		for i := range doc {
			doc[i] = 'X'
		}
		if views.S != "XXXX" || views.N != "XX" || string(views.R) != "XXXXXX" || views.A != "XXX" || views.E != "a\tb" {
			t.Errorf("copies: %+v", views)
		}
		if copies.S != "text" || copies.N != "12" || string(copies.R) != "[1, 2]" || copies.A != "any" {
			t.Errorf("views: %+v", copies)
		}
	}
}
