package disk

import (
	"sync"
	"sync/atomic"
)

// Mutex is a lock that may be held during calls of the disk. It differs from sync.Mutex in one way:
// the clock of a synctest bubble advances while goroutines wait for the lock. So a test can
// simulate a slow disk. The zero Mutex is not locked.
type Mutex struct {
	mu   sync.Mutex
	free sync.Cond // signalled when held becomes false
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

// RWMutex is a reader/writer lock. It differs from sync.RWMutex in the same way as Mutex differs
// from sync.Mutex. The zero RWMutex is not locked.
type RWMutex struct {
	readers atomic.Int64 // number of readers that hold the lock, minus mostReaders while a writer holds the lock or waits for readers
	mu      sync.Mutex
	change  sync.Cond // signalled when a writer unlocks, and when the last reader that a writer waits for unlocks
	writing bool      // a writer holds the lock or waits for readers
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
