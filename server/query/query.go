// Package query reads the Parquet files of tables: it counts their rows, and prints samples of
// them. It can run while a service writes to the same directories. It does not see rows that the
// service has not written to files yet.
package query

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/slipstream-go/slipstream/column"
	"github.com/slipstream-go/slipstream/server/parquet"
)

// EachFile calls fn with every Parquet file below dir, in the order of their names. It skips
// unfinished files, because a service may be writing to dir.
func EachFile(dir string, fn func(path string) error) error {
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if !d.Type().IsRegular() || filepath.Ext(name) != ".parquet" || strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_") {
			return nil
		}
		return fn(path)
	})
}

// CountRows returns the number of rows in the Parquet files below dir.
func CountRows(dir string) (int64, error) {
	total := int64(0)
	err := EachFile(dir, func(path string) error {
		n, err := parquet.Rows(path)
		total += n
		return err
	})
	return total, err
}

// Query configures `slipctl query`, which shows the tables below a directory.
type Query struct {
	Dir   string `arg:"" help:"Directory of tables, for example ./data/tables." default:"./data/tables" type:"path"`
	Table string `help:"Table to show, in the form db.table. Default: all tables." placeholder:"NAME"`
	Rows  int    `help:"Number of rows to show per table. The earliest rows are shown first." default:"5"`
}

// found contains the totals and the sample rows of one table's files.
type found struct {
	name        string
	files       int
	rows        int64
	first, last int64 // times
	columns     []string
	sample      []sampled
}

// sampled is a row as text, by column.
type sampled struct {
	time  int64
	cells map[string]string
}

// Run prints a summary of each table: the number of rows and files, the first and last time, and
// the first rows.
func (q *Query) Run(out io.Writer) error {
	tables, err := q.find()
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(tables) == 0 {
		return fmt.Errorf("no Parquet files in %s yet; rows are flushed after --seal-age, or by POST /-/flush", q.Dir)
	}
	if err != nil {
		return err
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "table\trows\tfiles\tfirst\tlast")
	for _, t := range tables {
		fmt.Fprintf(w, "%s\t%d\t%d\t%s\t%s\n", t.name, t.rows, t.files, timeText(t.first), timeText(t.last))
	}
	if err := w.Flush(); err != nil || q.Rows <= 0 {
		return err
	}
	for _, t := range tables {
		fmt.Fprintf(out, "\n%s\n", t.name)
		fmt.Fprintln(w, strings.Join(t.columns, "\t"))
		for _, row := range t.sample {
			cells := make([]string, len(t.columns))
			for i, name := range t.columns {
				cells[i] = row.cells[name]
			}
			fmt.Fprintln(w, strings.Join(cells, "\t"))
		}
		if err := w.Flush(); err != nil {
			return err
		}
	}
	return nil
}

func (q *Query) find() ([]*found, error) {
	var tables []*found
	err := EachFile(q.Dir, func(path string) error {
		name, err := tableOf(path)
		if err != nil {
			return err
		}
		if q.Table != "" && q.Table != name {
			return nil
		}
		i := slices.IndexFunc(tables, func(t *found) bool { return t.name == name })
		if i < 0 {
			i = len(tables)
			tables = append(tables, &found{name: name})
		}
		return tables[i].add(path, q.Rows)
	})
	return tables, err
}

// tableOf returns db.table from the metadata of a file, because names of directories may be
// escaped.
func tableOf(path string) (string, error) {
	meta, err := parquet.Meta(path)
	if err != nil {
		return "", err
	}
	if db, table := meta["slipstream.db"], meta["slipstream.table"]; db != "" && table != "" {
		return db + "." + table, nil
	}
	return filepath.Dir(path), nil
}

// add adds the rows of a file to the totals, and keeps the earliest rows.
func (t *found) add(path string, rows int) error {
	t.files++
	return parquet.Scan(path, func(b *column.Batch) error {
		times := b.Find("time")
		if times == nil || times.Kind != column.Time || b.Rows == 0 {
			return fmt.Errorf("%s has no time column; it was not written by this service", path)
		}
		if first := times.Ints[0]; t.rows == 0 || first < t.first {
			t.first = first
		}
		if last := times.Ints[b.Rows-1]; t.rows == 0 || last > t.last {
			t.last = last
		}
		t.rows += int64(b.Rows)
		for _, c := range b.Columns {
			if !slices.Contains(t.columns, c.Name) {
				t.columns = append(t.columns, c.Name)
			}
		}
		for i := range min(rows, b.Rows) { // the rows of a file are in the order of time
			s := sampled{times.Ints[i], make(map[string]string)}
			for _, c := range b.Columns {
				s.cells[c.Name] = cellText(c, i)
			}
			t.sample = append(t.sample, s)
		}
		slices.SortStableFunc(t.sample, func(a, b sampled) int { return cmp.Compare(a.time, b.time) })
		t.sample = t.sample[:min(rows, len(t.sample))]
		return nil
	})
}

func cellText(c *column.Column, i int) string {
	if c.IsNull(i) {
		return "-"
	}
	switch c.Kind {
	case column.Time:
		return timeText(c.Ints[i])
	case column.Bool:
		return strconv.FormatBool(c.Bools[i])
	case column.Float64:
		return strconv.FormatFloat(c.Floats[i], 'g', -1, 64)
	case column.String:
		text := string(c.StringAt(i))
		if text == "" || text == "-" || strings.ContainsFunc(text, func(r rune) bool { return !strconv.IsGraphic(r) }) {
			return strconv.QuoteToGraphic(text)
		}
		return text
	}
	return strconv.FormatInt(c.Ints[i], 10)
}

func timeText(us int64) string { return time.UnixMicro(us).UTC().Format("2006-01-02T15:04:05.000Z") }
