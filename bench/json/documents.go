package json

import (
	"slices"

	"github.com/slipstream-go/slipstream/bench/harness"
	"github.com/slipstream-go/slipstream/bench/json/corpus"
)

// document is a document of the corpus, with the sides of its cases.
type document struct {
	name string
	note string // about marshalling

	unmarshal, unmarshalAny, marshal, marshalAny, reuse func() ([]harness.Side, error)
}

// documents returns the documents in the order of the rows.
func documents() []document {
	return []document{
		of[canada]("canada 270 KB", corpus.Canada),
		of[citm]("citm 1.7 MB", corpus.Citm),
		of[golang]("golang 1.9 MB", corpus.Golang),
		of[languages]("escaped 42 KB", corpus.Escaped),
		of[languages]("unicode 18 KB", corpus.Unicode),
		of[synthea]("synthea 2.0 MB", corpus.Synthea).
			noting("Some fields of this document have the type RawMessage. jsoniter writes the text of these fields with its " +
				"spaces, whereas the other libraries remove the spaces."),
		of[twitter]("twitter 632 KB", corpus.Twitter),
		of[small]("small 190 B", corpus.Small),
		of[medium]("medium 2.3 KB", corpus.Medium),
		of[large]("large 28 KB", corpus.Large),
	}
}

// of returns a document whose type is T.
func of[T any](name, file string) document {
	return document{
		name:         name,
		unmarshal:    func() ([]harness.Side, error) { return unmarshalDocument[T](everyone(), file, fresh) },
		unmarshalAny: func() ([]harness.Side, error) { return unmarshalDocument[any](untyped(), file, fresh) },
		marshal:      func() ([]harness.Side, error) { return marshalDocument[T](everyone(), file) },
		marshalAny:   func() ([]harness.Side, error) { return marshalDocument[any](untyped(), file) },
		reuse:        func() ([]harness.Side, error) { return unmarshalDocument[T](exact(), file, reused) },
	}
}

// noting returns the document with a note.
func (d document) noting(note string) document {
	d.note = note
	return d
}

// untyped returns the libraries for cases with any.
func untyped() []library { return append(exact(), sonicDefault()) }

func unmarshalDocument[T any](libraries []library, file string, kind target) ([]harness.Side, error) {
	data, err := corpus.Read(file)
	if err != nil {
		return nil, err
	}
	return unmarshalSides[T](libraries, data, kind)
}

func marshalDocument[T any](libraries []library, file string) ([]harness.Side, error) {
	data, err := corpus.Read(file)
	if err != nil {
		return nil, err
	}
	v, err := decoded[T](data)
	if err != nil {
		return nil, err
	}
	return marshalSides(libraries, v)
}

const reuseGroup = "Unmarshal into a reused target"

// reusedDocuments lists the documents that are also decoded repeatedly into the same target.
var reusedDocuments = []string{"citm 1.7 MB", "twitter 632 KB", "medium 2.3 KB"}

func documentCases() []harness.Case {
	var typed, untyped, marshal, marshalAny, reuse []harness.Case
	for _, d := range documents() {
		typed = append(typed, harness.Case{
			Group: "Unmarshal, typed", Name: d.name, Bars: noneFaster(), Means: []string{meanTyped}, Sides: d.unmarshal,
		})
		untyped = append(untyped, harness.Case{
			Group: "Unmarshal into any", Name: d.name, Bars: noneFaster(), Means: []string{meanAny}, Sides: d.unmarshalAny,
		})
		marshal = append(marshal, harness.Case{
			Group: "Marshal, typed", Name: d.name, Note: d.note, Bars: noneFaster(), Means: []string{meanMarshal}, Sides: d.marshal,
		})
		marshalAny = append(marshalAny, harness.Case{
			Group: "Marshal of any", Name: d.name, Bars: noneFaster(), Means: []string{meanMarshalAny}, Sides: d.marshalAny,
		})
		if slices.Contains(reusedDocuments, d.name) {
			reuse = append(reuse, harness.Case{
				Group: reuseGroup, Name: d.name, Bars: noneFaster(), Sides: d.reuse,
				Note: "Every operation decodes the same bytes.",
			})
		}
	}
	return slices.Concat(typed, untyped, reuse, marshal, marshalAny)
}
