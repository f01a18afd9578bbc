package relay

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"sync"
	"sync/atomic"
)

// posting tracks whether the transport still uses the body of a post. The transport may read the
// body even after it has returned a response or an error. The memory of the body may be reused only
// when the transport has finished writing on each connection on which it began to write. Otherwise,
// bytes of another tenant could be sent under the ID of this tenant. As an alternative, the body
// could have a Close method that reports the end. But for such a body, the transport sends the
// headers in a separate packet.
type posting struct {
	trace httptrace.ClientTrace
	begun atomic.Int32 // number of connections on which the request began
	ended atomic.Int32 // number of these connections on which writing has ended
}

var postings = sync.Pool{New: func() any {
	p := new(posting)
	p.trace.GotConn = func(httptrace.GotConnInfo) { p.begun.Add(1) }
	p.trace.WroteRequest = func(httptrace.WroteRequestInfo) { p.ended.Add(1) }
	return p
}}

// roundTrip posts the body. If the result `released` is false, the transport may still read the
// body.
func roundTrip(ctx context.Context, by http.RoundTripper, to *url.URL, h http.Header, body []byte) (resp *http.Response, released bool, err error) {
	p := postings.Get().(*posting)
	req := (&http.Request{
		Method: http.MethodPost, URL: to, Host: to.Host, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: h, ContentLength: int64(len(body)),
		Body: io.NopCloser(bytes.NewReader(body)),
		// GetBody serves a retry if the target closed a connection before any byte was sent.
		GetBody: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil },
	}).WithContext(httptrace.WithClientTrace(ctx, &p.trace))
	resp, err = by.RoundTrip(req)
	if released = p.begun.Load() == p.ended.Load(); released {
		p.begun.Store(0)
		p.ended.Store(0)
		postings.Put(p)
	}
	return resp, released, err
}
