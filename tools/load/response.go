package load

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httputil"
	"strconv"
	"strings"
	"time"
)

// These constants limit the size of a reply.
const (
	lineBytes   = 8 << 10 // size of the buffer; a line of the head must fit into it
	headerLines = 200
	keptBytes   = 512 // maximum part of an unsuccessful reply's body that is kept for the message, in bytes
)

// response contains the parts of a reply that a worker needs.
type response struct {
	status     int
	closing    bool          // the connection cannot be reused
	retryAfter time.Duration // negative if not given
	text       string        // first line of the body of an unsuccessful reply
}

func (r *response) ok() bool { return r.status >= 200 && r.status <= 299 }

// framing contains the headers that determine the end of the body.
type framing struct {
	length  int64 // negative if not given
	chunked bool
}

// readResponse reads one complete reply. It skips interim (1xx) replies that precede the reply.
func readResponse(br *bufio.Reader) (response, error) {
	for {
		r, body, err := readHead(br)
		if err != nil {
			return response{}, err
		}
		if r.status >= 200 {
			return r, readBody(br, &r, body)
		}
		if r.status == http.StatusSwitchingProtocols {
			return response{}, errors.New("reply switches protocols, which was not requested")
		}
	}
}

func readHead(br *bufio.Reader) (r response, body framing, err error) {
	line, err := readLine(br)
	if err != nil {
		return r, body, err
	}
	// An example of a status line is: HTTP/1.1 204 No Content
	if len(line) < 12 || !bytes.HasPrefix(line, []byte("HTTP/1.")) || line[8] != ' ' || (len(line) > 12 && line[12] != ' ') {
		return r, body, fmt.Errorf("not an HTTP/1 reply: %.40q", line)
	}
	r.closing = line[7] == '0'
	r.status, err = strconv.Atoi(string(line[9:12]))
	if err != nil || r.status < 100 {
		return r, body, fmt.Errorf("not an HTTP status: %.40q", line)
	}
	r.retryAfter, body.length = -1, -1
	for range headerLines {
		line, err := readLine(br)
		if err != nil {
			return r, body, noEOF(err)
		}
		if len(line) == 0 {
			return r, body, nil
		}
		name, value, ok := bytes.Cut(line, []byte(":"))
		if !ok {
			return r, body, fmt.Errorf("reply has a header line without a colon: %.40q", line)
		}
		if err := r.header(&body, name, bytes.TrimSpace(value)); err != nil {
			return r, body, err
		}
	}
	return r, body, fmt.Errorf("reply has more than %d headers", headerLines)
}

// header evaluates one header. Only a few headers are relevant here. Their lengths distinguish them
// from nearly all other headers.
func (r *response) header(body *framing, name, value []byte) error {
	switch {
	case is(name, "content-length"):
		n, err := strconv.ParseInt(string(value), 10, 64)
		if err != nil || n < 0 || (body.length >= 0 && body.length != n) {
			return fmt.Errorf("reply has a bad Content-Length: %.40q", value)
		}
		body.length = n
	case is(name, "transfer-encoding"):
		if !is(value, "chunked") {
			return fmt.Errorf("reply has a Transfer-Encoding that is not chunked: %.40q", value)
		}
		body.chunked = true
	case is(name, "connection"):
		for token := range strings.SplitSeq(string(value), ",") {
			r.closing = r.closing || strings.EqualFold(strings.TrimSpace(token), "close")
		}
	case is(name, "retry-after"):
		if seconds, err := strconv.ParseUint(string(value), 10, 31); err == nil {
			r.retryAfter = time.Duration(seconds) * time.Second
		} else if at, err := http.ParseTime(string(value)); err == nil {
			r.retryAfter = max(0, time.Until(at))
		}
	}
	return nil
}

// is reports whether b equals s, ignoring case. The argument s must be a lower-case ASCII word.
func is(b []byte, s string) bool { return len(b) == len(s) && strings.EqualFold(string(b), s) }

// readBody reads the body to its end, so that the next reply can be read from br. It keeps the
// first line of an unsuccessful reply.
func readBody(br *bufio.Reader, r *response, f framing) error {
	var body io.Reader
	switch {
	case r.status == http.StatusNoContent || r.status == http.StatusNotModified:
		return nil
	case f.chunked:
		body = httputil.NewChunkedReader(br)
	case f.length == 0:
		return nil
	case f.length > 0:
		body = io.LimitReader(br, f.length)
	default:
		body, r.closing = br, true
	}
	kept, err := io.ReadAll(io.LimitReader(body, keptBytes))
	if err != nil {
		return err
	}
	if !r.ok() {
		line, _, _ := strings.Cut(strings.TrimSpace(string(kept)), "\n")
		r.text = strings.ToValidUTF8(line, "�")
	}
	rest, err := io.Copy(io.Discard, body)
	switch {
	case err != nil:
		return err
	case f.chunked:
		return skipTrailers(br)
	case f.length > 0 && int64(len(kept))+rest < f.length:
		return io.ErrUnexpectedEOF
	}
	return nil
}

func skipTrailers(br *bufio.Reader) error {
	for range headerLines {
		line, err := readLine(br)
		if err != nil {
			return noEOF(err)
		}
		if len(line) == 0 {
			return nil
		}
	}
	return fmt.Errorf("reply has more than %d trailers", headerLines)
}

// readLine returns the next line without its line ending. The line is valid until the next read.
func readLine(br *bufio.Reader) ([]byte, error) {
	line, err := br.ReadSlice('\n')
	switch {
	case err == bufio.ErrBufferFull:
		return nil, fmt.Errorf("reply has a line of more than %d bytes", br.Size())
	case err == io.EOF && len(line) > 0:
		return nil, io.ErrUnexpectedEOF
	case err != nil:
		return nil, err
	}
	line = line[:len(line)-1]
	return bytes.TrimSuffix(line, []byte("\r")), nil
}

// noEOF returns err, or io.ErrUnexpectedEOF instead of io.EOF. It is used where the input must not
// end.
func noEOF(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}
