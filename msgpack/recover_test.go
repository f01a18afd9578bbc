package msgpack

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"

	"github.com/slipstream-go/slipstream/column"
)

// panicked returns the value with which f panics, or nil.
func panicked(f func()) (v any) {
	defer func() { v = recover() }()
	f()
	return nil
}

// tries encodes the first of its values that can be encoded.
type tries []any

func (v tries) EncodeMsgpack(e *Encoder) (err error) {
	for _, x := range v {
		if p := panicked(func() { err = e.Encode(x) }); p == nil && err == nil {
			return nil
		}
	}
	return errors.New("no value could be written")
}

// bursts panics after it has encoded a string.
type bursts struct{}

func (bursts) EncodeMsgpack(e *Encoder) error {
	_ = e.EncodeString("to be dropped")
	panic("burst")
}

// A custom encoder may try values that fail or panic, before one that does not. The failed values
// leave no bytes in the output.
func TestWhatCannotBeWrittenLeavesNothing(t *testing.T) {
	large := bytes.Repeat([]byte{1}, 100)
	deep := any(1)
	for range maxDepth + 1 {
		deep = []any{deep}
	}
	bad := []any{
		struct {
			A []byte
			B chan int
		}{large, nil},
		[]any{large, bursts{}}, map[string]any{"a": large, "b": make(chan int)}, deep, []bursts{{}}, [1]any{deep},
		tries{bursts{}}, map[any]any{1: large, "k": bursts{}}, []any{map[bool]any{true: []any{large, bursts{}}}},
	}
	for _, x := range bad {
		v := []any{large, tries{x, x, large}, []tries{{x, "b"}, {x, x, "c"}}, "end"}
		want := marshal(t, []any{large, large, []any{"b", "c"}, "end"})
		for _, sorted := range []bool{false, true} {
			b, err := EncodeOptions{SortMapKeys: sorted}.Marshal(v)
			if err != nil || !bytes.Equal(b, want) {
				t.Errorf("%T, Marshal: %.80x, %v", x, b, err)
			}
			var plain bytes.Buffer
			var refers Buffer
			refers.ReferenceMin = 50
			for _, w := range []io.ReadWriter{&plain, &refers} {
				e := NewEncoder(w)
				e.SetSortMapKeys(sorted)
				for range 2 {
					_ = panicked(func() { _ = e.Encode(x) }) // this call leaves no bytes either
					err := e.Encode(v)
					b, _ := io.ReadAll(w)
					if err != nil || !bytes.Equal(b, want) {
						t.Errorf("%T, %T: %.80x, %v", x, w, b, err)
					}
				}
			}
		}
	}
}

// either decodes each of its elements as one type, or as any if that fails.
type either struct{ first, second int }

func (v *either) DecodeMsgpack(d *Decoder) error {
	n, err := d.DecodeArrayLen()
	for range n {
		var s struct{ A [1][]bool }
		var other any
		switch {
		case err != nil:
		case panicked(func() { err = d.Decode(&s) }) == nil && err == nil:
			v.first++
		default:
			if err = d.Decode(&other); err == nil {
				v.second++
			}
		}
	}
	return err
}

// Failed attempts do not count towards the depth, even if they are more than the maximum depth.
func TestTryingIsNotNesting(t *testing.T) {
	list := make([]any, 3*maxDepth)
	for k := range list {
		list[k] = map[string]any{"A": []any{[]any{k}}}
	}
	data := marshal(t, list)
	for name, d := range sources(data) {
		if len(data) > 100_000 && name == "byte by byte" {
			continue
		}
		var v either
		if err := d.Decode(&v); err != nil || v.second != len(list) {
			t.Errorf("%s: %d of %d, %v", name, v.second, len(list), err)
		}
	}
	e := NewEncoder(io.Discard)
	deep := any(1)
	for range maxDepth + 1 {
		deep = []any{deep}
	}
	many := make([]tries, 50)
	for k := range many {
		many[k] = tries{deep, []any{[]any{k}}}
	}
	if err := e.Encode(many); err != nil {
		t.Error(err)
	}
}

