package relay

import (
	"mime"
	"net/http"
	"strconv"
	"strings"

	"github.com/slipstream-go/slipstream/remotewrite"
)

// Headers of the protocol.
const (
	versionHeader   = "X-Prometheus-Remote-Write-Version"
	vmVersionHeader = "X-Victoriametrics-Remote-Write-Version"
	attemptHeader   = "Retry-Attempt"

	samplesHeader    = "X-Prometheus-Remote-Write-Samples-Written"
	histogramsHeader = "X-Prometheus-Remote-Write-Histograms-Written"
	exemplarsHeader  = "X-Prometheus-Remote-Write-Exemplars-Written"
)

// Content types and version headers, by version.
var (
	contentTypes = [...]string{
		remotewrite.V1: "application/x-protobuf",
		remotewrite.V2: "application/x-protobuf;proto=io.prometheus.write.v2.Request",
	}
	versionNumbers = [...]string{remotewrite.V1: "0.1.0", remotewrite.V2: "2.0.0"}
)

// dialect describes the body and the sender of a request, according to the headers.
type dialect struct {
	version  remotewrite.Version
	encoding Encoding
	vmagent  bool // the sender is vmagent, which drops a request only after 409
}

// dialectOf parses the headers. For an unsupported Content-Encoding or Content-Type, it returns an
// error with the status 415. It checks the two headers in this order, like Prometheus.
func dialectOf(h http.Header) (d dialect, err *refusal) {
	switch e := h.Get("Content-Encoding"); e {
	case "", "snappy":
	case "zstd":
		d.encoding = Zstd
	default:
		return d, refuse(WrongType, "Content-Encoding %q: use snappy or zstd", clip(e))
	}
	// vmagent sends its own version header. Older versions of vmagent do not, but no other sender
	// uses zstd.
	d.vmagent = d.encoding == Zstd || h.Get(vmVersionHeader) != "" || strings.HasPrefix(h.Get("User-Agent"), "vmagent")
	d.version, err = versionOf(h.Get("Content-Type"))
	return d, err
}

func versionOf(contentType string) (remotewrite.Version, *refusal) {
	switch contentType {
	case "", contentTypes[remotewrite.V1]:
		return remotewrite.V1, nil
	case contentTypes[remotewrite.V2]:
		return remotewrite.V2, nil
	}
	media, params, err := mime.ParseMediaType(contentType)
	if err == nil && media == contentTypes[remotewrite.V1] {
		switch params["proto"] {
		case "", "prometheus.WriteRequest":
			return remotewrite.V1, nil
		case "io.prometheus.write.v2.Request":
			return remotewrite.V2, nil
		}
	}
	return 0, refuse(WrongType, "Content-Type %q: use application/x-protobuf, with proto=prometheus.WriteRequest or io.prometheus.write.v2.Request", clip(contentType))
}

// attemptOf returns the sender's Retry-Attempt header, or an empty string if it is not a positive
// number. The relay sends this value in the posts of all tenants.
func attemptOf(h http.Header) string {
	s := h.Get(attemptHeader)
	if n, err := strconv.ParseUint(s, 10, 32); err != nil || n == 0 {
		return ""
	}
	return s
}

// clip prepares a text from a client or target for messages: it shortens the text, and removes
// control characters.
func clip(s string) string { return clipped(s, 64) }

// clipBytes is like clip, for bytes that may be very long.
func clipBytes(b []byte) string { return clip(string(b[:min(len(b), 100)])) }

func clipped(s string, most int) string {
	if len(s) > most {
		s = s[:most] + "…"
	}
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return '?'
		}
		return r
	}, s)
}
