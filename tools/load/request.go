package load

import (
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"fmt"
	"io"
	"net/url"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/slipstream-go/slipstream/column"
)

// request is one POST request as it is sent over the wire. It belongs to one worker.
type request struct {
	wire  []byte
	body  []byte // the last part of wire
	plain int    // size of the body before compression, in bytes
	rows  int    // number of rows or series
	table int    // index of the table, for synthetic requests
	times slots  // positions of the times in wire; zero if the times cannot be changed
}

// setTimes sets the times of the request's rows to start, start+1, …
func (r *request) setTimes(start int64) {
	at := r.times.first
	for i := range r.rows {
		if r.times.little {
			binary.LittleEndian.PutUint64(r.wire[at:], uint64(start)+uint64(i))
		} else {
			binary.BigEndian.PutUint64(r.wire[at:], uint64(start)+uint64(i))
		}
		at += r.times.stride
	}
}

// builder builds requests from batches. It is not safe for concurrent use.
type builder struct {
	target     *target
	form       form
	database   string
	query      string
	headers    string
	compressor interface {
		io.WriteCloser
		Reset(io.Writer)
	}

	body   *body
	packed bytes.Buffer
}

func newBuilder(t *target, o *Options) (*builder, error) {
	b := &builder{
		target:   t,
		form:     form{v1: o.Endpoint == "v1", rows: o.Format == "row", coded: o.Format == "schema"},
		database: o.Database,
		headers:  "Content-Type: application/msgpack\r\n",
		body:     newBody(),
	}
	if b.form.coded {
		b.headers = "Content-Type: " + codedType() + "\r\n"
	}
	if o.Durability == "async" {
		b.query = "?durability=async"
	}
	switch {
	case !b.form.v1 && o.Database != "":
		b.headers += "x-arc-database: " + o.Database + "\r\n"
	case b.form.v1 && o.Database == "":
		b.database = "default"
	}
	if b.form.v1 && o.Compress != "none" {
		// Arc's endpoint detects the compression by the magic bytes, and does not need the header.
		b.headers += "Content-Encoding: " + o.Compress + "\r\n"
	}
	switch o.Compress {
	case "gzip":
		b.compressor = gzip.NewWriter(nil)
	case "zstd":
		z, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
		if err != nil {
			return nil, fmt.Errorf("preparing zstd: %w", err)
		}
		b.compressor = z
	}
	return b, nil
}

// build returns the request that writes the batch to the table.
func (b *builder) build(table string, batch *column.Batch) (*request, error) {
	if err := b.body.write(b.form, table, batch); err != nil {
		return nil, fmt.Errorf("encoding a body: %w", err)
	}
	body, times := b.body.Bytes(), b.body.times
	if b.compressor != nil {
		b.packed.Reset()
		b.compressor.Reset(&b.packed)
		if _, err := b.compressor.Write(body); err != nil {
			return nil, fmt.Errorf("compressing a body: %w", err)
		}
		if err := b.compressor.Close(); err != nil {
			return nil, fmt.Errorf("compressing a body: %w", err)
		}
		body, times = b.packed.Bytes(), slots{}
	}
	path := "/api/v1/write/msgpack"
	if b.form.v1 {
		path = "/v1/write/" + url.PathEscape(b.database) + "/" + url.PathEscape(table)
	}
	r := &request{plain: b.body.Len(), rows: batch.Rows, times: times}
	head := b.target.appendPost(nil, path+b.query, b.headers, len(body))
	if times.first > 0 {
		r.times.first += len(head)
	}
	r.wire = append(head, body...)
	r.body = r.wire[len(head):]
	return r, nil
}

// patchCost returns the average time of setTimes for one request, measured on some requests.
func patchCost(requests []*request) time.Duration {
	requests = requests[:min(len(requests), 100)]
	start := time.Now()
	for _, r := range requests {
		r.setTimes(start.UnixMicro())
	}
	return time.Since(start) / time.Duration(max(1, len(requests)))
}