// Interned strings that are decoded in several attempts, some of which fail, join the dict only
// once.
func TestRetriedStringsJoinOnce(t *testing.T) {
	var data bytes.Buffer
	e := NewEncoder(&data)
	e.UseInternedStrings(true)
	if err := e.EncodeMulti([]any{map[string]any{"A": []any{"first", "second"}}, "third"}, []any{"third", "second", "first"}); err != nil {
		t.Fatal(err)
	}
	for name, d := range sources(data.Bytes()) {
		d.UseInternedStrings(true)
		var v either
		var back []string
		if err := d.DecodeMulti(&v, &back); err != nil || strings.Join(back, " ") != "third second first" {
			t.Errorf("%s: %q, %v", name, back, err)
		}
	}
}

// After a recovered panic, a Decoder continues after the value, with its options.
func TestPanicsThatAreRecovered(t *testing.T) {
	for name, call := range map[string]func(d *Decoder){
		"Query":                func(d *Decoder) { _, _ = d.Query("a") },
		"DecodeInterface":      func(d *Decoder) { _, _ = d.DecodeInterface() },
		"DecodeInterfaceLoose": func(d *Decoder) { _, _ = d.DecodeInterfaceLoose() },
		"Decode":               func(d *Decoder) { _ = d.Decode(new([]any)) },
		"DecodeUntypedMap":     func(d *Decoder) { _, _ = d.DecodeUntypedMap() },
	} {
		for source, d := range sources(unhex(t, "81a161 80 07 a178 d3 0000000000000007")) {
			d.SetMapDecoder(func(*Decoder) (any, error) { panic("burst") })
			if name == "Decode" {
				call = func(d *Decoder) { _ = d.Decode(new(any)) }
			}
			if p := panicked(func() { call(d) }); p != "burst" {
				t.Errorf("%s, %s: panics with %v", name, source, p)
			}
			var n int
			var s string
			var v any
			if err := d.DecodeMulti(&n, &s, &v); n != 7 || s != "x" || v != int64(7) || err != nil {
				t.Errorf("%s, %s: %d, %q, %v, %v", name, source, n, s, v, err)
			}
		}
	}
	e := NewEncoder(io.Discard)
	_ = panicked(func() { _ = e.EncodeMapSorted(map[string]any{"a": bursts{}}) })
	if e.flags != 0 {
		t.Errorf("flags %x after EncodeMapSorted", e.flags)
	}
}

// meddles changes the options of its Encoder and Decoder.
type meddles struct{}

func (meddles) EncodeMsgpack(e *Encoder) error {
	e.SetOptions(EncodeOptions{Canonical: true, OmitEmpty: true})
	e.UseInternedStrings(true)
	e.SetInternedStringsDictCap(5)
	return e.EncodeString("meddles")
}

func (*meddles) DecodeMsgpack(d *Decoder) error {
	d.SetOptions(DecodeOptions{MaxDepth: 2})
	d.SetMapDecoder(nil)
	return d.Skip()
}

// Objects from pools do not keep options of their previous users.
func TestPoolsForgetOptions(t *testing.T) {
	deep := unhex(t, "91919191 91919191 01")
	list := []string{"a string", "a string"}
	want := marshal(t, list)
	for range 30 {
		var v any
		_, err := Marshal(meddles{})
		if err := errors.Join(err, Unmarshal([]byte{1}, new(meddles)), Unmarshal(deep, &v)); err != nil {
			t.Fatal(err)
		}
		e := GetEncoder()
		e.Reset(io.Discard)
		e.UseInternedStrings(true)
		e.SetCustomStructTag("json")
		PutEncoder(e)
		d := GetDecoder()
		d.ResetBytes(nil)
		d.SetOptions(DecodeOptions{MaxDepth: 1, MaxString: 1})
		d.UseInternedStrings(true)
		PutDecoder(d)
		b, err := Marshal(list)
		c, errOptions := EncodeOptions{}.Marshal(list)
		if !bytes.Equal(b, want) || !bytes.Equal(c, want) || err != nil || errOptions != nil {
			t.Fatalf("%x, %v; %x, %v", b, err, c, errOptions)
		}
		v = nil
		if err := (DecodeOptions{}).Unmarshal(deep, &v); err != nil {
			t.Fatal(err)
		}
	}
}

