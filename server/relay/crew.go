package relay

import "sync/atomic"

// crew runs functions on goroutines that stay: their stacks have grown to what a post takes.
type crew struct {
	work  chan func()
	idle  atomic.Int32
	ended chan struct{} // closed by close
}

// maxIdle is how many stay.
const maxIdle = 256

func newCrew() *crew { return &crew{work: make(chan func()), ended: make(chan struct{})} }

func (c *crew) run(fn func()) {
	select {
	case c.work <- fn:
	default:
		go c.serve(fn)
	}
}

func (c *crew) serve(fn func()) {
	for {
		fn()
		if c.idle.Add(1) > maxIdle {
			c.idle.Add(-1)
			return
		}
		select {
		case fn = <-c.work:
			c.idle.Add(-1)
		case <-c.ended:
			return
		}
	}
}

// close lets those go that have nothing to do. What still comes is done all the same: a request may
// outlive the time that it is given to end.
func (c *crew) close() { close(c.ended) }
