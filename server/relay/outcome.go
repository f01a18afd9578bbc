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
	Partly                      // 400 (409 to vmagent): some or all series will never be accepted
	Invalid                     // 400 (409 to vmagent): the body is damaged, or contains too many tenants
	Unauthorized                // 401
	Forbidden                   // 403: the token does not permit writing, or does not permit Remote Write
	WrongType                   // 415
	TooLarge                    // 413 (409 to vmagent)
	TooMany                     // 429 or 503, see Options.TooMany: a rate of the relay or of a target is exceeded
	Overloaded                  // 503: the memory for requests is in use
	Unavailable                 // 503: a target, the queue or the log does not accept the request now
	Interrupted                 // 503: the body did not arrive completely, or did not arrive in time

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

// temporary reports whether a retry of the request may succeed.
func (o Outcome) temporary() bool { return outcomeTable[o].retry > 0 }

// status returns the status code of the response. After 400, vmagent repacks the request and sends
// it again. After 413, vmagent retries forever. Only after 409 does vmagent drop the request.
func (o Outcome) status(vmagent bool) int {
	s := outcomeTable[o].status
	if vmagent && (s == http.StatusBadRequest || s == http.StatusRequestEntityTooLarge) {
		return http.StatusConflict
	}
	return s
}

// refusal is an error that the sender gets.
type refusal struct {
	outcome Outcome
	text    string
	after   time.Duration // time until a retry; at least the outcome's retry time applies
}

func (r *refusal) Error() string { return r.text }

func refuse(o Outcome, format string, args ...any) *refusal {
	return &refusal{outcome: o, text: fmt.Sprintf(format, args...)}
}
