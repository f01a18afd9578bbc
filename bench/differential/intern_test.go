package differential

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/slipstream-go/slipstream/internal/corpus"
	"github.com/slipstream-go/slipstream/msgpack"
	v5 "github.com/vmihailenco/msgpack/v5"
)

// words occur repeatedly in the values. Some of them are also names of fields.
var words = []string{"", "a", "ab", "abc", "Name", "Text", "Inner", "Words", "Free", "some more words", "äöü"}

type wordy struct {
	Name  string
	Text  *string
	Words []string
	Inner []wordyInner
	Pairs map[string]string
	Free  any
}

type wordyInner struct {
	Name string `msgpack:",omitempty"`
	Text string
}

func word(r *rand.Rand) string { return words[r.IntN(len(words))] }

func wordTree(r *rand.Rand, depth int) any {
	switch n := r.IntN(8); {
	case n == 0 && depth < 4:
		list := make([]any, r.IntN(6))
		for i := range list {
			list[i] = wordTree(r, depth+1)
		}
		return list
	case n <= 2 && depth < 4:
		m := map[string]any{}
		for range r.IntN(6) {
			m[word(r)] = wordTree(r, depth+1)
		}
		return m
	case n == 3:
		return []byte(word(r))
	case n == 4:
		return int8(r.IntN(100))
	}
	return word(r)
}

func newWordy(r *rand.Rand) wordy {
	v := wordy{Name: word(r), Free: wordTree(r, 0), Pairs: map[string]string{}, Words: []string{}, Inner: []wordyInner{}}
	if r.IntN(2) == 0 {
		s := word(r)
		v.Text = &s
	}
	for range r.IntN(5) {
		v.Pairs[word(r)] = word(r)
		v.Words = append(v.Words, word(r))
		v.Inner = append(v.Inner, wordyInner{word(r), word(r)})
	}
	return v
}

// interner contains the methods that both encoders have.
type interner interface {
	UseInternedStrings(bool)
	UseCompactInts(bool)
	Encode(any) error
	EncodeString(string) error
}

// bothBytes encodes all values with one encoder of each library.
func bothBytes(t *testing.T, prepare func(interner), values ...any) (theirs, ours []byte) {
	t.Helper()
	var a, b bytes.Buffer
	e5, e := v5.NewEncoder(&a), msgpack.NewEncoder(&b)
	e5.SetSortMapKeys(true)
	e.SetSortMapKeys(true)
	for _, e := range []interner{e5, e} {
		prepare(e)
		for _, v := range values {
			if err := e.Encode(v); err != nil {
				t.Fatal(err)
			}
		}
	}
	return a.Bytes(), b.Bytes()
}

// TestMsgpackSameInterned encodes values with interned strings. Both libraries write the same
// bytes, and Slipstream decodes them to the same values. The original decodes only values without
// an any, because it miscounts the strings in an any.
func TestMsgpackSameInterned(t *testing.T) {
	for seed := range uint64(500) {
		r := corpus.New(seed)
		for _, c := range []struct {
			v       any
			hasAnys bool
		}{
			{wordTree(r, 0), true},
			{newWordy(r), true},
			{[]string{word(r), word(r), word(r), word(r)}, false},
			{newWordy(r).Inner, false},
			{newWordy(r).Pairs, false},
		} {
			theirs, ours := bothBytes(t, func(e interner) { e.UseInternedStrings(true) }, c.v, c.v)
			if !bytes.Equal(theirs, ours) {
				t.Fatalf("seed %d: %#v\ntheirs %x\nours   %x", seed, c.v, theirs, ours)
			}
			typ := reflect.TypeOf(c.v)
			d := msgpack.NewDecoder(bytes.NewReader(ours))
			d.UseInternedStrings(true)
			for range 2 {
				to := reflect.New(typ)
				if err := d.Decode(to.Interface()); err != nil || !reflect.DeepEqual(to.Elem().Interface(), c.v) {
					t.Fatalf("seed %d: %#v became %#v, %v", seed, c.v, to.Elem(), err)
				}
			}
			untyped := msgpack.NewDecoder(bytes.NewReader(ours))
			untyped.UseInternedStrings(true)
			untyped.DecodeInterface()
			again, err := untyped.DecodeInterface()
			a, _ := sortedOurs(c.v)
			if b, _ := sortedOurs(again); err != nil || typ.Kind() != reflect.Struct && !bytes.Equal(a, b) {
				t.Fatalf("seed %d: %#v became %#v, %v", seed, c.v, again, err)
			}
			if c.hasAnys {
				continue
			}
			d5 := v5.NewDecoder(bytes.NewReader(ours))
			d5.UseInternedStrings(true)
			for range 2 {
				to := reflect.New(typ)
				if err := d5.Decode(to.Interface()); err != nil || !reflect.DeepEqual(to.Elem().Interface(), c.v) {
					t.Fatalf("seed %d: the original reads %#v as %#v, %v", seed, c.v, to.Elem(), err)
				}
			}
		}
	}
}

