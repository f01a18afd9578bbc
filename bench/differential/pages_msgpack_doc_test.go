package differential

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/slipstream-go/slipstream/internal/pages"
	"github.com/slipstream-go/slipstream/msgpack"
	v5 "github.com/vmihailenco/msgpack/v5"
)

// TestPagesMsgpackDoc checks the tables in the package comment of msgpack.
func TestPagesMsgpackDoc(t *testing.T) {
	page := pages.ReadComment(t, "msgpack/doc.go")
	page.Blocks(t, "Bytes", map[string]func(*testing.T, pages.Block){
		"code      value                 what follows the code": func(t *testing.T, b pages.Block) { runLines(t, b.Lines()[1:], codeLines) },
	})
	page.Blocks(t, "Go and MessagePack", map[string]func(*testing.T, pages.Block){
		"Go                              written as                            read from": func(t *testing.T, b pages.Block) {
			runLines(t, joined(b.Lines()[1:]), typeLines)
		},
	})
	page.Blocks(t, "Tags", map[string]func(*testing.T, pages.Block){
		"Field int `msgpack:\"name,omitempty\"`        another name; omitted when empty": func(t *testing.T, b pages.Block) {
			runLines(t, b.Lines(), tagLines)
		},
	})
	page.Done(t)
}

// runLines runs the check of each line. The key of a line is its first column.
func runLines(t *testing.T, lines []string, checks map[string]func(*testing.T)) {
	seen := map[string]bool{}
	for _, line := range lines {
		key := column.FindString(line)
		if seen[key] || checks[key] == nil {
			t.Errorf("there is no check of its own for %q", line)
			continue
		}
		seen[key] = true
		t.Run(key, checks[key])
	}
	for key := range checks {
		if !seen[key] {
			t.Errorf("there is a check for %q, which is not there", key)
		}
	}
}

// column matches the first column of a table that is aligned with spaces.
var column = regexp.MustCompile(`^\S+( \S+)*`)

// joined appends each line that continues the last column to the line before it.
func joined(lines []string) (all []string) {
	for _, line := range lines {
		if strings.HasPrefix(line, " ") {
			all[len(all)-1] += " " + strings.TrimSpace(line)
		} else {
			all = append(all, line)
		}
	}
	return all
}

// ext is an ext with data of any length.
type ext struct {
	id   int8
	data []byte
}

// code is a value, and the bytes that both libraries write before its content.
type code struct {
	value any
	head  string // in hex
	rest  int    // number of bytes that follow
}

func writes(codes ...code) func(*testing.T) {
	return func(t *testing.T) {
		for _, c := range codes {
			var theirs, ours bytes.Buffer
			before, after := v5.NewEncoder(&theirs), msgpack.NewEncoder(&ours)
			if x, ok := c.value.(ext); ok {
				before.EncodeExtHeader(x.id, len(x.data))
				after.EncodeExtHeader(x.id, len(x.data))
				theirs.Write(x.data)
				ours.Write(x.data)
			} else if err, err2 := before.Encode(c.value), after.Encode(c.value); err != nil || err2 != nil {
				t.Errorf("%v, %v", err, err2)
			}
			got := ours.Bytes()
			if len(got) != len(c.head)/2+c.rest || !strings.HasPrefix(hex.EncodeToString(got), c.head) || len(got) != theirs.Len() || !bytes.HasPrefix(theirs.Bytes(), got[:len(c.head)/2]) {
				t.Errorf("%T begins with %.20x and takes %d bytes, v5 %.20x; want %s and %d more", c.value, got, len(got), theirs.Bytes(), c.head, c.rest)
			}
			if n := lenOf(t, got); n != len(got) {
				t.Errorf("%T is read as %d bytes of %d", c.value, n, len(got))
			}
		}
	}
}

// lenOf returns the length of the first value in data.
func lenOf(t *testing.T, data []byte) int {
	d := msgpack.NewDecoder(bytes.NewReader(data))
	if err := d.Skip(); err != nil {
		t.Error(err)
	}
	return int(d.InputOffset())
}

func mapOf(n int) map[uint32]bool {
	m := make(map[uint32]bool, n)
	for i := range n {
		m[uint32(i)] = true
	}
	return m
}

