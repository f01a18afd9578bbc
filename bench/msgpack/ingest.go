package msgpack

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"

	"github.com/tinylib/msgp/msgp"
	v5 "github.com/vmihailenco/msgpack/v5"
	"github.com/vmihailenco/msgpack/v5/msgpcode"

	"github.com/slipstream-go/slipstream/bench/harness"
	"github.com/slipstream-go/slipstream/column"
)

// ingest is a batch of columns in the form that the service receives: {m: table, columns: {name:
// [cells]}}.
type ingest struct {
	table   string
	rows    int
	columns []ingestColumn
}

type ingestColumn struct {
	name  string
	cells any // []int64, []float64 or []string
}

const ingestRows = 1000

// hostMetrics returns a batch with a time, one of 1000 hosts, and three floats with two decimals:
// 46 bytes a row.
func hostMetrics() *ingest {
	r := source(8)
	return &ingest{"cpu", ingestRows, []ingestColumn{
		{"time", cells(func(i int) int64 { return start + int64(i) })},
		{"host", cells(func(int) string { return hostName(r.IntN(1000)) })},
		{"value", cells(func(int) float64 { return cents(r) })},
		{"cpu_idle", cells(func(int) float64 { return cents(r) })},
		{"cpu_user", cells(func(int) float64 { return cents(r) })},
	}}
}

// sevenColumns returns a batch with two columns of integers, two of strings, and three of floats.
func sevenColumns() *ingest {
	r := source(9)
	return &ingest{"requests", ingestRows, []ingestColumn{
		{"time", cells(func(i int) int64 { return start + int64(i) })},
		{"n", cells(func(int) int64 { return r.Int64N(1 << 40) })},
		{"host", cells(func(int) string { return hostName(r.IntN(1000)) })},
		{"region", cells(func(int) string { return regions[r.IntN(len(regions))] })},
		{"idle", cells(func(int) float64 { return cents(r) })},
		{"user", cells(func(int) float64 { return cents(r) })},
		{"system", cells(func(int) float64 { return cents(r) })},
	}}
}

func cells[T any](cell func(i int) T) []T {
	list := make([]T, ingestRows)
	for i := range list {
		list[i] = cell(i)
	}
	return list
}

// body encodes the batch with its columns in order.
func (b *ingest) body() ([]byte, error) {
	var out bytes.Buffer
	enc := v5.NewEncoder(&out)
	err := errors.Join(
		enc.EncodeMapLen(2),
		enc.EncodeString("m"), enc.EncodeString(b.table),
		enc.EncodeString("columns"), enc.EncodeMapLen(len(b.columns)),
	)
	for _, c := range b.columns {
		err = errors.Join(err, enc.EncodeString(c.name), enc.Encode(c.cells))
	}
	return out.Bytes(), err
}

// typed returns the batch in the types that loops over single values produce.
func (b *ingest) typed() map[string]any {
	m := map[string]any{}
	for _, c := range b.columns {
		m[c.name] = c.cells
	}
	return m
}

const (
	ingestGroup = "Columnar ingest"
	lowLevel    = "low-level loop"
	intoAny     = "any"

	noteLoop = "The low-level loops decode one value at a time into slices of type []int64, []float64 and []string, one slice per " +
		"column."
	noteReuse = "Slipstream's batch reuses the buffers of the previous body, as in the service. The other libraries have no " +
		"buffers that they could reuse."
)

func ingestCases() []harness.Case {
	return append(
		shapeCases("5 × 1000", hostMetrics),
		shapeCases("7 × 1000", sevenColumns)...)
}

func shapeCases(name string, shape func() *ingest) []harness.Case {
	againstAny := func(ratio float64) []harness.Bar { return []harness.Bar{harness.Faster(v5Name+" "+intoAny, ratio)} }
	return []harness.Case{
		{
			Group: ingestGroup, Name: name + ", any",
			Bars: append(againstAny(1.4), harness.Faster(msgpName+" "+intoAny, 1.2)),
			Sides: func() ([]harness.Side, error) {
				body, err := shape().body()
				return []harness.Side{anySide(ours(), body), anySide(msgpLibrary(), body), anySide(v5Library(), body)}, err
			},
		},
		{
			Group: ingestGroup, Name: name + ", columns, fresh", Note: noteLoop, Bars: againstAny(8),
			Sides: func() ([]harness.Side, error) { return columnSides(shape(), freshColumnsSide) },
		},
		{
			Group: ingestGroup, Name: name + ", columns, reused", Note: noteReuse, Bars: againstAny(35),
			Sides: func() ([]harness.Side, error) { return columnSides(shape(), reusedColumnsSide) },
		},
	}
}

func columnSides(want *ingest, mine func(body []byte, want *ingest) harness.Side) ([]harness.Side, error) {
	body, err := want.body()
	if err != nil {
		return nil, err
	}
	return []harness.Side{
		mine(body, want),
		anySide(msgpLibrary(), body), loopSide(msgpName, msgpColumns, body, want),
		anySide(v5Library(), body), loopSide(v5Name, v5Columns(), body, want),
	}, nil
}

// anySide returns a side that decodes the body to untyped values.
func anySide(l library, body []byte) harness.Side {
	var into any
	decode := l.decoder(&into)
	side := harness.Side{
		Rival: l.name,
		Run: func() error {
			err := decode(body)
			into = nil
			return err
		},
		Check: func() error {
			var want any
			if err := v5.Unmarshal(body, &want); err != nil {
				return err
			}
			err := decode(body)
			if err == nil {
				err = same(into, want)
			}
			into = nil
			return err
		},
	}
	if l.name != "" {
		side.How = intoAny
	}
	return side
}

