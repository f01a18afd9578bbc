package load

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"time"
)

const dialTimeout = 5 * time.Second

// defaultPush is the path for Remote Write if the URL has no path. Cortex and Mimir use this path.
const defaultPush = "/api/v1/push"

// target contains the address of the service, and the parts that all requests have in common.
type target struct {
	base    string         // the URL as given by the user, for messages
	addr    netip.AddrPort // resolved once, so that every connection uses the address that was checked
	host    string         // the Host header
	path    string         // prefix of all paths, without a slash at the end
	metrics string         // URL of the server's metrics
	token   string         // empty if there is no token
	tls     *tls.Config    // nil for plain HTTP
	headers string         // headers that all requests contain
}

// newTarget resolves the URL. Unless AnyHost is set, each resolved address must be a loopback
// address.
func newTarget(ctx context.Context, o *Options) (*target, error) {
	u, err := url.Parse(o.URL)
	switch {
	case err != nil, u.Scheme != "http" && u.Scheme != "https", u.Hostname() == "":
		return nil, fmt.Errorf("--url %q: must be http://host:port or https://host:port", o.URL)
	case u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return nil, fmt.Errorf("--url %q: must have no user, query or fragment; use --token for a token", u.Redacted())
	}
	port := uint16(80)
	if u.Scheme == "https" {
		port = 443
	}
	if s := u.Port(); s != "" {
		n, err := strconv.ParseUint(s, 10, 16)
		if err != nil {
			return nil, fmt.Errorf("--url %q: port %s is out of range", o.URL, s)
		}
		port = uint16(n)
	}
	ips, err := net.DefaultResolver.LookupNetIP(ctx, "ip", u.Hostname())
	if err != nil {
		return nil, fmt.Errorf("--url %q: %w", o.URL, err)
	}
	for _, ip := range ips {
		if !o.AnyHost && !ip.Unmap().IsLoopback() {
			return nil, fmt.Errorf("--url %q: %s is not this machine; add --any-host to send there", o.URL, ip)
		}
	}
	t := &target{
		base: strings.TrimSuffix(o.URL, "/"),
		host: u.Host,
		path: strings.TrimSuffix(u.EscapedPath(), "/"),
	}
	t.metrics, t.token = t.base+"/metrics", o.Token
	if o.remoteWrite() {
		// The URL contains the path of one endpoint, but metrics are at /metrics of the host.
		t.metrics = u.Scheme + "://" + u.Host + "/metrics"
		if t.path == "" {
			t.path = defaultPush
			t.base += defaultPush
		}
	}
	if u.Scheme == "https" {
		t.tls = o.TLS.Clone()
		if t.tls == nil {
			t.tls = new(tls.Config)
		}
		if t.tls.ServerName == "" {
			t.tls.ServerName = u.Hostname()
		}
		t.tls.NextProtos = []string{"http/1.1"}
	}
	t.headers = "Host: " + t.host + "\r\nUser-Agent: slipstream-load\r\n"
	if o.Token != "" {
		t.headers += "Authorization: Bearer " + o.Token + "\r\n"
	}
	return t, t.choose(ctx, ips, port)
}

// choose selects the first address that accepts a connection.
func (t *target) choose(ctx context.Context, ips []netip.Addr, port uint16) (err error) {
	for _, ip := range ips {
		t.addr = netip.AddrPortFrom(ip.Unmap(), port)
		var c net.Conn
		if c, err = t.dial(ctx); err == nil {
			return c.Close()
		}
	}
	return fmt.Errorf("nothing answers at %s: start the service, or give its address with --url: %w", t.base, err)
}

func (t *target) dial(ctx context.Context) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	var d net.Dialer
	c, err := d.DialContext(ctx, "tcp", t.addr.String())
	if err != nil || t.tls == nil {
		return c, err
	}
	secure := tls.Client(c, t.tls)
	if err := secure.HandshakeContext(ctx); err != nil {
		c.Close()
		return nil, err
	}
	return secure, nil
}

// appendPost appends the head of a POST request for the given path with a body of n bytes. The path
// may include a query.
func (t *target) appendPost(dst []byte, path, headers string, n int) []byte {
	return t.appendHead(dst, "POST", path, headers, n)
}

func (t *target) appendHead(dst []byte, method, path, headers string, n int) []byte {
	dst = append(append(dst, method...), ' ')
	dst = append(dst, t.path...)
	dst = append(dst, path...)
	dst = append(dst, " HTTP/1.1\r\n"...)
	dst = append(dst, t.headers...)
	dst = append(dst, headers...)
	dst = append(dst, "Content-Length: "...)
	dst = strconv.AppendInt(dst, int64(n), 10)
	return append(dst, "\r\n\r\n"...)
}