// A large message leaves no large buffer in a pool, and the next small message is correct.
func TestPoolsDropLargeBuffers(t *testing.T) {
	big := make([]byte, 1<<20)
	for range 20 {
		e, d := GetEncoder(), GetDecoder()
		var out bytes.Buffer
		e.Reset(&out)
		if err := e.Encode(big); err != nil {
			t.Fatal(err)
		}
		d.Reset(struct{ io.Reader }{&out})
		if b, err := d.DecodeBytes(); err != nil || len(b) != len(big) {
			t.Fatal(len(b), err)
		}
		PutEncoder(e)
		PutDecoder(d)
		if cap(e.b) > ownMax || cap(d.own) > ownMax || cap(d.b) > ownMax || d.r != nil || e.w != nil {
			t.Fatal("a pool keeps a large buffer, or what it was for")
		}
		if b := marshal(t, big); len(b) != len(big)+5 || !bytes.Equal(marshal(t, 7), []byte{7}) {
			t.Fatal(len(b))
		}
	}
	m := marshalers.Get().(*Encoder)
	if m.b != nil || m.err != nil || m.depth != 0 {
		t.Error("Marshal leaves something in its encoder")
	}
}

// After interned strings have been decoded, skipped or queried in any way, their numbers decode to
// the right strings.
func TestInternedInEveryWay(t *testing.T) {
	words := []string{"zero", "one one", "two two two", "three"}
	type row struct{ Host, Zone string }
	rows := []row{{"alpha", "beta"}, {"beta", "alpha"}}
	many := make(map[string][]int)
	for k := range 20 {
		many[fmt.Sprint("key ", k)] = []int{k}
	}
	type keyed struct {
		S string `msgpack:",intern"`
	}
	sameRows := func(d *Decoder) error {
		var b column.Batch
		if err := d.DecodeRows(&b); err != nil {
			return err
		}
		for k, r := range rows {
			for c, want := range []string{r.Host, r.Zone} {
				if got := string(b.Columns[c].Text[textStart(b.Columns[c], k):b.Columns[c].Ends[k]]); got != want {
					return fmt.Errorf("row %d, column %d: %q, want %q", k, c, got, want)
				}
			}
		}
		return nil
	}
	for name, c := range map[string]struct {
		v    any
		read func(d *Decoder) error
	}{
		"DecodeStrings": {words, func(d *Decoder) error {
			got, err := d.DecodeStrings(nil, nil)
			if err == nil && !reflect.DeepEqual(got, words) {
				err = fmt.Errorf("%q", got)
			}
			return err
		}},
		"Query of one":         {map[string]any{"a": words[:2], "b": words[2:]}, func(d *Decoder) error { _, err := d.Query("b.1"); return err }},
		"Query of all":         {words, func(d *Decoder) error { _, err := d.Query("*"); return err }},
		"Query of none":        {words, func(d *Decoder) error { _, err := d.Query("9"); return err }},
		"a key without a name": {map[int]any{5: words}, func(d *Decoder) error { return d.Decode(new(row)) }},
		"a shorter array": {words, func(d *Decoder) error {
			d.SetOptions(DecodeOptions{AnyLength: true})
			return d.Decode(new([2]string))
		}},
		"a shorter tuple": {words, func(d *Decoder) error {
			d.SetOptions(DecodeOptions{AnyLength: true})
			return d.Decode(new(row))
		}},
		"DecodeRows": {rows, sameRows},
		"DecodeColumns": {map[string][]string{"Host": {"alpha", "beta"}, "Zone": {"beta", "alpha"}}, func(d *Decoder) error {
			return d.DecodeColumns(new(column.Batch))
		}},
		"sorted keys": {many, func(d *Decoder) error {
			var got map[string][]int
			err := d.Decode(&got)
			if err == nil && !reflect.DeepEqual(got, many) {
				err = fmt.Errorf("%v", got)
			}
			return err
		}},
		"sorted structs": {map[keyed]keyed{{"zero"}: {"one"}, {"one"}: {"two"}, {"two"}: {"zero"}}, func(d *Decoder) error {
			return d.Decode(new(map[keyed]keyed))
		}},
		"sorted keys of any type": {map[any]any{"zero": "one", 1: "zero", "one": "two", "two": "zero"}, func(d *Decoder) error {
			_, err := d.DecodeUntypedMap()
			return err
		}},
	} {
		for range 5 { // the order of maps differs each time
			var data bytes.Buffer
			e := NewEncoder(&data)
			e.UseInternedStrings(true)
			e.SetSortMapKeys(true)
			if err := e.EncodeMulti(c.v, c.v, words); err != nil {
				t.Fatal(err)
			}
			for source, d := range sources(data.Bytes()) {
				d.UseInternedStrings(true)
				for range 2 {
					if err := c.read(d); err != nil {
						t.Fatalf("%s, %s: %v", name, source, err)
					}
				}
				var last []string
				if err := d.Decode(&last); err != nil || !reflect.DeepEqual(last, words) {
					t.Fatalf("%s, %s: %v, %v", name, source, last, err)
				}
			}
		}
	}
}

