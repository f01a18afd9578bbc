// Package testkit contains helpers for tests of several packages. Only tests import it.
//
//	kill.go      processes that are killed while they work
//	wait.go      waiting for events
//	compress.go  compressed bodies
//	memory.go    how much a function allocates
package testkit