// TestMsgpackInternedDesync shows the fault of the original that the test above avoids: it does not
// count the strings in an any.
func TestMsgpackInternedDesync(t *testing.T) {
	v := map[string]any{"key1": "value1", "key2": "value1"}
	_, data := bothBytes(t, func(e interner) { e.UseInternedStrings(true) }, v)
	var theirs, ours map[string]any
	d5, d := v5.NewDecoder(bytes.NewReader(data)), msgpack.NewDecoder(bytes.NewReader(data))
	d5.UseInternedStrings(true)
	d.UseInternedStrings(true)
	if err := d5.Decode(&theirs); err != nil || theirs["key2"] != "key2" {
		t.Errorf("the original reads %v, %v: it can be given anys to read", theirs, err)
	}
	if err := d.Decode(&ours); err != nil || !reflect.DeepEqual(ours, v) {
		t.Errorf("ours reads %v, %v", ours, err)
	}
}

// TestMsgpackSameInternTag encodes and decodes structs with tagged fields by both libraries, in
// both directions.
func TestMsgpackSameInternTag(t *testing.T) {
	type tagged struct {
		A string `msgpack:",intern"`
		B string
		C any `msgpack:",intern"`
	}
	for seed := range uint64(500) {
		r := corpus.New(seed)
		values := make([]tagged, r.IntN(10)+1)
		for i := range values {
			values[i] = tagged{word(r), word(r), word(r)}
			if r.IntN(5) == 0 {
				values[i].C = int8(5)
			}
		}
		theirs, ours := bothBytes(t, func(interner) {}, values)
		if !bytes.Equal(theirs, ours) {
			t.Fatalf("seed %d: %v\ntheirs %x\nours   %x", seed, values, theirs, ours)
		}
		var back, back5 []tagged
		if err := msgpack.Unmarshal(theirs, &back); err != nil || !reflect.DeepEqual(back, values) {
			t.Fatalf("seed %d: %v became %v, %v", seed, values, back, err)
		}
		if err := v5.Unmarshal(ours, &back5); err != nil || !reflect.DeepEqual(back5, values) {
			t.Fatalf("seed %d: the original reads %v as %v, %v", seed, values, back5, err)
		}
	}
}

// TestMsgpackSameDict gives both libraries the same initial strings.
func TestMsgpackSameDict(t *testing.T) {
	dict := words[3:]
	numbers := func() map[string]int {
		m := map[string]int{}
		for i, s := range dict {
			m[s] = i
		}
		return m
	}
	for seed := range uint64(300) {
		v := newWordy(corpus.New(seed))
		for _, on := range []bool{false, true} {
			var a, b bytes.Buffer
			e5, e := v5.NewEncoder(nil), msgpack.NewEncoder(nil)
			e5.ResetDict(&a, numbers())
			e.ResetDict(&b, numbers())
			e5.SetSortMapKeys(true)
			e.SetSortMapKeys(true)
			for _, e := range []interner{e5, e} {
				e.UseInternedStrings(on)
				if err := e.Encode(v); err != nil {
					t.Fatal(err)
				}
			}
			if !bytes.Equal(a.Bytes(), b.Bytes()) {
				t.Fatalf("seed %d: %+v\ntheirs %x\nours   %x", seed, v, a.Bytes(), b.Bytes())
			}
			d := msgpack.NewDecoder(nil)
			d.ResetDict(&a, dict)
			d.UseInternedStrings(on)
			var back wordy
			if err := d.Decode(&back); err != nil || !reflect.DeepEqual(back, v) {
				t.Fatalf("seed %d: %+v became %+v, %v", seed, v, back, err)
			}
		}
	}
}

// TestMsgpackSameInternedMethods passes encodings that may represent a string to methods of both
// decoders, with interned strings.
func TestMsgpackSameInternedMethods(t *testing.T) {
	for code := range 256 {
		for _, rest := range [][]byte{nil, {0x80}, {0x80, 0}, {1, 0}, {0, 0x80, 0, 0, 0, 0}} {
			data := append([]byte{byte(code)}, rest...)
			if code == 0xdb || code == 0xc6 || code == 0xc9 {
				continue // with lengths of 32 bits
			}
			for name, call := range map[string]func(lowDecoder) (any, error){
				"DecodeString": methods["DecodeString"],
				"DecodeMap":    methods["DecodeMap"],
			} {
				theirReader, ourReader := bytes.NewReader(data), bytes.NewReader(data)
				d5, d := v5.NewDecoder(theirReader), msgpack.NewDecoder(ourReader)
				d5.UseInternedStrings(true)
				d.UseInternedStrings(true)
				var theirs any
				errTheirs := guarded(func() (err error) { theirs, err = call(d5); return err })
				ours, errOurs := call(d)
				if unlike(data, errTheirs, errOurs) {
					t.Errorf("%s of %x: theirs %v, ours %v", name, data, errTheirs, errOurs)
				} else if errOurs == nil && errTheirs == nil && !reflect.DeepEqual(theirs, ours) {
					t.Errorf("%s of %x: theirs %v, ours %v", name, data, theirs, ours)
				}
			}
		}
	}
}

// Flagged is a type whose ext is registered by value.
type Flagged struct{ On byte }

