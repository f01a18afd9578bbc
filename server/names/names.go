// Package names defines which names databases, tables, columns and schemas may have.
package names

import (
	"unicode"
	"unicode/utf8"

	"github.com/slipstream-go/slipstream/column"
	"github.com/slipstream-go/slipstream/server/refusal"
)

// These are the maximum lengths of names, in bytes.
const (
	MaxDatabase = 64
	Max         = 128 // of a table, a column or a schema
)

// CheckDatabase returns an error unless name matches [A-Za-z0-9][A-Za-z0-9_.-]* and has at most
// MaxDatabase bytes.
func CheckDatabase(name string) error {
	if name == "" {
		return refusal.Errorf("the database name is empty: use 1 to %d letters, digits, _ - or ., beginning with a letter or digit", MaxDatabase).In("database")
	}
	ok := len(name) <= MaxDatabase && (IsLetter(name[0]) || IsDigit(name[0]))
	for i := 1; ok && i < len(name); i++ {
		c := name[i]
		ok = IsLetter(c) || IsDigit(c) || c == '_' || c == '-' || c == '.'
	}
	if !ok {
		return refusal.Errorf("database %q: a name has 1 to %d letters, digits, _ - or . and begins with a letter or digit", refusal.Clip(name), MaxDatabase).In("database")
	}
	return nil
}

// CheckTable returns an error if there is a query engine that cannot show the name. It allows all
// other names, because table names come from many sources, and because one invalid name causes the
// whole request to be rejected.
func CheckTable(name string) error { return checkText("table", name, "table") }

// CheckColumn is like CheckTable, for the name of a column.
func CheckColumn(name string) error { return checkText("column", name, refusal.Clip(name)) }

// checkText returns an error unless name consists of 1 to 128 bytes of UTF-8 without control
// characters.
func checkText(what, name, field string) error {
	if name == "" || len(name) > Max {
		return refusal.Errorf("%s %q: a %s name has 1 to %d bytes", what, refusal.Clip(name), what, Max).In(field)
	}
	for i := 0; i < len(name); {
		if c := name[i]; c < utf8.RuneSelf {
			if c < ' ' || c == 0x7f {
				return refusal.Errorf("%s %q: a %s name must not have control characters", what, name, what).In(field)
			}
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(name[i:])
		if r == utf8.RuneError || unicode.IsControl(r) {
			return refusal.Errorf("%s %q: a %s name must be UTF-8 without control characters", what, name, what).In(field)
		}
		i += n
	}
	return nil
}

func checkPlain(what, name string, most int) error {
	if name == "" {
		return refusal.Errorf("the %s name is empty: use 1 to %d letters, digits, _ or -, beginning with a letter", what, most).In(what)
	}
	if !IsPlain(name, most) {
		return refusal.Errorf("%s %q: a name has 1 to %d letters, digits, _ or - and begins with a letter", what, refusal.Clip(name), most).In(what)
	}
	return nil
}

// IsPlain reports whether name consists of letters, digits, _ and -, begins with a letter, and has
// no more than `most` bytes.
func IsPlain(name string, most int) bool {
	ok := name != "" && len(name) <= most && IsLetter(name[0])
	for i := 1; ok && i < len(name); i++ {
		c := name[i]
		ok = IsLetter(c) || IsDigit(c) || c == '_' || c == '-'
	}
	return ok
}

// IsLetter reports whether c is an ASCII letter.
func IsLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// IsDigit reports whether c is an ASCII digit.
func IsDigit(c byte) bool { return '0' <= c && c <= '9' }

// CheckColumns returns an error if the name of a column of the batch is not allowed.
func CheckColumns(b *column.Batch) error {
	for _, c := range b.Columns {
		if err := CheckColumn(c.Name); err != nil {
			return err
		}
	}
	return nil
}

// CheckSchema returns an error unless name is a valid schema name: 1 to 128 letters, digits, _ or
// -, and the first is a letter.
func CheckSchema(name string) error { return checkPlain("schema", name, Max) }
