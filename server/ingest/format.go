package ingest

import (
	"encoding/binary"
	"fmt"
	"mime"
	"slices"
	"strings"

	"github.com/slipstream-go/slipstream/server/admission"
)

// Format is an encoding of rows.
type Format struct {
	// Code is the number of the format in the log. It must never change.
	Code uint8

	Name string // used in metrics

	// ContentTypes are the values of Content-Type that select the format at /v1/write.
	ContentTypes []string

	// decode decodes the whole body of the job, j.body.
	decode func(j *job) error

	lines  bool // each row is a line, and errors contain line numbers
	hollow bool // a body without rows is valid
}

// Bodies in the formats MessagePack, JSON and NDJSON contain rows or columns for one table. The URL
// specifies the table. Bodies in the format Arc are MessagePack and contain the names of their
// tables. RemoteWrite is the format that AppendSeries writes to the log; no client sends it. Bodies
// in the format Schema contain messages of a registered schema.
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

// formatOf returns the format for a Content-Type, and the parameters of the Content-Type.
func formatOf(contentType string) (*Format, map[string]string, error) {
	for _, f := range formats { // the usual case: no parameters
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

// codec describes how to decode the payload of a record. The package comment lists its bits.
type codec struct {
	format      *Format
	compression admission.Compression
	unit        Unit
	rejected    bool // a list of rejected rows follows the body
	keyed       bool // the request's key is at the end
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
	c := codec{compression: admission.Compression(bits >> 4 & 3), unit: Unit(bits >> 6 & 7), rejected: bits>>9&1 != 0, keyed: bits>>10&1 != 0}
	for _, f := range formats {
		if f.Code == uint8(bits&15) {
			c.format = f
		}
	}
	if c.format == nil || c.unit > Nanoseconds || bits>>11 != 0 || (c.format == RemoteWrite) != (c.compression == admission.Snappy) {
		return c, fmt.Errorf("ingest: codec %#04x is unknown", bits)
	}
	return c, nil
}

// appendRejected appends the list of rejected rows to a payload. The list contains, as uvarints,
// the differences between consecutive row numbers. The length of the list follows the list.
func appendRejected(payload []byte, rows []int) []byte {
	body, last := len(payload), 0
	for _, row := range rows {
		payload = binary.AppendUvarint(payload, uint64(row-last))
		last = row
	}
	return binary.LittleEndian.AppendUint32(payload, uint32(len(payload)-body))
}

// cutRejected splits a payload into the body and the list of rejected rows.
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

// cutCounted splits a payload into the body and a tail. In the payload, the tail is followed by its
// length.
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
