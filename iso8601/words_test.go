package iso8601

import (
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/slipstream-go/slipstream/internal/mem"
)

func TestShapes(t *testing.T) {
	for text, shape := range map[string]uint64{
		"0000-00-": dateShape, "-00T": dayShape, "-00 ": spacedDayShape, "00:00:00": clockShape, "00:00": zoneShape,
		"00T00:00": hourShape, ":00": secondShape, "00000000": zeros,
	} {
		var b [8]byte
		copy(b[:], text)
		if binary.LittleEndian.Uint64(b[:]) != shape {
			t.Errorf("%q is %#x", text, shape)
		}
	}
}

// misfits accepts a byte only where the shape allows it. The test tries every byte at every
// position.
func TestMisfits(t *testing.T) {
	for _, c := range []struct {
		text  string
		shape uint64
		room  uint64
	}{
		{"2006-01-", dateShape, dateRoom}, {"-02T", dayShape, dayRoom}, {"15:04:05", clockShape, clockRoom}, {"07:00", zoneShape, zoneRoom},
		{"12345678", zeros, digitsRoom},
	} {
		for i := range c.text {
			for value := range 256 {
				var b [8]byte
				copy(b[:], c.text)
				b[i] = byte(value)
				digit := c.text[i] >= '0' && c.text[i] <= '9'
				fits := digit && value >= '0' && value <= '9' || !digit && value == int(c.text[i])
				x := binary.LittleEndian.Uint64(b[:]) ^ c.shape
				if got := misfits(x, c.room)&high == 0; got != fits {
					t.Errorf("%q with %q at %d: %v", c.text, rune(value), i, got)
				}
			}
		}
	}
}

func TestDigits(t *testing.T) {
	check := func(n uint64) {
		var b [8]byte
		x := digits(n)
		binary.LittleEndian.PutUint64(b[:], x|zeros)
		if want := fmt.Sprintf("%08d", n); string(b[:]) != want || eight(x) != n {
			t.Fatalf("%d: %q, and back %d", n, b, eight(x))
		}
	}
	for n := range uint64(10000) {
		check(n)
		check(n * 10000)
		check(99999999 - n)
		check(n * 9973 % 1e8)
	}
}

func TestCountDigits(t *testing.T) {
	for n := range 9 {
		for c := range 256 {
			if c >= '0' && c <= '9' {
				continue
			}
			b := []byte("98765432")
			for i := n; i < 8; i++ {
				b[i] = byte(c)
			}
			if got := countDigits(binary.LittleEndian.Uint64(b)); got != n {
				t.Errorf("%q: %d", b, got)
			}
		}
	}
}

func TestWordAt(t *testing.T) {
	text := []byte("0123456789abcdefghij")
	for i := 7; i <= len(text); i++ {
		var want [8]byte
		copy(want[:], text[i:])
		if got := wordAt(text, i); got != binary.LittleEndian.Uint64(want[:]) {
			t.Errorf("at %d: %x", i, got)
		}
	}
}

// date and civil agree with package time on every day of the years 0 to 9999, and on 1000 later
// days.
func TestCalendar(t *testing.T) {
	for n := range int64(10000/400*era + 1000) {
		y, m, d := time.Unix(year0+n*86400, 0).UTC().Date()
		year, month, day := civil(uint32(n) + era - 60)
		number, ok := date(uint64(y/100), uint64(y%100), uint64(m), uint64(d))
		if int(year) != y || int(month) != int(m) || int(day) != d || !ok || number != n {
			t.Fatalf("%d-%d-%d: %d-%d-%d, and number %d, want %d", y, m, d, year, month, day, number, n)
		}
	}
}

// date rejects days that do not exist. The test tries all pairs of two-digit numbers, in each kind
// of year.
func TestNoSuchDay(t *testing.T) {
	for _, year := range []int{0, 1, 4, 99, 100, 1900, 2000, 2023, 2024} {
		for month := range 100 {
			for day := range 100 {
				x := time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC)
				want := x.Year() == year && x.Day() == day && int(x.Month()) == month
				if _, ok := date(uint64(year/100), uint64(year%100), uint64(month), uint64(day)); ok != want {
					t.Fatalf("%d-%d-%d: %v", year, month, day, ok)
				}
			}
		}
	}
}

// The compiler inlines the functions that read words, which makes them cheap. Some of them are
// close to the inlining limit.
func TestInlined(t *testing.T) {
	if mem.Checked {
		t.Skip("checked loads cost more than they may")
	}
	if testing.Short() {
		t.Skip("runs the compiler")
	}
	out, err := exec.Command("go", "build", "-gcflags=-m", "-o", os.DevNull, ".").CombinedOutput()
	if err != nil {
		t.Skipf("the compiler does not run here: %v\n%s", err, out)
	}
	for _, name := range []string{
		"dateWord", "clockWords", "secondsOf", "zoneWord", "wordAt", "date", "misfits", "pairs", "eight", "countDigits", "twos", "digits",
		"ParseBytes", "ValidBytes",
	} {
		if !strings.Contains(string(out), "can inline "+name+"\n") {
			t.Errorf("%s is not inlined", name)
		}
	}
}
