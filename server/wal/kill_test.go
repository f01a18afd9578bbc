package wal

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"testing"
)

// killedDir tells the test binary to be the process that TestKill kills.
const killedDir = "WAL_TEST_KILLED_DIR"

// A process is killed while it appends: each record that it has reported as durable is there, and the log goes on behind it.
func TestKill(t *testing.T) {
	if dir := os.Getenv(killedDir); dir != "" {
		appendForEver(dir)
	}
	dir := memDir(t)
	acked := uint64(0)
	for range 3 {
		cmd := exec.Command(os.Args[0], "-test.run=^TestKill$")
		cmd.Env = append(os.Environ(), killedDir+"="+dir)
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewScanner(out)
		before := acked
		for lines.Scan() { // the pipe holds what was reported before the kill
			var seq uint64
			if _, err := fmt.Sscan(lines.Text(), &seq); err != nil {
				t.Fatalf("the process says %q", lines.Text())
			}
			if acked = max(acked, seq); acked > before+200 {
				cmd.Process.Kill()
			}
		}
		cmd.Wait()
		got, err := replay(dir)
		if err != nil {
			t.Fatal(err)
		}
		for i, r := range got {
			if r.Seq != uint64(i+1) || len(r.Payload) != 5000 {
				t.Fatalf("entry %d is record %d of %d bytes", i+1, r.Seq, len(r.Payload))
			}
		}
		if uint64(len(got)) < acked || acked <= before {
			t.Fatalf("%d records are left, %d were acknowledged", len(got), acked)
		}
	}
}

func appendForEver(dir string) {
	l, err := Open(dir, small)
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	l.Start()
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for {
				r := data(make([]byte, 5000))
				if err := l.Append(r); err != nil {
					fmt.Println(err)
					os.Exit(1)
				}
				fmt.Println(r.Seq)
			}
		})
	}
	wg.Wait()
}
