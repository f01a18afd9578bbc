package migrate

import (
	"bufio"
	"fmt"
	"io"
	"os"
)

// Options selects the files to migrate, and whether to write the changes. The struct tags are for
// the command-line parser kong.
type Options struct {
	Paths []string `arg:"" optional:"" default:"./..." help:"Files and directories to migrate. DIR/... includes subdirectories. Default: ./..."`

	DryRun bool `short:"n" env:"-" help:"Print the changes without writing them."`
	Check  bool `env:"-" help:"Print the changes without writing them. The exit status is 1 if there are changes."`
}

// file is a file with changes or notes.
type file struct {
	name string
	result
}

// Run migrates the files from the MessagePack libraries of vmihailenco and Basekick to Slipstream's
// msgpack. It prints the changes, and notes about the remaining work. If Check is set, it returns
// an error if an import would change.
func Run(o Options, out io.Writer) error {
	files, err := read(o.Paths)
	if err != nil {
		return err
	}
	modules := dependencies(o.Paths)
	imports, changed := 0, 0
	for _, f := range files {
		imports += len(f.changes)
		if len(f.changes) == 0 {
			continue
		}
		changed++
		if o.DryRun || o.Check {
			continue
		}
		if err := os.WriteFile(f.name, f.src, 0o666); err != nil {
			return err
		}
	}

	w := bufio.NewWriter(out)
	defer w.Flush()
	for _, f := range files {
		for _, c := range f.changes {
			fmt.Fprintf(w, "%s:%d\n-\t%s\n+\t%s\n", f.name, c.line, c.old, c.new)
		}
	}
	for _, f := range files {
		for _, n := range f.notes {
			fmt.Fprintf(w, "%s:%d: %s\n", f.name, n.line, n.text)
		}
	}
	for _, line := range modules {
		fmt.Fprintln(w, line)
	}
	switch {
	case o.Check && imports > 0:
		return fmt.Errorf("%s of other MessagePack libraries in %s: run slipctl migrate msgpack", count(imports, "import"), count(changed, "file"))
	case imports == 0:
		fmt.Fprintln(w, "Nothing to migrate.")
	case o.DryRun:
		fmt.Fprintf(w, "%s in %s would change.\n", count(imports, "import"), count(changed, "file"))
	default:
		fmt.Fprintf(w, "%s in %s changed. Next: go get %s && go mod tidy\n", count(imports, "import"), count(changed, "file"), ours)
	}
	return nil
}

// read returns the files with changes or notes, in the order of the patterns. Each file occurs
// once.
func read(patterns []string) ([]file, error) {
	seen := map[string]bool{}
	var files []file
	for _, pattern := range patterns {
		names, err := find(pattern)
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			if seen[name] {
				continue
			}
			seen[name] = true
			src, err := os.ReadFile(name)
			if err != nil {
				return nil, err
			}
			r, err := rewrite(name, src)
			if err != nil {
				return nil, err
			}
			if len(r.changes)+len(r.notes) > 0 {
				files = append(files, file{name, r})
			}
		}
	}
	return files, nil
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
