package msgpack

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"
)

// collect returns the values of a loop, and the error that ended it.
func collect[T any](t *testing.T, seq func(func(T, error) bool)) (all []T, err error) {
	t.Helper()
	for v, e := range seq {
		if err != nil {
			t.Error("the loop went on after an error")
		}
		if e == nil {
			all = append(all, v)
			continue
		}
		if err = e; !reflect.ValueOf(&v).Elem().IsZero() {
			t.Errorf("%v came with an error", v)
		}
	}
	return all, err
}

// Values reads from every kind of source: to the end of the input, up to an error, or until the
// loop stops.
func TestValues(t *testing.T) {
	for _, c := range []struct {
		data string
		want []int
		err  string
	}{
		{"", nil, ""}, {"\x01", []int{1}, ""}, {"\x01\x02\x03", []int{1, 2, 3}, ""}, {"\x01\xcd\x01", []int{1}, "EOF"}, {"\x01\xa1a\x02", []int{1}, "msgpack: invalid code=a1 decoding int64"},
	} {
		for name, d := range sources([]byte(c.data)) {
			got, err := collect(t, Values[int](d))
			if !reflect.DeepEqual(got, c.want) || !strings.HasSuffix(text(err), c.err) || (err == nil) != (c.err == "") {
				t.Errorf("%x from %s: %v, %v", c.data, name, got, err)
			}
		}
	}
	for name, d := range sources([]byte("\x01\x02\x03")) {
		for v, err := range Values[int](d) {
			if v != 1 || err != nil {
				t.Error(v, err)
			}
			break
		}
		if v, err := d.DecodeInt(); v != 2 || err != nil {
			t.Errorf("%s: after a break: %v, %v", name, v, err)
		}
	}
}

// The values of a loop share no memory.
func TestValuesAreApart(t *testing.T) {
	type message struct {
		A []int
		B map[string]int
		C *int
		D []byte
	}
	one := 1
	first, second := message{[]int{1, 2}, map[string]int{"a": 1}, &one, []byte("abc")}, message{[]int{3}, map[string]int{"b": 1}, nil, nil}
	data := append(marshal(t, first), marshal(t, second)...)
	d := newDecoder()
	d.ResetBytes(data)
	got, err := collect(t, Values[message](d))
	if err != nil || !reflect.DeepEqual(got, []message{first, second}) {
		t.Errorf("%+v, %v", got, err)
	}
	d.ResetBytes(append([]byte{0x92}, data...))
	got, err = collect(t, Elements[message](d))
	if err != nil || !reflect.DeepEqual(got, []message{first, second}) {
		t.Errorf("%+v, %v", got, err)
	}
}

// Elements and Entries read arrays and maps in parts. If the input ends within one, the error
// contains the position.
func TestElements(t *testing.T) {
	for _, c := range []struct {
		data  string
		want  []string
		err   string
		where string
	}{
		{"\x90", nil, "", ""}, {"\xc0", nil, "", ""}, {"\x92\xa1a\xa1b", []string{"a", "b"}, "", ""},
		{"", nil, "EOF", ""}, {"\x81", nil, "msgpack: invalid code=81 decoding array length", ""}, {"\xdc\x00", nil, "unexpected EOF", ""},
		{"\x92\xa1a", []string{"a"}, "unexpected EOF", "[1]"}, {"\x92\xa1a\xa2b", []string{"a"}, "unexpected EOF", "[1]"},
		{"\x92\xa1a\x01", []string{"a"}, "msgpack: invalid code=1 decoding string/bytes length", "[1]"},
	} {
		for name, d := range sources([]byte(c.data)) {
			got, err := collect(t, Elements[string](d))
			var e *Error
			if errors.As(err, &e) != (c.err != "" && c.data != "") || e != nil && (e.Path != c.where || e.Offset < 0 || e.Offset > int64(len(c.data))) {
				t.Errorf("%x from %s: %+v", c.data, name, err)
			}
			if !reflect.DeepEqual(got, c.want) || text(err) != c.err && c.data != "\xdc\x00" {
				t.Errorf("%x from %s: %q, %v", c.data, name, got, err)
			}
		}
	}
	for name, d := range sources([]byte("\x93\x01\x02\x03\x04")) {
		for v := range Elements[int](d) {
			if v == 2 {
				break
			}
		}
		if v, err := d.DecodeInt(); v != 3 || err != nil {
			t.Errorf("%s: after a break: %v, %v", name, v, err)
		}
	}
	type entry = Entry[string, []int]
	for _, c := range []struct {
		data  string
		want  []entry
		err   string
		where string
	}{
		{"\x80", nil, "", ""}, {"\xc0", nil, "", ""}, {"\x82\xa1a\x91\x01\xa1a\x90", []entry{{"a", []int{1}}, {"a", []int{}}}, "", ""},
		{"\x90", nil, "msgpack: unexpected code=90 decoding map length", ""}, {"\x81\x01", nil, "msgpack: invalid code=1 decoding string/bytes length", ""},
		{"\x81\xa1a\x91\xa1b", nil, "msgpack: invalid code=a1 decoding int64", "a[0]"}, {"\x81\xa1a", nil, "unexpected EOF", "a"},
	} {
		for name, d := range sources([]byte(c.data)) {
			got, err := collect(t, Entries[string, []int](d))
			var e *Error
			if errors.As(err, &e) && e.Path != c.where || !reflect.DeepEqual(got, c.want) || text(err) != c.err {
				t.Errorf("%x from %s: %v, %+v", c.data, name, got, err)
			}
		}
	}
}

// An array of a million elements and a map pass through a pipe in constant memory. Neither side
// holds more than a few elements.
func TestFlatMemory(t *testing.T) {
	n := 1_000_000
	if testing.Short() || raceEnabled {
		n = 100_000
	}
	type row struct{ A, B int }
	from, to := io.Pipe()
	got := allocated(func() {
		go func() {
			w := bufio.NewWriterSize(to, 32<<10)
			e := NewEncoder(w)
			err := e.EncodeArrayLen(n)
			v := row{B: -1}
			for v.A = 0; v.A < n && err == nil; v.A++ {
				err = e.Encode(&v)
			}
			if err == nil {
				err = e.EncodeMapLen(n)
			}
			for i := 0; i < n && err == nil; i++ {
				if err = e.EncodeInt(int64(i)); err == nil {
					err = e.EncodeBool(i%3 == 0)
				}
			}
			to.CloseWithError(errors.Join(err, w.Flush()))
		}()
		d := NewDecoder(from)
		i := 0
		for v, err := range Elements[row](d) {
			if err != nil || v != (row{i, -1}) {
				t.Fatal(i, v, err)
			}
			i++
		}
		k := 0
		for v, err := range Entries[int, bool](d) {
			if err != nil || v.Key != k || v.Value != (k%3 == 0) {
				t.Fatal(k, v, err)
			}
			k++
		}
		if _, err := d.PeekCode(); i != n || k != n || err != io.EOF {
			t.Error(i, k, err)
		}
	})
	if got > 1<<20 {
		t.Errorf("%d bytes were allocated", got)
	}
}

// Values reads all values in a Buffer, and ends without an error where the bytes end.
func TestValuesOfBuffer(t *testing.T) {
	var b Buffer
	b.Write(bytes.Repeat([]byte{7}, 10_000))
	got, err := collect(t, Values[int](NewDecoder(&b)))
	if len(got) != 10_000 || err != nil || b.Len() != 0 {
		t.Error(len(got), err)
	}
}
