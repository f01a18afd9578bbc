package json_test

// These tests check encoding/json's documented behaviour for streams: see contract_decode_test.go.
// A Decoder of each library runs a script, over readers that return the same pieces. After each
// step, both must agree on the result, the offset, the remaining input, and the number of bytes
// that they requested.

import (
	"bytes"
	std "encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/slipstream-go/slipstream/json"
)

var (
	errReader = errors.New("the reader is broken")
	errWriter = errors.New("the writer is broken")
)

// chunks is a reader that returns data in pieces of these sizes, in turn.
type chunks struct {
	data      []byte
	sizes     []int // at least one is not 0
	at, reads int
	end       error
	together  bool          // the last bytes are returned together with end
	faults    map[int]error // errors by offset, each returned once
}

func (c *chunks) Read(p []byte) (int, error) {
	n := min(c.sizes[c.reads%len(c.sizes)], len(p), len(c.data)-c.at)
	c.reads++
	if err := c.faults[c.at]; err != nil {
		delete(c.faults, c.at)
		return 0, err
	}
	for i := range n {
		if i > 0 && c.faults[c.at+i] != nil {
			n = i
			break
		}
	}
	copy(p, c.data[c.at:c.at+n])
	c.at += n
	if c.at == len(c.data) && (n == 0 || c.together) {
		return n, c.end
	}
	return n, nil
}

// stream describes how an input arrives and which calls the Decoder gets. Each letter of the script
// is one call:
//
//	d i s r j   Decode into an any, an int, a Base, a RawMessage, a readsJSON
//	a           Decode into the any of the last a, which still holds that value
//	n v         Decode into nil, and into a value that is not a pointer
//	t m         Token, More
//	N U         UseNumber, DisallowUnknownFields
type stream struct {
	script   string
	input    string
	sizes    []int
	end      error
	together bool
	faults   []int
}

// player is one Decoder that runs a script.
type player struct {
	d     decoder
	r     *chunks
	again any
}

func (s stream) open(newDecoder func(io.Reader) decoder) *player {
	r := &chunks{data: []byte(s.input), sizes: s.sizes, end: s.end, together: s.together, faults: map[int]error{}}
	for _, at := range s.faults {
		r.faults[at] = errReader
	}
	return &player{d: newDecoder(r), r: r}
}

// step runs one step. It returns a pointer to the decoded value, or the call's result.
func (s *player) step(op byte) (value any, o outcome) {
	decode := func(to any) (any, outcome) { return to, attempt(func() error { return s.d.Decode(to) }) }
	switch op {
	case 'd':
		return decode(new(any))
	case 'i':
		return decode(new(int))
	case 's':
		return decode(&Base{7, 8})
	case 'r':
		return decode(new(std.RawMessage))
	case 'j':
		return decode(new(readsJSON))
	case 'a':
		return decode(&s.again)
	case 'n':
		return decode(nil)
	case 'v':
		return decode(5)
	case 't':
		var token any
		o = attempt(func() (err error) { token, err = s.d.Token(); return err })
		return &token, o
	case 'm':
		return s.d.More(), o
	case 'N':
		s.d.UseNumber()
	case 'U':
		s.d.DisallowUnknownFields()
	}
	return nil, o
}

// unlike runs the script with both libraries and describes the difference, or returns "".
func (s stream) unlike() string {
	theirs, ours := s.open(newStd), s.open(newOurs)
	// One implementation may read more at once than another. So large pieces do not show how much
	// it needs.
	small := slices.Max(s.sizes) <= 128
	var kept [][2]any
	for i, op := range []byte(s.script) {
		v, a := theirs.step(op)
		w, o := ours.step(op)
		kept = append(kept, [2]any{v, w})
		fail := func(s string) string { return fmt.Sprintf("step %d, %c: %s", i, op, s) }
		if s := a.unlike(o); s != "" {
			return fail(s)
		}
		if s := new(mirror).after(v, w); s != "" {
			return fail("value" + s)
		}
		if a, b := theirs.d.InputOffset(), ours.d.InputOffset(); a != b {
			return fail(fmt.Sprintf("InputOffset %d; want %d", b, a))
		}
		if len(s.input) > 5000 && i%64 != 0 {
			continue
		}
		if a, b := remaining(theirs.d, theirs.r), remaining(ours.d, ours.r); a != b {
			return fail(fmt.Sprintf("what is buffered and the rest: %s; want %s", short(b), short(a)))
		}
		if small && !json.OnV2 && theirs.r.at != ours.r.at {
			return fail(fmt.Sprintf("%d bytes were read; want %d", ours.r.at, theirs.r.at))
		}
	}
	for i, pair := range kept {
		if pair[0] == any(&theirs.again) {
			continue
		}
		if s := new(mirror).after(pair[0], pair[1]); s != "" {
			return fmt.Sprintf("the value of step %d in the end%s", i, s)
		}
	}
	return ""
}

