package differential

// These checks compare both libraries with the rows of docs/migrate-json.md about
// segmentio/encoding/json.

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	segmentio "github.com/segmentio/encoding/json"
	"github.com/slipstream-go/slipstream/internal/pages"
	"github.com/slipstream-go/slipstream/json"
)

func TestPagesMigrateJSON(t *testing.T) {
	page := pages.Read(t, "docs/migrate-json.md")
	same := func(t *testing.T, r pages.Row, theirs, ours, wantTheirs, wantOurs string) {
		t.Helper()
		if theirs != wantTheirs || ours != wantOurs {
			t.Errorf("%s: segmentio gives %s, not %s; this package gives %s, not %s", r.Where, theirs, wantTheirs, ours, wantOurs)
		}
	}
	page.Rows(t, "From segmentio/encoding/json", map[string]func(*testing.T, pages.Row){
		"`time.Duration`": func(t *testing.T, r pages.Row) {
			theirs, _ := segmentio.Marshal(1500 * time.Nanosecond)
			ours, _ := json.Marshal(1500 * time.Nanosecond)
			same(t, r, string(theirs), string(ours), `"1.5µs"`, `1500`)
			text, err := json.Append(nil, 1500*time.Nanosecond, json.DurationText)
			var d time.Duration
			if _, err2 := json.Parse([]byte(`"1.5µs"`), &d, json.UseDurationText); string(text) != `"1.5µs"` || d != 1500 || err != nil || err2 != nil {
				t.Errorf("%s, %v, %v, %v", text, d, err, err2)
			}
		},
		"errors": func(t *testing.T, r pages.Row) {
			var syntax *json.SyntaxError
			for i, unmarshal := range []func([]byte, any) error{segmentio.Unmarshal, json.Unmarshal} {
				err := unmarshal([]byte(`[1,nul]`), new(any))
				if !errors.As(err, &syntax) || syntax.Offset != []int64{0, 7}[i] {
					t.Errorf("%v", err)
				}
				if plain := err.Error() == "invalid character ']' in literal null (expecting 'l')"; plain != (i == 1) {
					t.Errorf("%v", err)
				}
			}
		},
		"a value of the wrong type": func(t *testing.T, r pages.Row) {
			var theirs, ours struct{ A, B int }
			if segmentio.Unmarshal([]byte(`{"A":"x","B":2}`), &theirs) == nil || json.Unmarshal([]byte(`{"A":"x","B":2}`), &ours) == nil {
				t.Error("no error")
			}
			same(t, r, fmt.Sprint(theirs), fmt.Sprint(ours), "{0 0}", "{0 2}")
		},
		"an integer out of range": func(t *testing.T, r pages.Row) {
			same(t, r, rangeOf(segmentio.Unmarshal), rangeOf(json.Unmarshal),
				"2553255926290448384 <nil>", "0 json: cannot unmarshal number 21000000000000000000 into Go value of type int64")
		},
		"`omitzero`": func(t *testing.T, r pages.Row) {
			v := struct {
				A int `json:",omitzero"`
			}{}
			theirs, _ := segmentio.Marshal(v)
			ours, _ := json.Marshal(v)
			same(t, r, string(theirs), string(ours), `{"A":0}`, `{}`)
		},
		"`RawValue.Unquote` of a value that is not a string": func(t *testing.T, r pages.Row) {
			same(t, r, unquote[segmentio.RawValue](`"a`)(), unquote[json.RawValue](`"a`)(), "panic", `""`)
		},
		"a Tokenizer for the inputs `[1 2` and `[1,,2]`": func(t *testing.T, r pages.Row) {
			if len(r.Code(0)) != 2 {
				t.Fatal(r.Code(0))
			}
			for _, text := range r.Code(0) {
				theirs, ours := atEnd(text)
				if theirs.Err != nil || ours.Err == nil {
					t.Errorf("%s: %v, %v", text, theirs.Err, ours.Err)
				}
			}
		},
		"`Buffered` after a value": func(t *testing.T, r pages.Row) {
			const text = "[1] \n [2] "
			theirs, ours := segmentio.NewDecoder(strings.NewReader(text)), json.NewDecoder(strings.NewReader(text))
			if err := errors.Join(theirs.Decode(new(any)), ours.Decode(new(any))); err != nil {
				t.Fatal(err)
			}
			a, _ := io.ReadAll(theirs.Buffered())
			b, _ := io.ReadAll(ours.Buffered())
			same(t, r, string(a), string(b), "[2] ", " \n [2] ")
		},
		"`InputOffset` after a value": func(t *testing.T, r pages.Row) {
			const text = "[1] \n [2] "
			theirs, ours := segmentio.NewDecoder(strings.NewReader(text)), json.NewDecoder(strings.NewReader(text))
			if err := errors.Join(theirs.Decode(new(any)), ours.Decode(new(any))); err != nil {
				t.Fatal(err)
			}
			same(t, r, fmt.Sprint(theirs.InputOffset()), fmt.Sprint(ours.InputOffset()), "6", "3")
		},
		"a Decoder on a connection that stays open": func(t *testing.T, r pages.Row) {
			theirs, ours := &pausing{text: []byte("[1]")}, &pausing{text: []byte("[1]")}
			segmentio.NewDecoder(theirs).Decode(new(any))
			json.NewDecoder(ours).Decode(new(any))
			same(t, r, fmt.Sprint(theirs.waits > 0), fmt.Sprint(ours.waits > 0), "true", "false")
		},
		"`Token` and `More`": func(t *testing.T, r pages.Row) {
			type tokens interface {
				Token() (json.Token, error)
				More() bool
			}
			_, theirs := any(new(segmentio.Decoder)).(tokens)
			_, ours := any(new(json.Decoder)).(tokens)
			same(t, r, fmt.Sprint(theirs), fmt.Sprint(ours), "false", "true")
		},
	})
	page.Rows(t, "What an invalid document costs", costs())
	page.Skip(t, "TestPagesMigrateJSON of json has them",
		"From encoding/json", "What is different", "Go 1.27, and GOEXPERIMENT=jsonv2", "Worth turning on")
	page.Done(t)
}

func rangeOf(unmarshal func([]byte, any) error) string {
	var n int64
	err := unmarshal([]byte("21000000000000000000"), &n)
	return fmt.Sprint(n, " ", err)
}

// pausing is a connection that delivers a text, and then no more data. A reader would wait for
// more.
type pausing struct {
	text  []byte
	waits int
}

func (p *pausing) Read(b []byte) (int, error) {
	if len(p.text) == 0 {
		p.waits++
		return 0, io.EOF // so that the test continues
	}
	n := copy(b, p.text)
	p.text = p.text[n:]
	return n, nil
}
