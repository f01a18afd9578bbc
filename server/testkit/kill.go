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

// Kill starts the test binary as a process with these environment variables. The first variable
// contains the directory for the process's data. The second variable contains the number with which
// the process begins to count.
const killedDir, killedFirst = "SLIPSTREAM_TEST_KILLED_DIR", "SLIPSTREAM_TEST_KILLED_FIRST"

// failure is the prefix of the line with which the process reports a failure.
const failure = "failed:"

// Killed must be called at the beginning of a test that calls [Kill]. In the process that Kill has
// started, it calls the function `work`. This function prints a line for each completed step, and
// must not return. In any other process, Killed does nothing.
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

// Fail ends the process that Kill has started, and makes the test that called Kill fail.
func Fail(what any) {
	fmt.Println(failure, what)
	os.Exit(1)
}

// Kill runs this test again in a new process. In that process, [Killed] calls the function `work`
// with the arguments `dir` and `first`. When the process has printed more than `after` lines, Kill
// ends it. Kill calls the function `said` with each line, including lines that it reads after it
// has ended the process. The function `said` reports whether the line is valid. The process must
// not end by itself.
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
			time.AfterFunc(10*time.Second, func() { cmd.Process.Kill() }) // for a process that neither ends nor reports an error
			why := ""
			for len(why) < 1<<12 && lines.Scan() {
				why += lines.Text() + "\n"
			}
			cmd.Process.Kill()
			_ = cmd.Wait()
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