var codeLines = map[string]func(*testing.T){
	"00..7f":   writes(code{0, "00", 0}, code{127, "7f", 0}),
	"80..8f":   writes(code{mapOf(0), "80", 0}, code{mapOf(15), "8f", 15 * 6}),
	"90..9f":   writes(code{[]int{}, "90", 0}, code{make([]int, 15), "9f", 15}),
	"a0..bf":   writes(code{"", "a0", 0}, code{strings.Repeat("x", 31), "bf", 31}),
	"c0 c2 c3": writes(code{nil, "c0", 0}, code{false, "c2", 0}, code{true, "c3", 0}),
	"c1": func(t *testing.T) {
		var v any
		if err := msgpack.Unmarshal([]byte{0xc1}, &v); err == nil {
			t.Errorf("it is read as %v", v)
		}
	},
	"c4 c5 c6": writes(code{make([]byte, 255), "c4ff", 255}, code{make([]byte, 256), "c50100", 256}, code{make([]byte, 65536), "c600010000", 65536}),
	"c7 c8 c9": writes(code{ext{7, make([]byte, 3)}, "c70307", 3}, code{ext{-7, make([]byte, 256)}, "c80100f9", 256}, code{ext{7, make([]byte, 65536)}, "c90001000007", 65536}),
	"ca cb":    writes(code{float32(1), "ca3f800000", 0}, code{1.5, "cb3ff8000000000000", 0}),
	"cc..cf":   writes(code{uint8(1), "cc01", 0}, code{uint16(1), "cd0001", 0}, code{uint32(1), "ce00000001", 0}, code{uint64(1), "cf0000000000000001", 0}),
	"d0..d3":   writes(code{int8(1), "d001", 0}, code{int16(1), "d10001", 0}, code{int32(1), "d200000001", 0}, code{int64(1), "d30000000000000001", 0}),
	"d4..d8": writes(code{ext{7, make([]byte, 1)}, "d407", 1}, code{ext{7, make([]byte, 2)}, "d507", 2}, code{ext{7, make([]byte, 4)}, "d607", 4},
		code{ext{7, make([]byte, 8)}, "d707", 8}, code{ext{7, make([]byte, 16)}, "d807", 16}),
	"d9 da db": writes(code{strings.Repeat("x", 32), "d920", 32}, code{strings.Repeat("x", 256), "da0100", 256}, code{strings.Repeat("x", 65536), "db00010000", 65536}),
	"dc dd":    writes(code{make([]int, 16), "dc0010", 16}, code{make([]int, 65536), "dd00010000", 65536}),
	"de df":    writes(code{mapOf(16), "de0010", 16 * 6}, code{mapOf(65536), "df00010000", 65536 * 6}),
	"e0..ff":   writes(code{-32, "e0", 0}, code{-1, "ff", 0}),
}

// form is a value, its encoding, and other encodings that are decoded to the same value.
type form struct {
	value any
	bytes string // in hex
	also  []string
}

func forms(list ...form) func(*testing.T) {
	return func(t *testing.T) {
		for _, f := range list {
			if got := written(msgpack.Marshal, f.value); got != f.bytes {
				t.Errorf("%#v is written as %s, not %s", f.value, got, f.bytes)
			}
			for _, digits := range append(f.also, f.bytes) {
				data, err := hex.DecodeString(digits)
				to := reflect.New(reflect.TypeOf(f.value))
				if err == nil {
					err = msgpack.Unmarshal(data, to.Interface())
				}
				if err != nil || !sameValue(to.Elem().Interface(), f.value) {
					t.Errorf("%s is read as %#v, %v; want %#v", digits, to.Elem(), err, f.value)
				}
			}
		}
	}
}

func sameValue(a, b any) bool {
	if x, ok := a.(time.Time); ok {
		return x.Equal(b.(time.Time))
	}
	return reflect.DeepEqual(a, b)
}

type (
	row   struct{ A, B int }
	tuple struct {
		_msgpack struct{} `msgpack:",as_array"` //lint:ignore U1000 read by its tag
		A, B     int
	}
)

var one = 1

