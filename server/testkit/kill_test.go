package testkit

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"
)

// works are what a process does after three lines, by the number from which it counts, and the
// error that the kill ends with.
var works = []struct {
	do   func()
	want string
}{
	{func() {
		for n := 3; ; n++ {
			fmt.Println(n)
		}
	}, ""},
	{func() { os.Exit(0) }, "ended by itself after 3 lines: <nil>"},
	{func() {
		if p, err := os.FindProcess(os.Getpid()); err == nil {
			p.Kill()
		}
		time.Sleep(time.Minute)
	}, "ended by itself after 3 lines: signal: killed"},
	{func() { panic("of a test") }, "panic: of a test"},
	{func() { Fail("of a test") }, `says "failed: of a test"`},
	{func() {}, `says "failed: the work has come to its end"`},
	{func() { fmt.Println("nonsense\nand why") }, "says \"nonsense\"\nand why"},
}

// A process is killed at its line, and one that ends by itself, that fails or that says what it
// should not is told apart.
func TestKill(t *testing.T) {
	dir := t.TempDir()
	Killed(func(in string, first int) {
		for n := range 3 {
			fmt.Println(n)
		}
		if _, err := os.Stat(in); err != nil {
			Fail(err)
		}
		works[first].do()
	})
	for first, work := range works {
		lines := 0
		err := kill(t.Name(), dir, first, 3, func(line string) bool {
			lines++
			_, err := strconv.Atoi(line)
			return err == nil || strings.HasPrefix(line, failure) // Kill knows it for a failure all the same
		})
		if work.want == "" && (err != nil || lines < 4) {
			t.Errorf("work %d: %d lines, %v", first, lines, err)
		} else if work.want != "" && (err == nil || !strings.Contains(err.Error(), work.want)) {
			t.Errorf("work %d: %v, want %q", first, err, work.want)
		}
	}
}
