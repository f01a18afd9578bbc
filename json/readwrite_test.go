package json_test

import (
	std "encoding/json"
	"errors"
	"io"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/slipstream-go/slipstream/json"
)

// UnmarshalRead reads to the end of its reader, and accepts only a single value.
func TestUnmarshalRead(t *testing.T) {
	for _, in := range []string{`{"A":1,"B":2}`, ` {"A":1} ` + "\n", `{"A":"x","B":2}`, ``, ` `, `{"A":1`, `{"A":1} x`, `{"A":1} {"A":2}`, `null`, `[]`, `{"B":` + strings.Repeat(" ", 5000) + `3}`} {
		for _, wrap := range []func(io.Reader) io.Reader{func(r io.Reader) io.Reader { return r }, iotest.OneByteReader, iotest.DataErrReader} {
			want, got := Base{7, 8}, Base{7, 8}
			errWant := std.Unmarshal([]byte(in), &want)
			err := json.UnmarshalRead(wrap(strings.NewReader(in)), &got, 0)
			if s := unlikeErrors(errWant, err); s != "" || got != want {
				t.Errorf("%s: %v, %s; want %v", short(in), got, s, want)
			}
		}
	}
	got := Base{7, 8}
	if err := json.UnmarshalRead(io.MultiReader(strings.NewReader(`{"A":1}`), iotest.ErrReader(errReader)), &got, 0); err != errReader || got != (Base{7, 8}) {
		t.Error(got, err)
	}
	for _, to := range []any{nil, 5, (*int)(nil)} {
		if s := unlikeErrors(std.Unmarshal([]byte(`1`), to), json.UnmarshalRead(strings.NewReader(`1`), to, 0)); s != "" {
			t.Errorf("into %T: %s", to, s)
		}
	}
	// Views of the input stay valid while they are used, because nothing else uses the memory.
	var views []string
	for _, text := range []string{"one", "two", "three"} {
		var v string
		if err := json.UnmarshalRead(strings.NewReader(`"`+text+`"`), &v, json.ZeroCopy); err != nil {
			t.Error(err)
		}
		views = append(views, v)
	}
	if !slices.Equal(views, []string{"one", "two", "three"}) {
		t.Error(views)
	}
}

// MarshalWrite calls Write once, without a newline, and writes nothing after an error.
func TestMarshalWrite(t *testing.T) {
	for _, c := range []struct {
		v     any
		flags json.AppendFlags
		want  string
	}{
		{map[string]any{"b": "<", "a": []int{1}}, json.SortMapKeys, `{"a":[1],"b":"<"}`},
		{map[string]any{"b": "<", "a": nil}, json.SortMapKeys | json.EscapeHTML, `{"a":null,"b":"\u003c"}`},
		{nil, 0, `null`},
		{std.RawMessage(`[ 1`), json.TrustRawMessage, `[ 1`},
		{strings.Repeat("x", 100_000), 0, `"` + strings.Repeat("x", 100_000) + `"`},
	} {
		var w writes
		if err := json.MarshalWrite(&w, c.v, c.flags); err != nil || !slices.Equal(w.list, []string{c.want}) {
			t.Errorf("%T: %d writes, %v", c.v, len(w.list), err)
		}
		if b, err := json.Append([]byte("x"), c.v, c.flags); err != nil || string(b) != "x"+c.want {
			t.Errorf("%T: Append: %s, %v", c.v, short(string(b)), err)
		}
	}
	var w writes
	var unsupported *json.UnsupportedTypeError
	if err := json.MarshalWrite(&w, []any{1, make(chan int)}, 0); !errors.As(err, &unsupported) || unsupported.Type != reflect.TypeFor[chan int]() || len(w.list) > 0 {
		t.Error(err, w.list)
	}
	w.fail = 1
	if err := json.MarshalWrite(&w, 1, 0); err != errWriter {
		t.Error(err)
	}
}
