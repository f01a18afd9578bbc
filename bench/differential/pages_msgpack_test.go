package differential

// These tests check the pages about MessagePack. Each row of docs/migrate-msgpack.md, each sentence
// under its heading "What stays", and each code block there and in msgpack/doc.go has an assertion.
// The key of an assertion is the text on the page. The tests fail if a row has no assertion, or an
// assertion has no row. TestPagesReadme in the root module checks README.

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	v6 "github.com/Basekick-Labs/msgpack/v6"
	"github.com/slipstream-go/slipstream/internal/corpus"
	"github.com/slipstream-go/slipstream/internal/pages"
	"github.com/slipstream-go/slipstream/msgpack"
	v5 "github.com/vmihailenco/msgpack/v5"
)

// assertion checks a statement of a page.
type assertion func(*testing.T)

// usedCases contains the cases of migration_test.go to which an assertion refers.
var usedCases = map[string]bool{}

// cases returns an assertion that runs the cases with these names.
func cases(names ...string) assertion { return casesOf(names, (*decoded).run, (*encoded).run) }

// inV6 returns an assertion that runs the cases with v6, which behaves like Slipstream in these
// cases.
func inV6(names ...string) assertion { return casesOf(names, (*decoded).runV6, (*encoded).runV6) }

func casesOf(names []string, decode func(*decoded, *testing.T), encode func(*encoded, *testing.T)) assertion {
	for _, name := range names {
		usedCases[name] = true
	}
	return func(t *testing.T) {
		for _, name := range names {
			found := false
			for i := range decodedCases {
				if c := &decodedCases[i]; c.name == name {
					decode(c, t)
					found = true
				}
			}
			for i := range encodedCases {
				if c := &encodedCases[i]; c.name == name {
					encode(c, t)
					found = true
				}
			}
			if !found {
				t.Errorf("no case is called %q", name)
			}
		}
	}
}

func all(assertions ...assertion) assertion {
	return func(t *testing.T) {
		for _, a := range assertions {
			a(t)
		}
	}
}

// each converts assertions to checks. An assertion does not use the text of the page.
func each[T any](assertions map[string]assertion) map[string]func(*testing.T, T) {
	checks := make(map[string]func(*testing.T, T))
	for key, a := range assertions {
		checks[key] = func(t *testing.T, _ T) { a(t) }
	}
	return checks
}

