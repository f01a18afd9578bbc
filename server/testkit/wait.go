package testkit

import (
	"testing"
	"time"
)

// Patience is the maximum time that a test waits for an event. Only a hanging test waits this long.
const Patience = 5 * time.Minute

// Eventually waits until the function `ok` returns true. If this takes longer than [Patience], the
// test fails. Use it to wait for another goroutine or process.
func Eventually(t testing.TB, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(Patience); !ok(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("not within %v: %s", Patience, what)
		}
	}
}
