package json_test

// These tests check that each option has its effect on Parse, Append, a Decoder and an Encoder, and
// no other effect.

import (
	"bytes"
	std "encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/slipstream-go/slipstream/json"
)

// readWith decodes input by Parse, UnmarshalRead and a Decoder, all with the same flags, and passes
// each result to check.
func readWith[T any](t *testing.T, input string, flags json.ParseFlags, check func(how string, v T, err error)) {
	t.Helper()
	var v T
	_, err := json.Parse([]byte(input), &v, flags)
	check("Parse", v, err)
	v = *new(T)
	err = json.UnmarshalRead(iotest.OneByteReader(strings.NewReader(input)), &v, flags)
	check("UnmarshalRead", v, err)
	if flags&(json.UseInt64|json.UseUint64|json.UseBigInt) != 0 {
		return // a Decoder has no methods for these flags
	}
	d := json.NewDecoder(iotest.HalfReader(strings.NewReader(input)))
	for flag, set := range map[json.ParseFlags]func(){
		json.DisallowUnknownFields: d.DisallowUnknownFields, json.UseNumber: d.UseNumber, json.DontCopyString: d.DontCopyString, json.DontCopyNumber: d.DontCopyNumber, json.DontCopyRawMessage: d.DontCopyRawMessage,
		json.DontMatchCaseInsensitiveStructFields: d.DontMatchCaseInsensitiveStructFields, json.RejectDuplicateNames: d.RejectDuplicateNames,
	} {
		if flags&flag != 0 {
			set()
		}
	}
	v = *new(T)
	err = d.Decode(&v)
	check("Decoder", v, err)
}

func TestParseFlags(t *testing.T) {
	type names struct {
		Kelvin int
		Lower  int `json:"lower"`
	}
	for _, c := range []struct {
		in    string
		flags json.ParseFlags
		want  names
		err   string
	}{
		{`{"kelvin":1,"LOWER":2}`, 0, names{1, 2}, ""},
		{"{\"\u212aelvin\":1,\"lower\":2}", 0, names{1, 2}, ""},
		{`{"kelvin":1,"LOWER":2,"Kelvin":3}`, json.DontMatchCaseInsensitiveStructFields, names{3, 0}, ""},
		{"{\"\u212aelvin\":1,\"\\u006cower\":2}", json.DontMatchCaseInsensitiveStructFields, names{0, 2}, ""},
		{`{"kelvin":1,"lower":2}`, json.DontMatchCaseInsensitiveStructFields | json.DisallowUnknownFields, names{0, 2}, `json: unknown field "kelvin"`},
		{`{"kelvin":1,"x":5,"lower":2}`, json.DisallowUnknownFields, names{1, 2}, `json: unknown field "x"`},
		{`{"kelvin":1,"Kelvin":2}`, json.RejectDuplicateNames, names{2, 0}, ""},
		{`{"lower":1,"lower":2}`, json.RejectDuplicateNames, names{}, `json: duplicate name "lower"`},
		{`{"kelvin":1,"x":[{"y":1,"y":2}]}`, json.RejectDuplicateNames | json.DisallowUnknownFields, names{}, `json: duplicate name "y"`},
	} {
		for _, more := range []json.ParseFlags{0, json.ZeroCopy, json.UseNumber} {
			readWith(t, c.in, c.flags|more, func(how string, v names, err error) {
				if text := fmt.Sprint(err); v != c.want || text != c.err && (c.err != "" || err != nil) {
					t.Errorf("%s of %s under %b: %+v, %v; want %+v, %s", how, c.in, c.flags|more, v, err, c.want, c.err)
				}
			})
		}
	}
	for flags, want := range map[json.ParseFlags]any{
		0: 5.0, json.UseNumber: std.Number("5"), json.UseBigInt: big.NewInt(5), json.UseInt64: int64(5), json.UseUint64: uint64(5), json.UseInt64 | json.UseNumber: int64(5), json.UseNumber | json.ZeroCopy: std.Number("5"),
	} {
		readWith(t, `{"a":[5]}`, flags, func(how string, v any, err error) {
			if !reflect.DeepEqual(v, map[string]any{"a": []any{want}}) || err != nil {
				t.Errorf("%s under %b: %#v, %v", how, flags, v, err)
			}
		})
	}
	// Flags apply to one call. The next call does not use them.
	var v any
	if _, err := json.Parse([]byte(`1`), &v, json.UseNumber|json.RejectDuplicateNames); err != nil || v != std.Number("1") {
		t.Error(v, err)
	}
	if err := json.Unmarshal([]byte(`{"a":1,"a":2}`), &v); err != nil || !reflect.DeepEqual(v, map[string]any{"a": 2.0}) {
		t.Error(v, err)
	}
}