var migrationRows = map[string]assertion{
	"input ends inside a value":                                                     all(migrationEnds, cases("no input", "input ends inside a map", "input ends inside a string")),
	"every other decoding error":                                                    migrationErrors,
	"the next value after such an error":                                            migrationAfterErrors,
	"map with keys that are not strings, into `any`":                                cases("int keys into any", "keys of several types into any"),
	"`DecodeTypedMap`":                                                              migrationTypedMap,
	"float into an int":                                                             cases("float without a fraction into int", "float with a fraction into int", "float beyond int8"),
	"float64 into a float32":                                                        cases("float64 into float32", "float64 into the nearest float32", "float64 beyond float32"),
	"uint64 above `MaxInt64` into a float":                                          cases("uint64 into float64"),
	"codec on a pointer receiver, value not addressable":                            cases("a codec with a pointer receiver, in a map"),
	"type with both `UnmarshalText` and `UnmarshalBinary`":                          cases("str into a type with both", "bin into a type with both"),
	"nested `any` that already holds a value or a pointer":                          cases("an any that holds a value", "nil into an any that holds a pointer"),
	"`Decode(&v)` again, where `v` is an `any`":                                     migrationAgain,
	"nil into a `time.Time`":                                                        cases("nil into a time in a struct", "nil into times", "nil into a time"),
	"decoding `[]byte` into a target that is not nil":                               migrationUsedBytes,
	"nil into a `[]string` that has elements":                                       cases("nil into a []string", "nil into another slice"),
	"key that is not a string, into a struct":                                       cases("a struct's key that is an int"),
	"text into a `time.Time` in a struct":                                           all(cases("text into a time in a struct"), migrationTimeText),
	"`omitempty` on a struct whose unexported fields are set":                       cases("omitempty and unexported fields"),
	"empty `RawMessage`":                                                            cases("an empty RawMessage"),
	"`uintptr`":                                                                     cases("uintptr"),
	"`omitzero` in a tag, also with `SetCustomStructTag`":                           all(cases("omitzero"), migrationOmitZero),
	"several aliases of one field":                                                  cases("the first of two aliases", "the last of two aliases"),
	"`error` that holds a type with a codec":                                        cases("an error with a codec", "an error without a codec"),
	"value that cannot be encoded":                                                  migrationFailedWrites,
	"length below 0 or beyond 32 bits, in `EncodeArrayLen` and the like":            migrationLengths,
	"array of a named byte type, not addressable":                                   cases("an array of a named byte type", "a pointer to an array of a named byte type"),
	"key that Go cannot compare, into `map[any]any`":                                cases("a []byte as a key of map[any]any", "a map as a key of map[any]any"),
	"value into an interface with methods":                                          cases("a value into an interface with methods"),
	"`any` that holds a nil pointer":                                                cases("an any that holds a nil pointer"),
	"`SetSortMapKeys`":                                                              migrationSorting,
	"-0 under `UseCompactFloats`":                                                   migrationNegativeZero,
	"interned strings, read into `any`":                                             migrationInterned,
	"ext decoder that reads less or more than its data":                             migrationExtLength,
	"`Register` or `RegisterExt`, after a struct with a field of the type was used": migrationLateRegistration,
	"nesting":                 all(cases("deep nesting"), migrationNesting),
	"`Encoder` over a writer": migrationWrites,
	"writer that takes less than it is given, without an error": migrationShortWrites,
	"`UsePreallocateValues`":                                    migrationPreallocate,
	"`Query`: `*` on a map":                                     queried("*", "\x82\xa1a\x01\xa1b\x02", "[] <nil>", "[1 2] <nil>"),
	"`Query`: `*` below another `*`": queried("*.l.*.a", "\x92\x82\xa1l\x91\x82\xa1a\x01\xa1b\x02\xa1m\x03\x82\xa1l\x91\x82\xa1a\x04\xa1b\x05\xa1m\x06",
		"[] msgpack: unsupported code=a1 decoding key=\"l\"", "[1 4] <nil>"),
	"`Query`: keys that are ints": all(queried("1", "\x81\x01\xa1a", "[] msgpack: invalid code=1 decoding string/bytes length", "[a] <nil>"),
		queried("a", "\x82\x01\x02\xa1a\x03", "[] msgpack: invalid code=1 decoding string/bytes length", "[3] <nil>")),
	"`Query`: equal keys":              queried("a", "\x82\xa1a\x01\xa1a\x02", "[1] <nil>", "[2] <nil>"),
	"`Query`: `\\.`, `\\*` and `\\\\`": queried(`a\.b`, "\x81\xa3a.b\x01", "[] <nil>", "[1] <nil>"),
	"`Query`: a path step that is not an index, on an array": queried("a", "\x91\x01", `[] strconv.Atoi: parsing "a": invalid syntax`,
		`[] msgpack: invalid array index "a" in the path`),
}

var migrationStays = map[string]assertion{
	"The bytes of every type stay the same, including the widths of ints, times as ext −1, and interned strings.": all(cases("widths", "times", "empty and nil"), staysBytes),
	"An integer that does not fit into its target is truncated without an error, unless `StrictInts` is set.":     all(cases("ints are cut"), staysStrictInts),
	"In an `any`, an int has the width of its encoding, and a map with string keys is a `map[string]any`.":        cases("ints in any", "bin and nil keys into any"),
	"Decoding replaces a `map[string]any`, merges other maps, and reuses slices other than `[]byte`.":             all(cases("map[string]any is replaced", "other maps are merged"), staysSlices),
	"The error texts stay the same.":                                      migrationErrors,
	"From an `io.ByteScanner`, a Decoder does not read beyond its value.": staysReads,
	"From any other reader, it reads up to 4 KB ahead.":                   staysReads,
	"Decoded values do not refer to the input.":                           staysCopies,
}

