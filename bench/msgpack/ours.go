package msgpack

import (
	"bytes"
	"fmt"
	"io"

	"github.com/slipstream-go/slipstream/column"
	"github.com/slipstream-go/slipstream/msgpack"
)

// ours returns Slipstream's package, with the calls that all libraries share.
func ours() library { return plain("", msgpack.Marshal, msgpack.Unmarshal) }

func oursMarshalAppend(dst []byte, v any) ([]byte, error) { return msgpack.MarshalAppend(dst, v) }

// oursSkip returns a function that skips one value.
func oursSkip() func(data []byte) error {
	dec := msgpack.NewDecoder(nil)
	return func(data []byte) error {
		dec.ResetBytes(data)
		return dec.Skip()
	}
}

// oursPoint has a custom encoder that writes a point.
type oursPoint point

func (p *oursPoint) EncodeMsgpack(enc *msgpack.Encoder) error {
	if err := enc.EncodeArrayLen(2); err != nil {
		return err
	}
	if err := enc.EncodeFloat64(p.X); err != nil {
		return err
	}
	return enc.EncodeFloat64(p.Y)
}

func (p *oursPoint) DecodeMsgpack(dec *msgpack.Decoder) (err error) {
	if _, err = dec.DecodeArrayLen(); err != nil {
		return err
	}
	if p.X, err = dec.DecodeFloat64(); err != nil {
		return err
	}
	p.Y, err = dec.DecodeFloat64()
	return err
}

// oursRaw is Slipstream's type for an undecoded value.
type oursRaw = msgpack.RawMessage

// oursStream returns Slipstream's Encoder and Decoder.
func oursStream() stream {
	enc, dec := msgpack.NewEncoder(nil), msgpack.NewDecoder(nil)
	return stream{
		resetEncoder: func(w io.Writer) { enc.Reset(w) },
		encode:       func(v *small) error { return enc.Encode(v) },
		flush:        func() error { return nil },
		resetDecoder: func(r io.Reader) { dec.Reset(r) },
		decode:       func(v *small) error { return dec.Decode(v) },
	}
}

// oursDiscard returns a function that encodes nil and a short string to w.
func oursDiscard(w io.Writer) func() error {
	enc := msgpack.NewEncoder(w)
	return func() error {
		if err := enc.Encode(nil); err != nil {
			return err
		}
		return enc.Encode("hello")
	}
}

// columnReader decodes ingest bodies directly to columns.
type columnReader struct {
	dec   *msgpack.Decoder
	table string
}

func newColumnReader() *columnReader { return &columnReader{dec: msgpack.NewDecoder(nil)} }

func (r *columnReader) read(body []byte, batch *column.Batch) error {
	r.dec.ResetBytes(body)
	n, err := r.dec.DecodeMapLen()
	if err != nil {
		return err
	}
	for range n {
		key, err := r.dec.DecodeString()
		if err != nil {
			return err
		}
		switch key {
		case "m":
			r.table, err = r.dec.DecodeString()
		case "columns":
			err = r.dec.DecodeColumns(batch)
		default:
			err = r.dec.Skip()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// checkColumns compares a decoded batch with the original.
func (r *columnReader) check(batch *column.Batch, want *ingest) error {
	if r.table != want.table || batch.Rows != want.rows {
		return fmt.Errorf("table %q of %d rows, want %q of %d", r.table, batch.Rows, want.table, want.rows)
	}
	for _, w := range want.columns {
		c := batch.Find(w.name)
		if c == nil {
			return fmt.Errorf("column %q is missing", w.name)
		}
		if c.Rows != want.rows || c.HasNulls() {
			return fmt.Errorf("column %q: %d rows, nulls: %v; want %d rows without", w.name, c.Rows, c.HasNulls(), want.rows)
		}
		for i := range want.rows {
			var same bool
			switch cells := w.cells.(type) {
			case []int64:
				same = (c.Kind == column.Int64 || c.Kind == column.Time) && c.Ints[i] == cells[i]
			case []float64:
				same = c.Kind == column.Float64 && c.Floats[i] == cells[i]
			case []string:
				same = c.Kind == column.String && bytes.Equal(c.StringAt(i), []byte(cells[i]))
			}
			if !same {
				return fmt.Errorf("column %q (%v) differs at row %d", w.name, c.Kind, i)
			}
		}
	}
	return nil
}
