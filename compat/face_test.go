package compat

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/slipstream-go/slipstream/internal/api"
)

// Each compatibility package exports the same package-level names as its original, and all of its
// methods.
func TestFacesAreComplete(t *testing.T) {
	watch(t)
	for dir, lists := range map[string][]string{
		"vmihailenco": {"v5.txt"},
		"basekick":    {"v5.txt", "v6.txt"},
	} {
		t.Run(dir, func(t *testing.T) {
			got, err := api.Exported(dir, offline, "./...")
			if err != nil {
				t.Fatal(err)
			}
			var want []string
			for _, list := range lists {
				want = append(want, lines(t, "testdata/"+list)...)
			}
			for _, line := range want {
				if !slices.Contains(got, line) {
					t.Errorf("it lacks: %s", line)
				}
			}
			for _, line := range got {
				// Types may have methods that the original lacks.
				if !slices.Contains(want, line) && !strings.HasPrefix(line, "pkg msgpack, method ") {
					t.Errorf("the original lacks: %s", line)
				}
			}
		})
	}
}

func lines(t *testing.T, file string) []string {
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(strings.Split(strings.TrimSpace(string(text)), "\n"), func(line string) bool {
		return strings.HasPrefix(line, "#")
	})
}
