package json_test

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/slipstream-go/slipstream/json"
)

type reading struct {
	Host string  `json:"host"`
	Load float64 `json:"load,omitempty"`
	Tags []string
}

func ExampleMarshal() {
	b, err := json.Marshal([]reading{{Host: "web-1", Load: 0.75, Tags: []string{"<eu>"}}, {Host: "web-2"}})
	fmt.Printf("%s %v\n", b, err)
	// Output: [{"host":"web-1","load":0.75,"Tags":["\u003ceu\u003e"]},{"host":"web-2","Tags":null}] <nil>
}

// After a type mismatch, Unmarshal decodes the rest and returns the error. After a syntax error,
// the target is unchanged.
func ExampleUnmarshal() {
	var r reading
	err := json.Unmarshal([]byte(`{"host": 7, "load": 1.5}`), &r)
	var mistyped *json.UnmarshalTypeError
	fmt.Println(errors.As(err, &mistyped), mistyped.Field, mistyped.Value, r.Load)

	err = json.Unmarshal([]byte(`{"host": "web-1", "load": 2.5`), &r)
	var syntax *json.SyntaxError
	fmt.Println(errors.As(err, &syntax), err, syntax.Offset, r.Load)
	// Output:
	// true host number 1.5
	// true unexpected end of JSON input 29 1.5
}

// A buffer can be reused for each value.
func ExampleAppend() {
	var buf []byte
	for _, host := range []string{"web-1", "web-2"} {
		var err error
		if buf, err = json.Append(buf[:0], map[string]any{"host": host, "<": 1}, json.SortMapKeys); err != nil {
			panic(err)
		}
		fmt.Printf("%s\n", buf)
	}
	// Output:
	// {"<":1,"host":"web-1"}
	// {"<":1,"host":"web-2"}
}

// For untrusted input, flags require exact names, and reject duplicate and unknown names.
func ExampleParse() {
	const strict = json.DisallowUnknownFields | json.DontMatchCaseInsensitiveStructFields | json.RejectDuplicateNames
	for _, text := range []string{`{"host": "a"} trailing`, `{"host": "a", "HOST": "b"}`, `{"host": "a", "host": "b"}`} {
		var r reading
		rest, err := json.Parse([]byte(text), &r, strict)
		fmt.Printf("%q, %q, %v\n", r.Host, rest, err)
	}
	// Output:
	// "a", "trailing", <nil>
	// "a", "", json: unknown field "HOST"
	// "", "", json: duplicate name "host"
}

// Integers in an any are float64 by default, which is exact up to 2⁵³. Flags select other types.
func ExampleParseFlags() {
	for _, flags := range []json.ParseFlags{0, json.UseNumber, json.UseInt64, json.UseInt64 | json.UseUint64, json.UseInt64 | json.UseBigInt} {
		var v []any
		if _, err := json.Parse([]byte(`[-9007199254740993, 18446744073709551615]`), &v, flags); err != nil {
			panic(err)
		}
		fmt.Printf("%T %v, %T %v\n", v[0], v[0], v[1], v[1])
	}
	// Output:
	// float64 -9.007199254740992e+15, float64 1.8446744073709552e+19
	// json.Number -9007199254740993, json.Number 18446744073709551615
	// int64 -9007199254740993, float64 1.8446744073709552e+19
	// int64 -9007199254740993, uint64 18446744073709551615
	// int64 -9007199254740993, *big.Int 18446744073709551615
}

func ExampleGet() {
	data := []byte(`{"issues": [{"title": "first", "owner": {"name": "Ann"}}, {"title": "last"}]}`)
	for _, path := range [][]any{{"issues", 0, "owner"}, {"issues", -1, "title"}, {"issues", 7}} {
		v, err := json.Get(data, path...)
		fmt.Printf("%s %v %t\n", v, err, errors.Is(err, json.ErrMissing))
	}
	// Output:
	// {"name": "Ann"} <nil> false
	// "last" <nil> false
	//  json: the value is missing: issues[7]: the array has 2 elements true
}

// For an invalid line, the loop gets an error with the line number and then continues.
func ExampleLines() {
	body := strings.NewReader(`{"host": "a", "load": 1}
{"host": "b", "load": }

{"host": "c", "load": 3}
`)
	for r, err := range json.Lines[reading](body, 0) {
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println(r.Host, r.Load)
	}
	// Output:
	// a 1
	// json: line 2: invalid character '}' looking for beginning of value
	// c 3
}

// A Decoder reads an array element by element, so the array need not fit into memory.
func ExampleDecoder() {
	d := json.NewDecoder(strings.NewReader(`[{"host": "a"}, {"host": "b"}]`))
	if _, err := d.Token(); err != nil { // [
		panic(err)
	}
	for d.More() {
		var r reading
		if err := d.Decode(&r); err != nil {
			panic(err)
		}
		fmt.Println(r.Host, d.InputOffset())
	}
	// Output:
	// a 14
	// b 29
}

func ExampleEncoder() {
	e := json.NewEncoder(os.Stdout)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(map[string]any{"host": "<web>", "loads": []float64{0.5, 1e21}}); err != nil {
		panic(err)
	}
	// Output:
	// {
	//   "host": "<web>",
	//   "loads": [
	//     0.5,
	//     1e+21
	//   ]
	// }
}

func ExampleUnmarshalRead() {
	var r reading
	err := json.UnmarshalRead(strings.NewReader(`{"HOST": "a", "host": "b"}`), &r, json.DontMatchCaseInsensitiveStructFields)
	fmt.Println(r.Host, err)
	// Output: b <nil>
}

func ExampleMarshalWrite() {
	err := json.MarshalWrite(os.Stdout, []string{"<", ">"}, 0)
	fmt.Println(err)
	// Output: ["<",">"]<nil>
}
