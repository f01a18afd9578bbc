package testkit

import (
	"testing"
	"time"
)

// Patience is the maximum time that a test waits for an event. Only a test that hangs waits so
// long.
const Patience = 5 * time.Minute

// Eventually waits until ok returns true, or fails the test after Patience. Use it to wait for
// another goroutine or process.
func Eventually(t testing.TB, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(Patience); !ok(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("not within %v: %s", Patience, what)
		}
	}
}
