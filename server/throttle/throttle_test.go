package throttle

import (
	"bytes"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func newLog() (*slog.Logger, *bytes.Buffer) {
	text := new(bytes.Buffer)
	return slog.New(New(slog.NewTextHandler(text, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}}))), text
}

// A cause that occurs a thousand times per second is logged immediately, and then once per second.
// The last record is not lost.
func TestOneLineASecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log, text := newLog()
		for i := range 2500 {
			log.Error("down", "error", fmt.Errorf("no. %d", i))
			if time.Sleep(time.Millisecond); i == 0 {
				time.Sleep(time.Microsecond) // no record arrives exactly at the end of a second
			}
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		const want = `level=ERROR msg=down error="no. 0"
level=ERROR msg=down error="no. 999" times=999
level=ERROR msg=down error="no. 1999" times=1000
level=ERROR msg=down error="no. 2499" times=500
`
		if text.String() != want {
			t.Errorf("got\n%s", text)
		}
		text.Reset()
		log.Error("down", "error", fmt.Errorf("again"))
		if text.String() != "level=ERROR msg=down error=again\n" {
			t.Errorf("after a pause: %s", text)
		}
		time.Sleep(time.Minute)
	})
}

// Records below level warn, and records with other causes, are not held back.
func TestOtherLinesPass(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log, text := newLog()
		for i := range 3 {
			log.Info("landed", "rows", i)
			log.Warn("down", "target", fmt.Sprint("t", i))
			log.With("x", i).Warn("down", "target", fmt.Sprint("u", i))
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		if n := strings.Count(text.String(), "\n"); n != 9 || strings.Contains(text.String(), "times") {
			t.Errorf("%d lines:\n%s", n, text)
		}
	})
}

// Many causes, which clients can choose, fill neither the log nor the memory.
func TestCausesAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log, text := newLog()
		for i := range 10_000 {
			log.Warn(fmt.Sprint("error from 192.0.2.1:", i))
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		if n := strings.Count(text.String(), "\n"); n != maxCauses+2 || !strings.Contains(text.String(), fmt.Sprintf("times=%d", 10_000-maxCauses-1)) {
			t.Errorf("%d lines:\n%s", n, text)
		}
		if h := log.Handler().(*handler); len(h.causes.by) != 0 {
			t.Errorf("%d causes are kept", len(h.causes.by))
		}
	})
}