// TestPagesMigrateMsgpack checks docs/migrate-msgpack.md.
func TestPagesMigrateMsgpack(t *testing.T) {
	page := pages.Read(t, "docs/migrate-msgpack.md")
	page.Blocks(t, "Three ways", map[string]func(*testing.T, pages.Block){
		`import "github.com/slipstream-go/slipstream/msgpack" // was: github.com/vmihailenco/msgpack/v5`: imports,
		"slipctl migrate msgpack -n ./...      # show what would change, write nothing":                  migrates,
		"require (": replaces,
	})
	page.Rows(t, "What changes", each[pages.Row](migrationRows))
	again := func(t *testing.T, _ string) { migrationAgain(t) }
	page.Sentences(t, "What changes", map[string]func(*testing.T, string){
		"If a loop decodes into an `any`, set it to nil before each call, or declare it inside the loop:":                                                     loopsOverAny,
		"`for { var v any; err := d.Decode(&v) … }`.":                                                                                                         loopsOverAny,
		"Otherwise, from the second call on, `v` holds the previous value, which is not a pointer.":                                                           again,
		"Both libraries then return an error.":                                                                                                                again,
		"In Slipstream, such a call skips one value, so the loop ends at `io.EOF`.":                                                                           again,
		"In v5, a loop that ignores the error never ends.":                                                                                                    again,
		"Basekick's v6 already behaves like Slipstream in these rows:":                                                                                        asV6,
		"keys into `any` (of one type), `DecodeTypedMap`, floats, pointer receivers, `UnmarshalText` and `UnmarshalBinary`, values in an `any`, `omitempty`.": asV6,
		"If you come from v4 or older, also read the change log of v5.":                                                                                       pointsAtCalls,
		"`slipctl migrate` reports each call whose name or signature v5 has changed.":                                                                         pointsAtCalls,
	})
	page.Sentences(t, "What stays", each[string](migrationStays))
	page.Blocks(t, "Check it", map[string]func(*testing.T, pages.Block){"before, err1 := v5.Marshal(v)": comparesBytes})
	page.Done(t)
	for _, c := range decodedCases {
		if !usedCases[c.name] {
			t.Errorf("the page has no place for the case %q", c.name)
		}
	}
	for _, c := range encodedCases {
		if !usedCases[c.name] {
			t.Errorf("the page has no place for the case %q", c.name)
		}
	}
}

// asV6 checks that v6 behaves like Slipstream in the rows that the page names.
func asV6(t *testing.T, _ string) {
	inV6("int keys into any", "float without a fraction into int", "float64 into float32", "float64 into the nearest float32",
		"a codec with a pointer receiver, in a map", "str into a type with both", "bin into a type with both",
		"an any that holds a value", "omitempty and unexported fields")(t)
	data := []byte("\x81\xa1a\xa1b")
	if m, err := v6.NewDecoder(bytes.NewReader(data)).DecodeTypedMap(); fmt.Sprintf("%T %v", m, err) != "map[string]interface {} <nil>" {
		t.Errorf("DecodeTypedMap of v6: %T, %v", m, err)
	}
}

// imports compiles programs with the import in the block, and with the import that it replaces.
func imports(t *testing.T, b pages.Block) {
	after, before, _ := strings.Cut(strings.TrimSpace(b.Text), " // was: ")
	for _, line := range []string{after, "import " + strconv.Quote(before)} {
		if out := runGo(t, line, pages.Program{Imports: []string{"fmt"}, Check: "b, err := msgpack.Marshal([]int{1}); fmt.Print(b, err)"}); out != "[145 1] <nil>" {
			t.Errorf("%s: %s", line, out)
		}
	}
}

