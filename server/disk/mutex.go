package disk

import (
	"sync"
	"sync/atomic"
)

// Mutex is a lock that may be held while the disk is waited for. It differs from sync.Mutex in one
// thing: the clock of a synctest bubble goes on while goroutines wait for it, so that a test can
// have a slow disk. The zero Mutex is not locked.
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

// RWMutex is to sync.RWMutex what Mutex is to sync.Mutex. The zero RWMutex is not locked.
type RWMutex struct {
	readers atomic.Int64 // that hold it, less mostReaders while a writer holds it or waits for them
	mu      sync.Mutex
	change  sync.Cond // a writer has come to its end, or the last reader that it waits for
	writing bool      // a writer holds it or waits for readers
}

const mostReaders = 1 << 30

func (m *RWMutex) RLock() {
	for m.readers.Add(1) <= 0 {
		m.RUnlock()
		m.mu.Lock()
		m.change.L = &m.mu
		for m.writing {
			m.change.Wait()
		}
		m.mu.Unlock()
	}
}

func (m *RWMutex) RUnlock() {
	if m.readers.Add(-1) == -mostReaders {
		m.mu.Lock()
		m.change.Broadcast()
		m.mu.Unlock()
	}
}

func (m *RWMutex) Lock() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.change.L = &m.mu
	for m.writing {
		m.change.Wait()
	}
	m.writing = true
	for m.readers.Add(-mostReaders); m.readers.Load() != -mostReaders; {
		m.change.Wait()
	}
}

func (m *RWMutex) Unlock() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.writing {
		panic("disk: Unlock of an RWMutex that is not locked")
	}
	m.writing = false
	m.readers.Add(mostReaders)
	m.change.Broadcast()
}
