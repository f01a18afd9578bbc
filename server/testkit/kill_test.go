package testkit

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"
)

// works lists the possible actions of a process after three lines, and the error that kill returns
// for each action. A process selects its action by the number from which it counts.
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

// kill ends a process after the given number of lines. It returns an error if the process ends by
// itself, fails, or prints an unexpected line.
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
			return err == nil || strings.HasPrefix(line, failure) // kill detects the failure nevertheless
		})
		if work.want == "" && (err != nil || lines < 4) {
			t.Errorf("work %d: %d lines, %v", first, lines, err)
		} else if work.want != "" && (err == nil || !strings.Contains(err.Error(), work.want)) {
			t.Errorf("work %d: %v, want %q", first, err, work.want)
		}
	}
}
