// Package corpus reads the JSON documents of the benchmarks from the places where other projects
// keep them, so that this repository contains no copies.
package corpus

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"sync"

	"github.com/klauspost/compress/zstd"
	"github.com/valyala/fastjson"
)

// The documents that the tests of encoding/json use.
const (
	Canada  = "canada_geometry"
	Citm    = "citm_catalog"
	Golang  = "golang_source"
	Escaped = "string_escaped"
	Unicode = "string_unicode"
	Synthea = "synthea_fhir"
	Twitter = "twitter_status"
)

// The documents that the tests of fastjson use.
const (
	Small  = "small"
	Medium = "medium"
	Large  = "large"
)

// All lists every document.
var All = []string{Canada, Citm, Golang, Escaped, Unicode, Synthea, Twitter, Small, Medium, Large}

// Read returns the text of a document.
func Read(name string) ([]byte, error) {
	dirs, err := directories()
	if err != nil {
		return nil, err
	}
	switch name {
	case Small, Medium, Large:
		text, err := os.ReadFile(filepath.Join(dirs.fastjson, "testdata", name+".json"))
		if err != nil {
			return nil, fmt.Errorf("corpus: the test data of fastjson come with its module: %w", err)
		}
		return text, nil
	}
	f, err := os.Open(filepath.Join(dirs.std, "src/encoding/json/internal/jsontest/testdata", name+".json.zst"))
	if err != nil {
		return nil, fmt.Errorf("corpus: the documents come with the sources of Go 1.25 and later: %w", err)
	}
	defer f.Close()
	z, err := zstd.NewReader(f)
	if err != nil {
		return nil, fmt.Errorf("corpus: %s: %w", name, err)
	}
	defer z.Close()
	text, err := io.ReadAll(z)
	if err != nil {
		return nil, fmt.Errorf("corpus: %s: %w", name, err)
	}
	return text, nil
}

type roots struct{ std, fastjson string }

// directories returns the directories of Go and of fastjson, according to the go command.
var directories = sync.OnceValues(func() (roots, error) {
	text, err := exec.Command("go", "env", "GOROOT", "GOMODCACHE").Output()
	if err != nil {
		return roots{}, fmt.Errorf("corpus: asking the go command where the documents are: %w", err)
	}
	std, modules, _ := strings.Cut(strings.TrimSpace(string(text)), "\n")
	return roots{std, fastjsonDir(modules)}, nil
})

// fastjsonDir returns the directory of the fastjson version in this build. The compiler records the
// source file of each function: with its full path, or, with -trimpath, relative to the directory
// of modules.
func fastjsonDir(modules string) string {
	pc := reflect.ValueOf(fastjson.ValidateBytes).Pointer()
	file, _ := runtime.FuncForPC(pc).FileLine(pc)
	dir := filepath.Dir(filepath.FromSlash(file))
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(modules, dir)
	}
	return dir
}
