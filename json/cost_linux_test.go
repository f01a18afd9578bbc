package json_test

// How time grows with the input: four times as much input may not take much more than four times as long, whatever it holds and
// whichever function reads it.

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"testing/iotest"
	"time"
	"unsafe"

	"github.com/slipstream-go/slipstream/column"
	"github.com/slipstream-go/slipstream/json"
)

// cpuTime returns the processor time that this thread has used. Other programs do not count.
func cpuTime(t testing.TB) time.Duration {
	const threadCPUTime = 3 // CLOCK_THREAD_CPUTIME_ID
	var now syscall.Timespec
	if _, _, err := syscall.Syscall(syscall.SYS_CLOCK_GETTIME, threadCPUTime, uintptr(unsafe.Pointer(&now)), 0); err != 0 {
		t.Skip(err)
	}
	return time.Duration(now.Nano())
}

// leastTime returns the least processor time of some calls of f.
func leastTime(t testing.TB, runs int, f func()) time.Duration {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	least := time.Duration(math.MaxInt64)
	for range runs {
		before := cpuTime(t)
		f()
		least = min(least, cpuTime(t)-before)
	}
	return least
}

// grows reports whether time grows faster than linearly from an input of n bytes to one of 4n: quadratic time would be 16 times as
// much. A short time is not judged.
func grows(t testing.TB, n int, run func(n int)) (small, large time.Duration, tooFast bool) {
	for try := range 4 {
		small = leastTime(t, 2+try, func() { run(n) })
		large = leastTime(t, 1+try, func() { run(4 * n) })
		if large < 10*time.Millisecond || large < 9*small {
			return small, large, false
		}
	}
	return small, large, true
}

// inString returns a string of n bytes between quotes, of which each part is repeated.
func inString(part string) func(n int) []byte {
	return func(n int) []byte { return []byte(`"` + strings.Repeat(part, n/len(part)) + `"`) }
}

