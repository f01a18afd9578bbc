// Package refusal defines the errors that clients of the ingest endpoints get, and their HTTP form.
package refusal

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/slipstream-go/slipstream/server/access"
	"github.com/slipstream-go/slipstream/server/admission"
	"github.com/slipstream-go/slipstream/server/table"
)

// Outcome is the outcome of a write request, for counters and metrics.
type Outcome uint8

const (
	Stored       Outcome = iota // 204
	StoredPartly                // 200
	Invalid                     // 400: the body, a name or a parameter is invalid
	Unauthorized                // 401
	Forbidden                   // 403: the token lacks the right, or is not valid for the database
	NoSchema                    // 404: unknown schema, table or column
	TimedOut                    // 408
	Mismatch                    // 409: a schema does not match the registered schema, or a cell does not fit a new type
	TooLarge                    // 413
	WrongType                   // 415
	KeyReused                   // 422: the key belongs to another request
	Overloaded                  // 429: too many bytes in flight
	Backlogged                  // 429: rows that wait to be written to files fill the memory
	LogFull                     // 429: the log has reached its maximum size
	InDoubt                     // 500: the disk failed while the request was written
	NotReady                    // 503: the service is recovering or stopping, or the log has failed
	LowDisk                     // 503: the disk is nearly full
	Stalled                     // 503: rows cannot be written to files

	Outcomes // number of outcomes
)

var outcomeTable = [Outcomes]struct {
	name   string
	status int
	retry  time.Duration
}{
	Stored:       {"stored", http.StatusNoContent, 0},
	StoredPartly: {"stored_partly", http.StatusOK, 0},
	Invalid:      {"invalid", http.StatusBadRequest, 0},
	Unauthorized: {"unauthorized", http.StatusUnauthorized, 0},
	Forbidden:    {"forbidden", http.StatusForbidden, 0},
	NoSchema:     {"no_schema", http.StatusNotFound, 0},
	TimedOut:     {"timed_out", http.StatusRequestTimeout, 0},
	Mismatch:     {"mismatch", http.StatusConflict, 0},
	TooLarge:     {"too_large", http.StatusRequestEntityTooLarge, 0},
	WrongType:    {"wrong_type", http.StatusUnsupportedMediaType, 0},
	KeyReused:    {"key_reused", http.StatusUnprocessableEntity, 0},
	Overloaded:   {"overloaded", http.StatusTooManyRequests, time.Second},
	Backlogged:   {"backlogged", http.StatusTooManyRequests, time.Second},
	LogFull:      {"log_full", http.StatusTooManyRequests, time.Second},
	InDoubt:      {"in_doubt", http.StatusInternalServerError, 0},
	NotReady:     {"not_ready", http.StatusServiceUnavailable, time.Second},
	LowDisk:      {"low_disk", http.StatusServiceUnavailable, 5 * time.Second},
	Stalled:      {"stalled", http.StatusServiceUnavailable, 5 * time.Second},
}

func (o Outcome) String() string { return outcomeTable[o].name }

// RetryAfter returns the time after which the client may send the request again, or 0.
func (o Outcome) RetryAfter() time.Duration { return outcomeTable[o].retry }

// Status returns the status code of the response.
func (o Outcome) Status() int { return outcomeTable[o].status }

// Error is an error for the client. Its text states the problem, its place in the request and a
// remedy.
type Error struct {
	Outcome Outcome
	Text    string
	Field   string // invalid column, key or parameter
	Row     int    // number of the invalid row in the body, starting with 0; negative if the error does not concern a row
	Line    int    // line number of the row, starting with 1; 0 if the format has no lines
	Offset  int64  // offset in the decompressed body; negative if unknown
}

func (r *Error) Error() string {
	switch {
	case r.Line > 0:
		return "line " + strconv.Itoa(r.Line) + ": " + r.Text
	case r.Row >= 0:
		return "row " + strconv.Itoa(r.Row) + ": " + r.Text
	}
	return r.Text
}

// New returns an error with the given outcome and text.
func New(o Outcome, format string, args ...any) *Error {
	return &Error{Outcome: o, Text: fmt.Sprintf(format, args...), Row: -1, Offset: -1}
}

// Errorf returns an error for an invalid request.
func Errorf(format string, args ...any) *Error { return New(Invalid, format, args...) }

// The method In sets the field Field to the name of the invalid column, key or parameter, and
// returns r.
func (r *Error) In(field string) *Error {
	r.Field = field
	return r
}

// The method At sets the field Offset, and returns r.
func (r *Error) At(offset int64) *Error {
	r.Offset = offset
	return r
}

// OfRow sets the field Row to the number of the invalid row, and returns r.
func (r *Error) OfRow(row int) *Error {
	r.Row = row
	return r
}

// InLine sets the field Line to the line number of the invalid row, and returns r.
func (r *Error) InLine(line int) *Error {
	r.Line = line
	return r
}

// The function Of returns err itself if it is an [Error], or the Error that err wraps. If there is
// none, it returns a new Error with the text of err. The outcome of the new Error depends on err,
// and is Invalid by default.
func Of(err error) *Error {
	var r *Error
	if errors.As(err, &r) {
		return r
	}
	if admission.Busy(err) {
		return New(Overloaded, "%v", err)
	}
	var conflict *table.TypeError
	if errors.As(err, &conflict) {
		return Errorf("%v", err).In(conflict.Column)
	}
	return Errorf("%v", err)
}

// Problem is the JSON form of an error response.
type Problem struct {
	Error  string `json:"error"`
	Field  string `json:"field,omitempty"`
	Row    *int   `json:"row,omitempty"`
	Line   int    `json:"line,omitempty"`
	Offset *int64 `json:"offset,omitempty"`
}

// Write sends the error as the HTTP response.
func (r *Error) Write(w http.ResponseWriter) {
	p := Problem{Error: r.Error(), Field: r.Field, Line: r.Line}
	if r.Row >= 0 {
		p.Row = &r.Row
	}
	if r.Offset >= 0 {
		p.Offset = &r.Offset
	}
	if wait := r.Outcome.RetryAfter(); wait > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int(wait/time.Second)))
	}
	switch r.Outcome {
	case Unauthorized:
		w.Header().Set("WWW-Authenticate", access.Challenge)
	case Forbidden:
		w.Header().Set("WWW-Authenticate", access.InsufficientScope)
	}
	WriteJSON(w, r.Outcome.Status(), p)
}

// WriteJSON sends v as the response, in JSON.
func WriteJSON(w http.ResponseWriter, status int, v any) {
	text, err := json.Marshal(v)
	if err != nil { // all types that are passed to WriteJSON can be encoded
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	w.Write(append(text, '\n')) // the client may have disconnected
}

const maxClip = 128 // bytes

// Clip shortens text from a client, so that an error fits on one line.
func Clip(s string) string {
	if len(s) <= maxClip {
		return s
	}
	return s[:maxClip] + "…"
}

// Plain returns the text of an error without the name of its package.
func Plain(err error) string {
	text := err.Error()
	text = strings.TrimPrefix(text, "msgpack: ")
	text = strings.TrimPrefix(text, "json: ")
	text = strings.TrimPrefix(text, "schema: ")
	return strings.TrimPrefix(text, "column: ")
}
