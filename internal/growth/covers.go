package growth

import (
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/slipstream-go/slipstream/internal/api"
)

// Covers asserts that each exported function and method of the package in the current directory has
// a case, or a reason why it needs no case. The argument `names` contains the exported names with
// which the names of the cases begin, such as "Marshal" and "Decoder.Decode". The keys of the map
// `reasons` may be patterns for [path.Match], such as "Decoder.Use*".
//
// A case that only mentions a function measures nothing. So if a case names a function, a file of
// the package that matches `*growth*_test.go` or `*hostile*_test.go` must also use this function. A
// function with a test case must not also match a key in `reasons`. Otherwise a pattern that
// matches functions with cases could also match a new function without a case.
func Covers(t *testing.T, names []string, reasons map[string]string) {
	lines, err := api.Exported("", nil, ".")
	if err != nil {
		t.Fatal(err)
	}
	exported := map[string]bool{}
	for _, line := range lines {
		if name := nameOf(line); name != "" {
			exported[name] = false
		}
	}
	for _, name := range names {
		if _, ok := exported[name]; !ok {
			t.Errorf("a growth case names %s, which is not exported", name)
		}
		exported[name] = true
	}
	called := callees(t)
	used := map[string]bool{}
	for name, covered := range exported {
		found := false
		for pattern := range reasons {
			if ok, err := path.Match(pattern, name); err != nil {
				t.Fatal(err)
			} else if ok {
				found, used[pattern] = true, true
				if covered {
					t.Errorf("%s has a growth case, but the list of exceptions contains %s", name, pattern)
				}
			}
		}
		if covered && !called[name] {
			t.Errorf("a growth case names %s, which no growth test calls", name)
		}
		if !covered && !found {
			t.Errorf("%s has no growth case, and is not in the list of exceptions", name)
		}
	}
	for pattern, reason := range reasons {
		if !used[pattern] {
			t.Errorf("the list of exceptions contains %s, which is not exported", pattern)
		}
		if reason == "" {
			t.Errorf("the list of exceptions gives no reason for %s", pattern)
		}
	}
}

// nameOf returns the name of the function or method that a line from package api describes, or an
// empty string.
func nameOf(line string) string {
	_, line, _ = strings.Cut(line, ", ")
	if name, ok := strings.CutPrefix(line, "func "); ok {
		return name[:strings.IndexAny(name, "([")]
	}
	method, ok := strings.CutPrefix(line, "method (")
	if !ok {
		return ""
	}
	receiver, name, _ := strings.Cut(strings.TrimPrefix(method, "*"), ") ")
	receiver, _, _ = strings.Cut(receiver, "[")
	return receiver + "." + name[:strings.Index(name, "(")]
}

// Names returns the exported names that the calls cover.
func Names[In any](calls []Call[In]) []string {
	var names []string
	for _, c := range calls {
		names = append(names, strings.Split(strings.Fields(c.Name)[0], ",")...)
	}
	return names
}

// CaseNames returns the exported names that the cases cover. The exported name is the text before
// the first space or slash in the name of a case.
func CaseNames(cases []Case) []string {
	var names []string
	for _, c := range cases {
		head := c.Name[:strings.IndexAny(c.Name+" ", " /")]
		names = append(names, strings.Split(head, ",")...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}