// hostile are the inputs: text of about n bytes.
var hostile = map[string]func(n int) []byte{
	"latin1":         inString("caf\xe9 cr\xe8me "),
	"bad bytes":      inString("\xff"),
	"bad and escape": inString("\xff\\n"),
	"cut characters": inString("\xe4\xbd"),
	"escapes":        inString(`\n`),
	"surrogates":     inString(`\ud83d\ude00`),
	"lone surrogate": inString(`\ud83d`),
	"text escapes":   inString(`some text and \u00e9 `),
	"ascii":          inString("plain text "),
	"bad end":        func(n int) []byte { return []byte(`"` + strings.Repeat("a", n) + "\xff\"") },
	"bad start":      func(n int) []byte { return []byte("\"\xff" + strings.Repeat("a", n) + `"`) },
	"chinese":        inString("你好，世界。"),
	"chinese escape": func(n int) []byte { return []byte(`"` + strings.Repeat("你好，世界。", n/18) + `\n"`) },
	"escape chinese": func(n int) []byte { return []byte(`"\n` + strings.Repeat("你好，世界。", n/18) + `"`) },
	"russian escape": func(n int) []byte { return []byte(`"` + strings.Repeat("привет", n/12) + `\n"`) },
	"emoji escape":   func(n int) []byte { return []byte(`"\t` + strings.Repeat("😀😃", n/8) + `"`) },
	"blanks":         func(n int) []byte { return []byte(strings.Repeat(" \n\t", n/3) + `1`) },
	"blanks between": func(n int) []byte {
		blank := strings.Repeat(" ", n/4)
		return []byte(`[` + blank + `1` + blank + `,` + blank + `2` + blank + `]`)
	},
	"digits": func(n int) []byte { return []byte(`0.` + strings.Repeat("1234567890", n/10)) },
	"nested": func(n int) []byte {
		return []byte(`[` + strings.Repeat(strings.Repeat("[", 9000)+strings.Repeat("]", 9000)+",", n/18001) + `0]`)
	},
	"objects":   func(n int) []byte { return []byte(`[` + strings.Repeat(`{"a":{"b":{}}},`, n/15) + `0]`) },
	"long key":  func(n int) []byte { return []byte(`{"` + strings.Repeat("é", n/2) + `\n":1}`) },
	"bad key":   func(n int) []byte { return []byte(`{"` + strings.Repeat("k\xff", n/2) + `":1}`) },
	"keys":      func(n int) []byte { return members(n, func(i int) string { return fmt.Sprintf(`"key%d":1`, i) }) },
	"same keys": func(n int) []byte { return members(n, func(i int) string { return `"key":"v"` }) },
	"long keys": func(n int) []byte {
		return members(n, func(i int) string { return fmt.Sprintf(`"%s%d":1`, strings.Repeat("k", 70), i) })
	},
	"escaped keys": func(n int) []byte { return members(n, func(i int) string { return fmt.Sprintf(`"\u00e9%d":1`, i) }) },
	"cased keys":   func(n int) []byte { return members(n, func(i int) string { return `"NAMe":1` }) },
	"empty lists":  func(n int) []byte { return []byte(`[` + strings.Repeat(`[],`, n/3) + `[]]`) },
	"numbers":      func(n int) []byte { return []byte(`[` + strings.Repeat(`1.5e3,`, n/6) + `0]`) },
	"long numbers": func(n int) []byte {
		return []byte(`[` + strings.Repeat(`0.`+strings.Repeat("7", 1000)+`,`, n/1003) + `0]`)
	},
	"strings":       func(n int) []byte { return []byte(`[` + strings.Repeat(`"\u00e9\xff",`, n/13) + `0]`) },
	"cut string":    func(n int) []byte { return []byte(`"` + strings.Repeat("é", n/2)) },
	"cut escapes":   func(n int) []byte { return []byte(`"` + strings.Repeat(`\n`, n/2)) },
	"cut nested":    func(n int) []byte { return []byte(strings.Repeat(`[`, 9999) + strings.Repeat(" ", n)) },
	"wrong end":     func(n int) []byte { return []byte(`[` + strings.Repeat(`{"a":1},`, n/8) + `x]`) },
	"raw bad":       func(n int) []byte { return []byte(`[` + strings.Repeat("\"\xff\",", n/4) + `0]`) },
	"line ends":     func(n int) []byte { return []byte(`"` + strings.Repeat("\u2028<", n/4) + `"`) },
	"quadratic int": func(n int) []byte { return []byte(strings.Repeat("9", min(n, 64<<10))) },
}

func members(n int, member func(i int) string) []byte {
	b := []byte("{")
	for i := 0; len(b) < n; i++ {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(b, member(i)...)
	}
	return append(b, '}')
}

// named is a struct for typed targets.
type named struct {
	Name  json.RawMessage
	Key   any
	Value *named
}

// pieces returns a reader of b that gives n bytes at a time.
func pieces(b []byte, n int) io.Reader { return &pieceReader{b, n} }

type pieceReader struct {
	b []byte
	n int
}

func (r *pieceReader) Read(p []byte) (int, error) {
	if len(r.b) == 0 {
		return 0, io.EOF
	}
	k := copy(p, r.b[:min(r.n, len(r.b))])
	r.b = r.b[k:]
	return k, nil
}

func tokens(r io.Reader) {
	d := json.NewDecoder(r)
	for {
		d.More()
		if _, err := d.Token(); err != nil {
			return
		}
	}
}