func (s stream) String() string {
	return fmt.Sprintf("%s over %s in portions of %v, then %v (together %t, faults %v)", short(s.script), short(s.input), s.sizes, s.end, s.together, s.faults)
}

// runScript runs a script with both libraries and compares them.
func runScript(t *testing.T, script, input string, sizes []int, end error) {
	t.Helper()
	s := stream{script: script, input: input, sizes: sizes, end: end}
	if diff := s.unlike(); diff != "" {
		complain(t, "%v: %s", s, diff)
	}
}

// streamInputs are inputs of interest for streams.
var streamInputs = []string{
	``, ` `, "\n\n", `1`, `1 `, ` 1 2 3`, `12 345 6`, `1,2`, `[]`, `[1]`, `[1,2,3]`, `[1 2]`, `[,1]`, `[1,]`, `[1,,2]`, `[`, `[1`, `[1,`, `]`, `[]]`, `{}`, `{"A":1}`, `{"A":1,"B":[2]}`, `{"A" 1}`, `{"A":1 "B":2}`, `{"A":1,}`, `{,}`, `{1:2}`, `{"A"`, `{"A":`, `{"A":1`, `{"A",1}`, `{"A"::1}`, `}`, `{]`, `[}`, `[[1],[2]]`, `{"A":{"B":1},"A":[[]]}`, ` [ { "A" : 1 } , { "A" : 2 } ] `, `[{"A":1} {"A":2}]`, ` \a`, `{ "\a" }`, `{"A\u0041":1}`, `,`, `:`, `"a" "b"`, `"a""b"`, `"a`, `"a\`, `tru`, `true false null`, `truefalse`, `nullx`, `1x 2`, `01`, `1.5.5`, `-`, `1e5e`, `[]x{}`, `{}{}[]1"x"`, `{"A":"x"} {"A":2}`, `"x" 5 "y" 6`, `[1,"x",{"A":"y"},null]`, `{"x":1} {"A":1}`, "\x00", "1\x00", "[1\x002]", "\ufeff1", "\"\xff\" 1", `{"A":1}` + strings.Repeat(" ", 600) + `{"B":2}`, strings.Repeat(" ", 1100) + `[1]`, `"` + strings.Repeat("x", 1200) + `" 2`, `[` + strings.Repeat("1,", 700) + `1] {"A":1}`, `{"A":1}` + "\n" + `{"A":` + "\n", `[1,2` + "\n" + `3]`, `[nul,1]`, `{"A":nul,"B":1}`, `1e999 2`, `[1e999] 2`, `"bad" 1`, `{"A":"bad"} [2]`,
}

func TestStreams(t *testing.T) {
	t.Run("all_short_scripts", func(t *testing.T) {
		var scripts []string
		var grow func(s string)
		grow = func(s string) {
			if len(s) == 4 {
				scripts = append(scripts, s+"mtdtmd")
				return
			}
			for _, op := range "dtmi" {
				grow(s + string(op))
			}
		}
		grow("")
		scripts = append(scripts, "tttttttttttt", "mtmtmtmtmtmtmtmt", "dddddd", "rrrrrr", "ssssss", "jdjdjd", "tjtjtj", "nvdndvd", "tnttvtt", "aaaaaa", "tatatata", "tmdmdmdmd", "NdtNdt", "tNttddd", "UsUsdsd", "tUsmsms", "ttsmsts", "trtrtr", "ttdttdttd")
		for i, in := range streamInputs {
			for j, script := range scripts {
				if len(in) > 100 && j%8 != 0 && j < 256 || raced && (i+j)%5 != 0 && j < 256 {
					continue
				}
				s := stream{script: script, input: in, sizes: [][]int{{1}, {100}, {3, 0, 0, 2}, {7}}[(i+j)%4], end: io.EOF, together: (i+j)%3 == 0}
				if diff := s.unlike(); diff != "" {
					complain(t, "%v: %s", s, diff)
				}
			}
		}
	})
	t.Run("in_portions_of_all_sizes", func(t *testing.T) {
		var long bytes.Buffer
		for i := range 200 {
			fmt.Fprintf(&long, "{\"A\" : %d, \"B\": %d, \"text\":\"é\\u00e9\\n%s\"} \n[%d, \"x\"] %d\t", i, -i, strings.Repeat("z", i), i, i)
		}
		for _, size := range []int{1, 2, 3, 5, 16, 63, 64, 65, 127, 128, 511, 512, 513, 1000, 4095, 4096, 4097, 1 << 20} {
			for _, script := range []string{"d", "sdi", "mrmdmt", "tmt", "ttsj", "a"} {
				runScript(t, strings.Repeat(script, 600), long.String(), []int{size}, io.EOF)
			}
		}
	})
	t.Run("cut_off_everywhere", func(t *testing.T) {
		for _, in := range []string{` {"A":[1,2.5e3,{"B":null}],"é\n":"\u00e9\ud83d\ude00"} true "x" -12 [] `, `[{"A":1},{"A":"x"},[[]],tru]`} {
			for i := range len(in) + 1 {
				for _, script := range []string{"dddddd", "tttttttttttttttttttttttt", "mtmtmtmtmtmtmtmt", "tdmdmdmd", "ttttdtdt", "isrisr"} {
					for _, end := range []error{io.EOF, errReader, io.ErrUnexpectedEOF} {
						for _, together := range []bool{false, true} {
							s := stream{script: script, input: in[:i], sizes: []int{1 + i%5}, end: end, together: together}
							if diff := s.unlike(); diff != "" {
								complain(t, "%v: %s", s, diff)
							}
						}
					}
				}
			}
		}
	})
	t.Run("errors_of_the_reader", func(t *testing.T) {
		const in = `{"A":1} [2,"x"] 3 {"A":[4]} 5`
		for at := range len(in) + 1 {
			for _, script := range []string{"dddddddd", "tttttttttttttttttttt", "mmdmmdmmd", "mtmtmtmtmtmtmtmt", "tdtdtdtdtd", "tmmdmmdmm"} {
				for _, sizes := range [][]int{{1}, {4}, {100}} {
					s := stream{script: script, input: in, sizes: sizes, end: io.EOF, faults: []int{at, at + 5}}
					if diff := s.unlike(); diff != "" {
						complain(t, "%v: %s", s, diff)
					}
				}
			}
		}
	})
	t.Run("faults_of_syntax_are_kept", func(t *testing.T) {
		inGo126(t)
		for _, newDecoder := range []func(io.Reader) decoder{newStd, newOurs} {
			d := newDecoder(strings.NewReader(`1 {"a":} 2 3`))
			var v any
			first := d.Decode(&v)
			err := d.Decode(&v)
			var syntax *std.SyntaxError
			if first != nil || !errors.As(err, &syntax) || syntax.Offset != 8 || v != 1.0 {
				complain(t, "%v %v %+v %v", first, err, syntax, v)
			}
			for range 3 {
				if again := d.Decode(&v); again != err {
					complain(t, "%v; want the same %v", again, err)
				}
			}
		}
	})
	t.Run("type_errors_are_not", func(t *testing.T) {
		inGo126(t)
		for _, newDecoder := range []func(io.Reader) decoder{newStd, newOurs} {
			d := newDecoder(strings.NewReader(`"x" 5 {"A":"y","B":6} {"A":7}`))
			var n int
			var b Base
			var mistyped *std.UnmarshalTypeError
			if err := d.Decode(&n); !errors.As(err, &mistyped) {
				t.Error(err)
			}
			if err := d.Decode(&n); err != nil || n != 5 {
				t.Error(err, n)
			}
			if err := d.Decode(&b); !errors.As(err, &mistyped) || mistyped.Offset != 9 || b != (Base{0, 6}) {
				t.Error(err, mistyped, b)
			}
			if err := d.Decode(&b); err != nil || b != (Base{7, 6}) {
				t.Error(err, b)
			}
			if err := d.Decode(&b); err != io.EOF {
				t.Error(err)
			}
		}
	})
	t.Run("one_number_may_follow_another", func(t *testing.T) {
		for in, want := range map[string][]any{`01`: {0.0, 1.0}, `1-2`: {1.0, -2.0}, `truefalse`: {true, false}, `"a""b"`: {"a", "b"}, `1"x"[]null{}`: {1.0, "x", []any{}, nil, map[string]any{}}, `00`: {0.0, 0.0}} {
			runScript(t, "ddddddd", in, []int{2}, io.EOF)
			d := json.NewDecoder(strings.NewReader(in))
			for i, w := range want {
				var v any
				if err := d.Decode(&v); err != nil || !reflect.DeepEqual(v, w) {
					complain(t, "%s %d: %v, %v; want %v", in, i, v, err, w)
				}
			}
		}
	})
	t.Run("commas_and_colons", func(t *testing.T) {
		for _, c := range []struct {
			in, script, text string
			offset           int64
		}{
			{` [{"a": 1} {"a": 2}] `, "tdd", "expected comma after array element", 11},
			{`{ "` + strings.Repeat("a", 513) + `" 1 }`, "ttd", "expected colon after object key", 518},
			{`{ "\a" }`, "tt", "invalid character 'a' in string escape code", 3},
			{` \a`, "t", `invalid character '\\' looking for beginning of value`, 1},
			{`{"a":1}`, "td", "not at beginning of value", 1},
			{`{"a":1}`, "tttd", "not at beginning of value", 6},
			{`[1,]`, "tttt", "", 0},
			{`{"a":1,}`, "tttt", "invalid character '}' looking for beginning of object key string", 7},
			{`[1:2]`, "ttt", "invalid character ':' after array element", 2},
			{`{"k",`, "ttt", "invalid character ',' after object key", 4},
		} {
			runScript(t, c.script, c.in, []int{100}, io.EOF)
			s := stream{script: c.script, input: c.in, sizes: []int{100}, end: io.EOF}.open(newOurs)
			var o outcome
			for _, op := range []byte(c.script) {
				_, o = s.step(op)
			}
			var syntax *std.SyntaxError
			if c.text != "" && (!errors.As(o.err, &syntax) || syntax.Error() != c.text || syntax.Offset != c.offset) && !json.OnV2 {
				complain(t, "%s over %s: %v %+v; want %s at %d", c.script, short(c.in), o.err, syntax, c.text, c.offset)
			}
		}
	})
	t.Run("numbers_as_they_are_written", func(t *testing.T) {
		for _, in := range []string{`1.50 [1e999,{"a":-0}] "x"`, `[1.0,01]`, `{"1":2e5}`, `12345678901234567890`} {
			for _, script := range []string{"Ndddd", "Nttttttttttt", "dNdNd", "tNtttttt", "NrNsNi", "Nmama"} {
				runScript(t, script, in, []int{5}, io.EOF)
			}
		}
		d := json.NewDecoder(strings.NewReader(`[1.50]`))
		d.UseNumber()
		d.Token()
		if v, err := d.Token(); err != nil || v != json.Token(std.Number("1.50")) {
			complain(t, "%T %v %v", v, v, err)
		}
	})
	t.Run("InputOffset_and_Buffered", func(t *testing.T) {
		const in = ` {"A": 1}   [ 2 , 3 ]  "x" tail`
		for _, sizes := range [][]int{{1}, {100}, {6}} {
			for _, script := range []string{"dddd", "mdmdmd", "ttttttttttt", "mtmtmtmtmtmtmt", "dtmdmd", "stdtdtt"} {
				runScript(t, script, in, sizes, io.EOF)
			}
		}
		d := json.NewDecoder(strings.NewReader(in))
		var v any
		d.Decode(&v)
		rest, err := io.ReadAll(d.Buffered())
		if err != nil || string(rest) != in[9:] || d.InputOffset() != 9 {
			complain(t, "%q %v %d", rest, err, d.InputOffset())
		}
		if again, _ := io.ReadAll(d.Buffered()); !bytes.Equal(again, rest) {
			complain(t, "%q; the second time %q", rest, again)
		}
		if !d.More() || d.InputOffset() != 12 { // More has skipped the spaces
			t.Error(d.InputOffset())
		}
	})
	t.Run("depth", func(t *testing.T) {
		deep := strings.Repeat("[", 10000) + strings.Repeat("]", 10000)
		for _, in := range []string{deep + " 1", "[" + deep + "] 1", strings.Repeat(`{"A":`, 10001), deep[:10000] + "1"} {
			runScript(t, "ddd", in, []int{4096}, io.EOF)
			runScript(t, "tdtd", in, []int{4096}, io.EOF) // depth counts from the start of Decode
			runScript(t, "ttttrmd", in, []int{1000}, io.EOF)
		}
		inGo126(t)
		d := json.NewDecoder(strings.NewReader(strings.Repeat("[", 30000) + strings.Repeat("]", 30000)))
		for i := range 60000 {
			if _, err := d.Token(); err != nil { // Token has no depth limit
				t.Fatal(i, err)
			}
		}
	})
	t.Run("nowhere_to_decode_to", func(t *testing.T) {
		for _, in := range []string{`1 2 3`, `[1,{"A":2}] 3`, `{"A":1}`, `[1,2]`} {
			for _, script := range []string{"ndvd", "tnmvtt", "ttnd", "nnnn", "vdnd"} {
				runScript(t, script, in, []int{3}, io.EOF)
			}
		}
	})
}

// scriptLetters are the letters from which FuzzStream builds scripts.
const scriptLetters = "dtmisrjanvNU"
