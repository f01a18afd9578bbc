package relay

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/slipstream-go/slipstream/remotewrite"
)

// inPath is the placeholder for the tenant's ID in the path of a target's URL. Every ID is a valid
// path segment, because an ID contains no slash or other separator, and is not "." or "..".
const inPath = "{tenant}"

// target is a URL to which the relay posts series.
type target struct {
	url     *url.URL
	inPath  bool // the path contains the placeholder for the tenant
	age     time.Duration
	conns   int
	dial    dialer
	egress  *egress
	log     *slog.Logger
	breaker breaker

	busy    atomic.Int64 // posts in progress
	logged  atomic.Int64 // time of the last logged error, in Unix seconds
	answer  atomic.Int64 // time of the last response, as returned by ticks
	missed  atomic.Int64 // series that other targets received, but this target did not
	v1Until atomic.Int64 // end of the time in which the target gets version 1, because it has rejected version 2; in Unix nanoseconds

	strangers chan struct{} // contains an element for each post of a stranger; see admit

	mu        sync.Mutex
	transport *http.Transport
	born      time.Time
	proof     *proof // credentials that the transport uses
}

// asksAgain is the time until the relay tries version 2 again after a target has rejected version
// 2.
const asksAgain = 10 * time.Minute

func newTarget(text string, o *Options, e *egress) (*target, error) {
	u, err := url.Parse(strings.ReplaceAll(text, inPath, url.PathEscape(inPath))) // with a brace in the text, EscapedPath would encode the path again
	switch {
	case err != nil:
		return nil, err
	case u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		return nil, fmt.Errorf("target %q: must be a URL such as http://mimir:8080/api/v1/push", u.Redacted())
	case strings.Contains(u.Fragment, inPath), strings.Contains(u.RawQuery, url.PathEscape(inPath)):
		return nil, fmt.Errorf("target %q: %s is allowed in the path only", u.Redacted(), inPath)
	case strings.ContainsAny(strings.ReplaceAll(u.Path, inPath, ""), "{}"):
		return nil, fmt.Errorf("target %q: unexpected brace in the path; only %s is allowed", u.Redacted(), inPath)
	case u.User != nil:
		return nil, fmt.Errorf("target %q: the URL must not contain a user or password; use the separate settings", u.Redacted())
	}
	if u.Path == "" || u.Path == "/" {
		u.Path = "/api/v1/push"
	}
	t := &target{url: u, inPath: strings.Contains(u.Path, inPath), age: o.ConnAge, conns: o.Conns, dial: o.Dial, egress: e, log: o.Logger}
	t.answer.Store(math.MinInt64) // never
	t.strangers = make(chan struct{}, o.Conns-o.Conns/4)
	return t, nil
}

// admit waits until a stranger may use a connection. It returns false if ctx is done before. If it
// returns true, the caller must call dismiss after the post.
//
// A stranger is a tenant whose last post got no response, or that has not posted yet. All strangers
// together can use three quarters of the connections. So however many tenants have a target that
// hangs, connections remain for the tenants that get responses.
func (t *target) admit(ctx context.Context) bool {
	select {
	case t.strangers <- struct{}{}:
		return true
	case <-ctx.Done():
		return false
	}
}

// dismiss ends the post of a stranger.
func (t *target) dismiss() { <-t.strangers }

// free returns how many more connections a tenant may use.
func (t *target) free(by *tenant) int {
	n := t.conns - int(t.busy.Load())
	if !by.known.Load() {
		n = min(n, cap(t.strangers)-len(t.strangers))
	}
	return n
}

// urlFor returns the URL for posts of a tenant.
func (t *target) urlFor(id string) *url.URL {
	if !t.inPath {
		return t.url
	}
	u := *t.url
	u.RawPath = strings.ReplaceAll(u.EscapedPath(), url.PathEscape(inPath), url.PathEscape(id))
	u.Path = strings.ReplaceAll(u.Path, inPath, id)
	return &u
}

// name returns the target's name in metrics and messages.
func (t *target) name() string { return t.url.Host + t.url.Path }

// roundTripper returns the current transport and proof. If the transport has reached its maximum
// age, or if keys or certificates have changed, roundTripper replaces it by a new transport. The
// connections of the old transport then end. New connections use the current DNS entries, and load
// balancers can distribute them.
func (t *target) roundTripper(now time.Time) (*http.Transport, *proof) {
	proof := t.egress.proof.Load()
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.transport == nil || now.Sub(t.born) > t.age || t.proof != proof {
		if old := t.transport; old != nil {
			old.CloseIdleConnections()
			time.AfterFunc(idleAfterSwap, old.CloseIdleConnections) // closes the connections that are busy now
		}
		t.transport, t.born, t.proof = newTransport(t.dial, t.conns, proof.tls), now, proof
	}
	return t.transport, proof
}

// close closes idle connections.
func (t *target) close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.transport != nil {
		t.transport.CloseIdleConnections()
	}
}

// dialer opens a connection.
type dialer func(ctx context.Context, network, address string) (net.Conn, error)

const idleAfterSwap = 30 * time.Second

func newTransport(dial dialer, conns int, secure *tls.Config) *http.Transport {
	return &http.Transport{
		DialContext:         dial,
		TLSClientConfig:     secure,
		TLSHandshakeTimeout: 5 * time.Second,
		MaxIdleConns:        conns,
		MaxIdleConnsPerHost: conns,
		MaxConnsPerHost:     conns,
		IdleConnTimeout:     idleAfterSwap,
		DisableCompression:  true,
		WriteBufferSize:     64 << 10, // a post of up to this size takes one system call, and no further copy buffer
		ReadBufferSize:      4 << 10,
		Protocols:           http1(),

		MaxResponseHeaderBytes: 64 << 10,
	}
}

