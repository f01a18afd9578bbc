package transcode

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
)

// TestToJSON checks the table "MessagePack to JSON" of the package documentation, line by line.
func TestToJSON(t *testing.T) {
	const all = EscapeHTML | NonFiniteAsNull | ExtAsObject | ExtAsNull | RejectInvalidUTF8
	for _, c := range []struct {
		in    string
		flags Flags
		want  string
	}{
		{"c0", 0, `null`},
		{"c2", 0, `false`},
		{"c3", 0, `true`},

		{"00", 0, `0`}, {"7f", 0, `127`}, {"ff", 0, `-1`}, {"e0", 0, `-32`},
		{"cc ff", 0, `255`}, {"cd ffff", 0, `65535`}, {"ce ffffffff", 0, `4294967295`}, {"cf ffffffffffffffff", 0, `18446744073709551615`},
		{"d0 80", 0, `-128`}, {"d1 8000", 0, `-32768`}, {"d2 80000000", 0, `-2147483648`}, {"d3 8000000000000000", 0, `-9223372036854775808`},
		{"cc 01", 0, `1`}, {"d3 0000000000000001", 0, `1`}, {"cf 0020000000000001", 0, `9007199254740993`},

		{"ca 3dcccccd", 0, `0.1`}, {"ca 3f800000", 0, `1`}, {"ca 80000000", 0, `-0`}, {"ca 7f7fffff", 0, `3.4028235e+38`}, {"ca 00000001", 0, `1e-45`},
		{"cb 3fb999999999999a", 0, `0.1`}, {"cb 3fb99999a0000000", 0, `0.10000000149011612`}, {"cb 8000000000000000", 0, `-0`},
		{"cb 7fefffffffffffff", 0, `1.7976931348623157e+308`}, {"cb 4330000000000000", 0, `4503599627370496`}, {"cb 3eb0c6f7a0b5ed8d", 0, `0.000001`},
		{"ca 7fc00000", NonFiniteAsNull, `null`}, {"ca 7f800000", NonFiniteAsNull, `null`}, {"cb fff0000000000000", NonFiniteAsNull, `null`},

		{"a0", 0, `""`}, {"a1 61", 0, `"a"`}, {"d9 01 61", 0, `"a"`}, {"da 0001 61", 0, `"a"`}, {"db 00000001 61", 0, `"a"`},
		{"a9 22 5c 0a 01 7f c3a9 3c 2f", 0, `"\"\\\n\u0001` + "\x7fé" + `</"`}, {"a3 3c3e26", EscapeHTML, `"\u003c\u003e\u0026"`}, {"a3 e280a8", 0, `"\u2028"`},
		{"a3 61ff62", 0, `"a\ufffdb"`}, {"a2 e280", 0, `"\ufffd\ufffd"`}, {"a3 eda080", 0, `"\ufffd\ufffd\ufffd"`}, {"a3 efbfbd", RejectInvalidUTF8, `"` + "\ufffd" + `"`},

		{"c4 00", 0, `""`}, {"c4 02 fbff", 0, `"+/8="`}, {"c5 0001 61", 0, `"YQ=="`}, {"c6 00000003 616263", 0, `"YWJj"`},

		{"90", 0, `[]`}, {"93 01 90 c0", 0, `[1,[],null]`}, {"dc 0001 01", 0, `[1]`}, {"dd 00000002 01 a0", 0, `[1,""]`},
		{"80", 0, `{}`}, {"82 a1 62 01 a1 61 80", 0, `{"b":1,"a":{}}`}, {"de 0001 a0 00", 0, `{"":0}`}, {"df 00000001 a0 00", 0, `{"":0}`},
		{"82 a1 61 01 a1 61 02", 0, `{"a":1,"a":2}`},

		{"d6 ff 00000000", 0, `"1970-01-01T00:00:00Z"`}, {"d6 ff ffffffff", 0, `"2106-02-07T06:28:15Z"`},
		{"d7 ff ee6b27ffffffffff", 0, `"2514-05-30T01:53:03.999999999Z"`}, {"d7 ff ffffffff ffffffff", 0, `"2514-05-30T01:53:04.073741823Z"`},
		{"c7 0c ff 00000000 ffffffffffffffff", 0, `"1969-12-31T23:59:59Z"`}, {"c7 0c ff 00000001 fffffff1868b8400", 0, `"0000-01-01T00:00:00.000000001Z"`},
		{"c7 0c ff 3b9ac9ff 0000003afff4417f", 0, `"9999-12-31T23:59:59.999999999Z"`}, {"c8 0004 ff 00000001", 0, `"1970-01-01T00:00:01Z"`},
		{"c7 0c ff 3b9aca00 fffffff1868b83ff", 0, `"0000-01-01T00:00:00Z"`}, // nanoseconds of a full second carry over
		{"c7 0c ff 00000000 0000003afff44180", ExtAsObject, `{"type":-1,"data":"AAAAAAAAADr/9EGA"}`}, {"c7 0c ff ffffffff 7fffffffffffffff", ExtAsNull, `null`},
		{"c7 0c ff ffffffff 8000000000000000", ExtAsNull, `null`}, {"d4 ff 00", ExtAsNull, `null`}, {"c7 00 ff", ExtAsObject, `{"type":-1,"data":""}`},

		{"d4 05 61", ExtAsObject, `{"type":5,"data":"YQ=="}`}, {"d8 80 00000000000000000000000000000000", ExtAsObject, `{"type":-128,"data":"AAAAAAAAAAAAAAAAAAAAAA=="}`},
		{"d5 05 6161", ExtAsNull, `null`}, {"c9 00000001 05 61", ExtAsObject | ExtAsNull, `{"type":5,"data":"YQ=="}`}, {"c7 00 05", ExtAsNull, `null`},

		{"81 c4 02 61ff 01", 0, `{"a\ufffd":1}`}, {"81 d9 01 3c 01", EscapeHTML, `{"\u003c":1}`}, {"81 c6 00000000 01", 0, `{"":1}`},
		{"81 c0 01", 0, `{"":1}`},
		{"81 c3 01", all, `{"true":1}`}, {"81 c2 01", 0, `{"false":1}`}, {"81 ff 01", 0, `{"-1":1}`}, {"81 cf ffffffffffffffff 01", 0, `{"18446744073709551615":1}`},
		{"81 ca 3dcccccd 01", 0, `{"0.1":1}`}, {"81 cb 3ff8000000000000 01", 0, `{"1.5":1}`},
		{"81 d6 ff 00000000 01", all, `{"1970-01-01T00:00:00Z":1}`},
		{"82 01 02 a1 31 03", 0, `{"1":2,"1":3}`},
	} {
		want := strings.ReplaceAll(c.want, `\ufffd`, badText)
		if got, err := toJSON(t, unhex(t, c.in), c.flags); err != nil || got != want {
			t.Errorf("%s, flags %d: %s, %+v; want %s", c.in, c.flags, got, err, want)
		}
	}
}