// Each flag returns views for its own kind of value, and copies for all others.
func TestEachView(t *testing.T) {
	type all struct {
		S string
		N json.Number
		Q json.Number
		R json.RawMessage
		M map[string]int
		A any
	}
	for _, n := range []int{0, 2000} {
		for flags, want := range map[json.ParseFlags]string{
			0:                       "text 12 34 [5] map[key:1] any",
			json.DontCopyString:     "XXXX 12 XX [5] map[XXX:1] XXX", // a Number from a JSON string counts as a string
			json.DontCopyNumber:     "text XX 34 [5] map[key:1] any",
			json.DontCopyRawMessage: "text 12 34 XXX map[key:1] any",
			json.ZeroCopy:           "XXXX XX XX XXX map[XXX:1] XXX",
		} {
			var v all
			doc := []byte(strings.Repeat(" ", n) + `{"S":"text","N":12,"Q":"34","R":[5],"M":{"key":1},"A":"any"}` + strings.Repeat(" ", n))
			if _, err := json.Parse(doc, &v, flags); err != nil {
				t.Fatal(err)
			}
			for i := range doc {
				doc[i] = 'X'
			}
			if got := fmt.Sprint(v.S, " ", v.N, " ", v.Q, " ", string(v.R), " ", v.M, " ", v.A); got != want {
				t.Errorf("%b: %s; want %s", flags, got, want)
			}
		}
	}
}

// Values that a Decoder returns with ZeroCopy stay unchanged while it reads more.
func TestViewsOfAStream(t *testing.T) {
	type all struct {
		S string
		N json.Number
		R json.RawMessage
		M map[string]any
	}
	var in bytes.Buffer
	for i := range 500 {
		fmt.Fprintf(&in, `{"S":"text %d %s","N":%d,"R":[%d, {}],"M":{"key%d":"value%d"}} "between %d" `, i, strings.Repeat("x", i%300), i, i, i, i, i)
	}
	for name, wrap := range map[string]func(io.Reader) io.Reader{
		"whole": func(r io.Reader) io.Reader { return r }, "bytes": iotest.OneByteReader, "half": iotest.HalfReader, "pieces": func(r io.Reader) io.Reader { return &chunks{data: in.Bytes(), sizes: []int{100, 3, 700}, end: io.EOF} },
	} {
		views, copies := json.NewDecoder(wrap(bytes.NewReader(in.Bytes()))), std.NewDecoder(bytes.NewReader(in.Bytes()))
		views.ZeroCopy()
		var got, want []any
		for {
			var v, w all
			var between, betweenWant string
			err := errors.Join(views.Decode(&v), views.Decode(&between))
			errWant := errors.Join(copies.Decode(&w), copies.Decode(&betweenWant))
			if (err == nil) != (errWant == nil) {
				t.Fatalf("%s: %v; want %v", name, err, errWant)
			} else if err != nil {
				break
			}
			_ = append(v.R, "XXXXXXXXXXXXXXXXXXXX"...)
			got, want = append(got, v, between), append(want, w, betweenWant)
		}
		if len(got) != 1000 || fmt.Sprint(got...) != fmt.Sprint(want...) {
			t.Errorf("%s: %d values, and they have changed", name, len(got))
		}
	}
}

func TestParseIntoNothing(t *testing.T) {
	for _, to := range []any{nil, 5, "x", Base{}, (*int)(nil), (*Base)(nil), map[string]int{}, func() {}} {
		for _, in := range []string{`1 2`, ` {"A":[1]} 2`, `[] 2`} {
			rest, err := json.Parse([]byte(in), to, 0)
			if want := std.Unmarshal([]byte(`1`), to); string(rest) != "2" || unlikeErrors(want, err) != "" {
				t.Errorf("%s into %T: rest %q, %v; want %v", in, to, rest, err, want)
			}
		}
		for _, in := range []string{``, `{`, `[1,]`, `"`} {
			rest, err := json.Parse([]byte(in), to, 0)
			if want := std.Unmarshal([]byte(in), new(any)); string(rest) != in || unlikeErrors(want, err) != "" {
				t.Errorf("%s into %T: rest %q, %v; want %v", in, to, rest, err, want)
			}
		}
	}
}

// Parse also returns the remaining bytes after a type mismatch, an error of a method, and a
// duplicate name.
func TestParseRest(t *testing.T) {
	for _, c := range []struct {
		in, rest, text string
		to             any
		flags          json.ParseFlags
	}{
		{`{"A":"x"} [2]`, `[2]`, "json: cannot unmarshal string into Go struct field Base.A of type int", new(Base), 0},
		{`{"A":"bad","B":1} [2]`, `[2]`, `refused: "bad"`, new(two[readsJSON]), 0},
		{`["bad",1]x`, `x`, "refused: bad", new([]readsText), 0},
		{`{"A":1,"A":2} ]`, `]`, `json: duplicate name "A"`, new(Base), json.RejectDuplicateNames},
		{`{"x":1,"A":2}}`, `}`, `json: unknown field "x"`, new(Base), json.DisallowUnknownFields},
	} {
		rest, err := json.Parse([]byte(c.in), c.to, c.flags)
		if string(rest) != c.rest || err == nil || err.Error() != c.text {
			t.Errorf("%s into %T: rest %q, %v; want %q, %s", c.in, c.to, rest, err, c.rest, c.text)
		}
	}
}
