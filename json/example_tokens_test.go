package json_test

import (
	"fmt"

	"github.com/slipstream-go/slipstream/json"
)

// A Tokenizer returns each token of a document in order, and retains no data.
func ExampleTokenizer() {
	t := json.NewTokenizer([]byte(`{"name":"Ada","born":1815,"tags":["math","poetry"]}`))
	for t.Next() {
		switch t.Kind().Class() {
		case json.Object, json.Array:
			fmt.Printf("%*s%c\n", 2*t.Depth, "", t.Delim)
		case json.String:
			if t.IsKey {
				fmt.Printf("%*skey %d: %s\n", 2*t.Depth, "", t.Index, t.String())
			} else {
				fmt.Printf("%*sstring %d: %s\n", 2*t.Depth, "", t.Index, t.String())
			}
		case json.Num:
			fmt.Printf("%*snumber %d: %d\n", 2*t.Depth, "", t.Index, t.Int())
		}
	}
	fmt.Println(t.Err)
	// Output:
	// {
	//   key 0: name
	//   string 0: Ada
	//   key 1: born
	//   number 1: 1815
	//   key 2: tags
	//   [
	//     string 0: math
	//     string 1: poetry
	// <nil>
}

// The Tokenizer detects invalid input while it reads, with encoding/json's error.
func ExampleTokenizer_error() {
	t := json.NewTokenizer([]byte(`[1, 2, 03]`))
	for t.Next() {
		fmt.Printf("%s  ", t.Value)
	}
	fmt.Println("…")
	fmt.Println(t.Err, "– at depth", t.Depth, "and index", t.Index)
	// Output:
	// [  1  ,  2  ,  …
	// invalid character '3' after array element – at depth 1 and index 2
}

// Value is a slice of the input. So a program can find a token's position, and keep the bytes
// around the token unchanged.
func ExampleTokenizer_Remaining() {
	in := []byte(`{ "user": "ada", "password": "secret" }`)
	var out []byte
	copied, hide := 0, false
	t := json.NewTokenizer(in)
	for t.Next() {
		end := len(in) - t.Remaining()
		start := end - len(t.Value)
		switch {
		case t.IsKey:
			hide = string(t.String()) == "password"
		case hide && t.Delim == 0:
			out = append(append(out, in[copied:start]...), `"***"`...)
			copied = end
		}
	}
	fmt.Printf("%s\n", append(out, in[copied:]...))
	// Output: { "user": "ada", "password": "***" }
}

func ExampleEscape() {
	fmt.Printf("%s\n", json.Escape("<b>\tü\u2028</b>"))
	fmt.Printf("%s\n", json.AppendEscape([]byte("text: "), "<b>\tü\u2028</b>", 0))
	// Output:
	// "\u003cb\u003e\tü\u2028\u003c/b\u003e"
	// text: "<b>\tü\u2028</b>"
}

func ExampleUnescape() {
	fmt.Printf("%s\n", json.Unescape([]byte(`"caf\u00e9 \ud83d\ude00"`)))
	fmt.Printf("%q\n", json.Unescape([]byte(`"no end`)))
	// Output:
	// café 😀
	// ""
}

func ExampleRawValue() {
	t := json.NewTokenizer([]byte(`["a\u0009b"]`))
	for t.Next() {
		if t.Value.String() {
			fmt.Printf("%s is %q\n", t.Value, t.Value.Unquote())
		}
	}
	// Output: "a\u0009b" is "a\tb"
}
