package ingest

import (
	"errors"
	"io"
	"net/http"
	"os"
)

const (
	firstBuffer = 32 << 10 // for a body of unknown length
	keptBuffer  = 1 << 20  // larger ones are left to the garbage collector
)

// readBody reads the whole body into q.body, with room for what stands behind it in the log. The memory is taken from the budget before it
// is used: at once when the length is known, as it grows when it is not.
func (q *request) readBody(r *http.Request) error {
	if r.ContentLength < 0 {
		return q.readChunked(r.Body)
	}
	n := int(r.ContentLength) // admit has compared it with the limit
	if size := n + q.behind(); cap(q.body) < size {
		q.body = make([]byte, size)
	}
	q.body = q.body[:n]
	if got, err := io.ReadFull(r.Body, q.body); err != nil {
		return errReading(err, got, n)
	}
	return nil
}

func (q *request) readChunked(body io.Reader) error {
	most, behind := q.handler.limits.Body, int64(q.behind())
	q.body = q.body[:0]
	room := max(int64(cap(q.body))-behind, 0) // for the body; admit has taken the rest
	if err := q.take(room); err != nil {
		return err
	}
	for {
		have := int64(len(q.body))
		if have == room {
			more := min(max(have, firstBuffer), most+1-have)
			if err := q.take(more); err != nil {
				return err
			}
			room += more
			q.body = append(make([]byte, 0, room+behind), q.body...)
		}
		n, err := body.Read(q.body[have:room])
		q.body = q.body[:len(q.body)+n]
		switch {
		case int64(len(q.body)) > most:
			return errBodyLimit(most)
		case err == io.EOF:
			return nil
		case err != nil:
			return errReading(err, len(q.body), -1)
		}
	}
}

func errBodyLimit(most int64) error {
	return refuse(TooLarge, "the body has more than %d bytes: send smaller batches, or compress them", most)
}

func errReading(err error, got, want int) error {
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded):
		return refuse(TimedOut, "the body did not arrive in time: %d bytes did", got)
	case want >= 0:
		return invalid("the body ended after %d of %d bytes: send it again", got, want)
	}
	return invalid("the body ended after %d bytes, in the middle: send it again", got)
}

// inflate decompresses q.body into q.plain.
func (q *request) inflate(c Compression) error {
	if err := q.take(int64(cap(q.plain))); err != nil {
		return err
	}
	var err error
	q.plain, err = inflate(q.plain, q.body, c, q.handler.limits.decompressed(len(q.body)), q.take)
	return err
}

// take takes n more bytes from the budget.
func (q *request) take(n int64) error {
	if q.handler.flight.Take(&q.held, n) {
		return nil
	}
	return errInFlight()
}

func errInFlight() error {
	return refuse(Overloaded, "the service has as many requests in hand as its memory allows: send this one again later")
}
