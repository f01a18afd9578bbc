package json

// This file decodes NDJSON, which contains one value per line.

import (
	"bytes"
	"errors"
	"io"
	"iter"
	"strconv"

	"github.com/slipstream-go/slipstream/internal/buffer"
)

// ErrLineTooLong is the cause of a [LineError] for a line that is longer than the maximum.
var ErrLineTooLong = errors.New("the line is too long")

// A LineError reports an error in a line of NDJSON, and wraps its cause.
type LineError struct {
	Line  int // the number of the line, counted from 1
	Cause error
}

func (e *LineError) Error() string {
	return "json: line " + strconv.Itoa(e.Line) + ": " + e.Cause.Error()
}

func (e *LineError) Unwrap() error { return e.Cause }

// Lines returns an iterator over the values in r, which contains one value per line (NDJSON, also
// called JSON Lines). It skips lines that contain only white space.
//
// The iterator's memory use is limited to about twice the length of the longest recent line. It
// skips lines of more than max bytes, and yields a [LineError] for each of them. If max is 0, the
// maximum is 1 MiB. For a line that cannot be decoded, it also yields a LineError, together with
// the decoded part of the value, and continues with the next line. If r returns an error, the
// iterator yields this error unchanged, and ends.
//
//	for event, err := range json.Lines[Event](body, 0) { … }
func Lines[T any](r io.Reader, max int) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		l := lines{r: r, max: max}
		if max <= 0 {
			l.max = 1 << 20
		}
		for {
			text, fits, err := l.next()
			var v T
			switch {
			case err == io.EOF:
				return
			case err != nil:
				yield(v, err)
				return
			case !fits:
				err = ErrLineTooLong
			case len(bytes.TrimLeft(text, " \t\r")) == 0:
				continue
			default:
				v, err = UnmarshalOf[T](text)
			}
			if err != nil {
				err = &LineError{l.line, err}
			}
			if !yield(v, err) {
				return
			}
		}
	}
}

// lines splits a stream into lines.
//
//	buf  [read before | the next lines … | free]
//	      0            start   seen       len  cap      0 ≤ start ≤ seen ≤ len; no line ends in buf[start:seen]
type lines struct {
	r           io.Reader
	max         int
	buf         []byte
	start, seen int
	line        int // the number of the last line that was returned
	filled      buffer.Peak
	err         error
}

// next returns the next line without the line end. The line is valid until the next call. If the
// line is longer than max bytes, `fits` is false and `text` is nil. The result `err` is an error
// from r.
func (l *lines) next() (text []byte, fits bool, err error) {
	tooLong := false
	for {
		if n := bytes.IndexByte(l.buf[l.seen:], '\n'); n >= 0 {
			text = l.buf[l.start : l.seen+n]
			l.start = l.seen + n + 1
			l.seen = l.start
			break
		}
		l.seen = len(l.buf)
		if l.err != nil {
			text = l.buf[l.start:]
			l.start = l.seen
			if l.err == io.EOF && (len(text) > 0 || tooLong) {
				break
			}
			return nil, false, l.err
		}
		if len(l.buf)-l.start > l.max {
			l.start, tooLong = l.seen, true
		}
		l.refill()
	}
	l.line++
	if tooLong || len(text) > l.max {
		return nil, false, nil
	}
	return text, true, nil
}

func (l *lines) refill() {
	const least, kept = 4 << 10, 64 << 10
	rest := l.buf[l.start:]
	if l.filled.TooLarge(len(l.buf), cap(l.buf), kept) {
		l.buf = make([]byte, 0, len(rest)+least)
	}
	n := copy(l.buf[:cap(l.buf)], rest)
	l.buf, l.seen, l.start = l.buf[:n], l.seen-l.start, 0
	if cap(l.buf)-n < least {
		grown := make([]byte, n, 2*cap(l.buf)+least)
		copy(grown, l.buf)
		l.buf = grown
	}
	var read int
	read, l.err = l.r.Read(l.buf[n:cap(l.buf)])
	l.buf = l.buf[:n+read]
}
