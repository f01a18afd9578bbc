package ingest

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
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
	Backlogged                  // 429: rows that wait to land fill the memory
	LogFull                     // 429: the log has reached its maximum size
	InDoubt                     // 500: the disk failed while the request was written
	NotReady                    // 503: the service is recovering or stopping, or the log has failed
	LowDisk                     // 503: the disk is nearly full
	Stalled                     // 503: rows do not land

	outcomes
)

var outcomeTable = [outcomes]struct {
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

// Status returns the status code of the response.
func (o Outcome) Status() int { return outcomeTable[o].status }

// refusal is an error for the client. Its text contains the problem, its location and a remedy.
type refusal struct {
	outcome Outcome
	text    string
	field   string // invalid column, key or parameter
	row     int    // number of the invalid row in the body, starting with 0; negative if the error does not concern a row
	line    int    // line number of the row, starting with 1; 0 if the format has no lines
	offset  int64  // offset in the decompressed body; negative if unknown
}

func (r *refusal) Error() string {
	switch {
	case r.line > 0:
		return "line " + strconv.Itoa(r.line) + ": " + r.text
	case r.row >= 0:
		return "row " + strconv.Itoa(r.row) + ": " + r.text
	}
	return r.text
}

func refuse(o Outcome, format string, args ...any) *refusal {
	return &refusal{outcome: o, text: fmt.Sprintf(format, args...), row: -1, offset: -1}
}

func invalid(format string, args ...any) *refusal { return refuse(Invalid, format, args...) }

// in sets the invalid column, key or parameter.
func (r *refusal) in(field string) *refusal {
	r.field = field
	return r
}

// at sets the offset of the error.
func (r *refusal) at(offset int64) *refusal {
	r.offset = offset
	return r
}

// ofRow sets the number of the invalid row.
func (r *refusal) ofRow(row int) *refusal {
	r.row = row
	return r
}

// inLine sets the line number of the invalid row.
func (r *refusal) inLine(line int) *refusal {
	r.line = line
	return r
}

// asRefusal converts err to a refusal.
func asRefusal(err error) *refusal {
	var r *refusal
	if errors.As(err, &r) {
		return r
	}
	if admission.Busy(err) {
		return refuse(Overloaded, "%v", err)
	}
	var conflict *table.TypeError
	if errors.As(err, &conflict) {
		return invalid("%v", err).in(conflict.Column)
	}
	return invalid("%v", err)
}

// problem is the JSON form of an error response.
type problem struct {
	Error  string `json:"error"`
	Field  string `json:"field,omitempty"`
	Row    *int   `json:"row,omitempty"`
	Line   int    `json:"line,omitempty"`
	Offset *int64 `json:"offset,omitempty"`
}

func (r *refusal) write(w http.ResponseWriter) {
	p := problem{Error: r.Error(), Field: r.field, Line: r.line}
	if r.row >= 0 {
		p.Row = &r.row
	}
	if r.offset >= 0 {
		p.Offset = &r.offset
	}
	if wait := outcomeTable[r.outcome].retry; wait > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int(wait/time.Second)))
	}
	switch r.outcome {
	case Unauthorized:
		w.Header().Set("WWW-Authenticate", access.Challenge)
	case Forbidden:
		w.Header().Set("WWW-Authenticate", access.InsufficientScope)
	}
	writeJSON(w, r.outcome.Status(), p)
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	text, err := json.Marshal(v)
	if err != nil { // v is of a type of this package, and all of these can be encoded
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	w.Write(append(text, '\n')) // the client may have disconnected
}
