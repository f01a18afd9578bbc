// Command shapes writes the Go types of the benchmark documents: shapes_gen.go in the directory
// above. It infers them from the documents, by rules that a person who writes such types by hand
// would follow, too.
//
// Where things are:
//
//	main.go    which documents, and what their types are called
//	observe.go what a document holds in each place
//	infer.go   which places hold the same kind of thing; which objects are maps
//	write.go   the result as Go
package main

import (
	"fmt"
	"os"

	"github.com/slipstream-go/slipstream/bench/json/corpus"
)

// shape is the name of a type, which the names of the types in it begin with, and the documents
// that it fits.
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

// generate is the text of the file.
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
