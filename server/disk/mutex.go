package disk

import "sync"

// Mutex is a lock that may be held while the disk is waited for. It differs from sync.Mutex in one thing: the clock of a synctest
// bubble goes on while goroutines wait for it, so that a test can have a slow disk. The zero Mutex is not locked.
type Mutex struct {
	mu   sync.Mutex
	free sync.Cond // held is false
	held bool
}

func (m *Mutex) Lock() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.free.L = &m.mu
	for m.held {
		m.free.Wait()
	}
	m.held = true
}

func (m *Mutex) Unlock() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.held {
		panic("disk: Unlock of a Mutex that is not locked")
	}
	m.held = false
	m.free.Signal()
}