func textStart(c *column.Column, row int) uint32 {
	if row == 0 {
		return 0
	}
	return c.Ends[row-1]
}

// A Feed keeps interned strings from one value to the next, until Reset.
func TestFeedInterns(t *testing.T) {
	var data bytes.Buffer
	e := NewEncoder(&data)
	e.UseInternedStrings(true)
	if err := e.EncodeMulti("a string", []string{"a string", "another"}, "another"); err != nil {
		t.Fatal(err)
	}
	var f Feed
	f.Decoder().UseInternedStrings(true)
	for range 2 {
		var s string
		var list []string
		var n int
		f.Feed(data.Bytes())
		err := f.Next(&s)
		if errInt := f.Next(&n); errInt == nil { // the strings join the dict nevertheless
			t.Error("a list is an int")
		}
		if err := errors.Join(err, f.Next(&s)); err != nil || s != "another" {
			t.Errorf("%q, %q, %v", s, list, err)
		}
		f.Reset()
	}
}

// SetOptions keeps the dict that was given before.
func TestOptionsKeepTheDict(t *testing.T) {
	var data bytes.Buffer
	e := NewEncoder(nil)
	e.ResetDict(&data, map[string]int{"a string": 0})
	e.SetOptions(EncodeOptions{CompactInts: true})
	if err := e.Encode("a string"); err != nil || data.String() != "\xd4\x80\x00" {
		t.Errorf("%x, %v", data.Bytes(), err)
	}
}

// Sorting encodes keys and values before they are written to a Buffer. Long bytes in them are
// referenced only once.
func TestSortedKeysAreNotReferredTwice(t *testing.T) {
	v := map[largeKey][]byte{{1}: bytes.Repeat([]byte{8}, 60), {2}: bytes.Repeat([]byte{9}, 60)}
	want, err := EncodeOptions{SortMapKeys: true}.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	b := Buffer{ReferenceMin: 50}
	e := NewEncoder(&b)
	e.SetSortMapKeys(true)
	if err := e.Encode(v); err != nil || !bytes.Equal(b.Next(b.Len()), want) {
		t.Error(err)
	}
}

// largeKey encodes itself as 60 bytes.
type largeKey struct{ n byte }

func (k largeKey) EncodeMsgpack(e *Encoder) error {
	return e.EncodeBytes(bytes.Repeat([]byte{k.n}, 60))
}