// Invalid MessagePack is rejected with path and offset.
func TestToJSONErrors(t *testing.T) {
	const replace = NonFiniteAsNull | ExtAsObject | ExtAsNull
	for _, c := range []struct {
		in     string
		flags  Flags
		cause  error
		offset int64
		path   string
	}{
		{"", 0, io.ErrUnexpectedEOF, 0, ""},
		{"c1", replace, codeError(0xc1), 0, ""},
		{"01 02", 0, errTrailing, 1, ""},
		{"90 c0", 0, errTrailing, 1, ""},
		{"cd 01", 0, io.ErrUnexpectedEOF, 0, ""},
		{"92 01 d9 05 61", 0, io.ErrUnexpectedEOF, 2, "[1]"},
		{"92 01", 0, io.ErrUnexpectedEOF, 0, ""},
		{"92 01 92 01", 0, io.ErrUnexpectedEOF, 2, "[1]"},
		{"81 a1 61", 0, io.ErrUnexpectedEOF, 3, "a"},
		{"82 a1 61 01 a1", 0, io.ErrUnexpectedEOF, 4, ""},
		{"84 01020304", 0, io.ErrUnexpectedEOF, 0, ""}, // enough bytes for 4 values, but not for 8
		{"82 a0 a27879", 0, io.ErrUnexpectedEOF, 5, ""},
		{"dd ffffffff 01", 0, io.ErrUnexpectedEOF, 0, ""},
		{"df 80000000 01", 0, io.ErrUnexpectedEOF, 0, ""},
		{"db ffffffff 01", 0, io.ErrUnexpectedEOF, 0, ""},
		{"c9 ffffffff 01", 0, io.ErrUnexpectedEOF, 0, ""},
		{"cb 7ff8000000000001", 0, errNonFinite, 0, ""},
		{"81 a4 64617461 93 01 02 ca ff800000", 0, errNonFinite, 9, "data[2]"},
		{"81 a1 61 d4 05 00", 0, extError(5), 3, "a"},
		{"81 a1 61 d4 80 00", NonFiniteAsNull, extError(-128), 3, "a"},
		{"c7 0c ff 00000000 0000003afff44180", 0, errTime, 0, ""},
		{"c7 0c ff 3b9aca00 0000003afff4417f", 0, errTime, 0, ""}, // carries over into the year 10000
		{"c7 0c ff 00000000 fffffff1868b83ff", 0, errTime, 0, ""},
		{"d5 ff 0000", 0, errTime, 0, ""},
		{"a1 ff", RejectInvalidUTF8, errUTF8, 0, ""},
		{"81 a1 61 81 a1 ff 01", RejectInvalidUTF8, errUTF8, 4, "a"},
		{"81 c4 01 ff 01", RejectInvalidUTF8, errUTF8, 1, ""},
		{"81 90 01", replace, errKey, 1, ""},
		{"91 82 a1 61 01 80 01", replace, errKey, 5, "[0]"},
		{"81 dc 0000 01", replace, errKey, 1, ""},
		{"81 df 00000000 01", replace, errKey, 1, ""},
		{"81 c1 01", replace, codeError(0xc1), 1, ""},
		{"81 ca 7fc00000 01", replace, errNonFinite, 1, ""},
		{"81 d4 05 00 01", replace, extError(5), 1, ""},
		{"81 d4 ff 00 01", replace, errTime, 1, ""},
		{"81 01 81 c3 81 c0 81 a2 c3a9 c1", 0, codeError(0xc1), 10, "1.true..é"},
		{"81 a1 22 c1", EscapeHTML, codeError(0xc1), 3, `"`},
	} {
		_, err := toJSON(t, unhex(t, c.in), c.flags)
		checkError(t, c.in, err, c.cause, c.offset, c.path)
	}
}

