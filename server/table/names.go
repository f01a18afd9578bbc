package table

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// maxName is the maximum length of the names of databases, tables and columns, in bytes.
const maxName = 128

func checkTableName(name Name) error {
	if err := checkPathName(name.DB); err != nil {
		return err
	}
	if !isText(name.Table) {
		return invalid("table name %.*q: must be 1 to %d bytes of UTF-8 without control characters", maxName, name.Table, maxName)
	}
	return nil
}

// checkPathName checks the name of a database or of a node.
func checkPathName(s string) error {
	ok := s != "" && len(s) <= maxName && !strings.ContainsFunc(s, func(r rune) bool {
		return r > 0x7f || !isAlphanumeric(byte(r)) && !strings.ContainsRune("_-.", r)
	})
	if !ok || !isAlphanumeric(s[0]) {
		return invalid("name %.*q: a database or node name has 1 to %d letters, digits and _ - . and begins with a letter or digit",
			maxName, s, maxName)
	}
	return nil
}

func isAlphanumeric(b byte) bool {
	return '0' <= b && b <= '9' || 'a' <= b|0x20 && b|0x20 <= 'z'
}

func checkColumnName(name Name, s string) error {
	if !isText(s) {
		return invalid("table %s: column name %.*q: must be 1 to %d bytes of UTF-8 without control characters",
			name, maxName, s, maxName)
	}
	return nil
}

// isText reports whether a name is text that query engines can show.
func isText(s string) bool {
	return s != "" && len(s) <= maxName && utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool {
		return unicode.IsControl(r) || r == utf8.RuneError
	})
}

// Fold returns the same text for all names that are equal in strings.EqualFold.
func Fold(name string) string { return strings.Map(lowestFold, name) }

// lowestFold returns the lowest of all runes that differ from r only in case.
func lowestFold(r rune) rune {
	low := r
	for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
		low = min(low, f)
	}
	return low
}

// dateKey and hourKey are the keys in the names of the directories that divide a table's files by
// hour. Readers that support Hive partitioning show these keys as columns. Such a column hides a
// column with the same name in the files. So the keys are names that columns rarely have, and
// [schema.fileName] never returns one of these names.
const dateKey, hourKey = "utc_date", "utc_hour"

// partitionDir returns the directory for the rows of an hour, relative to the directory of their
// table. Years after 9999 have more than four digits, and years before 0 have a minus sign.
func partitionDir(hour int64) string {
	at := time.Unix(hour*3600, 0).UTC()
	return fmt.Sprintf(dateKey+"=%s/"+hourKey+"=%02d", at.Format(time.DateOnly), at.Hour())
}

// dir returns the directory of a table's files. No two tables share a directory, on any file
// system.
func (n Name) dir() string { return path.Join(dirName(n.DB), dirName(n.Table)) }

// maxDirName is the maximum length of a directory name. It is 16 bytes less than the 255 bytes that
// common file systems allow.
const maxDirName = 239

// dirName returns the directory name of a database or table. Bytes other than lower-case letters,
// digits and _ - . are escaped as ~ and two hex digits. The first byte is also escaped if it is one
// of _ - . or begins the name of a Windows device. A dot at the end is escaped, too. Engines ignore
// directories whose names begin with _ or a dot, and Windows drops a dot at the end of a name.
// Names that differ only in case differ in their hex digits. An escaped name that is too long is
// truncated, and its SHA-256 hash is appended.
//
//	cpu  cpu      Cpu  ~43pu      con  ~63on      net.if  net.if      _x  ~5fx
func dirName(name string) string {
	b := make([]byte, 0, len(name)+8)
	for i := range len(name) {
		c := name[i]
		plain := 'a' <= c && c <= 'z' || '0' <= c && c <= '9' ||
			i > 0 && (c == '_' || c == '-' || c == '.' && i < len(name)-1)
		if plain && !(i == 0 && isDevice(name)) {
			b = append(b, c)
		} else {
			b = hex.AppendEncode(append(b, '~'), []byte{c})
		}
	}
	if len(b) <= maxDirName {
		return string(b)
	}
	sum := sha256.Sum256([]byte(name))
	b = b[:maxDirName-len("~-")-2*len(sum)]
	if i := strings.LastIndexByte(string(b), '~'); i > len(b)-3 {
		b = b[:i] // half of an escape
	}
	return string(b) + "~-" + hex.EncodeToString(sum[:])
}

// isDevice reports whether Windows treats a file with this name as a device. It ignores the first
// dot and the text after it.
func isDevice(name string) bool {
	name, _, _ = strings.Cut(name, ".")
	switch name {
	case "con", "prn", "aux", "nul":
		return true
	}
	return len(name) == len("com1") && (strings.HasPrefix(name, "com") || strings.HasPrefix(name, "lpt")) && '0' <= name[3] && name[3] <= '9'
}

// fileName returns the name that a new column has in files. Engines do not distinguish upper and
// lower case, and a partition key hides a column with the same name. If this name would conflict
// with a key or with a column that the schema already has, fileName appends a number to it.
func (sc *schema) fileName(name string) string {
	if sc.folds == nil {
		sc.folds = make(map[string]int, len(sc.fields))
		sc.folds[Fold(dateKey)], sc.folds[Fold(hourKey)] = 1, 1
		for _, f := range sc.fields {
			sc.folds[Fold(f.FileName())] = 1
		}
	}
	fold := Fold(name)
	as := name
	n := sc.folds[fold]
	for n > 0 {
		n++
		as = fmt.Sprintf("%s_%d", name, n)
		if sc.folds[Fold(as)] == 0 {
			break
		}
	}
	sc.folds[fold] = max(n, 1)
	sc.folds[Fold(as)] = max(sc.folds[Fold(as)], 1)
	return as
}

// inFiles returns the fields with their names in files.
func (sc *schema) inFiles() []Field {
	fields := make([]Field, len(sc.fields))
	for i, f := range sc.fields {
		fields[i] = Field{Name: f.FileName(), Kind: f.Kind, Inexact: f.Inexact}
	}
	return fields
}
