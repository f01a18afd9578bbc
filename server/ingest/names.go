package ingest

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/slipstream-go/slipstream/column"
	"github.com/slipstream-go/slipstream/server/table"
)

const (
	maxDatabase = 64
	maxName     = 128 // of tables and columns, in bytes
)

// checkDatabase and checkTable want [A-Za-z][A-Za-z0-9_-]*: names become directories.
func checkDatabase(name string) error { return checkPlain("database", name, maxDatabase) }

func checkTable(name string) error { return checkPlain("table", name, maxName) }

func checkPlain(what, name string, most int) error {
	if name == "" {
		return invalid("the %s has no name: give it 1 to %d letters, digits, _ or -, a letter first", what, most).in(what)
	}
	if !isPlain(name, most) {
		return invalid("%s %q: a name is 1 to %d letters, digits, _ or -, a letter first", what, clip(name), most).in(what)
	}
	return nil
}

func isPlain(name string, most int) bool {
	ok := name != "" && len(name) <= most && isLetter(name[0])
	for i := 1; ok && i < len(name); i++ {
		c := name[i]
		ok = isLetter(c) || isDigit(c) || c == '_' || c == '-'
	}
	return ok
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// clip shortens what a client sent, so that an error stays one line.
func clip(s string) string {
	if len(s) <= maxName {
		return s
	}
	return s[:maxName] + "…"
}

// checkColumn wants a name that every engine can show: 1 to 128 bytes of UTF-8 without control characters.
func checkColumn(name string) error {
	if name == "" || len(name) > maxName {
		return invalid("column %q: a column name has 1 to %d bytes", clip(name), maxName).in(clip(name))
	}
	for i := 0; i < len(name); {
		if c := name[i]; c < utf8.RuneSelf {
			if c < ' ' || c == 0x7f {
				return invalid("column %q: a column name must not have control characters", name).in(name)
			}
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(name[i:])
		if r == utf8.RuneError || unicode.IsControl(r) {
			return invalid("column %q: a column name must be UTF-8 without control characters", name).in(name)
		}
		i += n
	}
	return nil
}

// pairwise is up to how many columns are compared each with each, before folded names go into a map.
const pairwise = 24

// checkColumns checks the names of a batch's columns. Two that differ in nothing but case are refused, because DuckDB and
// Spark cannot tell them apart.
func checkColumns(b *column.Batch) error {
	for i, c := range b.Columns {
		if err := checkColumn(c.Name); err != nil {
			return err
		}
		if len(b.Columns) > pairwise {
			continue
		}
		for _, o := range b.Columns[:i] {
			if sameFold(c.Name, o.Name) {
				return errTwin(c.Name, o.Name)
			}
		}
	}
	if len(b.Columns) <= pairwise {
		return nil
	}
	seen := make(map[string]string, len(b.Columns))
	for _, c := range b.Columns {
		key := table.Fold(c.Name)
		if other, ok := seen[key]; ok {
			return errTwin(c.Name, other)
		}
		seen[key] = c.Name
	}
	return nil
}

func errTwin(name, other string) error {
	return invalid("column %q: there is %q too, and engines do not tell upper from lower case: rename one", name, other).in(name)
}

// sameFold is strings.EqualFold, and mostly decides by the first byte. Bytes beyond ASCII are
// not told apart there: k and s have partners among them.
func sameFold(a, b string) bool {
	x, y := a[0]|0x20, b[0]|0x20
	if x != y && x < utf8.RuneSelf && y < utf8.RuneSelf {
		return false
	}
	return strings.EqualFold(a, b)
}