func checkError(t *testing.T, in string, err, cause error, offset int64, path string) {
	t.Helper()
	var e *Error
	if !errors.As(err, &e) || e.Cause != cause || e.Offset != offset || e.Path != path {
		t.Errorf("%.99q: %+v; want %v in %q at byte %d", in, err, cause, path, offset)
	}
}

// TestToMessagePack checks the table "JSON to MessagePack" of the package documentation.
func TestToMessagePack(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{`null`, "c0"}, {`false`, "c2"}, {` true `, "c3"},

		{`0`, "00"}, {`127`, "7f"}, {`128`, "cc80"}, {`255`, "ccff"}, {`256`, "cd0100"}, {`65535`, "cdffff"}, {`65536`, "ce00010000"},
		{`4294967295`, "ceffffffff"}, {`4294967296`, "cf0000000100000000"}, {`18446744073709551615`, "cfffffffffffffffff"},
		{`-1`, "ff"}, {`-32`, "e0"}, {`-33`, "d0df"}, {`-128`, "d080"}, {`-129`, "d1ff7f"}, {`-32768`, "d18000"}, {`-32769`, "d2ffff7fff"},
		{`-2147483648`, "d280000000"}, {`-2147483649`, "d3ffffffff7fffffff"}, {`-9223372036854775808`, "d38000000000000000"},

		{`-0`, "cb8000000000000000"}, {`-0.0`, "cb8000000000000000"}, {`0.0`, "cb0000000000000000"}, {`1.0`, "cb3ff0000000000000"}, {`1e2`, "cb4059000000000000"},
		{`0.1`, "cb3fb999999999999a"}, {`0.1000000000000000055511151231257827021181583404541015625000000000001`, "cb3fb999999999999a"}, {`1e-400`, "cb0000000000000000"},
		{`1.7976931348623157e308`, "cb7fefffffffffffff"}, {`5e-324`, "cb0000000000000001"},
		{`18446744073709551616`, "cb43f0000000000000"}, {`-9223372036854775809`, "cbc3e0000000000000"}, {`100000000000000000000`, "cb4415af1d78b58c40"},

		{`""`, "a0"}, {`"a"`, "a161"}, {`"\u0061"`, "a161"}, {`"\"\\\/\b\f\n\r\t"`, "a8225c2f080c0a0d09"}, {`"é"`, "a2c3a9"}, {`"\ud83d\ude00"`, "a4f09f9880"},
		{`"\ud83d"`, "a3efbfbd"}, {`"\ude00x"`, "a4efbfbd78"}, {"\"a\xffb\"", "a561efbfbd62"}, {`"\u0000"`, "a100"},

		{`[]`, "90"}, {` [ 1 , [ ] , "x" ] `, "930190a178"}, {`[[[]]]`, "919190"},
		{`{}`, "80"}, {`{"b":1,"a":{}}`, "82a16201a16180"}, {`{"a":1,"a":2}`, "82a16101a16102"}, {`{"\u0061":[{}]}`, "81a1619180"},
	} {
		if got, err := toMessagePack(t, []byte(c.in), 0); err != nil || fmt.Sprintf("%x", got) != c.want {
			t.Errorf("%s: %x, %+v; want %s", c.in, got, err, c.want)
		}
	}
}

