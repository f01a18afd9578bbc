package disk

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// Tests on a simulated machine can replace only calls through two interfaces, the seams: Disk for
// files, and the functions of the service's machine for the network. The clock and timers are those
// of package time, which a synctest bubble replaces.

// outside contains, by package, the functions and variables that access the operating system
// without the seams.
var outside = map[string][]string{
	"os": {"Chdir", "Chmod", "Chown", "Chtimes", "CopyFS", "Create", "CreateTemp", "DirFS", "Getwd", "Lchown", "Link", "Lstat", "Mkdir", "MkdirAll", "MkdirTemp",
		"NewFile", "Open", "OpenFile", "OpenInRoot", "OpenRoot", "ReadDir", "ReadFile", "Readlink", "Remove", "RemoveAll", "Rename", "Stat", "Symlink", "Truncate", "WriteFile"},
	"path/filepath": {"EvalSymlinks", "Glob", "Walk", "WalkDir"},
	"io/ioutil":     {"ReadAll", "ReadDir", "ReadFile", "TempDir", "TempFile", "WriteFile"},
	"net": {"Dial", "DialIP", "DialTCP", "DialTimeout", "DialUDP", "DialUnix", "Listen", "ListenConfig", "ListenPacket", "ListenTCP", "ListenUDP", "ListenUnix",
		"LookupAddr", "LookupHost", "LookupIP", "DefaultResolver", "Dialer"},
	"net/http":   {"DefaultClient", "DefaultTransport", "Get", "Head", "ListenAndServe", "ListenAndServeTLS", "Post", "PostForm"},
	"crypto/tls": {"Dial", "DialWithDialer", "Dialer", "Listen", "LoadX509KeyPair"},
	"syscall": {"Fallocate", "Fdatasync", "Flock", "Fsync", "Ftruncate", "Link", "Mkdir", "Mmap", "Open", "Pread", "Pwrite", "Read", "Rename", "Rmdir", "Socket",
		"Statfs", "Syscall", "Unlink", "Write"},

	"github.com/slipstream-go/slipstream/server/disk": {"OS"},
}

// past contains the files that use such functions nevertheless, the names of these functions, and
// the reason.
var past = map[string]struct {
	names  []string
	reason string
}{
	"service/service.go": {[]string{"disk.OS", "net.DefaultResolver", "net.Listen"}, "New makes the machine"},
	"query/query.go":     {[]string{"filepath.WalkDir"}, "slipctl query and the demo, which run by themselves"},
	"service/demo.go":    {[]string{"http.Post", "os.MkdirTemp", "os.RemoveAll"}, "the command demo has a directory and a service of its own"},

	"wal/log.go":      {[]string{"disk.OS"}, "the default of an option"},
	"table/store.go":  {[]string{"disk.OS"}, "the default of an option"},
	"parquet/sink.go": {[]string{"disk.OS"}, "the default of an option"},
	"wal/check.go":    {[]string{"disk.OS"}, "slipctl wal check, which runs by itself"},
	"wal/repair.go":   {[]string{"disk.OS"}, "slipctl wal repair, which runs by itself"},
	"parquet/read.go": {[]string{"disk.OS"}, "Rows, Meta and Scan, for commands"},

	"watch/watch.go":   {[]string{"os.ReadFile"}, "configuration, which is only read"},
	"config/serve.go":  {[]string{"os.ReadFile"}, "configuration, which is only read"},
	"relay/relay.go":   {[]string{"os.ReadFile"}, "configuration, which is only read"},
	"relay/options.go": {[]string{"net.Dialer"}, "the default of an option"},

	"testkit/dir.go": {[]string{"os.MkdirTemp", "os.RemoveAll"}, "directories of tests"},
}

// commands lists the packages that run outside of the service.
var commands = []string{"cmd", "disk", "memnet", "program"}

func TestSeam(t *testing.T) {
	found, files := make(map[string][]string), 0
	err := filepath.WalkDir("..", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return err
		}
		name = filepath.ToSlash(strings.TrimPrefix(name, "../"))
		if dir, _, _ := strings.Cut(name, "/"); slices.Contains(commands, dir) {
			return nil
		}
		files++
		found[name], err = reaches(filepath.Join("..", name))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if files < 100 {
		t.Fatalf("only %d files were found", files)
	}
	for file, names := range found {
		for _, name := range names {
			if !slices.Contains(past[file].names, name) {
				t.Errorf("%s uses %s, which tests on a simulated machine cannot replace: use disk.Disk, or the service's machine", file, name)
			}
		}
	}
	for file, p := range past {
		for _, name := range p.names {
			if !slices.Contains(found[file], name) {
				t.Errorf("%s does not use %s: take it off the list", file, name)
			}
		}
	}
}

// reaches returns the names in outside that a file uses. An import of package unix, and a dot
// import of a listed package, are returned as a whole.
func reaches(file string) (names []string, err error) {
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	listed := make(map[string][]string) // by the package's name in the file
	for _, imported := range parsed.Imports {
		p, err := strconv.Unquote(imported.Path.Value)
		if err != nil {
			return nil, err
		}
		name := p[strings.LastIndex(p, "/")+1:]
		if imported.Name != nil {
			name = imported.Name.Name
		}
		if p == "golang.org/x/sys/unix" || outside[p] != nil && name == "." {
			names = append(names, p)
		}
		listed[name] = outside[p]
	}
	ast.Inspect(parsed, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := s.X.(*ast.Ident); ok && slices.Contains(listed[x.Name], s.Sel.Name) {
				names = append(names, x.Name+"."+s.Sel.Name)
			}
		}
		return true
	})
	return names, nil
}
