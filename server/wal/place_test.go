package wal

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"testing"

	"github.com/slipstream-go/slipstream/server/testkit"
)

// ReadAt reads payloads, and parts of them, at the places that Append and Replay have reported.
// It reads from sealed segments and from the active segment, and reads both small payloads and
// payloads that were written as separate vectors.
func TestReadAt(t *testing.T) {
	dir := testkit.MemDir(t)
	told := map[uint64]Place{}
	read := func(l *Log, r *Record) {
		t.Helper()
		for from := 0; from < len(r.Payload); from += 1 + len(r.Payload)/2 {
			b := make([]byte, len(r.Payload)-from)
			if err := l.ReadAt(b, Place{r.Place.Segment, r.Place.Offset + int64(from)}); err != nil || !bytes.Equal(b, r.Payload[from:]) {
				t.Errorf("record %d at %v, from byte %d: %v, or another payload", r.Seq, r.Place, from, err)
			}
		}
	}
	l := mustOpen(t, dir, Options{SegmentBytes: 6000})
	for i := range 30 {
		r := sample(i)
		r.Payload = bytes.Repeat([]byte{byte(i)}, i*7%23+i%4*copied/2)
		if err := l.Append(r, func(error) { told[r.Seq] = r.Place }); err != nil {
			t.Fatal(err)
		}
		if r.Place != told[r.Seq] {
			t.Fatalf("record %d is at %v, its function was told %v", r.Seq, r.Place, told[r.Seq])
		}
		read(l, r)
	}
	if l.Stats().Segments < 4 {
		t.Fatal("there are no sealed segments to speak of")
	}
	mustClose(t, l)

	l, err := Open(dir, small)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	err = l.Replay(func(r *Record) error {
		if r.Place != told[r.Seq] {
			return fmt.Errorf("record %d is at %v, was at %v", r.Seq, r.Place, told[r.Seq])
		}
		read(l, r)
		return nil
	})
	if err != nil || len(told) != 30 {
		t.Errorf("%d records, %v", len(told), err)
	}
}

func TestReadAtWhatIsNotThere(t *testing.T) {
	l := mustOpen(t, testkit.MemDir(t), Options{SegmentBytes: 1000})
	var places []Place
	for range 3 {
		r := data(make([]byte, 900))
		mustAppend(t, l, r)
		places = append(places, r.Place)
	}
	b := make([]byte, 900)
	if err := os.Truncate(segmentPath(l.dir, places[1].Segment), places[1].Offset+899); err != nil {
		t.Fatal(err)
	}
	l.Release(1)
	for i, want := range []bool{true, true, false} {
		if err := l.ReadAt(b, places[i]); errors.Is(err, ErrUnreadable) != want || !want && err != nil {
			t.Errorf("record %d: %v", i+1, err)
		}
	}
}
