package load

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"time"
)

const (
	// idleLimit is the maximum idle time of a connection that is used again. A server closes idle
	// connections after some time, and the outcome of a request on a closing connection would be
	// unknown. After such a long pause, the cost of dialing again does not matter.
	idleLimit = 2 * time.Second

	// rearm is the age at which a deadline is set again. Setting the deadline for each request
	// would only waste CPU time.
	rearm = time.Second

	// grace is the maximum time for the current request to finish after the run is canceled.
	grace = 500 * time.Millisecond
)

// conn is one keep-alive connection. It is dialed when needed.
type conn struct {
	target  *target
	timeout time.Duration
	dials   int64

	nc     net.Conn // nil if closed
	br     *bufio.Reader
	used   time.Time // start of the latest request
	armed  time.Time // time when the deadline was last set
	unhook func() bool
}

// open makes the connection ready for a request. It dials unless the connection was used recently.
// If ctx is canceled later, the current request is aborted. If open returns an error, nothing was
// sent.
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
		// If ctx was canceled just before, SetDeadline has overwritten the deadline of the
		// cancellation.
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

// exchange writes a request to the open connection and reads the reply. After an error, the
// connection is closed, and it is unknown whether the server has processed the request.
func (c *conn) exchange(wire []byte) (response, error) {
	_, unsent := c.nc.Write(wire)
	// A server may reject a request and close the connection before it has read the whole request.
	// Then the write fails, and the reply contains the reason.
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