var typeLines = map[string]func(*testing.T){
	"int, uint (and their kinds)": forms(form{5, "05", []string{"cc05", "d200000005", "cf0000000000000005", "cb4014000000000000"}}, form{300, "cd012c", []string{"d1012c", "cb4072c00000000000"}},
		form{uint(5), "05", []string{"d005", "ca40a00000"}}, form{time.Month(5), "05", nil}),
	"int8 … uint64": forms(form{int8(5), "d005", []string{"05", "cd0005"}}, form{int16(5), "d10005", []string{"05"}}, form{int32(5), "d200000005", []string{"05"}},
		form{int64(5), "d30000000000000005", []string{"cb4014000000000000"}}, form{uint8(5), "cc05", []string{"05"}}, form{uint16(5), "cd0005", []string{"05"}},
		form{uint32(5), "ce00000005", []string{"05"}}, form{uint64(5), "cf0000000000000005", []string{"05"}}),
	"float32, float64": forms(form{float32(1.5), "ca3fc00000", []string{"cb3ff8000000000000"}}, form{2.0, "cb4000000000000000", []string{"02", "ca40000000", "d002"}}),
	"string":           forms(form{"ab", "a26162", []string{"c4026162", "d9026162"}}),
	"[]byte, [n]byte":  forms(form{[]byte("ab"), "c4026162", []string{"a26162"}}, form{[2]byte{'a', 'b'}, "c4026162", []string{"a26162"}}),
	"slice, array":     forms(form{[]int{1, 2}, "920102", nil}, form{[2]string{"a", "b"}, "92a161a162", nil}),
	"map":              forms(form{map[string]int{"a": 1}, "81a16101", []string{"de0001a16101"}}, form{map[int]string{1: "a"}, "8101a161", nil}),
	"struct":           forms(form{row{1, 2}, "82a14101a14202", []string{"82a14202a14101", "920102"}}, form{tuple{A: 1, B: 2}, "920102", []string{"82a14101a14202"}}),
	"time.Time": forms(form{time.Unix(1700000000, 0), "d6ff6553f100",
		[]string{"b4323032332d31312d31345432323a31333a32305a", "92ce6553f10000"}}),
	"time.Duration": forms(form{time.Duration(5), "d30000000000000005", []string{"05"}}),
	"Ext":           forms(form{msgpack.Ext{Type: 7, Data: []byte{1}}, "d40701", []string{"c7010701"}}),
	"pointer, interface": func(t *testing.T) {
		for _, v := range []any{&one, struct{ E any }{1}.E} {
			if got := written(msgpack.Marshal, v); got != "01" {
				t.Errorf("%T: %s", v, got)
			}
		}
		if got := written(msgpack.Marshal, []any{(*int)(nil), nil, error(nil)}); got != "93c0c0c0" {
			t.Error(got)
		}
	},
	"any, when reading": func(t *testing.T) {
		for digits, want := range map[string]any{
			"05": int8(5), "d005": int8(5), "d10005": int16(5), "d200000005": int32(5), "d30000000000000005": int64(5), "cc05": uint8(5), "cd0005": uint16(5),
			"ce00000005": uint32(5), "cf0000000000000005": uint64(5), "ca3fc00000": float32(1.5), "cb3ff8000000000000": 1.5, "a161": "a", "c40161": []byte("a"),
			"9101": []any{int8(1)}, "81a16101": map[string]any{"a": int8(1)}, "d6ff6553f100": time.Unix(1700000000, 0),
		} {
			data, err := hex.DecodeString(digits)
			var theirs, ours any
			if err != nil || v5.Unmarshal(data, &theirs) != nil || msgpack.Unmarshal(data, &ours) != nil || !sameValue(ours, want) || !sameValue(ours, theirs) {
				t.Errorf("%s is read as %#v, by v5 as %#v; want %#v", digits, ours, theirs, want)
			}
		}
	},
}

type Inner struct{ X int }

// tagged compares the tag in a line of the page with the tag of a struct's first field. It also
// checks the encoding of the struct.
func tagged(tag string, of any, want string) func(*testing.T) {
	return func(t *testing.T) {
		if got := reflect.TypeOf(of).Field(0).Tag; string(got) != strings.Trim(tag, "`") {
			t.Fatalf("the test has the tag %s, the page %s", got, tag)
		}
		if got := written(msgpack.Marshal, of); got != want {
			t.Errorf("%+v is written as %s, not %s", of, got, want)
		}
	}
}

