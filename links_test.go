package slipstream

import (
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The files and headings that the links of a page refer to exist.
func TestLinks(t *testing.T) {
	headings := map[string][]string{} // the anchors of each page
	text := map[string]string{}
	fences := regexp.MustCompile("(?ms)^ *```.*?^ *```")
	headingLine := regexp.MustCompile(`(?m)^#+ (.+)$`)
	for _, name := range files(t, ".md") {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		text[name] = fences.ReplaceAllString(string(b), "")
		for _, m := range headingLine.FindAllStringSubmatch(text[name], -1) {
			headings[name] = append(headings[name], anchor(m[1]))
		}
	}
	codes, links, followed := regexp.MustCompile("`[^`\n]*`"), regexp.MustCompile(`\]\(([^)\s]+)\)`), 0
	for page, text := range text {
		for _, m := range links.FindAllStringSubmatch(codes.ReplaceAllString(text, ""), -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			file, heading, hasHeading := strings.Cut(m[1], "#")
			if file = path.Join(path.Dir(page), file); strings.HasPrefix(m[1], "#") {
				file = page
			}
			followed++
			if _, err := os.Stat(file); err != nil {
				t.Errorf("%s: %s: there is no such file", page, m[1])
			} else if hasHeading && path.Ext(file) == ".md" && !slices.Contains(headings[file], heading) {
				t.Errorf("%s: %s: there is no such heading", page, m[1])
			}
		}
	}
	if followed < 200 {
		t.Errorf("%d links were followed", followed)
	}
}
