package relay

import "sync/atomic"

// crew is a pool of goroutines that run functions. Idle goroutines are kept, because their stacks
// have already grown to the size that a post needs.
type crew struct {
	work  chan func()
	idle  atomic.Int32
	ended chan struct{} // closed by the method `close`
}

// maxIdle is the maximum number of idle goroutines.
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

// close ends the idle goroutines. Later calls of the method `run` still work, because requests may
// still run when the time limit of a shutdown has passed.
func (c *crew) close() { close(c.ended) }