// comparesBytes runs the block for a value with equal encodings.
func comparesBytes(t *testing.T, b pages.Block) {
	out := runGo(t, "import v5 \"github.com/vmihailenco/msgpack/v5\"\n"+strings.Replace(b.Text, "{ … }", `{ panic("the bytes differ") }`, 1), pages.Program{
		Imports: []string{"bytes", "fmt", "github.com/slipstream-go/slipstream/msgpack"},
		Before:  "v := map[string]int{\"a\": 1}",
		Check:   "fmt.Print(len(before), \" equal\")",
	})
	if out != "4 equal" {
		t.Error(out)
	}
}

// loopsOverAny runs the loop on the page.
func loopsOverAny(t *testing.T, sentence string) {
	loop := "for { var v any; err := d.Decode(&v); if err == io.EOF { break }; fmt.Print(v, err, \";\") }"
	if strings.HasPrefix(sentence, "`for") && !strings.HasPrefix(loop, strings.TrimSuffix(strings.TrimPrefix(sentence, "`"), " … }`.")) {
		t.Fatalf("the test runs another loop than %s", sentence)
	}
	pages.WantRun(t, loop, pages.Program{
		Imports: []string{"fmt", "io", "strings", "github.com/slipstream-go/slipstream/msgpack"},
		Before:  `d := msgpack.NewDecoder(strings.NewReader("\x01\x02"))`,
	}, "1 <nil>;2 <nil>;")
}

// migrates runs the commands of the block in a module that imports v5. It omits go get, which needs
// the published module.
func migrates(t *testing.T, b pages.Block) {
	lines := b.Lines()
	if len(lines) != 3 || !strings.HasPrefix(lines[2], "go get ") {
		t.Fatalf("the block has other commands: %q", lines)
	}
	const before = "package x\n\nimport \"github.com/vmihailenco/msgpack/v5\"\n\nvar _ = msgpack.Marshal\n"
	const after = "package x\n\nimport \"github.com/slipstream-go/slipstream/msgpack\"\n\nvar _ = msgpack.Marshal\n"
	dir, tool := newModule(t, before), buildTool(t)
	for i, want := range []string{before, after} {
		command, _, _ := strings.Cut(lines[i], "#")
		if out := runTool(t, tool, dir, command); readFile(t, filepath.Join(dir, "x.go")) != want {
			t.Errorf("after %s, which prints\n%s: the file is\n%s", command, out, readFile(t, filepath.Join(dir, "x.go")))
		}
	}
}

// pointsAtCalls migrates a module that calls a method that v5 has renamed.
func pointsAtCalls(t *testing.T, _ string) {
	dir := newModule(t, "package x\n\nimport \"github.com/vmihailenco/msgpack/v4\"\n\nvar e = msgpack.NewEncoder(nil).UseCompactEncoding(true)\n")
	if out := runTool(t, buildTool(t), dir, "slipctl migrate msgpack -n ./..."); !strings.Contains(out, "UseCompactEncoding") {
		t.Errorf("it prints\n%s", out)
	}
}

