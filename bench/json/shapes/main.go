// Command shapes writes the Go types of the benchmark documents to shapes_gen.go in the directory
// above. It infers the types from the documents. Its rules are those that a person would follow who
// writes such types by hand.
//
// Where things are:
//
//	main.go    the documents, and the names of their types
//	observe.go the values at each place of a document
//	infer.go   joins places with values of the same kind; finds objects that are maps
//	write.go   writes the types as Go
package main

import (
	"fmt"
	"os"

	"github.com/slipstream-go/slipstream/bench/json/corpus"
)

// shape is a type for one or more documents. The names of the types in it begin with its name.
type shape struct {
	name      string
	documents []string
}

var shapes = []shape{
	{"canada", []string{corpus.Canada}},
	{"citm", []string{corpus.Citm}},
	{"golang", []string{corpus.Golang}},
	{"languages", []string{corpus.Escaped, corpus.Unicode}},
	{"synthea", []string{corpus.Synthea}},
	{"twitter", []string{corpus.Twitter}},
	{"small", []string{corpus.Small}},
	{"medium", []string{corpus.Medium}},
	{"large", []string{corpus.Large}},
}

const file = "shapes_gen.go"

func main() {
	code, err := generate()
	if err == nil {
		err = os.WriteFile(file, code, 0o644)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// generate returns the text of the file.
func generate() ([]byte, error) {
	w := newWriter()
	for _, s := range shapes {
		root := new(place)
		for _, document := range s.documents {
			text, err := corpus.Read(document)
			if err != nil {
				return nil, err
			}
			if err := root.observe(text); err != nil {
				return nil, fmt.Errorf("shapes: %s: %w", document, err)
			}
		}
		w.document(s, infer(root))
	}
	return w.code()
}