// Invalid JSON is rejected with path and offset.
func TestToMessagePackErrors(t *testing.T) {
	for _, c := range []struct {
		in     string
		flags  Flags
		cause  error // nil means a *json.SyntaxError
		offset int64
		path   string
	}{
		{``, 0, nil, 0, ""},
		{" \n", 0, nil, 2, ""},
		{`1 2`, 0, nil, 2, ""},
		{`[1] ]`, 0, nil, 4, ""},
		{`[1] nul`, 0, nil, 4, ""},
		{`{"a":1}{"b":2}`, 0, nil, 7, ""},
		{`nul`, 0, nil, 0, ""},
		{`[1,2`, 0, nil, 4, "[1]"},
		{`[1,2,]`, 0, nil, 5, "[2]"},
		{`[1,02]`, 0, nil, 3, "[1]"},
		{`{"a":{"b":[1,{"c":tru}]}}`, 0, nil, 18, "a.b[1].c"},
		{`{"a":1,"b"}`, 0, nil, 10, "b"},
		{`{"a":1,b:2}`, 0, nil, 7, ""},
		{`{"a":1,"b":"x` + "\n" + `"}`, 0, nil, 11, "b"},
		{`{"a":[{},{}],"b":[0`, 0, nil, 19, "b[0]"},
		{`1e400`, 0, errRange, 0, ""},
		{`[0,{"a\n":-1e309}]`, 0, errRange, 10, "[1].a\n"},
		{`"` + "\xff" + `"`, RejectInvalidUTF8, errUTF8, 0, ""},
		{`[{"k":"\ud800"}]`, RejectInvalidUTF8, errUTF8, 6, "[0].k"},
		{`[{"k":1,"\ud800":2}]`, RejectInvalidUTF8, errUTF8, 8, "[0]"},
	} {
		_, err := toMessagePack(t, []byte(c.in), c.flags)
		if c.cause == nil {
			var syntax *json.SyntaxError
			want := json.Unmarshal([]byte(c.in), new(any))
			if !errors.As(err, &syntax) || err.Error() != want.Error() || syntax.Offset != want.(*json.SyntaxError).Offset {
				t.Errorf("%q: %v, want that of encoding/json, %v", c.in, err, want)
				continue
			}
			c.cause = syntax
		}
		checkError(t, c.in, err, c.cause, c.offset, c.path)
	}
}

// RejectInvalidUTF8 rejects invalid text, but not valid text that looks similar.
func TestRejectInvalidUTF8(t *testing.T) {
	for text, valid := range map[string]bool{
		`é`: true, `\u00e9`: true, `\ufffd`: true, "\ufffd": true, `\ud83d\ude00`: true, `\uD83D\uDE00\ud83d\ude00`: true, `\\ud800`: true, `\\\\ud800\n`: true, `\ue000\ud7ff`: true,
		"\xff": false, "é\xe2\x80": false, "\xed\xa0\x80": false, `\ud800`: false, `\udfff`: false, `\ud800x`: false, `\ud800\n`: false, `\ud800\ud800\udc00`: false, `\udc00\ud800`: false,
		`\\\ud800`: false, `\n\ud83d\u0041`: false, `\ud83d\\ude00`: false, `\ud83d\ude00\ud83d`: false, `\u0041\udbff\udfff\udfff`: false,
	} {
		for _, doc := range []string{`"` + text + `"`, `{"` + text + `":0}`, `["` + strings.Repeat("plain text ", 5) + text + text + `"]`} {
			without, err := toMessagePack(t, []byte(doc), 0)
			if err != nil {
				t.Fatal(doc, err)
			}
			with, err := toMessagePack(t, []byte(doc), RejectInvalidUTF8)
			if valid && with != without || valid != (err == nil) {
				t.Errorf("%s: %x, %v; without the flag %x", doc, with, err, without)
			}
		}
	}
}
