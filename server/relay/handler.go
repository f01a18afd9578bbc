package relay

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/slipstream-go/slipstream/server/access"
)

// Paths lists the paths that the handler serves.
var Paths = []string{"/api/v1/push", "/api/v1/write", "/push"} // /push is the path of cortex-tenant

// ServeHTTP handles a request. It checks the headers before it reads the body.
func (r *Relay) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	begin := time.Now()
	if req.ContentLength != 0 { // limits the wait for the body, also for a rejected one; an error means that there is no connection
		http.NewResponseController(w).SetReadDeadline(begin.Add(firstWait))
	}
	if req.Method != http.MethodPost {
		r.serveOther(w, req)
		return
	}
	q := requests.Get().(*request)
	q.relay, q.head, q.held = r, req, r.o.Flight.Of(req.RemoteAddr)
	refused := q.serve(w)
	if refused == nil {
		refused = q.merge()
	}
	q.answer(w, refused, begin)
	q.end()
}

// serveOther handles requests that are not POST requests. Older vmagents send such a request to ask
// whether the relay supports zstd, and serveOther answers it. It rejects all other requests.
func (r *Relay) serveOther(w http.ResponseWriter, req *http.Request) {
	if req.Method == http.MethodGet && req.URL.Query().Has("get_vm_proto_version") {
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		w.Write([]byte("1"))
		return
	}
	w.Header().Set("Allow", http.MethodPost)
	if req.ContentLength != 0 {
		w.Header().Set("Connection", "close")
	}
	http.Error(w, "the method "+clip(req.Method)+" is not allowed: send Remote Write requests by POST", http.StatusMethodNotAllowed)
}

var requests = sync.Pool{New: func() any { return new(request) }}

// serve processes a request up to, but not including, its response.
func (q *request) serve(w http.ResponseWriter) (err *refusal) {
	r := q.relay
	q.leftUnread = q.head.ContentLength != 0
	if q.dialect, err = dialectOf(q.head.Header); err != nil {
		return err
	}
	if !r.opened.Load() {
		return refuse(Unavailable, "the relay is not ready: send the request again")
	}
	rules := r.rules.Load()
	if err = q.authorize(rules); err != nil {
		return err
	}
	if err = q.read(w); err != nil {
		return err
	}
	if err = q.decode(); err != nil {
		return err
	}
	if err = q.split(rules); err != nil {
		return err
	}
	return q.deliver()
}

// authorize sets the credential of the request, or returns an error. If the rules define no
// credentials, Options.Admit checks the request.
func (q *request) authorize(rules *Rules) *refusal {
	var denied *access.Refusal
	var ok bool
	if q.credential, ok = rules.authenticate(q.head); q.credential == anybody && q.relay.o.Admit != nil {
		denied = q.relay.o.Admit(q.head)
	}
	switch {
	case denied != nil && denied.Forbidden():
		return refuse(Forbidden, "%s", denied.Error())
	case denied != nil || !ok:
		return refuse(Unauthorized, "no valid credentials: send the relay's credentials as a bearer token, by basic authentication or with a client certificate")
	}
	return nil
}

// answer writes the response. Its error text fits into the kilobyte that Prometheus reads.
func (q *request) answer(w http.ResponseWriter, refused *refusal, begin time.Time) {
	r := q.relay
	outcome := Accepted
	if refused != nil {
		outcome = refused.outcome
	}
	r.counters.answered(outcome, time.Since(begin))
	h := w.Header()
	if q.dialect.version == 2 {
		h.Set(samplesHeader, strconv.FormatInt(q.written.Samples, 10))
		h.Set(histogramsHeader, strconv.FormatInt(q.written.Histograms, 10))
		h.Set(exemplarsHeader, strconv.FormatInt(q.written.Exemplars, 10))
	}
	if refused == nil {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	status := outcome.status(q.dialect.vmagent)
	if outcome == TooMany {
		status = r.o.TooMany
	}
	if outcome.temporary() {
		after := max(refused.after, outcomeTable[outcome].retry)
		h.Set("Retry-After", strconv.Itoa(int((after+time.Second-1)/time.Second)))
	}
	switch outcome {
	case Unauthorized:
		h.Set("WWW-Authenticate", access.Challenge+`, Basic realm="slipstream"`)
	case Forbidden:
		h.Set("WWW-Authenticate", access.InsufficientScope)
	}
	if q.leftUnread {
		h.Set("Connection", "close") // instead of reading the rest of the body
	}
	http.Error(w, clipped(strings.ToValidUTF8(refused.text, "?"), maxAnswer), status)
}

const maxAnswer = 1000

// tell joins error texts about several tenants into one text. If the argument `more` is positive,
// the result ends with the number of errors that are not in the slice `texts`.
func tell(texts []string, more int) string {
	s := strings.Join(texts, "; ")
	if more > 0 {
		s += fmt.Sprintf("; and %d more", more)
	}
	return s
}
