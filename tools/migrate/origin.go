package migrate

import (
	"path"
	"regexp"
	"strconv"
)

// ours is the import path of Slipstream's msgpack. It replaces the import paths of the other
// MessagePack libraries, which are called the originals.
const ours = "github.com/slipstream-go/slipstream/msgpack"

// origin is an import path of one of the originals.
type origin struct {
	path  string
	major int    // version in the path; 0 if the path contains no version, as in v3 and v4.0
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

// name returns the name of the package.
func (o origin) name() string {
	if o.inner == "" {
		return "msgpack"
	}
	return path.Base(o.inner)
}

// old reports whether the package has the API of versions before v5.
func (o origin) old() bool { return o.major < 5 }

// moved returns the import path that replaces o. If the new package has another name, moved also
// returns the name under which the program must import the package. The result `ok` is false if
// Slipstream has no such package.
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