func (z zeroIsBig) IsZero() bool { return z == 9 }

type zeroIsBig int

var tagLines = map[string]func(*testing.T){
	"Field int `msgpack:\"name,omitempty\"`": func(t *testing.T) {
		type s struct {
			Field int `msgpack:"name,omitempty"`
		}
		tagged("`msgpack:\"name,omitempty\"`", s{1}, "81a46e616d6501")(t)
		tagged("`msgpack:\"name,omitempty\"`", s{}, "80")(t)
	},
	"Field T": func(t *testing.T) { // the line has two spaces after the type
		type s struct {
			Field zeroIsBig `msgpack:",omitzero"`
		}
		tagged("`msgpack:\",omitzero\"`", s{9}, "80")(t)
		tagged("`msgpack:\",omitzero\"`", s{0}, "81a54669656c6400")(t)
	},
	"Field int `msgpack:\"name,alias:old\"`": func(t *testing.T) {
		type s struct {
			Field int `msgpack:"name,alias:old"`
		}
		tagged("`msgpack:\"name,alias:old\"`", s{1}, "81a46e616d6501")(t)
		type several struct {
			Field int `msgpack:"name,alias:old,alias:older"`
		}
		for _, data := range []string{"\x81\xa4name\x05", "\x81\xa3old\x05", "\x81\xa5older\x05"} {
			var v several
			if err := msgpack.Unmarshal([]byte(data), &v); err != nil || v.Field != 5 {
				t.Errorf("%q: %v, %v", data, v, err)
			}
		}
	},
	"Field string `msgpack:\",intern\"`": func(t *testing.T) {
		type s struct {
			Field string `msgpack:",intern"`
		}
		tagged("`msgpack:\",intern\"`", s{"abc"}, "81a54669656c64a3616263")(t)
		if got := written(msgpack.Marshal, []s{{"abc"}, {"abc"}}); got != "9281a54669656c64a361626381a54669656c64d48000" {
			t.Error(got)
		}
		type f struct {
			Field any `msgpack:",intern"`
		}
		if got := written(msgpack.Marshal, []f{{"abc"}, {"abc"}, {7}}); got != "9381a54669656c64a361626381a54669656c64d4800081a54669656c6407" {
			t.Error(got)
		}
	},
	"Field int `msgpack:\"-\"`": func(t *testing.T) {
		type s struct {
			Field int `msgpack:"-"`
		}
		tagged("`msgpack:\"-\"`", s{1}, "80")(t)
	},
	"Inner": func(t *testing.T) {
		type s struct {
			Inner `msgpack:",inline"`
		}
		tagged("`msgpack:\",inline\"`", s{Inner{1}}, "81a15801")(t)
		type n struct {
			Inner `msgpack:",noinline"`
		}
		if got := written(msgpack.Marshal, n{Inner{1}}); got != "81a5496e6e657281a15801" {
			t.Error(got)
		}
	},
	"_msgpack struct{} `msgpack:\",as_array\"`": func(t *testing.T) {
		type s struct {
			_msgpack struct{} `msgpack:",as_array"` //lint:ignore U1000 read by its tag
			A, B     int
		}
		tagged("`msgpack:\",as_array\"`", s{A: 1, B: 2}, "920102")(t)
		type lenient struct {
			_msgpack struct{} `msgpack:",as_array,any_length"` //lint:ignore U1000 read by its tag
			A, B     int
		}
		for data, want := range map[string]string{"\x91\x01": "{{} 1 0}", "\x93\x01\x02\x03": "{{} 1 2}"} {
			var v lenient
			if err := msgpack.Unmarshal([]byte(data), &v); err != nil || fmt.Sprint(v) != want {
				t.Errorf("%x: %v, %v", data, v, err)
			}
			if err := msgpack.Unmarshal([]byte(data), new(s)); err == nil {
				t.Errorf("%x is read without any_length", data)
			}
		}
	},
	"_msgpack struct{} `msgpack:\",omitempty\"`": func(t *testing.T) {
		type s struct {
			_msgpack struct{} `msgpack:",omitempty"` //lint:ignore U1000 read by its tag
			A, B     int
		}
		tagged("`msgpack:\",omitempty\"`", s{B: 1}, "81a14201")(t)
	},
}
