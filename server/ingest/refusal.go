package ingest

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/slipstream-go/slipstream/server/access"
	"github.com/slipstream-go/slipstream/server/table"
)

// Outcome is the outcome of a write request, for counters and metrics.
type Outcome uint8

const (
	Stored       Outcome = iota // 204
	StoredPartly                // 200
	Invalid                     // 400: the body, a name or a parameter
	Unauthorized                // 401
	Forbidden                   // 403: the token lacks the right, or is not for the database
	NoSchema                    // 404: of that name
	TimedOut                    // 408
	Mismatch                    // 409: of schemas
	TooLarge                    // 413
	WrongType                   // 415
	KeyReused                   // 422: the key is that of another request
	Overloaded                  // 429: too many bytes in flight
	Backlogged                  // 429: rows that wait to land fill the memory
	LogFull                     // 429: the log is at its budget
	InDoubt                     // 500: the disk failed while the request was written
	NotReady                    // 503: recovering, or the log has failed
	LowDisk                     // 503
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

// Status returns the status code of the reply.
func (o Outcome) Status() int { return outcomeTable[o].status }

// refusal is an error that the client is told. Its text says what is wrong, where, and how to fix
// it.
type refusal struct {
	outcome Outcome
	text    string
	field   string // column, key or parameter at fault
	row     int    // in the body, counted from 0; below 0: no row is to blame
	line    int    // in which the row stands, counted from 1; 0: the body does not go by lines
	offset  int64  // in the body once it is decompressed; below 0: unknown
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

// in names the column, key or parameter at fault.
func (r *refusal) in(field string) *refusal {
	r.field = field
	return r
}

// at names the byte at fault.
func (r *refusal) at(offset int64) *refusal {
	r.offset = offset
	return r
}

// ofRow names the row at fault.
func (r *refusal) ofRow(row int) *refusal {
	r.row = row
	return r
}

// inLine names the line that the row at fault is.
func (r *refusal) inLine(line int) *refusal {
	r.line = line
	return r
}

// asRefusal is err as something to tell the client.
func asRefusal(err error) *refusal {
	var r *refusal
	if errors.As(err, &r) {
		return r
	}
	var conflict *table.TypeError
	if errors.As(err, &conflict) {
		return invalid("%v", err).in(conflict.Column)
	}
	return invalid("%v", err)
}

// problem is the JSON of an error reply.
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
	if err != nil { // only types of this package come here, and all of them can be written
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	w.Write(append(text, '\n')) // the client may have gone
}