// replaces compares the go.mod of the block with the modules that it names.
func replaces(t *testing.T, b pages.Block) {
	const line = "replace github.com/vmihailenco/msgpack/v5 => github.com/slipstream-go/slipstream/compat/vmihailenco/v5 v5.4.1"
	if !slices.Contains(b.Lines(), line) {
		t.Fatalf("the block has another replace: %q", b.Lines())
	}
	text, err := os.ReadFile("../../compat/vmihailenco/go.mod")
	if err != nil {
		t.Fatal(err)
	}
	if module, _, _ := strings.Cut(string(text), "\n"); module != "module github.com/vmihailenco/msgpack/v5" {
		t.Errorf("a replacement must have the name of what it replaces, and this is %s", module)
	}
	mod, err := os.ReadFile("../go.mod")
	if err != nil || !strings.Contains(string(mod), "\tgithub.com/vmihailenco/msgpack/v5 v5.4.1\n") {
		t.Errorf("v5.4.1 is not what the tests compare with: %v", err)
	}
	program, err := os.ReadFile("../../compat/testdata/vmihailenco/go.mod") // compat runs this program
	if err != nil || !strings.Contains(string(program), "github.com/vmihailenco/msgpack/v5 v5.4.1\n") {
		t.Errorf("compat does not run a program with v5.4.1: %v", err)
	}
}

func migrationErrors(t *testing.T) {
	data := []byte("\x81\xa1a\xa1x")
	theirs, ours := v5.Unmarshal(data, new(map[string]int)), msgpack.Unmarshal(data, new(map[string]int))
	var where *msgpack.Error
	if text(theirs) != text(ours) || theirs == nil || !errors.As(ours, &where) || where.Offset != 3 || where.Path != "a" {
		t.Errorf("v5 %v, ours %+v", theirs, ours)
	}
	if fmt.Sprintf("%+v", theirs) != theirs.Error() {
		t.Errorf("v5 has more than a text: %+v", theirs)
	}
}

// migrationAgain decodes two values into the same any.
func migrationAgain(t *testing.T) {
	const held = "msgpack: Decode(non-pointer int8)"
	before, after := v5.NewDecoder(strings.NewReader("\x01\x02")), msgpack.NewDecoder(strings.NewReader("\x01\x02"))
	var theirs, ours any
	if err := errors.Join(before.Decode(&theirs), after.Decode(&ours)); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if err := before.Decode(&theirs); text(err) != held {
			t.Errorf("v5: %v", err)
		}
	}
	if err := after.Decode(&ours); text(err) != held {
		t.Errorf("ours: %v", err)
	}
	if err := after.Decode(&ours); err != io.EOF {
		t.Errorf("ours at the end: %v", err)
	}
	again := msgpack.NewDecoder(strings.NewReader("\x01\x02"))
	for want := int8(1); want <= 2; want++ {
		ours = nil
		if err := again.Decode(&ours); err != nil || ours != want {
			t.Errorf("an any that is nil: %v, %v", ours, err)
		}
	}
}

