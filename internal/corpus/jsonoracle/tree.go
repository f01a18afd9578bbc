package jsonoracle

import (
	"encoding/json"
	"math/rand/v2"
	"strings"
)

// tree is a JSON value and its position in the input.
type tree struct {
	from, to int
	text     string // a literal as written in the input; for arrays and objects, only the first byte
	keys     []string
	kids     []*tree // elements, or the values of the keys
}

func (t *tree) is(kind byte) bool { return t.text[0] == kind }

// parse returns the value that begins at or after b[i]. The value must be valid JSON.
func parse(b []byte, i int) *tree {
	i = skipBlanks(b, i)
	t := &tree{from: i}
	switch b[i] {
	case '[', '{':
		t.text = string(b[i])
		object := b[i] == '{'
		i = skipBlanks(b, i+1)
		for b[i] != ']' && b[i] != '}' {
			if b[i] == ',' {
				i++
			}
			if object {
				key := parse(b, i)
				t.keys = append(t.keys, key.text)
				i = skipBlanks(b, key.to) + 1
			}
			kid := parse(b, i)
			t.kids = append(t.kids, kid)
			i = skipBlanks(b, kid.to)
		}
		t.to = i + 1
	case '"':
		for i++; b[i] != '"'; i++ {
			if b[i] == '\\' {
				i++
			}
		}
		t.to = i + 1
	default:
		for i < len(b) && !strings.ContainsRune(" \t\r\n,:]}", rune(b[i])) {
			i++
		}
		t.to = i
	}
	if t.text == "" {
		t.text = string(b[t.from:t.to])
	}
	return t
}

func skipBlanks(b []byte, i int) int {
	for i < len(b) && strings.ContainsRune(" \t\r\n", rune(b[i])) {
		i++
	}
	return i
}

// unquote returns the content of a JSON string, and reports whether the string is valid.
func unquote(text string) (s string, ok bool) {
	return s, json.Unmarshal([]byte(text), &s) == nil
}

// write appends t to b, with random white space.
func (t *tree) write(r *rand.Rand, b []byte) []byte {
	blank := func() {
		if r.IntN(20) == 0 {
			b = append(b, []string{" ", "\t", "\r\n  ", "\n\n\n\n\n\n\n\n"}[r.IntN(4)]...)
		}
	}
	if !t.is('[') && !t.is('{') {
		return append(b, t.text...)
	}
	b = append(b, t.text...)
	for i, kid := range t.kids {
		if i > 0 {
			b = append(b, ',')
		}
		blank()
		if t.keys != nil {
			b = append(b, t.keys[i]...)
			blank()
			b = append(b, ':')
			blank()
		}
		b = kid.write(r, b)
		blank()
	}
	return append(b, t.text[0]+2)
}

// all appends t, and all values in t, to the slice `list`.
func (t *tree) all(list []*tree) []*tree {
	list = append(list, t)
	for _, kid := range t.kids {
		list = kid.all(list)
	}
	return list
}

// Vary returns a random variation of doc. It changes the white space, the order, case and escapes
// of keys, and the types of some values. Some keys may be repeated or unknown. Both documents are
// valid JSON.
func Vary(r *rand.Rand, doc []byte) []byte {
	root := parse(doc, 0)
	for range r.IntN(4) {
		list := root.all(nil)
		t := list[r.IntN(len(list))]
		switch n := len(t.kids); {
		case !t.is('{') && r.IntN(3) == 0:
			*t = *parse([]byte(others[r.IntN(len(others))]), 0)
		case n == 0:
		case t.is('{'):
			k := r.IntN(n)
			switch r.IntN(6) {
			case 0:
				t.keys[k] = strings.ToLower(t.keys[k])
			case 1:
				t.keys[k] = `"\u00` + hex(t.keys[k][1]) + t.keys[k][2:]
				if !json.Valid([]byte(t.keys[k])) {
					t.keys[k] = `"new"`
				}
			case 2: // repeat the key, with the value of another key
				t.keys, t.kids = append(t.keys, t.keys[k]), append(t.kids, t.kids[r.IntN(n)])
			case 3:
				t.keys, t.kids = append(t.keys, `"unknown"`), append(t.kids, list[r.IntN(len(list))].copy())
			case 4:
				to := r.IntN(n)
				t.keys[k], t.keys[to], t.kids[k], t.kids[to] = t.keys[to], t.keys[k], t.kids[to], t.kids[k]
			case 5:
				*t.kids[k] = *parse([]byte(others[r.IntN(len(others))]), 0)
			}
		default:
			*t.kids[r.IntN(n)] = *list[r.IntN(len(list))].copy()
		}
	}
	return root.write(r, nil)
}

func (t *tree) copy() *tree {
	c := *t
	c.kids, c.keys = nil, append([]string(nil), t.keys...)
	for _, kid := range t.kids {
		c.kids = append(c.kids, kid.copy())
	}
	return &c
}

func hex(c byte) string { return string("0123456789abcdef"[c>>4]) + string("0123456789abcdef"[c&15]) }

// others contains values that only few types can represent.
var others = []string{
	"null", "true", "false", "0", "-0", "-1", "7", "300", "1.5", "1e2", "1E400", "9007199254740993", "18446744073709551615", "-9223372036854775808",
	"123456789012345678901234567890", `""`, `"x"`, `"12"`, `"null"`, `"\"q\""`, `"YWJj"`, `"1.5s"`, `"2024-02-03T04:05:06.7Z"`, `"\ud83d\ude00 \n \ud800"`, "\"é\xff\"",
	`"` + strings.Repeat("long ", 20) + `"`, "[]", "{}", "[1]", `["a",2,null]`, "[[],[[]]]", `{"a":1}`, `{"F0":{"F0":[1,{}]},"f1":null}`, `{"1":2,"x":3}`,
}
