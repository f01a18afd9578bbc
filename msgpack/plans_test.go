package msgpack

import (
	"flag"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/slipstream-go/slipstream/internal/corpus"
)

var update = flag.Bool("update", false, "rewrite the files in testdata")

// The plans of the corpus types equal testdata/plans.txt, so that a change of a plan is visible as
// a diff. With -update, the test writes the file.
func TestPlans(t *testing.T) {
	if reflect.TypeFor[int]().Size() != 8 || !inlineLeaves {
		t.Skip("the file has the plans of a 64-bit machine, with the leaves inline")
	}
	var all strings.Builder
	for _, zero := range append(corpus.Types(), new(corpus.Embedded), new(throughPointer), new(shadowed)) {
		all.WriteString(defaultPlans.of(reflect.TypeOf(zero).Elem()).String())
		all.WriteByte('\n')
	}
	const path = "testdata/plans.txt"
	if *update {
		if err := os.WriteFile(path, []byte(all.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	got, have := strings.Split(all.String(), "\n"), strings.Split(string(want), "\n")
	for i := range max(len(got), len(have)) {
		if i >= len(got) || i >= len(have) || got[i] != have[i] {
			t.Fatalf("line %d differs; go test -run TestPlans -update, and look at what has changed\ngot  %s\nwant %s", i+1, at(got, i), at(have, i))
		}
	}
}

func at(lines []string, i int) string {
	if i < len(lines) {
		return lines[i]
	}
	return "(the end)"
}
