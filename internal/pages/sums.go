package pages

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// The first cell of a row identifies the check for the row. So the check alone would not detect a
// change in the other cells. For this reason, a file contains checksums of the rows that have
// checks. If you change a row, read its check and write the checksum again:
//
//	SLIPSTREAM_PAGES=write go test -count=1 -p=1 -run Pages ./... (in the root, in server and in bench)

// sumsFile is the file of checksums, relative to the root of the repository. Each line consists of
// the page, the checksum and the first cell.
const sumsFile = "docs/rows.sum"

var sumsMu sync.Mutex

// line returns the row's line in the file of checksums.
func (r Row) line() string {
	page, _, _ := strings.Cut(r.Where, ":")
	sum := sha256.Sum256([]byte(strings.Join(r.Cells, "|")))
	return fmt.Sprintf("%s %x %s", page, sum[:6], r.Cells[0])
}

// line returns the block's line in the file of checksums.
func (b Block) line() string {
	page, _, _ := strings.Cut(b.Where, ":")
	sum := sha256.Sum256([]byte(b.Text))
	return fmt.Sprintf("%s %x %s", page, sum[:6], firstLine(b.Text))
}

func readSums(t testing.TB) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(Root(t), sumsFile))
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return strings.FieldsFunc(string(text), func(c rune) bool { return c == '\n' })
}

func writeSums(t testing.TB, lines []string) {
	t.Helper()
	slices.Sort(lines)
	text := strings.Join(slices.Compact(lines), "\n") + "\n"
	if err := os.WriteFile(filepath.Join(Root(t), sumsFile), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// writing reports whether checksums are written instead of compared.
func writing() bool { return os.Getenv("SLIPSTREAM_PAGES") == "write" }

// pinned reports an error if the file of checksums does not contain the given line. The line
// belongs to a row or block that the argument `check` covers. If checksums are written, pinned adds
// the line instead.
func pinned(t *testing.T, where, line, check string) {
	t.Helper()
	sumsMu.Lock()
	defer sumsMu.Unlock()
	sums := readSums(t)
	switch known := slices.Contains(sums, line); {
	case known:
	case writing():
		writeSums(t, append(sums, line))
	default:
		t.Errorf("%s: the row or block is new, or was changed after its check was written. If a test still checks it (%s), write its checksum: see internal/pages/sums.go", where, check)
	}
}

// Stale returns the lines of the checksum file that belong to no row or block of the pages. If
// checksums are written, it removes these lines instead.
func Stale(t testing.TB, pages ...*Page) (stale []string) {
	t.Helper()
	rows := map[string]bool{}
	for _, p := range pages {
		for _, s := range p.sections {
			for _, r := range s.rows {
				rows[r.line()] = true
			}
			for _, b := range s.blocks {
				rows[b.line()] = true
			}
		}
	}
	sums := readSums(t)
	for _, line := range sums {
		if !rows[line] {
			stale = append(stale, line)
		}
	}
	if writing() && len(stale) > 0 {
		writeSums(t, slices.DeleteFunc(sums, func(line string) bool { return !rows[line] }))
		return nil
	}
	return stale
}
