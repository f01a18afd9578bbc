package msgpack_test

import (
	"bytes"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"
	"testing/iotest"
	"time"

	"github.com/slipstream-go/slipstream/column"
	"github.com/slipstream-go/slipstream/internal/corpus/sheet"
	"github.com/slipstream-go/slipstream/internal/msgpwire"
	"github.com/slipstream-go/slipstream/msgpack"
)

// TestMatrixColumns reads rows into a batch that is used again, from bytes and from readers of pieces.
func TestMatrixColumns(t *testing.T) {
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
				if n < 0 && err == nil { // nil, which DecodeRows does not take
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
			switch v := row.Values[k].(type) {
			case sheet.NegativeZero:
				b = msgpwire.AppendInt(b, 0)
			case int64:
				if h := (head{num: uint64(v)}); r.IntN(4) == 0 && v == int64(int16(v)) {
					b = appendNumber(r, b, h)
				} else {
					b = msgpwire.AppendInt(b, v)
				}
			case sheet.Time:
				whole, err := msgpack.Marshal(time.UnixMicro(int64(v)))
				if err != nil {
					panic(err)
				}
				b = append(b, whole...)
			default:
				whole, err := msgpack.Marshal(v)
				if err != nil {
					panic(err)
				}
				b = append(b, whole...)
			}
		}
	}
	return b
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
			var name string
			if h, err := o.next(); err != nil || h.kind != 's' && h.kind != 'B' {
				return rows, false
			} else if text, err := o.bytes(h.n); err != nil {
				return rows, false
			} else {
				name = string(text)
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