func http1() *http.Protocols {
	p := new(http.Protocols)
	p.SetHTTP1(true)
	return p
}

// takesV2 reports whether the relay may send version 2 to the target.
func (t *target) takesV2(now time.Time) bool { return now.UnixNano() >= t.v1Until.Load() }

// hasAnswered reports whether the target has responded after the time `since`.
func (t *target) hasAnswered(since time.Time) bool { return t.answer.Load() > ticks(since) }

// post sends the body under the tenant's ID. If the result `released` is false, the transport may
// still read the body.
func (t *target) post(ctx context.Context, to *route, version remotewrite.Version, e Encoding, body []byte, attempt string) (res result, released bool) {
	transport, proof := t.roundTripper(time.Now())
	header := to.headers(proof, version, e)
	if attempt != "" {
		header = header.Clone()
		header.Set(attemptHeader, attempt)
	}
	t.busy.Add(1)
	defer t.busy.Add(-1)
	resp, released, err := roundTrip(ctx, transport, t.urlFor(to.id), header, body)
	if err != nil {
		t.complain(err)
		return unanswered(err), released
	}
	t.answer.Store(ticks(time.Now()))
	return t.read(resp), released
}

// unanswered returns the result of a post that ended with an error instead of a response. The text
// of the result may be sent to clients, so it does not contain the target's address.
func unanswered(err error) result {
	var timeout interface{ Timeout() bool }
	var op *net.OpError
	res := result{verdict: failed, text: "the target did not answer", down: errors.As(err, &op) && op.Op == "dial"}
	switch {
	case errors.Is(err, syscall.ECONNREFUSED):
		res.text = "the target refuses connections"
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &timeout) && timeout.Timeout():
		res.text, res.late = "the target did not answer in time", !res.down
	}
	return res
}

// complain logs an error. It logs at most one error every complainEvery seconds.
func (t *target) complain(err error) {
	now := time.Now().Unix()
	if last := t.logged.Load(); now-last >= complainEvery && t.logged.CompareAndSwap(last, now) {
		t.log.Warn("target does not respond", "target", t.name(), "error", err)
	}
}

const complainEvery = 10 // seconds

const (
	shownBody = 200             // maximum number of bytes of a response body that messages contain
	readBody  = 4 << 10         // maximum number of bytes of a response body that are read
	maxPause  = 2 * time.Minute // maximum Retry-After for a sender
)

// read reads the response to a post, and returns the result of the post.
func (t *target) read(resp *http.Response) result {
	defer resp.Body.Close()
	res := result{verdict: verdictOf(resp.StatusCode), status: resp.StatusCode, after: retryAfter(resp.Header.Get("Retry-After"))}
	res.late = resp.StatusCode == http.StatusGatewayTimeout || resp.StatusCode == http.StatusRequestTimeout
	res.told = resp.Header.Get(samplesHeader) != ""
	res.written = counts{
		Samples:    headerCount(resp.Header, samplesHeader),
		Histograms: headerCount(resp.Header, histogramsHeader),
		Exemplars:  headerCount(resp.Header, exemplarsHeader),
	}
	text := io.LimitReader(resp.Body, readBody)
	if resp.StatusCode == http.StatusSwitchingProtocols { // the body is the connection itself, and no context ends its reading
		text = http.NoBody
	}
	if res.verdict != taken {
		b, _ := io.ReadAll(text)
		res.bare = res.status == http.StatusBadRequest && bytes.Contains(b, bareSeries)
		shown := strings.ToValidUTF8(clipped(string(b), shownBody), "?")
		res.text = fmt.Sprintf("the target answered %d: %s", resp.StatusCode, cmp.Or(strings.TrimSpace(shown), http.StatusText(resp.StatusCode)))
	}
	if resp.ContentLength != 0 {
		io.Copy(io.Discard, text) // so that the connection can be reused
	}
	return res
}

// bareSeries is a part of the text with which Cortex and Prometheus reject a series of version 2
// that contains neither samples nor histograms. Senders such as Prometheus put exemplars into such
// series. Cortex then rejects the whole request. Prometheus rejects only these series, and stores
// all others.
var bareSeries = []byte("must contain at least one sample or histogram")

func verdictOf(status int) verdict {
	switch {
	case status >= 200 && status < 300:
		return taken
	case status == http.StatusTooManyRequests:
		return limited
	case status == http.StatusUnauthorized, status == http.StatusForbidden, status == http.StatusNotFound,
		status >= 300 && status < 400, status == http.StatusMethodNotAllowed:
		return forbidden
	case status == http.StatusRequestTimeout, status >= 500:
		return failed
	}
	return refused
}

func headerCount(h http.Header, name string) int64 {
	text := h.Get(name)
	if text == "" {
		return 0
	}
	n, err := strconv.ParseInt(text, 10, 32) // no request contains more
	if err != nil {
		return 0
	}
	return max(n, 0)
}

// retryAfter parses a Retry-After header, which contains seconds or a date. It returns at most
// maxPause.
func retryAfter(s string) time.Duration {
	if s == "" {
		return 0
	}
	var d time.Duration
	if n, err := strconv.ParseUint(s, 10, 32); err == nil {
		d = time.Duration(n) * time.Second
	} else if at, err := http.ParseTime(s); err == nil {
		d = time.Until(at)
	}
	return min(max(d, 0), maxPause)
}
