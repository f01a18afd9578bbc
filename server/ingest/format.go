package ingest

import (
	"encoding/binary"
	"fmt"
	"mime"
	"slices"
	"strings"
)

// Format is an encoding of rows.
type Format struct {
	// Code is the number of the format in the log. It must never change.
	Code uint8

	Name string // in metrics

	// ContentTypes are the values of Content-Type that select the format at /v1/write.
	ContentTypes []string

	// decode reads all of j.body.
	decode func(j *job) error

	lines  bool // a row is a line, and told by its number
	hollow bool // a body may have no rows
}

// MessagePack, JSON and NDJSON are rows or columns for the one table that the URL names. Arc is
// MessagePack that names its tables itself. RemoteWrite is what AppendSeries puts into the log:
// nobody sends it. Schema is messages of a schema that was registered.
var (
	MessagePack = &Format{Code: 1, Name: "msgpack", decode: func(j *job) error { return j.unpack((*job).decodeTable) },
		ContentTypes: []string{"application/msgpack", "application/x-msgpack", "application/vnd.msgpack"}}
	Arc  = &Format{Code: 2, Name: "arc", decode: func(j *job) error { return j.unpack((*job).decodeArc) }}
	JSON = &Format{Code: 3, Name: "json", decode: (*job).decodeJSON,
		ContentTypes: []string{"application/json"}}
	NDJSON = &Format{Code: 4, Name: "ndjson", decode: (*job).decodeLines, lines: true,
		ContentTypes: []string{"application/x-ndjson", "application/ndjson", "application/jsonl"}}
	RemoteWrite = &Format{Code: 5, Name: "remote_write", decode: (*job).decodeParts, hollow: true}
	Schema      = &Format{Code: 6, Name: "schema", decode: (*job).decodeSchema,
		ContentTypes: []string{"application/x-slipstream-schema"}}
)

var formats = []*Format{MessagePack, Arc, JSON, NDJSON, RemoteWrite, Schema}

// formatOf finds the format for a Content-Type, and gives the parameters of that.
func formatOf(contentType string) (*Format, map[string]string, error) {
	for _, f := range formats { // without parameters, as nearly always
		if slices.Contains(f.ContentTypes, contentType) {
			return f, nil, nil
		}
	}
	media, params, _ := mime.ParseMediaType(contentType)
	var accepted []string
	for _, f := range formats {
		if slices.Contains(f.ContentTypes, media) {
			return f, params, nil
		}
		accepted = append(accepted, f.ContentTypes...)
	}
	return nil, nil, refuse(WrongType, "Content-Type %q is none of %s", clip(contentType), strings.Join(accepted, ", ")).in("Content-Type")
}

// codec is how a record's payload is to be read; see the package comment for its bits.
type codec struct {
	format      *Format
	compression Compression
	unit        Unit
	rejected    bool // rows that were rejected are listed after the body
	keyed       bool // after all that stands the request's key
}

func (c codec) bits() uint16 {
	b := uint16(c.format.Code) | uint16(c.compression)<<4 | uint16(c.unit)<<6
	if c.rejected {
		b |= 1 << 9
	}
	if c.keyed {
		b |= 1 << 10
	}
	return b
}

func codecOf(bits uint16) (codec, error) {
	c := codec{compression: Compression(bits >> 4 & 3), unit: Unit(bits >> 6 & 7), rejected: bits>>9&1 != 0, keyed: bits>>10&1 != 0}
	for _, f := range formats {
		if f.Code == uint8(bits&15) {
			c.format = f
		}
	}
	if c.format == nil || c.unit > Nanoseconds || bits>>11 != 0 || (c.format == RemoteWrite) != (c.compression == Snappy) {
		return c, fmt.Errorf("ingest: codec %#04x is unknown", bits)
	}
	return c, nil
}

// appendRejected appends the list of rejected rows to a payload: what each number adds to the one
// before, as uvarints, and then the length of all that.
func appendRejected(payload []byte, rows []int) []byte {
	body, last := len(payload), 0
	for _, row := range rows {
		payload = binary.AppendUvarint(payload, uint64(row-last))
		last = row
	}
	return binary.LittleEndian.AppendUint32(payload, uint32(len(payload)-body))
}

// cutRejected takes the list off a payload again.
func cutRejected(payload []byte) (body []byte, rows []int, err error) {
	errList := fmt.Errorf("ingest: the list of rejected rows is damaged")
	body, list, ok := cutCounted(payload)
	if !ok {
		return nil, nil, errList
	}
	for last := 0; len(list) > 0; {
		step, k := binary.Uvarint(list)
		if k <= 0 || step > uint64(unbounded.Rows-last) {
			return nil, nil, errList
		}
		last += int(step)
		rows, list = append(rows, last), list[k:]
	}
	return body, rows, nil
}

// cutCounted takes off a payload what stands after the body before its length.
func cutCounted(payload []byte) (body, tail []byte, ok bool) {
	end := len(payload) - 4
	if end < 0 {
		return nil, nil, false
	}
	n := binary.LittleEndian.Uint32(payload[end:])
	if uint64(n) > uint64(end) {
		return nil, nil, false
	}
	return payload[:end-int(n)], payload[end-int(n) : end], true
}