func freshColumnsSide(body []byte, want *ingest) harness.Side {
	r := newColumnReader()
	return harness.Side{
		Run: func() error { return r.read(body, new(column.Batch)) },
		Check: func() error {
			batch := new(column.Batch)
			return errors.Join(r.read(body, batch), r.check(batch, want))
		},
	}
}

func reusedColumnsSide(body []byte, want *ingest) harness.Side {
	r, batch := newColumnReader(), new(column.Batch)
	run := func() error {
		batch.Reset()
		return r.read(body, batch)
	}
	return harness.Side{
		Run: run,
		Check: func() error {
			return errors.Join(run(), run(), r.check(batch, want))
		},
	}
}

// loopSide returns a side that decodes value by value.
func loopSide(rival string, read func(body []byte) (map[string]any, error), body []byte, want *ingest) harness.Side {
	return harness.Side{
		Rival: rival, How: lowLevel,
		Run: func() error {
			_, err := read(body)
			return err
		},
		Check: func() error {
			got, err := read(body)
			if err != nil {
				return err
			}
			if !reflect.DeepEqual(got, want.typed()) {
				return fmt.Errorf("decoded %s", excerpt(got))
			}
			return nil
		},
	}
}

// v5Columns returns a function that decodes a body with v5's low-level methods. The first value of
// a column determines its type.
func v5Columns() func(body []byte) (map[string]any, error) {
	reader := bytes.NewReader(nil)
	dec := v5.NewDecoder(reader)
	return func(body []byte) (map[string]any, error) {
		reader.Reset(body)
		dec.Reset(reader)
		n, err := dec.DecodeMapLen()
		if err != nil {
			return nil, err
		}
		var columns map[string]any
		for range n {
			key, err := dec.DecodeString()
			if err != nil {
				return nil, err
			}
			if key == "columns" {
				columns, err = v5ColumnMap(dec)
			} else {
				_, err = dec.DecodeString()
			}
			if err != nil {
				return nil, err
			}
		}
		return columns, nil
	}
}

func v5ColumnMap(dec *v5.Decoder) (map[string]any, error) {
	n, err := dec.DecodeMapLen()
	if err != nil {
		return nil, err
	}
	columns := make(map[string]any, n)
	for range n {
		name, err := dec.DecodeString()
		if err != nil {
			return nil, err
		}
		rows, err := dec.DecodeArrayLen()
		if err != nil {
			return nil, err
		}
		code, err := dec.PeekCode()
		if err != nil {
			return nil, err
		}
		switch {
		case code == msgpcode.Double:
			columns[name], err = v5Cells(dec, rows, dec.DecodeFloat64)
		case msgpcode.IsString(code):
			columns[name], err = v5Cells(dec, rows, dec.DecodeString)
		default:
			columns[name], err = v5Cells(dec, rows, dec.DecodeInt64)
		}
		if err != nil {
			return nil, err
		}
	}
	return columns, nil
}

// v5Cells checks the code of each value before it decodes the value, because a null would need
// other handling.
func v5Cells[T any](dec *v5.Decoder, rows int, decode func() (T, error)) ([]T, error) {
	list := make([]T, rows)
	for i := range list {
		code, err := dec.PeekCode()
		if err != nil {
			return nil, err
		}
		if code == msgpcode.Nil {
			return nil, errors.New("a null in the benchmark's data")
		}
		if list[i], err = decode(); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// msgpColumns decodes a body in the same way, with msgp's functions for byte slices.
func msgpColumns(body []byte) (map[string]any, error) {
	n, b, err := msgp.ReadMapHeaderBytes(body)
	if err != nil {
		return nil, err
	}
	var columns map[string]any
	for range n {
		var key []byte
		if key, b, err = msgp.ReadStringZC(b); err != nil {
			return nil, err
		}
		if string(key) == "columns" {
			columns, b, err = msgpColumnMap(b)
		} else {
			_, b, err = msgp.ReadStringBytes(b)
		}
		if err != nil {
			return nil, err
		}
	}
	return columns, nil
}

func msgpColumnMap(b []byte) (map[string]any, []byte, error) {
	n, b, err := msgp.ReadMapHeaderBytes(b)
	if err != nil {
		return nil, b, err
	}
	columns := make(map[string]any, n)
	for range n {
		var name string
		if name, b, err = msgp.ReadStringBytes(b); err != nil {
			return nil, b, err
		}
		var rows uint32
		if rows, b, err = msgp.ReadArrayHeaderBytes(b); err != nil {
			return nil, b, err
		}
		switch msgp.NextType(b) {
		case msgp.Float64Type:
			columns[name], b, err = msgpCells(b, rows, msgp.ReadFloat64Bytes)
		case msgp.StrType:
			columns[name], b, err = msgpCells(b, rows, msgp.ReadStringBytes)
		default:
			columns[name], b, err = msgpCells(b, rows, msgp.ReadInt64Bytes)
		}
		if err != nil {
			return nil, b, err
		}
	}
	return columns, b, nil
}

func msgpCells[T any](b []byte, rows uint32, read func([]byte) (T, []byte, error)) ([]T, []byte, error) {
	list := make([]T, rows)
	for i := range list {
		if msgp.IsNil(b) {
			return nil, b, errors.New("a null in the benchmark's data")
		}
		var err error
		if list[i], b, err = read(b); err != nil {
			return nil, b, err
		}
	}
	return list, b, nil
}
