package testkit

import (
	"testing"
	"time"
)

// Patience is how long a test waits for what must happen: only one that hangs waits so long.
const Patience = 5 * time.Minute

// Eventually waits until ok returns true, for what another goroutine or process does.
func Eventually(t testing.TB, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(Patience); !ok(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("not within %v: %s", Patience, what)
		}
	}
}
