package json

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json/jsontext"
	segmentio "github.com/segmentio/encoding/json"

	"github.com/slipstream-go/slipstream/bench/harness"
	"github.com/slipstream-go/slipstream/bench/json/corpus"
)

const (
	tokensGroup = "Token by token"
	notePassed  = "Every library counts the tokens of each kind. Slipstream's Tokenizer does not allocate for documents with " +
		"up to 32 levels of nesting; the golang document has more levels."
	noteRead = "Every library counts the tokens of each kind. Every library also unescapes all strings, converts all numbers " +
		"to float64, and adds up these numbers and the lengths of the strings."
	markLoose  = "This library does not check whether a token is allowed at its position, so it accepts the text [1 2]."
	markValues = "This library creates a Go value for each token, although the benchmark only counts the tokens in this case."
)

func tokenCases() []harness.Case {
	var passed, read []harness.Case
	for _, d := range []struct{ name, file string }{{"twitter 632 KB", corpus.Twitter}, {"golang 1.9 MB", corpus.Golang}, {"medium 2.3 KB", corpus.Medium}} {
		sides := func(read bool) func() ([]harness.Side, error) {
			return func() ([]harness.Side, error) {
				data, err := corpus.Read(d.file)
				if err != nil {
					return nil, err
				}
				return tokenSides(data, read)
			}
		}
		bars := append(noneFaster(), harness.Faster(segmentioName, 1))
		passed = append(passed, harness.Case{
			Group: tokensGroup, Name: "passed, " + d.name, Note: notePassed, Bars: append(bars, harness.Allocs(1)), Sides: sides(false),
		})
		read = append(read, harness.Case{Group: tokensGroup, Name: "read, " + d.name, Note: noteRead, Bars: bars, Sides: sides(true)})
	}
	return append(passed, read...)
}

// tally is the result of walking over the tokens of a document. It does not count colons and
// commas, because not all walkers return them.
type tally struct {
	objects, arrays, texts, numbers, words int

	length int     // total length of the texts, if they were read
	sum    float64 // sum of the numbers, if they were read
}

// walk walks over the tokens of a document.
type walk func(data []byte, read bool) (tally, error)

// tokenSides returns sides whose tally must equal the tally of encoding/json.
func tokenSides(data []byte, read bool) ([]harness.Side, error) {
	want, err := valueWalk(std())(data, read)
	if err != nil {
		return nil, err
	}
	var sides []harness.Side
	add := func(l library, walk walk) {
		run := func() error {
			_, err := walk(data, read)
			return err
		}
		check := func() error {
			got, err := walk(data, read)
			if err == nil && got != want {
				err = fmt.Errorf("%+v, want %+v", got, want)
			}
			return err
		}
		sides = append(sides, l.side(run, check))
	}
	add(ours(), oursWalk)
	add(library{name: segmentioName, mark: markLoose}, segmentioWalk)
	add(library{name: v2Name, how: "jsontext"}, jsontextWalk)
	for _, l := range []library{std(), goccyLibrary()} {
		if !read {
			l.mark = markValues
		}
		add(l, valueWalk(l))
	}
	return sides, nil
}

func segmentioWalk(data []byte, read bool) (n tally, _ error) {
	t := segmentio.NewTokenizer(data)
	for t.Next() {
		switch t.Kind().Class() {
		case segmentio.Object:
			n.objects++
		case segmentio.Array:
			n.arrays++
		case segmentio.String:
			n.texts++
			if read {
				n.length += len(t.String())
			}
		case segmentio.Num:
			n.numbers++
			if read {
				n.sum += t.Float()
			}
		case segmentio.Null, segmentio.Bool:
			n.words++
		}
	}
	return n, t.Err
}

// jsontextWalk allows duplicate names and invalid UTF-8, as encoding/json does. This is also
// faster.
func jsontextWalk(data []byte, read bool) (n tally, _ error) {
	d := jsontext.NewDecoder(bytes.NewBuffer(data), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	for {
		t, err := d.ReadToken()
		if errors.Is(err, io.EOF) {
			return n, nil
		}
		if err != nil {
			return n, err
		}
		switch t.Kind() {
		case '{':
			n.objects++
		case '[':
			n.arrays++
		case '"':
			n.texts++
			if read {
				n.length += len(t.String())
			}
		case '0':
			n.numbers++
			if read {
				f, err := t.Float()
				if err != nil {
					return n, err
				}
				n.sum += f
			}
		case 'n', 't', 'f':
			n.words++
		}
	}
}

// valueWalk returns a walk over the tokens of a Decoder, which returns them as values.
func valueWalk(l library) walk {
	return func(data []byte, read bool) (n tally, _ error) {
		d := l.decoder(bytes.NewReader(data)).(interface{ Token() (json.Token, error) })
		for {
			t, err := d.Token()
			if errors.Is(err, io.EOF) {
				return n, nil
			}
			if err != nil {
				return n, err
			}
			switch t := t.(type) {
			case json.Delim:
				switch t {
				case '{':
					n.objects++
				case '[':
					n.arrays++
				}
			case string:
				n.texts++
				if read {
					n.length += len(t)
				}
			case float64:
				n.numbers++
				if read {
					n.sum += t
				}
			default:
				n.words++
			}
		}
	}
}
