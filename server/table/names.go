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

// maxName bounds the names of databases, tables and columns, in bytes.
const maxName = 128

func checkTableName(name Name) error {
	if err := checkPathName(name.DB); err != nil {
		return err
	}
	if !isText(name.Table) {
		return invalid("table name %.*q: it must be UTF-8 without control characters, of 1 to %d bytes", maxName, name.Table, maxName)
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
		return invalid("table %s: column name %.*q: it must be UTF-8 without control characters, of 1 to %d bytes",
			name, maxName, s, maxName)
	}
	return nil
}

// isText reports whether a name is one that engines can show.
func isText(s string) bool {
	return s != "" && len(s) <= maxName && utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool {
		return unicode.IsControl(r) || r == utf8.RuneError
	})
}

// Fold returns the same text for all names that are equal in strings.EqualFold.
func Fold(name string) string { return strings.Map(lowestFold, name) }

// lowestFold is the lowest of the runes that are the same but for case.
func lowestFold(r rune) rune {
	low := r
	for f := unicode.SimpleFold(r); f != r; f = unicode.SimpleFold(f) {
		low = min(low, f)
	}
	return low
}

// The keys of the directories that divide a table's files by hour. Readers that know Hive's
// directories take the keys for columns, which hide columns of the same names in the files: so the
// keys are names that columns hardly have, and [schema.fileName] has none of them either.
const dateKey, hourKey = "utc_date", "utc_hour"

// partitionDir is the directory, within its table's, of the rows of an hour. Years beyond 9999 or
// before 0 have as many digits, and the sign, that they need.
func partitionDir(hour int64) string {
	at := time.Unix(hour*3600, 0).UTC()
	return fmt.Sprintf(dateKey+"=%s/"+hourKey+"=%02d", at.Format(time.DateOnly), at.Hour())
}

// dir is the directory of a table's files. No two tables share one, on any file system.
func (n Name) dir() string { return path.Join(dirName(n.DB), dirName(n.Table)) }

// maxDirName leaves room for 16 more bytes in the 255 that a name may have on common file systems.
const maxDirName = 239

// dirName is a name as that of a directory. Bytes other than lower-case letters, digits and _ - .
// are written as ~ and two hex digits. So are the first byte where it is one of _ - . or begins the
// name of a device of Windows, and a dot at the end: engines pass over directories that begin with
// _ or a dot, and Windows drops the dot. Names that differ only in case differ in their digits. A
// name that becomes too long is cut, and has its SHA-256 at the end.
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

// isDevice reports whether Windows takes a file of this name for a device, whatever follows a dot.
func isDevice(name string) bool {
	name, _, _ = strings.Cut(name, ".")
	switch name {
	case "con", "prn", "aux", "nul":
		return true
	}
	return len(name) == len("com1") && (strings.HasPrefix(name, "com") || strings.HasPrefix(name, "lpt")) && '0' <= name[3] && name[3] <= '9'
}

// fileName is the name in files of a column that is new. Engines do not tell upper from lower case,
// and a partition's key hides a column of its name: a column that would meet another one so has a
// number after its name.
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

// inFiles is the fields by their names in files.
func (sc *schema) inFiles() []Field {
	fields := make([]Field, len(sc.fields))
	for i, f := range sc.fields {
		fields[i] = Field{Name: f.FileName(), Kind: f.Kind, Inexact: f.Inexact}
	}
	return fields
}
