package wal

import (
	"fmt"
	"sync"
	"testing"

	"github.com/slipstream-go/slipstream/server/testkit"
)

// A process is killed while it appends. Every record that it has reported as durable is in the log,
// and further records can be appended to the log.
func TestKill(t *testing.T) {
	testkit.Killed(appendForEver)
	dir := testkit.MemDir(t)
	acked := uint64(0)
	for range 3 {
		before := acked
		testkit.Kill(t, dir, 0, 200, func(line string) bool {
			var seq uint64
			_, err := fmt.Sscan(line, &seq)
			acked = max(acked, seq)
			return err == nil
		})
		got, err := replay(dir)
		if err != nil {
			t.Fatal(err)
		}
		for i, r := range got {
			if r.Seq != uint64(i+1) || len(r.Payload) != 5000 {
				t.Fatalf("entry %d is record %d of %d bytes", i+1, r.Seq, len(r.Payload))
			}
		}
		if uint64(len(got)) < acked || acked <= before+200 {
			t.Fatalf("%d records are left, %d were acknowledged", len(got), acked)
		}
	}
}

func appendForEver(dir string, _ int) {
	l, err := Open(dir, small)
	if err != nil {
		testkit.Fail(err)
	}
	l.Start()
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for {
				r := data(make([]byte, 5000))
				if err := l.Append(r, nil); err != nil {
					testkit.Fail(err)
				}
				fmt.Println(r.Seq)
			}
		})
	}
	wg.Wait()
}
