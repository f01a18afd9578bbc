package rows

import (
	"mime"
	"slices"
	"strings"

	"github.com/slipstream-go/slipstream/server/refusal"
)

// Format is an encoding of rows.
type Format struct {
	// Code is the number of the format in the log. It must never change.
	Code uint8

	Name string // used in metrics

	// ContentTypes are the values of Content-Type that select the format at /v1/write.
	ContentTypes []string

	// Decode decodes the whole body of the job, j.Body.
	Decode func(j *Job) error

	Lines  bool // each row is a line, and errors contain line numbers
	Hollow bool // a body without rows is valid
}

// Bodies in the formats MessagePack, JSON and NDJSON contain rows or columns for one table. The URL
// specifies the table. Bodies in the format Arc are MessagePack and contain the names of their
// tables. Bodies in the format Schema contain messages of a registered schema.
var (
	MessagePack = &Format{Code: 1, Name: "msgpack", Decode: func(j *Job) error { return j.unpack((*Job).decodeTable) },
		ContentTypes: []string{"application/msgpack", "application/x-msgpack", "application/vnd.msgpack"}}
	Arc  = &Format{Code: 2, Name: "arc", Decode: func(j *Job) error { return j.unpack((*Job).decodeArc) }}
	JSON = &Format{Code: 3, Name: "json", Decode: (*Job).decodeJSON,
		ContentTypes: []string{"application/json"}}
	NDJSON = &Format{Code: 4, Name: "ndjson", Decode: (*Job).decodeLines, Lines: true,
		ContentTypes: []string{"application/x-ndjson", "application/ndjson", "application/jsonl"}}
	Schema = &Format{Code: 6, Name: "schema", Decode: (*Job).decodeSchema,
		ContentTypes: []string{"application/x-slipstream-schema"}}
)

// Formats contains the formats that clients send.
var Formats = []*Format{MessagePack, Arc, JSON, NDJSON, Schema}

// FormatOf returns the format for a Content-Type, and the parameters of the Content-Type.
func FormatOf(contentType string) (*Format, map[string]string, error) {
	for _, f := range Formats { // the usual case: no parameters
		if slices.Contains(f.ContentTypes, contentType) {
			return f, nil, nil
		}
	}
	media, params, _ := mime.ParseMediaType(contentType)
	var accepted []string
	for _, f := range Formats {
		if slices.Contains(f.ContentTypes, media) {
			return f, params, nil
		}
		accepted = append(accepted, f.ContentTypes...)
	}
	return nil, nil, refusal.New(refusal.WrongType, "Content-Type %q is not supported: use %s", refusal.Clip(contentType), strings.Join(accepted, ", ")).In("Content-Type")
}
