package testkit

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"
)

// The test binary is the process that Kill kills, if these say where its data are and from which
// number it counts.
const killedDir, killedFirst = "SLIPSTREAM_TEST_KILLED_DIR", "SLIPSTREAM_TEST_KILLED_FIRST"

// failure begins the line in which the process says what has failed.
const failure = "failed:"

// Killed begins a test that calls [Kill]: in the process that is killed it calls work, which must
// not return, and in any other it does nothing. The work prints a line for each thing that it has
// done.
func Killed(work func(dir string, first int)) {
	dir := os.Getenv(killedDir)
	if dir == "" {
		return
	}
	first, err := strconv.Atoi(os.Getenv(killedFirst))
	if err != nil {
		Fail(err)
	}
	work(dir, first)
	Fail("the work has come to its end")
}

// Fail ends the process that is killed, and the test of the process that kills it.
func Fail(what any) {
	fmt.Println(failure, what)
	os.Exit(1)
}

// Kill runs this test in a process of its own, in which [Killed] does its work in dir and counts
// from first, and kills that process at the line that comes after so many. It calls said with each
// line, also with those that the pipe still holds after the kill; said reports whether it is a line
// of the work. The process must not end by itself.
func Kill(t *testing.T, dir string, first, after int, said func(line string) bool) {
	t.Helper()
	if err := kill(t.Name(), dir, first, after, said); err != nil {
		t.Fatal(err)
	}
}

func kill(test, dir string, first, after int, said func(line string) bool) error {
	cmd := exec.Command(os.Args[0], "-test.run=^"+test+"$")
	cmd.Env = append(os.Environ(), killedDir+"="+dir, fmt.Sprintf("%s=%d", killedFirst, first))
	var log bytes.Buffer
	cmd.Stderr = &log
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	defer cmd.Process.Kill() // also when said ends the test
	lines, n := bufio.NewScanner(out), 0
	for ; lines.Scan(); n++ {
		if line := lines.Text(); strings.HasPrefix(line, failure) || !said(line) {
			time.AfterFunc(10*time.Second, func() { cmd.Process.Kill() }) // for one that neither ends nor says why
			why := ""
			for len(why) < 1<<12 && lines.Scan() {
				why += lines.Text() + "\n"
			}
			cmd.Process.Kill()
			cmd.Wait()
			return fmt.Errorf("the process says %q\n%s%s", line, why, &log)
		}
		if n == after {
			cmd.Process.Kill()
		}
	}
	if err := cmd.Wait(); n <= after || cmd.ProcessState.ExitCode() != -1 {
		return fmt.Errorf("the process ended by itself after %d lines: %v\n%s", n, err, &log)
	}
	return nil
}
