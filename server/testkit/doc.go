// Package testkit holds what tests of several packages of the service share. Only tests import it.
//
//	kill.go  processes that are killed while they work
//	wait.go  waiting for what must happen
package testkit
