package msgpack_test

import (
	"bytes"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"testing/iotest"
	"time"
	"unicode/utf8"

	"github.com/slipstream-go/slipstream/column"
	"github.com/slipstream-go/slipstream/internal/corpus/sheet"
	"github.com/slipstream-go/slipstream/internal/msgpwire"
	"github.com/slipstream-go/slipstream/msgpack"
)

// Rows are decoded correctly into a reused batch, from bytes and from readers that return pieces.
func TestMatrixColumns(t *testing.T) {
	t.Run("DecodeRows", func(t *testing.T) { matrixRows(t) })
	t.Run("DecodeColumns", func(t *testing.T) {
		used := msgpack.NewDecoder(nil)
		sheet.Run(t, sheet.Format{
			Times:  true,
			Whole:  true,
			Encode: encodeColumns,
			Oracle: oracleColumns,
			Ways: []func([]byte, *column.Batch) error{
				func(b []byte, to *column.Batch) error {
					used.ResetBytes(b)
					return used.DecodeColumns(to)
				},
				func(b []byte, to *column.Batch) error {
					return msgpack.NewDecoder(iotest.OneByteReader(bytes.NewReader(b))).DecodeColumns(to)
				},
			},
		})
	})
}

func matrixRows(t *testing.T) {
	used := msgpack.NewDecoder(nil)
	sheet.Run(t, sheet.Format{
		Times:  true,
		Encode: encodeRows,
		Oracle: oracleRows,
		Ways: []func([]byte, *column.Batch) error{
			func(b []byte, to *column.Batch) error {
				used.ResetBytes(b)
				return used.DecodeRows(to)
			},
			func(b []byte, to *column.Batch) error { return msgpack.NewDecoder(bytes.NewReader(b)).DecodeRows(to) },
			func(b []byte, to *column.Batch) error {
				used.Reset(iotest.OneByteReader(bytes.NewReader(b)))
				return used.DecodeRows(to)
			},
			func(b []byte, to *column.Batch) error {
				d := msgpack.NewDecoder(iotest.DataErrReader(iotest.HalfReader(bytes.NewReader(b))))
				n, err := d.DecodeArrayLen()
				if n < 0 && err == nil { // nil, which DecodeRows rejects
					return errors.New("no rows")
				}
				for k := 0; k < n && err == nil; k++ {
					err = d.DecodeRow(to)
				}
				return err
			},
		},
	})
}

func encodeRows(r *rand.Rand, rows []sheet.Row) []byte {
	b := msgpwire.AppendArrayLen(nil, len(rows))
	for _, row := range rows {
		b = msgpwire.AppendMapLen(b, len(row.Keys))
		for k, name := range row.Keys {
			b = msgpwire.AppendString(b, name)
			b = encodeCell(r, b, row.Values[k])
		}
	}
	return b
}

func encodeCell(r *rand.Rand, b []byte, cell any) []byte {
	switch v := cell.(type) {
	case sheet.NegativeZero:
		return msgpwire.AppendInt(b, 0)
	case int64:
		if h := (head{num: uint64(v)}); r.IntN(4) == 0 && v == int64(int16(v)) {
			return appendNumber(r, b, h)
		}
		if r.IntN(4) == 0 { // if v is negative, the number exceeds int64
			return msgpwire.AppendCode64(b, msgpwire.Uint64, uint64(v))
		}
		return msgpwire.AppendInt(b, v)
	case sheet.Time:
		cell = time.UnixMicro(int64(v))
	}
	whole, err := msgpack.Marshal(cell)
	if err != nil {
		panic(err)
	}
	return append(b, whole...)
}

// encodeColumns encodes the rows as a map of arrays.
func encodeColumns(r *rand.Rand, rows []sheet.Row) []byte {
	var names []string
	for _, row := range rows {
		for _, name := range row.Keys {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	b := msgpwire.AppendMapLen(nil, len(names))
	for _, name := range names {
		b = msgpwire.AppendArrayLen(msgpwire.AppendString(b, name), len(rows))
		for _, row := range rows {
			var cell any
			if k := slices.Index(row.Keys, name); k >= 0 {
				cell = row.Values[k]
			}
			b = encodeCell(r, b, cell)
		}
	}
	return b
}

// oracleColumns reads a map of arrays of cells. If any part is invalid, it returns no rows.
func oracleColumns(b []byte) (rows []sheet.Row, ok bool) {
	o := &oracle{b: b}
	n, err := o.mapLen()
	if err != nil {
		return nil, false
	}
	var names []string
	for k := range n {
		name, ok := oracleName(o)
		if !ok || slices.Contains(names, name) || !utf8.ValidString(name) {
			return nil, false
		}
		names = append(names, name)
		h, err := o.next()
		if err != nil || h.kind != 'a' && h.kind != 'n' {
			return nil, false
		}
		if k == 0 {
			rows = make([]sheet.Row, min(h.n, len(b)))
		}
		if h.n != len(rows) {
			return nil, false
		}
		for i := range rows {
			v, ok := oracleCell(o)
			if !ok {
				return nil, false
			}
			rows[i].Keys, rows[i].Values = append(rows[i].Keys, name), append(rows[i].Values, v)
		}
	}
	return rows, true
}

func oracleName(o *oracle) (string, bool) {
	h, err := o.next()
	if err != nil || h.kind != 's' && h.kind != 'B' {
		return "", false
	}
	text, err := o.bytes(h.n)
	return string(text), err == nil
}

// oracleRows reads an array of maps of cells.
func oracleRows(b []byte) (rows []sheet.Row, ok bool) {
	o := &oracle{b: b}
	h, err := o.next()
	if err != nil || h.kind != 'a' {
		return nil, false
	}
	for range h.n {
		n, err := o.mapLen()
		if err != nil {
			return rows, false
		}
		var row sheet.Row
		for range n {
			name, ok := oracleName(o)
			if !ok {
				return rows, false
			}
			v, ok := oracleCell(o)
			if !ok {
				return rows, false
			}
			row.Keys, row.Values = append(row.Keys, name), append(row.Values, v)
		}
		rows = append(rows, row)
	}
	return rows, true
}

func oracleCell(o *oracle) (v any, ok bool) {
	from := o.i
	h, err := o.next()
	if err != nil {
		return nil, false
	}
	switch h.kind {
	case 'n':
		return nil, true
	case 'b':
		return h.num == 1, true
	case 'f':
		return h.f, true
	case 'i':
		return int64(h.num), h.code != msgpwire.Uint64 || h.num <= math.MaxInt64
	case 's':
		text, err := o.bytes(h.n)
		return string(text), err == nil
	case 'x':
		if h.id != msgpwire.ExtTime && h.id != msgpwire.ExtTimeNode {
			return nil, false
		}
		var at time.Time
		o.i = from
		if o.decode(reflect.ValueOf(&at).Elem()) != nil {
			return nil, false
		}
		s := at.Unix()
		return sheet.Time(at.UnixMicro()), s < math.MaxInt64/1_000_000 && s > math.MinInt64/1_000_000
	}
	return nil, false
}