// migrationTimeText decodes the same text with both DecodeTime methods.
func migrationTimeText(t *testing.T) {
	for name, decode := range map[string]func(io.Reader) (time.Time, error){
		"v5":   func(r io.Reader) (time.Time, error) { return v5.NewDecoder(r).DecodeTime() },
		"ours": func(r io.Reader) (time.Time, error) { return msgpack.NewDecoder(r).DecodeTime() },
	} {
		if got, err := decode(strings.NewReader("\xb42023-11-14T22:13:20Z")); err != nil || got.Unix() != 1700000000 {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
}

// migrationExtLength registers an ext decoder that reads one of two bytes, and an ext decoder that
// reads three.
func migrationExtLength(t *testing.T) {
	type unread struct{}
	type beyond struct{}
	v5.RegisterExtDecoder(101, unread{}, func(d *v5.Decoder, _ reflect.Value, _ int) error { return d.ReadFull(make([]byte, 1)) })
	msgpack.RegisterExtDecoder(101, unread{}, func(d *msgpack.Decoder, _ reflect.Value, _ int) error { return d.ReadFull(make([]byte, 1)) })
	v5.RegisterExtDecoder(102, beyond{}, func(d *v5.Decoder, _ reflect.Value, _ int) error { return d.ReadFull(make([]byte, 3)) })
	msgpack.RegisterExtDecoder(102, beyond{}, func(d *msgpack.Decoder, _ reflect.Value, _ int) error { return d.ReadFull(make([]byte, 3)) })
	for _, c := range []struct {
		id           byte
		theirs, ours string
	}{
		{101, "<nil> 8", "<nil> 5"},
		{102, "<nil> 6", "EOF 5"},
	} {
		stream := []byte{0xd5, c.id, 7, 8, 5, 6}
		before, after := v5.NewDecoder(bytes.NewReader(stream)), msgpack.NewDecoder(bytes.NewReader(stream))
		var a, b error
		if c.id == 101 {
			a, b = before.Decode(new(unread)), after.Decode(new(unread))
		} else {
			a, b = before.Decode(new(beyond)), after.Decode(new(beyond))
		}
		n, _ := before.DecodeInt()
		m, _ := after.DecodeInt()
		if got := fmt.Sprint(a, n); got != c.theirs {
			t.Errorf("v5, ext %d: %s, not %s", c.id, got, c.theirs)
		}
		if errors.Is(b, io.ErrUnexpectedEOF) {
			b = io.EOF
		}
		if got := fmt.Sprint(b, " ", m); got != c.ours {
			t.Errorf("ours, ext %d: %s, not %s", c.id, got, c.ours)
		}
	}
}

// migrationNesting decodes nested values. v5 has no limit on the depth.
func migrationNesting(t *testing.T) {
	deep := []byte(strings.Repeat("\x91", 20_000) + "\xc0")
	var v any
	if err := v5.Unmarshal(deep, &v); err != nil {
		t.Errorf("v5 has a bound: %v", err)
	}
	v = nil
	if err := msgpack.Unmarshal(deep[20_000-9_999:], &v); err != nil {
		t.Errorf("ours: %v", err)
	}
}

type takesOne struct{ got int }

func (w *takesOne) Write(b []byte) (int, error) { w.got++; return min(1, len(b)), nil }

func migrationShortWrites(t *testing.T) {
	if err := v5.NewEncoder(new(takesOne)).Encode("abc"); err != nil {
		t.Errorf("v5: %v", err)
	}
	if err := msgpack.NewEncoder(new(takesOne)).Encode("abc"); err != io.ErrShortWrite {
		t.Errorf("ours: %v", err)
	}
}

// migrationPreallocate decodes with and without the option. The option changes how v5 allocates
// values, and has no effect in Slipstream.
func migrationPreallocate(t *testing.T) {
	type inner struct{ N int }
	type outer struct{ P *inner }
	data := must(v5.Marshal([]outer{{&inner{1}}, {&inner{2}}, {&inner{3}}}))
	decode := func(on bool) ([]outer, []outer) {
		var theirs, ours []outer
		before, after := v5.NewDecoder(bytes.NewReader(data)), msgpack.NewDecoder(bytes.NewReader(data))
		before.UsePreallocateValues(on)
		after.UsePreallocateValues(on)
		if err := errors.Join(before.Decode(&theirs), after.Decode(&ours)); err != nil {
			t.Fatal(err)
		}
		return theirs, ours
	}
	_, without := decode(false)
	theirs, with := decode(true)
	if !reflect.DeepEqual(with, without) || !reflect.DeepEqual(with, theirs) {
		t.Errorf("%v, %v, %v", theirs, with, without)
	}
	allocs := func(on bool) float64 {
		return testing.AllocsPerRun(100, func() {
			d := msgpack.GetDecoder()
			d.ResetBytes(data)
			d.UsePreallocateValues(on)
			var v []outer
			d.Decode(&v)
			msgpack.PutDecoder(d)
		})
	}
	if a, b := allocs(false), allocs(true); a != b {
		t.Errorf("the option changes what ours allocates: %v, %v", a, b)
	}
}

// queried returns an assertion that queries both libraries for a path.
func queried(path, data, theirs, ours string) assertion {
	return func(t *testing.T) {
		show := func(v []any, err error) string { return fmt.Sprint(v, " ", err) }
		if got := show(v5.NewDecoder(strings.NewReader(data)).Query(path)); got != theirs {
			t.Errorf("v5: %s of %x is %s, not %s", path, data, got, theirs)
		}
		if got := show(msgpack.NewDecoder(strings.NewReader(data)).Query(path)); got != ours {
			t.Errorf("ours: %s of %x is %s, not %s", path, data, got, ours)
		}
	}
}

// staysBytes encodes random values with both libraries.
func staysBytes(t *testing.T) {
	for seed := range uint64(2000) {
		v := corpus.Any(corpus.New(seed), 0)
		var theirs, ours bytes.Buffer
		before, after := v5.NewEncoder(&theirs), msgpack.NewEncoder(&ours)
		before.SetSortMapKeys(true)
		after.SetSortMapKeys(true)
		before.UseInternedStrings(seed%2 == 0)
		after.UseInternedStrings(seed%2 == 0)
		if err, err2 := before.Encode(v), after.Encode(v); text(err) != text(err2) || !bytes.Equal(theirs.Bytes(), ours.Bytes()) {
			t.Fatalf("%#v: %x, %v; ours %x, %v", v, theirs.Bytes(), err, ours.Bytes(), err2)
		}
	}
}

func staysStrictInts(t *testing.T) {
	var v int8
	if err := (msgpack.DecodeOptions{StrictInts: true}).Unmarshal([]byte("\xcd\x01\x2c"), &v); err == nil {
		t.Errorf("300 is read as %d", v)
	}
}

// staysSlices decodes into slices with elements and spare capacity.
func staysSlices(t *testing.T) {
	for name, unmarshal := range map[string]func([]byte, any) error{"v5": v5.Unmarshal, "ours": msgpack.Unmarshal} {
		ints, texts := make([]int, 3, 4), []string{"a", "b"}
		firstInt, firstText := &ints[0], &texts[0]
		if err := errors.Join(unmarshal([]byte("\x92\x01\x02"), &ints), unmarshal([]byte("\x91\xa1z"), &texts)); err != nil {
			t.Fatal(name, err)
		}
		if &ints[0] != firstInt || &texts[0] != firstText || fmt.Sprint(ints, texts) != "[1 2] [z]" {
			t.Errorf("%s: %v, %v", name, ints, texts)
		}
	}
}

// staysReads counts the bytes that a decoder reads from a stream for its first value.
func staysReads(t *testing.T) {
	stream := strings.Repeat("\xa3abc", 10_000)
	for name, decode := range map[string]func(io.Reader) error{
		"v5":   func(r io.Reader) error { return v5.NewDecoder(r).Decode(new(string)) },
		"ours": func(r io.Reader) error { return msgpack.NewDecoder(r).Decode(new(string)) },
	} {
		exact, plain := strings.NewReader(stream), strings.NewReader(stream)
		if err := errors.Join(decode(exact), decode(iotest.HalfReader(plain)), decode(struct{ io.Reader }{plain})); err != nil {
			t.Fatal(err)
		}
		if took := len(stream) - exact.Len(); took != 4 {
			t.Errorf("%s takes %d bytes from an io.ByteScanner", name, took)
		}
		if took := len(stream) - plain.Len(); took > 2048+4096 {
			t.Errorf("%s takes %d bytes from readers", name, took)
		}
	}
}

// staysCopies overwrites the input after decoding.
func staysCopies(t *testing.T) {
	type target struct {
		S string
		B []byte
		R msgpack.RawMessage
		A any
		M map[string]string
	}
	want := target{"text", []byte("bytes"), msgpack.RawMessage("\xa3raw"), []any{"x", []byte("y")}, map[string]string{"key": "value"}}
	data := must(msgpack.Marshal(&want))
	var got target
	if err := msgpack.Unmarshal(data, &got); err != nil {
		t.Fatal(err)
	}
	for i := range data {
		data[i] = '#'
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%v", got)
	}
}
