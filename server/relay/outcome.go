package relay

import (
	"fmt"
	"net/http"
	"time"
)

// Outcome is the outcome of a request, for counters.
type Outcome uint8

const (
	Accepted     Outcome = iota // 204
	Partly                      // 400, to vmagent 409: some of the series, or all of them, will never be taken
	Invalid                     // the same: the body is damaged, or beyond a bound that is not one of size
	Unauthorized                // 401
	Forbidden                   // 403: the token is not for writing, or not for Remote Write
	WrongType                   // 415
	TooLarge                    // 413, to vmagent 409
	TooMany                     // 429 or 503, as Options.TooMany says: a limit of a rate, here or at a target
	Overloaded                  // 503: the memory for requests is in use
	Unavailable                 // 503: a target, the queue or the log does not take it now
	Interrupted                 // 503: the body did not come, or not in time

	outcomes
)

var outcomeTable = [outcomes]struct {
	name   string
	status int
	retry  time.Duration
}{
	Accepted:     {"accepted", http.StatusNoContent, 0},
	Partly:       {"partly", http.StatusBadRequest, 0},
	Invalid:      {"invalid", http.StatusBadRequest, 0},
	Unauthorized: {"unauthorized", http.StatusUnauthorized, 0},
	Forbidden:    {"forbidden", http.StatusForbidden, 0},
	WrongType:    {"wrong_type", http.StatusUnsupportedMediaType, 0},
	TooLarge:     {"too_large", http.StatusRequestEntityTooLarge, 0},
	TooMany:      {"too_many", http.StatusServiceUnavailable, time.Second},
	Overloaded:   {"overloaded", http.StatusServiceUnavailable, time.Second},
	Unavailable:  {"unavailable", http.StatusServiceUnavailable, time.Second},
	Interrupted:  {"interrupted", http.StatusServiceUnavailable, time.Second},
}

func (o Outcome) String() string { return outcomeTable[o].name }

// temporary reports whether sending again may help.
func (o Outcome) temporary() bool { return outcomeTable[o].retry > 0 }

// status is that of the answer. vmagent repacks what got 400, tries 413 again for ever, and gives
// up at 409 only.
func (o Outcome) status(vmagent bool) int {
	s := outcomeTable[o].status
	if vmagent && (s == http.StatusBadRequest || s == http.StatusRequestEntityTooLarge) {
		return http.StatusConflict
	}
	return s
}

// refusal is an error that the sender is told.
type refusal struct {
	outcome Outcome
	text    string
	after   time.Duration // when to try again; 0: what the outcome says
}

func (r *refusal) Error() string { return r.text }

func refuse(o Outcome, format string, args ...any) *refusal {
	return &refusal{outcome: o, text: fmt.Sprintf(format, args...)}
}
