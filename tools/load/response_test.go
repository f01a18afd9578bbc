package load

import (
	"bufio"
	"strings"
	"testing"
	"testing/iotest"
	"time"
)

func TestReadResponse(t *testing.T) {
	const none = -1
	for _, c := range []struct {
		wire string
		want response
		left int // number of bytes that belong to the next response
	}{
		{"HTTP/1.1 204 No Content\r\n\r\nHTTP", response{status: 204, retryAfter: none}, 4},
		{"HTTP/1.1 204\r\n\r\n", response{status: 204, retryAfter: none}, 0},
		{"HTTP/1.1 204 No Content\nServer: x\n\n", response{status: 204, retryAfter: none}, 0},
		{"HTTP/1.1 204 No Content\r\nContent-Length: 9\r\n\r\n", response{status: 204, retryAfter: none}, 0},
		{"HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhelloHTTP", response{status: 200, retryAfter: none}, 4},
		{"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: Keep-Alive, Close\r\n\r\n", response{status: 200, closing: true, retryAfter: none}, 0},
		{"HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n", response{status: 200, closing: true, retryAfter: none}, 0},
		{"HTTP/1.1 200 OK\r\n\r\nto the end", response{status: 200, closing: true, retryAfter: none}, 0},
		{"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n", response{status: 204, retryAfter: none}, 0},
		{"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n10;x=y\r\n0123456789abcdef\r\n0\r\nT: x\r\n\r\nHTTP",
			response{status: 200, retryAfter: none}, 4},
		{"HTTP/1.1 429 Busy\r\nRetry-After: 7\r\nContent-Length: 12\r\n\r\nslow\r\ndown\r\n", response{status: 429, retryAfter: 7 * time.Second, text: "slow\r"}, 0},
		{"HTTP/1.1 503 Busy\r\nRetry-After: Wed, 21 Oct 2015 07:28:00 GMT\r\nContent-Length: 0\r\n\r\n", response{status: 503, retryAfter: 0}, 0},
		{"HTTP/1.1 503 Busy\r\nRetry-After: soon\r\nContent-Length: 0\r\n\r\n", response{status: 503, retryAfter: none}, 0},
		{"HTTP/1.1 400 Bad\r\nContent-Length: 2000\r\n\r\n" + strings.Repeat("x", 2000), response{status: 400, retryAfter: none, text: strings.Repeat("x", keptBytes)}, 0},
	} {
		for name, br := range map[string]*bufio.Reader{
			"whole":   bufio.NewReaderSize(strings.NewReader(c.wire), lineBytes),
			"by byte": bufio.NewReaderSize(iotest.OneByteReader(strings.NewReader(c.wire)), lineBytes),
		} {
			got, err := readResponse(br)
			if err != nil || got != c.want {
				t.Errorf("%s, %q: %+v, %v; want %+v", name, c.wire, got, err, c.want)
			}
			rest, _ := br.Peek(lineBytes)
			if len(rest) != c.left {
				t.Errorf("%s, %q: %q left, want %d bytes", name, c.wire, rest, c.left)
			}
		}
	}
}

func TestReadResponseErrors(t *testing.T) {
	for _, wire := range []string{
		"",
		"HTTP/1.1 2",
		"HTTP/2 200\r\n\r\n",
		"HTTP/1.1 20x OK\r\n\r\n",
		"HTTP/1.1 099 Low\r\n\r\n",
		"HTTP/1.1 2000 High\r\n\r\n",
		"SSH-2.0-OpenSSH\r\n\r\n",
		"HTTP/1.1 101 Switching Protocols\r\n\r\n",
		"HTTP/1.1 204 No Content\r\nServer: x\r\n",
		"HTTP/1.1 204 No Content\r\nno colon\r\n\r\n",
		"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhell",
		"HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n",
		"HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\n",
		"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nxx",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n",
		"HTTP/1.1 200 OK\r\nX: " + strings.Repeat("x", lineBytes) + "\r\n\r\n",
		"HTTP/1.1 200 OK\r\n" + strings.Repeat("X: x\r\n", headerLines+1) + "\r\n",
	} {
		r, err := readResponse(bufio.NewReaderSize(strings.NewReader(wire), lineBytes))
		if err == nil {
			t.Errorf("%.60q: %+v, want an error", wire, r)
		}
	}
}

// readResponse does not panic, and does not read beyond the end of a response.
func FuzzReadResponse(f *testing.F) {
	f.Add("HTTP/1.1 204 No Content\r\nRetry-After: 1\r\n\r\n")
	f.Add("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n")
	f.Add("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 500 No\r\nContent-Length: 3\r\n\r\nabc")
	f.Fuzz(func(t *testing.T, wire string) {
		br := bufio.NewReaderSize(strings.NewReader(wire), lineBytes)
		first, err := readResponse(br)
		if err != nil || first.closing {
			return
		}
		rest, _ := br.Peek(br.Buffered())
		again := wire[:len(wire)-len(rest)]
		if len(wire) > lineBytes {
			return // bytes beyond the buffer are not visible here
		}
		second, err := readResponse(bufio.NewReaderSize(strings.NewReader(again+"next"), lineBytes))
		if err != nil || first.status != second.status || first.text != second.text {
			t.Errorf("%q: %+v alone, %+v, %v with more after", again, first, second, err)
		}
	})
}
