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

// posting is a post that the transport works on. The transport may read its body after it has given
// an answer or an error: only when it has written the request, each time that it began to, may the
// bytes be used for something else, which would otherwise go out under this tenant's name. A body
// that tells when it is closed would do too, but then the head goes out in a packet of its own.
type posting struct {
	trace httptrace.ClientTrace
	begun atomic.Int32 // connections that the request was given to
	ended atomic.Int32 // those that are done with it
}

var postings = sync.Pool{New: func() any {
	p := new(posting)
	p.trace.GotConn = func(httptrace.GotConnInfo) { p.begun.Add(1) }
	p.trace.WroteRequest = func(httptrace.WroteRequestInfo) { p.ended.Add(1) }
	return p
}}

// roundTrip posts body. If released is false, the transport may still read it.
func roundTrip(ctx context.Context, by http.RoundTripper, to *url.URL, h http.Header, body []byte) (resp *http.Response, released bool, err error) {
	p := postings.Get().(*posting)
	req := (&http.Request{
		Method: http.MethodPost, URL: to, Host: to.Host, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: h, ContentLength: int64(len(body)),
		Body: io.NopCloser(bytes.NewReader(body)),
		// For a connection that the target closed before a byte went out.
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
