package ingest

import (
	"unicode"
	"unicode/utf8"

	"github.com/slipstream-go/slipstream/column"
)

const (
	maxDatabase = 64
	maxName     = 128 // maximum length of the name of a table or column, in bytes
)

// checkDatabase returns an error unless name matches [A-Za-z0-9][A-Za-z0-9_.-]* and has at most
// maxDatabase bytes.
func checkDatabase(name string) error {
	if name == "" {
		return invalid("the database has no name: give it 1 to %d letters, digits, _ - or ., a letter or digit first", maxDatabase).in("database")
	}
	ok := len(name) <= maxDatabase && (isLetter(name[0]) || isDigit(name[0]))
	for i := 1; ok && i < len(name); i++ {
		c := name[i]
		ok = isLetter(c) || isDigit(c) || c == '_' || c == '-' || c == '.'
	}
	if !ok {
		return invalid("database %q: a name is 1 to %d letters, digits, _ - or ., a letter or digit first", clip(name), maxDatabase).in("database")
	}
	return nil
}

// checkTable returns an error if some engine cannot show the name. It allows all other names,
// because senders get names from many sources, and because a rejected name rejects the whole
// request.
func checkTable(name string) error { return checkText("table", name, "table") }

// checkColumn is like checkTable, for the name of a column.
func checkColumn(name string) error { return checkText("column", name, clip(name)) }

// checkText returns an error unless name consists of 1 to 128 bytes of UTF-8 without control
// characters.
func checkText(what, name, field string) error {
	if name == "" || len(name) > maxName {
		return invalid("%s %q: a %s name has 1 to %d bytes", what, clip(name), what, maxName).in(field)
	}
	for i := 0; i < len(name); {
		if c := name[i]; c < utf8.RuneSelf {
			if c < ' ' || c == 0x7f {
				return invalid("%s %q: a %s name must not have control characters", what, name, what).in(field)
			}
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(name[i:])
		if r == utf8.RuneError || unicode.IsControl(r) {
			return invalid("%s %q: a %s name must be UTF-8 without control characters", what, name, what).in(field)
		}
		i += n
	}
	return nil
}

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

// clip shortens text from a client, so that an error fits on one line.
func clip(s string) string {
	if len(s) <= maxName {
		return s
	}
	return s[:maxName] + "…"
}

// checkColumns checks the names of a batch's columns.
func checkColumns(b *column.Batch) error {
	for _, c := range b.Columns {
		if err := checkColumn(c.Name); err != nil {
			return err
		}
	}
	return nil
}
