package slipstream

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// docs/decisions.md contains a section for each page in docs/decisions, with a link to each
// decision. If the test fails, it prints the correct list.
func TestDecisionsAreListed(t *testing.T) {
	index, err := os.ReadFile("docs/decisions.md")
	if err != nil {
		t.Fatal(err)
	}
	_, list, _ := strings.Cut(string(index), "\n\n## ")
	list = "## " + list
	var sections []string
	for _, name := range regexp.MustCompile(`\(decisions/(\w+)\.md\)\n`).FindAllStringSubmatch(list, -1) {
		sections = append(sections, name[1])
	}
	all, err := filepath.Glob("docs/decisions/*.md")
	if err != nil || len(all) != len(sections) {
		t.Fatalf("%d of %d pages have a section: %v", len(sections), len(all), err)
	}
	var want strings.Builder
	for _, section := range sections {
		file := path.Join("decisions", section+".md")
		text, err := os.ReadFile(path.Join("docs", file))
		if err != nil {
			t.Fatal(err)
		}
		title, _, _ := strings.Cut(strings.TrimPrefix(string(text), "# Decisions: "), "\n")
		fmt.Fprintf(&want, "## [%s](%s)\n\n", title, file)
		for _, heading := range regexp.MustCompile(`(?m)^## (.+)$`).FindAllStringSubmatch(string(text), -1) {
			fmt.Fprintf(&want, "- [%s](%s#%s)\n", heading[1], file, anchor(heading[1]))
		}
		want.WriteString("\n")
	}
	if strings.TrimSpace(list) != strings.TrimSpace(want.String()) {
		t.Errorf("docs/decisions.md should list:\n%s", want.String())
	}
}

// anchor returns the link fragment that GitHub creates for a heading.
func anchor(heading string) string {
	dropped := regexp.MustCompile(`[^\p{L}\p{N} _-]`)
	return strings.ReplaceAll(dropped.ReplaceAllString(strings.ToLower(heading), ""), " ", "-")
}