// TestMsgpackSameExt registers the same ext types with both libraries.
func TestMsgpackSameExt(t *testing.T) {
	const byValue, byPointer = 40, 41
	type pointed struct{ N byte }
	v5.RegisterExtEncoder(byValue, Flagged{}, func(_ *v5.Encoder, v reflect.Value) ([]byte, error) {
		return []byte{v.Interface().(Flagged).On}, nil
	})
	v5.RegisterExtDecoder(byValue, Flagged{}, func(d *v5.Decoder, v reflect.Value, n int) error {
		return readFlag(d, v.Addr().Interface().(*Flagged), n)
	})
	v5.RegisterExtEncoder(byPointer, (*pointed)(nil), func(_ *v5.Encoder, v reflect.Value) ([]byte, error) {
		return bytes.Repeat([]byte{1}, int(v.Interface().(*pointed).N)), nil
	})
	v5.RegisterExtDecoder(byPointer, (*pointed)(nil), func(d *v5.Decoder, v reflect.Value, n int) error {
		v.Interface().(*pointed).N = byte(n)
		return d.ReadFull(make([]byte, n))
	})
	msgpack.RegisterExtEncoder(byValue, Flagged{}, func(_ *msgpack.Encoder, v reflect.Value) ([]byte, error) {
		return []byte{v.Interface().(Flagged).On}, nil
	})
	msgpack.RegisterExtDecoder(byValue, Flagged{}, func(d *msgpack.Decoder, v reflect.Value, n int) error {
		return readFlag(d, v.Addr().Interface().(*Flagged), n)
	})
	msgpack.RegisterExtEncoder(byPointer, (*pointed)(nil), func(_ *msgpack.Encoder, v reflect.Value) ([]byte, error) {
		return bytes.Repeat([]byte{1}, int(v.Interface().(*pointed).N)), nil
	})
	msgpack.RegisterExtDecoder(byPointer, (*pointed)(nil), func(d *msgpack.Decoder, v reflect.Value, n int) error {
		v.Interface().(*pointed).N = byte(n)
		return d.ReadFull(make([]byte, n))
	})
	t.Cleanup(func() {
		for _, id := range []int8{byValue, byPointer} {
			v5.UnregisterExt(id)
			msgpack.UnregisterExt(id)
		}
	})
	type all struct {
		F  Flagged
		FP *Flagged
		P  pointed
		PP *pointed
		L  []pointed
		LP []*pointed
		M  map[string]Flagged
		A  any
		Flagged
	}
	for n := range byte(40) {
		v := &all{Flagged{n}, &Flagged{n}, pointed{n}, &pointed{n}, []pointed{{n}}, []*pointed{{n}, nil}, map[string]Flagged{"k": {n}}, &pointed{n}, Flagged{n}}
		if n == 0 {
			v = &all{}
		}
		theirs, err5 := v5.Marshal(v)
		ours, err := msgpack.Marshal(v)
		if err5 != nil || err != nil || !bytes.Equal(theirs, ours) {
			t.Fatalf("%+v: %v, %v\ntheirs %x\nours   %x", v, err5, err, theirs, ours)
		}
		var back5, back all
		if err := v5.Unmarshal(ours, &back5); err != nil {
			t.Fatal(err)
		}
		if err := msgpack.Unmarshal(theirs, &back); err != nil || !reflect.DeepEqual(back, back5) {
			t.Fatalf("theirs %+v, ours %+v, %v", back5, back, err)
		}
		var any5, any any
		if err := v5.Unmarshal(ours, &any5); err != nil {
			t.Fatal(err)
		}
		if err := msgpack.Unmarshal(theirs, &any); err != nil || !reflect.DeepEqual(any, any5) {
			t.Fatalf("theirs %+v, ours %+v, %v", any5, any, err)
		}
	}
	for _, data := range []string{"\xd4\x29\x00", "\xd4\x28\x00", "\xd4\x2a\x00", "\xc7\x00\x29", "\xc7\x00\x28", "\xd5\x28\x00\x00", "\x01", "\xd4", "\xd4\x28", "\xd4\x29"} {
		for _, target := range []any{new(Flagged), new(pointed), new(*Flagged), new(*pointed), new(any)} {
			theirs, ours := reflect.New(reflect.TypeOf(target).Elem()), reflect.New(reflect.TypeOf(target).Elem())
			errTheirs := guarded(func() error { return v5.Unmarshal([]byte(data), theirs.Interface()) })
			errOurs := msgpack.Unmarshal([]byte(data), ours.Interface())
			if fmt.Sprint(errTheirs) != fmt.Sprint(errOurs) {
				t.Errorf("%x into %T: theirs %v, ours %v", data, target, errTheirs, errOurs)
			} else if errOurs == nil && !reflect.DeepEqual(theirs.Interface(), ours.Interface()) {
				t.Errorf("%x into %T: theirs %v, ours %v", data, target, theirs.Elem(), ours.Elem())
			}
		}
	}
}

func readFlag(d interface{ ReadFull([]byte) error }, to *Flagged, n int) error {
	if n != 1 {
		return io.ErrShortBuffer
	}
	var b [1]byte
	err := d.ReadFull(b[:])
	to.On = b[0]
	return err
}