// readers are the functions that read input. Errors are part of it.
var readers = map[string]func(b []byte){
	"Unmarshal any":    func(b []byte) { var v any; json.Unmarshal(b, &v) },
	"Unmarshal typed":  func(b []byte) { var v []named; json.Unmarshal(b, &v) },
	"Unmarshal struct": func(b []byte) { var v named; json.Unmarshal(b, &v) },
	"Unmarshal string": func(b []byte) { var v string; json.Unmarshal(b, &v) },
	"Unmarshal Number": func(b []byte) { var v json.Number; json.Unmarshal(b, &v) },
	"Unmarshal float":  func(b []byte) { var v float64; json.Unmarshal(b, &v) },
	"Unmarshal map":    func(b []byte) { var v map[string]json.RawMessage; json.Unmarshal(b, &v) },
	"Unmarshal bytes":  func(b []byte) { var v []byte; json.Unmarshal(b, &v) },
	"Unmarshal time":   func(b []byte) { var v time.Time; json.Unmarshal(b, &v) },
	"Parse views":      func(b []byte) { var v any; json.Parse(b, &v, json.ZeroCopy) },
	"Parse unique":     func(b []byte) { var v any; json.Parse(b, &v, json.RejectDuplicateNames) },
	"Parse big":        func(b []byte) { var v any; json.Parse(b, &v, json.UseNumber) },
	"Decoder":          func(b []byte) { var v any; json.NewDecoder(bytes.NewReader(b)).Decode(&v) },
	"Decoder pieces":   func(b []byte) { var v any; json.NewDecoder(pieces(b, 100)).Decode(&v) },
	"Decoder views": func(b []byte) {
		d := json.NewDecoder(pieces(b, 1000))
		d.ZeroCopy()
		var v any
		d.Decode(&v)
	},
	"Token":         func(b []byte) { tokens(bytes.NewReader(b)) },
	"Token pieces":  func(b []byte) { tokens(pieces(b, 16)) },
	"Token, errors": func(b []byte) { tokens(iotest.DataErrReader(pieces(b, 100))) },
	"Valid":         func(b []byte) { json.Valid(b) },
	"Compact":       func(b []byte) { json.Compact(new(bytes.Buffer), b) },
	"Indent":        func(b []byte) { json.Indent(new(bytes.Buffer), b[:min(len(b), 1<<20)], "", "") },
	"HTMLEscape":    func(b []byte) { json.HTMLEscape(new(bytes.Buffer), b) },
	"Get":           func(b []byte) { json.Get(b, "name", -1) },
	"Get index":     func(b []byte) { json.Get(b, -1) },
	"Lines": func(b []byte) {
		for range json.Lines[any](pieces(b, 1000), 1<<30) {
		}
	},
	"AppendUnescape": func(b []byte) { json.AppendUnescape(nil, b, 0) },
	"Tokenizer": func(b []byte) {
		for t := json.NewTokenizer(b); t.Next(); {
			t.String()
			t.Float()
			t.Int()
		}
	},
	"Marshal RawMessage": func(b []byte) { json.Marshal(json.RawMessage(b)) },
	"Marshal string":     func(b []byte) { json.Marshal(string(b)) },
	"Marshal key":        func(b []byte) { json.Marshal(map[string]int{string(b): 1, string(b) + "2": 2}) },
	"Encoder indent": func(b []byte) {
		e := json.NewEncoder(io.Discard)
		e.SetIndent("", "")
		e.Encode(string(b))
	},
	"ParseColumns": func(b []byte) {
		var batch column.Batch
		json.ParseColumns(append(append([]byte(`[{"a":`), b...), `}]`...), &batch)
	},
}

// TestTimeIsLinear reads each kind of input with each function, in two sizes.
func TestTimeIsLinear(t *testing.T) {
	if testing.Short() || raced {
		t.Skip("measures time")
	}
	n := 128 << 10
	for kind, text := range hostile {
		inputs := map[int][]byte{n: text(n), 4 * n: text(4 * n)}
		for name, read := range readers {
			small, large, tooFast := grows(t, n, func(n int) { read(inputs[n]) })
			if tooFast {
				t.Errorf("%s of %q: %v for %d KB, %v for four times as much", name, kind, small, n>>10, large)
			}
		}
	}
}
