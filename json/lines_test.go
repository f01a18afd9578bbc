package json_test

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/slipstream-go/slipstream/json"
)

func TestLines(t *testing.T) {
	type row struct{ A int }
	long := `{"A":` + strings.Repeat(" ", 100) + `9}`
	broken := errors.New("broken")
	for _, c := range []struct {
		in   io.Reader
		want string
	}{
		{strings.NewReader(""), ``},
		{strings.NewReader("\n\n"), ``},
		{strings.NewReader(`{"A":1}`), `1 <nil>; `},
		{strings.NewReader("{\"A\":1}\n{\"A\":2}\r\n \n{\"A\":3}\n"), `1 <nil>; 2 <nil>; 3 <nil>; `},
		{strings.NewReader("{\"A\":1}\n{\"A\":\n{\"A\":3}\n"), `1 <nil>; 0 json: line 2: unexpected end of JSON input; 3 <nil>; `},
		{strings.NewReader("{\"A\":1} {}\n{\"A\":\"x\"}"),
			`0 json: line 1: invalid character '{' after top-level value; 0 json: line 2: json: cannot unmarshal string into Go struct field row.A of type int; `},
		{strings.NewReader("{\"A\":1}\n" + long + "\n{\"A\":2}\n" + long), `1 <nil>; 0 json: line 2: the line is too long; 2 <nil>; 0 json: line 4: the line is too long; `},
		{io.MultiReader(strings.NewReader("{\"A\":1}\n{\"A\":2"), iotest.ErrReader(broken)), `1 <nil>; 0 broken; `},
		{io.MultiReader(strings.NewReader("1\n"), iotest.ErrReader(&json.LineError{Line: 7, Cause: broken})),
			`0 json: line 1: json: cannot unmarshal number into Go value of type json_test.row; 0 json: line 7: broken; `},
	} {
		all, err := io.ReadAll(c.in)
		for name, wrap := range map[string]func(io.Reader) io.Reader{
			"whole": func(r io.Reader) io.Reader { return r }, "bytes": iotest.OneByteReader, "half": iotest.HalfReader, "data with the error": iotest.DataErrReader,
		} {
			var in io.Reader = strings.NewReader(string(all))
			if err != nil {
				in = io.MultiReader(in, iotest.ErrReader(err))
			}
			got := ""
			for v, err := range json.Lines[row](wrap(in), 64) {
				got += fmt.Sprint(v.A, " ", err, "; ")
			}
			if got != c.want {
				t.Errorf("%q, %s:\n%s\nwant\n%s", all, name, got, c.want)
			}
		}
	}
	for range json.Lines[int](strings.NewReader("1\n2\n"), 0) {
		break // does not panic
	}
}

// Lines reads a line of 64 MB in little memory if its limit is 1 KB.
func TestLinesInBoundedMemory(t *testing.T) {
	endless := io.MultiReader(io.LimitReader(zeros{}, 64<<20), strings.NewReader("\n5\n"))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	got := ""
	for v, err := range json.Lines[int](endless, 1<<10) {
		got += fmt.Sprint(v, errors.Is(err, json.ErrLineTooLong), ";")
	}
	runtime.ReadMemStats(&after)
	if got != "0 true;5 false;" {
		t.Error(got)
	}
	if n := after.TotalAlloc - before.TotalAlloc; n > 256<<10 {
		t.Errorf("%d bytes allocated", n)
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = '0'
	}
	return len(p), nil
}
