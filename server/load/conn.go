package load

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"time"
)

const (
	// idleLimit is how long a connection may lie idle and still be trusted. A server closes idle
	// connections after a while, and a request sent into one that is just closing would be in
	// doubt; dialling again costs nothing at such a pace.
	idleLimit = 2 * time.Second

	// rearm is how old a deadline gets before it is set again: setting it for each request is a
	// cost for nothing.
	rearm = time.Second

	// grace is how long a request under way may still take once the run is cancelled.
	grace = 500 * time.Millisecond
)

// conn is one keep-alive connection, dialled when needed.
type conn struct {
	target  *target
	timeout time.Duration
	dials   int64

	nc     net.Conn // nil: closed
	br     *bufio.Reader
	used   time.Time // when it was last taken for a request
	armed  time.Time // when the deadline was last set
	unhook func() bool
}

// open makes the connection ready for a request: it dials unless there is a fresh one. Cancelling
// ctx then cuts short what is under way on it. An error means that nothing was sent.
func (c *conn) open(ctx context.Context, now time.Time) error {
	if c.nc == nil || now.Sub(c.used) > idleLimit {
		c.close()
		if err := c.dial(ctx); err != nil {
			return err
		}
	}
	c.used = now
	if now.Sub(c.armed) <= rearm {
		return nil
	}
	c.armed = now
	err := c.nc.SetDeadline(now.Add(c.timeout))
	if err == nil {
		// A cancellation just before has set its own deadline, which the one above overwrote.
		err = ctx.Err()
	}
	if err != nil {
		c.close()
	}
	return err
}

func (c *conn) dial(ctx context.Context) error {
	nc, err := c.target.dial(ctx)
	if err != nil {
		return err
	}
	c.dials++
	c.nc, c.armed = nc, time.Time{}
	if c.br == nil {
		c.br = bufio.NewReaderSize(nc, lineBytes)
	} else {
		c.br.Reset(nc)
	}
	c.unhook = context.AfterFunc(ctx, func() { nc.SetDeadline(time.Now().Add(grace)) })
	return nil
}

func (c *conn) close() {
	if c.nc != nil {
		c.unhook()
		c.nc.Close()
		c.nc = nil
	}
}

// exchange writes a request to the open connection and reads the reply. After an error the
// connection is closed, and whether the server has acted on the request is unknown.
func (c *conn) exchange(wire []byte) (response, error) {
	_, unsent := c.nc.Write(wire)
	// A server may refuse a request and close before it has read the whole: then the write fails,
	// and the reply says why.
	r, err := readResponse(c.br)
	switch {
	case err != nil && unsent != nil:
		err = unsent
	case err != nil:
		err = fmt.Errorf("reading the reply: %w", noEOF(err))
	case unsent != nil || c.br.Buffered() > 0:
		r.closing = true
	}
	if err != nil || r.closing {
		c.close()
	}
	return r, err
}
