package migrate

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// find lists the Go files that match a pattern. A pattern is a file, a directory, or a directory
// followed by /..., which also includes all directories below it.
func find(pattern string) ([]string, error) {
	dir, deep := root(pattern)
	info, err := os.Stat(dir)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return []string{dir}, nil
	}
	var found []string
	err = filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case name == dir:
			return nil
		case entry.IsDir():
			if !deep || passedOver(name) {
				return filepath.SkipDir
			}
			return nil
		}
		if strings.HasSuffix(name, ".go") && entry.Type().IsRegular() && !hidden(entry.Name()) {
			found = append(found, name)
		}
		return nil
	})
	return found, err
}

// root returns the directory of a pattern, and whether the pattern includes the directories below
// it.
func root(pattern string) (dir string, deep bool) {
	if pattern == "..." {
		return ".", true
	}
	dir, deep = strings.CutSuffix(filepath.ToSlash(pattern), "/...")
	if dir == "" {
		dir = "/"
	}
	return filepath.Clean(dir), deep
}

// passedOver reports whether patterns of the go command skip the given directory.
func passedOver(dir string) bool {
	base := filepath.Base(dir)
	if base == "vendor" || base == "testdata" || hidden(base) {
		return true
	}
	_, err := os.Stat(filepath.Join(dir, "go.mod"))
	return err == nil
}

func hidden(base string) bool { return strings.HasPrefix(base, ".") || strings.HasPrefix(base, "_") }
