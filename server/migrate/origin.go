package migrate

import (
	"path"
	"regexp"
	"strconv"
)

// ours is the import path that takes the place of the originals'.
const ours = "github.com/slipstream-go/slipstream/msgpack"

// origin is an import path of one of the originals.
type origin struct {
	path  string
	major int    // as the path tells it: 0 for one without a version, which is v3 or v4.0
	inner string // the directory below the module, such as msgpcode; empty for the module itself
}

var originPath = regexp.MustCompile(`^(?:(?:github\.com|gopkg\.in)/vmihailenco|github\.com/Basekick-Labs)/msgpack(?:[/.]v([0-9]+))?(?:/(.+))?$`)

func parseOrigin(importPath string) (origin, bool) {
	m := originPath.FindStringSubmatch(importPath)
	if m == nil {
		return origin{}, false
	}
	major, _ := strconv.Atoi(m[1])
	return origin{path: importPath, major: major, inner: m[2]}, true
}

// name is the package's own.
func (o origin) name() string {
	if o.inner == "" {
		return "msgpack"
	}
	return path.Base(o.inner)
}

// old reports whether the API is that from before v5.
func (o origin) old() bool { return o.major < 5 }

// moved gives what o becomes, and the name that it must be imported under for the program to find
// what it used before. It is false if ours has no such package.
func (o origin) moved() (to, name string, ok bool) {
	switch o.inner {
	case "":
		return ours, "", true
	case "msgpcode":
		return ours + "/msgpcode", "", true
	case "codes":
		return ours + "/msgpcode", "codes", true
	}
	return "", "", false
}
