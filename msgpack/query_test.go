package msgpack

import (
	"bytes"
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/slipstream-go/slipstream/internal/corpus"
	guarded "github.com/slipstream-go/slipstream/internal/guard"
)

func TestParsePath(t *testing.T) {
	all := step{"*", true}
	for path, want := range map[string][]step{
		"":           nil,
		"a":          {{"a", false}},
		"a.b":        {{"a", false}, {"b", false}},
		"10.*.c":     {{"10", false}, all, {"c", false}},
		`a\.b.c`:     {{"a.b", false}, {"c", false}},
		`\*`:         {{"*", false}},
		`a*.**`:      {{"a*", false}, {"**", false}},
		`\\`:         {{`\`, false}},
		`\\.a`:       {{`\`, false}, {"a", false}},
		`\\\.a`:      {{`\.a`, false}},
		`C:\dir\`:    {{`C:\dir\`, false}},
		`a.\`:        {{"a", false}, {`\`, false}},
		"a.":         {{"a", false}},
		"a..b":       {{"a", false}},
		".a":         nil,
		"clé.世界\xff": {{"clé", false}, {"世界\xff", false}},
	} {
		p, err := ParsePath(path)
		if err != nil || !reflect.DeepEqual(p.steps, want) {
			t.Errorf("%q: %+v, %v; want %+v", path, p.steps, err, want)
		}
	}
	if _, err := ParsePath(strings.Repeat("*.", maxDepth)); err != nil {
		t.Error(err)
	}
	if _, err := ParsePath(strings.Repeat("*.", maxDepth) + "a"); err != depthError(maxDepth) {
		t.Error(err)
	}
}

// people is a list of two maps, each with an id, a list of tags and a map of attributes.
const people = "92" +
	"83 a26964 01 a474616773 92 a178 a179 a561747472 73 82 a570686f6e65 cd3039 a463697479 a14b" +
	"83 a26964 02 a474616773 90 a561747472 73 81 a570686f6e65 cdd431"

func list(v ...any) []any { return v }

// queries lists paths with the expected values and errors.
var queries = []struct {
	name, digits, path string
	want               []any
	err                string
}{
	{"the value itself", "05", "", list(int8(5)), ""},
	{"the value itself, nil", "c0", "", list(nil), ""},
	{"a key", "82 a161 01 a162 02", "b", list(int8(2)), ""},
	{"a bin key", "81 c40161 01", "a", list(int8(1)), ""},
	{"a map as leaf", "81 a161 81 a162 01", "a", list(map[string]any{"b": int8(1)}), ""},
	{"no such key", "82 a161 01 a162 02", "c", nil, ""},
	{"an index", "92 01 02", "1", list(int8(2)), ""},
	{"no such index", "92 01 02", "2", nil, ""},
	{"a negative index", "92 01 02", "-1", nil, ""},
	{"no index", "92 01 02", "a", nil, `msgpack: invalid array index "a" in the path`},
	{"a scalar on the way", "81 a161 01", "a.b", nil, `msgpack: unsupported code=1 decoding key="b"`},
	{"nil on the way", "81 a161 c0", "a.b", nil, `msgpack: unsupported code=c0 decoding key="b"`},
	{"a str on the way", "a161", "a", nil, `msgpack: unsupported code=a1 decoding key="a"`},
	{"an ext on the way", "d40500", "*", nil, `msgpack: unsupported code=d4 decoding key="*"`},

	{"all elements", people, "*.id", list(int8(1), int8(2)), ""},
	{"all elements, keys after them", people, "*.attrs.phone", list(uint16(12345), uint16(54321)), ""},
	{"an element, keys after it", people, "1.attrs.phone", list(uint16(54321)), ""},
	{"all elements, in some no such key", people, "*.attrs.city", list("K"), ""},
	{"all elements, in some no such index", people, "*.tags.1", list("y"), ""},
	{"all elements of nothing", "90", "*.a", nil, ""},
	{"all of all", people, "*.tags.*", list("x", "y"), ""},
	{"all of all of lists", "92 92 01 02 92 03 04", "*.*", list(int8(1), int8(2), int8(3), int8(4)), ""},
	{"all of all, keys after them", "92 91 82 a161 01 a162 02 92 82 a161 03 a162 04 82 a162 05 a161 06", "*.*.a", list(int8(1), int8(3), int8(6)), ""},
	{"all of one of all", "82 a16c 92 82 a16d 92 01 02 a16e 00 82 a16d 91 03 a16e 00 a16f 00", "l.*.m.*", list(int8(1), int8(2), int8(3)), ""},
	{"all, then a scalar", "92 81 a161 01 02", "*.a", nil, `msgpack: unsupported code=2 decoding key="a"`},

	{"all values of a map", "82 a161 01 a162 02", "*", list(int8(1), int8(2)), ""},
	{"all values of a map, keys of any kind", "83 01 01 c3 02 90 03", "*", list(int8(1), int8(2), int8(3)), ""},
	{"below all values of a map", "82 a161 81 a178 01 a162 81 a178 02", "*.x", list(int8(1), int8(2)), ""},
	{"the key *", "82 a161 01 a12a 02", `\*`, list(int8(2)), ""},
	{"a key with a dot", "82 a3612e62 01 a161 81 a162 02", `a\.b`, list(int8(1)), ""},
	{"a key with a backslash", `82 a3615c62 01 a2615c 02`, `a\b`, list(int8(1)), ""},
	{"an int key", "82 01 a178 02 a179", "2", list("y"), ""},
	{"an int key of another width", "81 cd0002 a178", "2", list("x"), ""},
	{"a negative int key", "81 d0df a178", "-33", list("x"), ""},
	{"the largest int key", "81 cfffffffffffffffff a178", "18446744073709551615", list("x"), ""},
	{"an int key is found as it is written", "81 01 a178", "+1", nil, ""},
	{"a str key of digits", "82 a131 a178 02 a179", "1", list("x"), ""},
	{"an int key and a str key: the last counts", "82 a131 a178 01 a179", "1", list("y"), ""},
	{"a key after keys of other kinds", "84 c0 01 c3 02 92 01 02 03 a161 04", "a", list(int8(4)), ""},
	{"a key twice: the last counts", "82 a161 01 a161 02", "a", list(int8(2)), ""},

	{"an empty step ends the path", "81 a161 81 a162 01", "a..b", list(map[string]any{"b": int8(1)}), ""},
	{"a path that ends in a dot", "81 a161 01", "a.", list(int8(1)), ""},
	{"a leaf that cannot be decoded", "81 a161 d40500", "a", nil, "msgpack: unknown ext id=5"},
}

// Query finds the values at a path, and leaves the decoder after the whole value. Raw.Query finds
// the same values.
func TestQuery(t *testing.T) {
	for _, c := range queries {
		data := unhex(t, c.digits)
		for name, d := range sources(append(bytes.Clone(data), 0xa4, 'n', 'e', 'x', 't')) {
			got, err := d.Query(c.path)
			if text(err) != c.err || !reflect.DeepEqual(got, c.want) {
				t.Errorf("%s, %s: %v, %v; want %v, %s", c.name, name, got, err, c.want, c.err)
			}
			if d.InputOffset() != int64(len(data)) {
				t.Errorf("%s, %s: stands at %d of %d", c.name, name, d.InputOffset(), len(data))
			}
			if next, err := d.DecodeString(); next != "next" || err != nil {
				t.Errorf("%s, %s: the next value is %q, %v", c.name, name, next, err)
			}
		}
		if got, err := queryRaw(t, Raw(data), c.path); text(err) != c.err || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s, of a view: %v, %v; want %v, %s", c.name, got, err, c.want, c.err)
		}
	}

	t.Run("Query_leaves_the_decoder_after_the_value", func(t *testing.T) {
		d := newDecoder()
		for _, c := range []struct {
			digits, path string
			want         []any
			err          string
		}{
			{"81a16101", "a", []any{int8(1)}, ""}, {"81a16101", "b", nil, ""}, {"01", "a", nil, `msgpack: unsupported code=1 decoding key="a"`},
			{"81a16193010203", "a.*", []any{int8(1), int8(2), int8(3)}, ""}, {"81a16193010203", "a.1", []any{int8(2)}, ""},
			{"9281a1619281a1620181a1620281a1619181a16203", "*.a.*.b", []any{int8(1), int8(2), int8(3)}, ""},
			{"92 82a161 91 82a16201a16302 a16404 82a161 90 a16404", "*.a.*.b", []any{int8(1)}, ""},
			{"8101a161", "1", []any{"a"}, ""},
		} {
			d.ResetBytes(append(unhex(t, c.digits), 0x2a))
			v, err := d.Query(c.path)
			if text(err) != c.err || !reflect.DeepEqual(v, c.want) {
				t.Errorf("%s of %s: %v, %v; want %v", c.path, c.digits, v, err, c.want)
			}
			if n, err := d.DecodeInt(); n != 0x2a || err != nil {
				t.Errorf("%s of %s leaves the decoder elsewhere: %d, %v", c.path, c.digits, n, err)
			}
		}
	})
}

// queryRaw decodes the values that Raw.Query finds. After an error it returns no values, like
// Decoder.Query.
func queryRaw(t *testing.T, r Raw, path string) (found []any, err error) {
	p, err := ParsePath(path)
	if err != nil {
		return nil, err
	}
	for part, err := range r.Query(p) {
		if (err == nil) != (part != nil) {
			t.Errorf("%q in %x: %x, %v", path, []byte(r), []byte(part), err)
		}
		var v any
		if err == nil {
			err = part.Decode(&v)
		}
		if err != nil {
			return nil, err
		}
		found = append(found, v)
	}
	return found, nil
}

// Errors of Query have the right offset and path.
func TestQueryWhere(t *testing.T) {
	for _, c := range []struct {
		digits, path string
		offset       int64
		where        string
	}{
		{"05", "a", 0, ""},
		{"81 a161 92 81 a162 01 02", "a.1.b", 8, "a[1]"},
		{"92 91 01 91 02", "*.*.a", 2, "[0][0]"},
		{"82 a161 90 07 91 c3", "*.*.x", 6, "7[0]"},
		{"81 a161 90", "a.x", 3, "a"},
		{"91 81 a161 92 01 d40500", "0.a", 6, "[0].a[1]"},
		{"91 81 a161", "0.a", 4, ""},
	} {
		prefix := unhex(t, "93 01 02 03")
		for name, d := range sources(append(prefix, unhex(t, c.digits)...)) {
			if err := d.Skip(); err != nil {
				t.Fatal(err)
			}
			_, err := d.Query(c.path)
			var e *Error
			if !errors.As(err, &e) || e.Offset != 4+c.offset || e.Path != c.where {
				t.Errorf("%s in %s, %s: %+v; want %q at %d", c.path, c.digits, name, err, c.where, 4+c.offset)
			}
		}
	}
	p, err := ParsePath("*.*.a")
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range raw(t, "92 90 91 02").Query(p) {
		var e *Error
		if !errors.As(err, &e) || e.Offset != 3 || e.Path != "[1][0]" {
			t.Errorf("%+v", err)
		}
	}
}

// An incomplete value causes the same error as in Skip, even if the queried part is complete.
func TestQueryCutShort(t *testing.T) {
	data := unhex(t, people)
	for cut := range data {
		for name, d := range sources(data[:cut]) {
			if got, err := d.Query("0.id"); got != nil || err == nil || !strings.HasSuffix(err.Error(), "EOF") {
				t.Errorf("%s cut at %d: %v, %v", name, cut, got, err)
			}
		}
	}
	for _, digits := range []string{"91", "92 01", "91 81 a161", "91 81", "81 a161", "dd", "ddffffffff 01", "dfffffffff a161 01"} {
		for _, path := range []string{"*", "0.a", "*.a", "*.*", "a"} {
			p, err := ParsePath(path)
			if err != nil {
				t.Fatal(err)
			}
			for v, err := range Raw(unhex(t, digits)).Query(p) {
				if err == nil && skip(v, 0) != len(v) {
					t.Errorf("%s in %s: %x", path, digits, []byte(v))
				}
			}
		}
	}
}

// Query decodes the values with the options of the decoder.
func TestQueryOptions(t *testing.T) {
	d := newDecoder()
	d.ResetBytes(unhex(t, "81 a161 92 01 c40162"))
	d.UseLooseInterfaceDecoding(true)
	if got, err := d.Query("a.*"); err != nil || !reflect.DeepEqual(got, list(int64(1), "b")) {
		t.Error(got, err)
	}
	d.ResetBytes(unhex(t, "82 a161 81 a162 01 a163 02 07"))
	d.SetMapDecoder(mapByHand)
	if got, err := d.Query("a"); err != nil || !reflect.DeepEqual(got, list(map[any]any{"b": int8(1)})) {
		t.Error(got, err)
	}
	if next, err := d.DecodeInt(); next != 7 || err != nil {
		t.Error(next, err)
	}
}

// asked is a type whose decode method calls Query.
type asked struct{ found []any }

func (a *asked) DecodeMsgpack(d *Decoder) (err error) {
	a.found, err = d.Query("a.*")
	return err
}

// Query works in a custom decoder, for one element of a list at a time.
func TestQueryInside(t *testing.T) {
	data := unhex(t, "93 82 a161 92 01 02 a162 03 80 81 a161 91 04")
	for name, d := range sources(data) {
		var v []asked
		if err := d.Decode(&v); err != nil || len(v) != 3 || len(v[0].found) != 2 || v[1].found != nil || len(v[2].found) != 1 {
			t.Errorf("%s: %v, %v", name, v, err)
		}
		if err := d.Skip(); err != io.EOF {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, d := range sources(unhex(t, "92 80 81 a161 07")) {
		err := d.Decode(new([]asked))
		var e *Error
		if !errors.As(err, &e) || e.Offset != 5 || e.Path != "[1].a" {
			t.Errorf("%s: %+v", name, err)
		}
	}
}

// A loop over Query may stop early, at any level.
func TestQueryStops(t *testing.T) {
	p, err := ParsePath("*.*")
	if err != nil {
		t.Fatal(err)
	}
	for _, digits := range []string{"92 92 01 02 92 03 04", "92 82 01 01 02 02 80", "82 01 92 01 02 02 90", "92 91 01 07"} {
		n := 0
		for v, err := range raw(t, digits).Query(p) {
			if n++; err != nil || !bytes.Equal(v, []byte{1}) {
				t.Errorf("%s: %x, %v", digits, []byte(v), err)
			}
			break
		}
		if n != 1 {
			t.Errorf("%s: %d values before the end", digits, n)
		}
	}
	for range Raw(nil).Query(p) {
		t.Error("a missing value has parts")
	}
}

// Query follows the longest possible path into an even deeper value.
func TestQueryDeep(t *testing.T) {
	data := append(bytes.Repeat([]byte{0x91}, 20_000), 0xc0)
	path := strings.Repeat("*.", maxDepth-1) + "0"
	p, err := ParsePath(path)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for v, err := range Raw(data).Query(p) {
		if n++; err != nil || len(v) != len(data)-maxDepth {
			t.Error(len(v), err)
		}
	}
	if n != 1 {
		t.Errorf("found %d", n)
	}
	d := newDecoder()
	d.ResetBytes(data)
	if _, err := d.Query(path); err != nil { // the leaf is at the maximum depth
		t.Error(err)
	}
	if _, err := d.Query(path + ".0"); err != depthError(maxDepth) {
		t.Error(err)
	}
}

// FuzzQuery checks that Query reads one value, like Skip, from bytes and from streams. It also
// compares the values with those of Raw.Query.
func FuzzQuery(f *testing.F) {
	for _, c := range queries {
		f.Add(unhex(f, c.digits), c.path)
	}
	r := corpus.New(5)
	for _, path := range []string{"*", "*.*", "*.*.*", "0.*", "a.*.b", ""} {
		f.Add(marshal(f, corpus.Any(r, 0)), path)
	}
	f.Fuzz(func(t *testing.T, data []byte, path string) {
		data = guarded.Test(t, data)
		if len(data) > 1000 || len(path) > 100 {
			return
		}
		p, err := ParsePath(path)
		if err != nil {
			t.Fatal(err)
		}
		for range Raw(data).Query(p) {
		}
		d, stream, skipped := newDecoder(), NewDecoder(iotest.OneByteReader(bytes.NewReader(data))), newDecoder()
		d.ResetBytes(data)
		skipped.ResetBytes(data)
		got, err := d.Query(path)
		fromStream, errStream := stream.Query(path)
		if text(err) != text(errStream) || !same(reflect.ValueOf(got), reflect.ValueOf(fromStream)) {
			t.Fatalf("%v, %v from bytes; %v, %v from a stream", got, err, fromStream, errStream)
		}
		if errSkip := skipped.Skip(); errSkip != nil {
			if text(err) != text(errSkip) {
				t.Fatalf("Query: %v, Skip: %v", err, errSkip)
			}
			return
		}
		if at := skipped.InputOffset(); d.InputOffset() != at || stream.InputOffset() != at {
			t.Fatalf("Query stands at %d, from a stream at %d; Skip at %d", d.InputOffset(), stream.InputOffset(), at)
		}
		viewed, errView := queryRaw(t, Raw(data[:d.InputOffset()]), path)
		if text(err) != text(errView) || !same(reflect.ValueOf(got), reflect.ValueOf(viewed)) {
			t.Fatalf("%v, %v; of a view: %v, %v", got, err, viewed, errView)
		}
	})
}
