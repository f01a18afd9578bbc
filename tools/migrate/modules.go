package migrate

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// dependencies returns a line for each module whose packages import one of the originals, unless
// go.mod replaces that original. It omits the modules to which the patterns themselves belong.
func dependencies(patterns []string) []string {
	modules := map[string][]string{} // the originals that each module imports
	var lines []string
	for _, pattern := range patterns {
		if err := listDependencies(pattern, modules); err != nil {
			lines = append(lines, fmt.Sprintf("dependencies were not checked: %v", err))
		}
	}
	for _, module := range slices.Sorted(maps.Keys(modules)) {
		lines = append(lines, fmt.Sprintf("%s imports %s: %s", module, strings.Join(modules[module], " and "), advice(modules[module])))
	}
	return lines
}

func listDependencies(pattern string, modules map[string][]string) error {
	dir, deep := root(pattern)
	packages := "."
	if deep {
		packages = "./..."
	}
	if info, err := os.Stat(dir); err == nil && !info.IsDir() {
		dir = filepath.Dir(dir)
	}
	list := exec.Command("go", "list", "-e", "-deps", "-test", "-f",
		`{{with .Module}}{{if not .Main}}{{.Path}} {{if .Replace}}replaced{{else}}-{{end}} {{join $.Imports " "}}{{end}}{{end}}`, packages)
	list.Dir = dir
	out, err := list.Output()
	if err != nil {
		if failed := new(exec.ExitError); errors.As(err, &failed) {
			err = errors.New(strings.TrimSpace(string(failed.Stderr)))
		}
		return fmt.Errorf("go list in %s: %w", dir, err)
	}
	var replaced []string
	found := map[string][]string{}
	for line := range strings.Lines(string(out)) {
		fields := strings.Fields(line)
		if len(fields) == 0 {
			continue
		}
		module := fields[0]
		if _, original := parseOrigin(module); original {
			if fields[1] == "replaced" {
				replaced = append(replaced, module)
			}
			continue
		}
		for _, imported := range fields[2:] {
			if _, ok := parseOrigin(imported); ok {
				found[module] = append(found[module], imported)
			}
		}
	}
	for module, imports := range found {
		for _, imported := range imports {
			if !slices.ContainsFunc(replaced, func(m string) bool { return imported == m || strings.HasPrefix(imported, m+"/") }) &&
				!slices.Contains(modules[module], imported) {
				modules[module] = append(modules[module], imported)
			}
		}
	}
	return nil
}

// advice returns the advice for a module that imports the given originals.
func advice(imports []string) string {
	const kept = "it keeps the original, which does not call EncodeMsgpack and DecodeMsgpack methods that are written for Slipstream"
	for _, p := range imports {
		if from, _ := parseOrigin(p); from.old() {
			return kept + "; move it to v5 first if it encodes or decodes types with such methods"
		}
	}
	return kept + ", unless go.mod also replaces the original: see docs/migrate-msgpack.md"
}
