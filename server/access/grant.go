package access

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Right is a right, or a set of rights. A request needs one right, and a token grants one or more.
type Right uint8

const (
	Write Right = 1 << iota
	Read
	Administer

	every = Write | Read | Administer
)

// rights contains all rights and their names, in the order in which error texts list them.
var rights = []struct {
	right Right
	name  string
}{{Write, "write"}, {Read, "read"}, {Administer, "administer"}}

// String returns the names of the rights in r, as written in a token file.
func (r Right) String() string {
	var names []string
	for _, o := range rights {
		if r&o.right != 0 {
			names = append(names, o.name)
		}
	}
	return strings.Join(names, ",")
}

// Scope is the set of databases that a request concerns.
type Scope struct {
	kind     scopeKind
	database string // set only if kind is `one`
}

type scopeKind uint8

const (
	own scopeKind = iota
	one
	all
)

var (
	// Own is the scope of the databases on which the token grants rights. The request gets no
	// information about other databases.
	Own = Scope{kind: own}
	// All is the scope of all databases, including databases that do not exist yet.
	All = Scope{kind: all}
)

// Database returns the scope of one database.
func Database(name string) Scope { return Scope{one, name} }

// Grant contains the rights and the databases of a token.
type Grant struct {
	rights    Right
	databases []string // sorted; exact names, or prefixes followed by *
}

// everything is the grant of all rights on all databases. It is the grant of a token that is alone
// on its line. If there are no tokens, it is the grant of every request.
var everything = &Grant{rights: every, databases: []string{"*"}}

// Has reports whether the grant includes the right r.
func (g *Grant) Has(r Right) bool { return g.rights&r == r }

// Reaches reports whether the grant includes the given database.
func (g *Grant) Reaches(database string) bool {
	return slices.ContainsFunc(g.databases, func(pattern string) bool {
		prefix, ok := strings.CutSuffix(pattern, "*")
		return pattern == database || ok && strings.HasPrefix(database, prefix)
	})
}

// SeesAll reports whether the grant includes reading all databases. Responses to requests with such
// a grant may mention any database.
func (g *Grant) SeesAll() bool { return g.Has(Read) && g.covers(All) }

// covers reports whether the grant includes all databases of a scope.
func (g *Grant) covers(s Scope) bool {
	switch s.kind {
	case own:
		return true
	case all:
		return slices.Contains(g.databases, "*")
	}
	return g.Reaches(s.database)
}

func (g *Grant) equal(o *Grant) bool {
	return g.rights == o.rights && slices.Equal(g.databases, o.databases)
}

// These are the keywords of a line.
const (
	databasesKey = "db="
	rightsKey    = "rights="
)

// parseGrant parses the words after a token. Its errors do not contain the words.
func parseGrant(words []string) (*Grant, error) {
	if len(words) == 0 {
		return everything, nil
	}
	g := &Grant{}
	for _, word := range words {
		var err error
		if list, ok := strings.CutPrefix(word, databasesKey); ok {
			err = g.readDatabases(list)
		} else if list, ok := strings.CutPrefix(word, rightsKey); ok {
			err = g.readRights(list)
		} else {
			err = errors.New("unknown word after the token; only db=… and rights=… are allowed, and a token has no spaces")
		}
		if err != nil {
			return nil, err
		}
	}
	if g.rights == 0 {
		g.rights = every
	}
	if g.databases == nil {
		g.databases = everything.databases
	}
	return g, nil
}

func (g *Grant) readRights(list string) error {
	if g.rights != 0 {
		return errors.New("rights= is set twice")
	}
	for name := range strings.SplitSeq(list, ",") {
		i := slices.Index(names(), name)
		if i < 0 {
			return fmt.Errorf("rights= must be a comma-separated list of %s, without spaces", strings.Join(names(), ", "))
		}
		g.rights |= rights[i].right
	}
	return nil
}

// names returns the names of the rights.
func names() (list []string) {
	for _, r := range rights {
		list = append(list, r.name)
	}
	return list
}

func (g *Grant) readDatabases(list string) error {
	if g.databases != nil {
		return errors.New("db= is set twice")
	}
	g.databases = strings.Split(list, ",")
	for _, pattern := range g.databases {
		if !isPattern(pattern) {
			return errors.New("db= must be a comma-separated list of databases, without spaces; names have letters, digits, _ - and ., and may end with *")
		}
	}
	slices.Sort(g.databases)
	return nil
}

// isPattern reports whether s is a valid database name, or a valid prefix of a name followed by *.
func isPattern(s string) bool {
	name, _ := strings.CutSuffix(s, "*")
	return s != "" && !strings.ContainsFunc(name, func(r rune) bool {
		return !('a' <= r|0x20 && r|0x20 <= 'z' || '0' <= r && r <= '9' || strings.ContainsRune("_-.", r))
	})
}
