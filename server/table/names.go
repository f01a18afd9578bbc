package table

import (
	"strings"
	"unicode"
)

// maxName bounds the names of databases, tables and columns, in bytes.
const maxName = 128

// checkPathName tells whether a name may stand in a path. A leading underscore or dot would hide the table from the
// engines that read the files.
func checkPathName(s string) error {
	ok := s != "" && len(s) <= maxName && !strings.ContainsFunc(s, func(r rune) bool {
		return r > 0x7f || !isAlphanumeric(byte(r)) && !strings.ContainsRune("_-.", r)
	})
	if !ok || !isAlphanumeric(s[0]) {
		return invalid("name %.*q: a database or table name has 1 to %d letters, digits and _ - . and begins with a letter or digit",
			maxName, s, maxName)
	}
	return nil
}

func isAlphanumeric(b byte) bool {
	return '0' <= b && b <= '9' || 'a' <= b|0x20 && b|0x20 <= 'z'
}

// checkNewColumn tells whether engines could read a column of this name beside those that there are. They do not tell upper
// from lower case, and take a partition's directory for a column that hides one of its name.
func (sc *schema) checkNewColumn(s string) error {
	name := sc.table.name
	if err := checkColumnName(name, s); err != nil {
		return err
	}
	if IsPartition(s) {
		return invalid("table %s: column %q: the files' directories are named by date= and hour=, which would hide it: rename it", name, s)
	}
	if sc.folds == nil {
		sc.folds = make(map[string]string, len(sc.fields))
		for _, f := range sc.fields {
			sc.folds[Fold(f.Name)] = f.Name
		}
	}
	if other, ok := sc.folds[Fold(s)]; ok {
		return invalid("table %s: column %q: there is %q already, and engines do not tell upper from lower case: rename it", name, s, other)
	}
	return nil
}

// Fold returns the same text for all names that strings.EqualFold takes for the same.
func Fold(name string) string { return strings.Map(lowestFold, name) }

// lowestFold is the lowest of the runes that are the same but for case.
func lowestFold(r rune) rune {
	low := r
	for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
		low = min(low, f)
	}
	return low
}

// IsPartition reports whether the directories of the files are named by what a column of this name would be: no table can have it.
func IsPartition(column string) bool {
	return strings.EqualFold(column, "date") || strings.EqualFold(column, "hour")
}

func checkColumnName(name Name, s string) error {
	if s == "" || len(s) > maxName || strings.ContainsFunc(s, func(r rune) bool {
		return r < ' ' || r == 0x7f || r == '\uFFFD'
	}) {
		return invalid("table %s: column name %.*q: it must be UTF-8 without control characters, of 1 to %d bytes",
			name, maxName, s, maxName)
	}
	return nil
}
