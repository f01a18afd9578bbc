package json

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/slipstream-go/slipstream/bench/harness"
	"github.com/slipstream-go/slipstream/bench/json/corpus"
)

// Every side of every case returns the correct value. Nothing is timed.
func TestOutputs(t *testing.T) {
	if err := harness.Check(Suite()); err != nil {
		t.Error(err)
	}
}

// The suite that compares builds measures only Slipstream and encoding/json. All outputs are
// correct.
func TestBuilds(t *testing.T) {
	suite := BuildSuite()
	if err := harness.Check(suite); err != nil {
		t.Error(err)
	}
	for _, c := range suite.Cases {
		if sides, err := c.Sides(); err != nil || len(sides) != 2 {
			t.Errorf("%s, %s: %d sides, error %v; want two", c.Group, c.Name, len(sides), err)
		}
	}
	if len(suite.Cases) != 13 {
		t.Errorf("%d cases, want typed, any, both ways, and Valid of two documents, and three of a tiny message", len(suite.Cases))
	}
}

// The sizes in the names of the tiny messages, and of the streams' lines, are correct.
func TestSizes(t *testing.T) {
	for _, m := range messages() {
		text, err := m.text()
		if err != nil {
			t.Fatal(err)
		}
		_, size, _ := strings.Cut(strings.TrimSuffix(m.name, " B"), " ")
		if n, err := strconv.Atoi(size); err != nil || len(text) < n-5 || len(text) > n+5 {
			t.Errorf("%s has %d bytes: %s", m.name, len(text), text)
		}
	}
	lines, err := sampleLines()
	if err != nil {
		t.Fatal(err)
	}
	if each := len(lines) / streamValues; each < 195 || each > 205 {
		t.Errorf("a line has %d bytes, want about 200", each)
	}
}

// codeBytes, on which the throughput of codeResponse is based, is the size of its document.
func TestCodeBytes(t *testing.T) {
	text, err := corpus.Read(corpus.Golang)
	if err != nil {
		t.Fatal(err)
	}
	if len(text) != codeBytes {
		t.Errorf("%d bytes, want %d", len(text), codeBytes)
	}
}

// The input is the same in every run, so that runs can be compared.
func TestLinesAreFixed(t *testing.T) {
	first, err := sampleLines()
	if err != nil {
		t.Fatal(err)
	}
	if again, _ := sampleLines(); !bytes.Equal(first, again) {
		t.Error("the lines differ between two calls")
	}
}

// The inferred types preserve all of their documents. Decoding and encoding lose only empty values.
func TestShapesHoldTheirDocuments(t *testing.T) {
	for file, v := range map[string]any{
		corpus.Canada: new(canada), corpus.Citm: new(citm), corpus.Golang: new(golang), corpus.Escaped: new(languages),
		corpus.Unicode: new(languages), corpus.Synthea: new(synthea), corpus.Twitter: new(twitter), corpus.Small: new(small),
		corpus.Medium: new(medium), corpus.Large: new(large), "codeResponse": new(codeResponse),
	} {
		if file == "codeResponse" {
			file = corpus.Golang
		}
		text, err := corpus.Read(file)
		if err != nil {
			t.Fatal(err)
		}
		dec := json.NewDecoder(bytes.NewReader(text))
		dec.DisallowUnknownFields()
		if err := dec.Decode(v); err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		back, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		want, err := decoded[any](text)
		if err != nil {
			t.Fatal(err)
		}
		got, err := decoded[any](back)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(essence(*got), essence(*want)) {
			t.Errorf("%T loses something of %s", v, file)
		}
	}
}

// The checks fail for a wrong value, for different bytes, and for a lost value.
func TestChecksCanFail(t *testing.T) {
	a, b := orderValue(), orderValue()
	if err := same(&a, &b); err != nil {
		t.Error(err)
	}
	b.At = b.At.Add(time.Second)
	if same(&a, &b) == nil {
		t.Error("another time passes")
	}
	empty, none := []string{}, []string(nil)
	if same(&empty, &none) == nil {
		t.Error("an empty slice passes for none")
	}
	lax, strict := library{lax: true}, library{}
	for _, c := range []struct {
		got         string
		lax, strict bool
	}{
		{`{"a":1,"b":[{"c":"<"}]}`, true, true},
		{`{"b":[{"c":"\u003c","d":0}],"a":1,"e":null,"f":{},"g":""}`, true, false},
		{`{"a":2,"b":[{"c":"<"}]}`, false, false},
		{`{"a":1,"b":[{"c":"<"},{}]}`, false, false},
		{`{"a":1}`, false, false},
		{`{"a":1`, false, false},
	} {
		want := []byte(`{"a":1,"b":[{"c":"<"}]}`)
		if err := lax.wrote([]byte(c.got), want); (err == nil) != c.lax {
			t.Errorf("%s by value: %v", c.got, err)
		}
		if err := strict.wrote([]byte(c.got), want); (err == nil) != c.strict {
			t.Errorf("%s byte by byte: %v", c.got, err)
		}
	}
}
