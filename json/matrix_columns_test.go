package json_test

import (
	"bytes"
	std "encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/slipstream-go/slipstream/column"
	"github.com/slipstream-go/slipstream/internal/corpus/jsonoracle"
	"github.com/slipstream-go/slipstream/internal/corpus/sheet"
	"github.com/slipstream-go/slipstream/json"
)

// Rows are decoded correctly into a reused batch.
func TestMatrixColumns(t *testing.T) {
	t.Run("ParseColumns", func(t *testing.T) {
		sheet.Run(t, sheet.Format{
			Encode: func(r *rand.Rand, rows []sheet.Row) []byte {
				return append(jsonoracle.Vary(r, fmt.Appendf(nil, "[%s]", encodeRows(rows, ","))), ' ')
			},
			Oracle: func(b []byte) ([]sheet.Row, bool) { return oracleRows(b, true) },
			Ways: []func([]byte, *column.Batch) error{func(b []byte, to *column.Batch) error {
				if bytes.HasPrefix(bytes.TrimLeft(b, " \t\r\n"), []byte("{")) {
					return errors.New("an object of columns")
				}
				return json.ParseColumns(b, to)
			}},
		})
	})
	t.Run("ParseLines", func(t *testing.T) {
		sheet.Run(t, sheet.Format{
			Encode: func(r *rand.Rand, rows []sheet.Row) []byte {
				return []byte(encodeRows(rows, []string{"\n", "\r\n", " \n\t\n"}[r.IntN(3)]))
			},
			Oracle: oracleLines,
			Ways:   []func([]byte, *column.Batch) error{json.ParseLines},
		})
	})
	t.Run("ParseRow", func(t *testing.T) {
		sheet.Run(t, sheet.Format{
			Encode: func(r *rand.Rand, rows []sheet.Row) []byte { return []byte(encodeRows(rows, "\n")) },
			Oracle: func(b []byte) ([]sheet.Row, bool) { return oracleRows(b, false) },
			Ways: []func([]byte, *column.Batch) error{func(b []byte, to *column.Batch) error {
				for b = bytes.TrimLeft(b, " \t\r\n"); len(b) > 0; {
					rest, err := json.ParseRow(b, to)
					if err != nil {
						return err
					}
					b = rest
				}
				return nil
			}},
		})
	})
}

func encodeRows(rows []sheet.Row, between string) string {
	var all []string
	for _, row := range rows {
		var fields []string
		for k, name := range row.Keys {
			text := "-0"
			switch v := row.Values[k].(type) {
			case float64:
				text = strconv.FormatFloat(v, 'e', -1, 64)
			case string:
				b, _ := std.Marshal(v)
				if text = string(b); v == "\xff" {
					text = []string{"\"\xff\"", `"\ud800"`}[len(row.Keys)%2]
				}
			case sheet.NegativeZero:
			default:
				b, _ := std.Marshal(v)
				text = string(b)
			}
			fields = append(fields, fmt.Sprintf("%q:%s", name, text))
		}
		all = append(all, "{"+strings.Join(fields, ",")+"}")
	}
	return strings.Join(all, between)
}

// oracleRows reads an array of rows, or consecutive rows.
func oracleRows(b []byte, array bool) (rows []sheet.Row, ok bool) {
	blanks := func() {
		b = bytes.TrimLeft(b, " \t\r\n")
	}
	next := func(c byte) bool {
		blanks()
		if len(b) == 0 || b[0] != c {
			return false
		}
		b = b[1:]
		return true
	}
	if array {
		if !next('[') {
			return nil, false
		}
		if next(']') {
			blanks()
			return nil, len(b) == 0
		}
	}
	for {
		if blanks(); len(b) == 0 && !array {
			return rows, true
		}
		d := std.NewDecoder(bytes.NewReader(b))
		var raw std.RawMessage
		if d.Decode(&raw) != nil || raw[0] != '{' {
			return rows, false
		}
		b = b[d.InputOffset():]
		row, ok := oracleRow(raw)
		if !ok {
			return rows, false
		}
		rows = append(rows, row)
		switch {
		case !array:
		case next(']'):
			blanks()
			return rows, len(b) == 0
		case !next(','):
			return rows, false
		}
	}
}

// oracleLines reads a row from each line that is not blank.
func oracleLines(b []byte) (rows []sheet.Row, ok bool) {
	for line := range bytes.SplitSeq(b, []byte("\n")) {
		if line = bytes.Trim(line, " \t\r"); len(line) == 0 {
			continue
		}
		row, ok := oracleRows(line, false)
		if !ok || len(row) != 1 {
			return rows, false
		}
		rows = append(rows, row...)
	}
	return rows, true
}

// oracleRow reads a row, an object of cells.
func oracleRow(raw []byte) (row sheet.Row, ok bool) {
	d := std.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	d.Token()
	for d.More() {
		for part := range 2 {
			from := d.InputOffset()
			token, _ := d.Token()
			switch v := token.(type) {
			case std.Delim:
				return row, false
			case string:
				if isReplaced(v, raw[from:d.InputOffset()]) {
					return row, false
				}
				if part == 0 {
					row.Keys = append(row.Keys, v)
					continue
				}
			case std.Number:
				var err error
				switch {
				case v == "-0":
					token = sheet.NegativeZero{}
				case strings.ContainsAny(string(v), ".eE"):
					token, err = v.Float64()
				default:
					token, err = v.Int64()
				}
				if err != nil {
					return row, false
				}
			}
			row.Values = append(row.Values, token)
		}
	}
	return row, true
}

// isReplaced reports whether encoding/json has replaced a part of raw by U+FFFD.
func isReplaced(s string, raw []byte) bool {
	const replacement = "\uFFFD"
	have := strings.Count(string(raw), replacement) + strings.Count(strings.ToLower(string(raw)), `\ufffd`)
	return !utf8.Valid(raw) || strings.Count(s, replacement) > have
}
