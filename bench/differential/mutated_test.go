package differential

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/slipstream-go/slipstream/internal/corpus"
	"github.com/slipstream-go/slipstream/msgpack"
	v5 "github.com/vmihailenco/msgpack/v5"
	"github.com/vmihailenco/msgpack/v5/msgpcode"
)

// allowed lists the intended differences. Each is a fault of the original that Slipstream does not
// share, or a case in which a newer version of the original behaves differently.
var allowed = []struct {
	reason       string
	theirs, ours string // parts of the error texts; "" is no error
}{
	{"bytes that cannot hold what they claim are refused at once, whatever the first elements are", "*", "EOF"},
	{"a float64 is called a float64", "decoding float32", "decoding float64"},
	// If Slipstream accepts a value that the original rejects, it continues, and any outcome may
	// follow.
	{"a float without a fraction is an int where it fits", "code=ca decoding int64", "*"},
	{"a float without a fraction is an int where it fits", "code=cb decoding int64", "*"},
	{"a float without a fraction is an int where it fits", "code=ca decoding uint64", "*"},
	{"a float without a fraction is an int where it fits", "code=cb decoding uint64", "*"},
	{"a float64 is a float32 where it fits", "code=cb decoding float32", "*"},
	{"a time is an ext -1 or 13, an array of two, a string, or nil, wherever it stands", "decoding ext len", "*"},
	{"nil in a struct field of time is the zero time", "panic", "*"},
}

// unlike reports whether two outcomes of data differ in a way that is not allowed.
func unlike(data []byte, theirs, ours error) bool {
	a, b := text(theirs), text(ours)
	if a == b {
		return false
	}
	// Maps into any may have keys of any type (TestKeysIntoAny in msgpack/mapkeys_test.go). There
	// the original stops, and Slipstream continues.
	if matches(a, "decoding string/bytes length") && hasOtherKeys(data) {
		return false
	}
	for _, c := range allowed {
		if matches(a, c.theirs) && matches(b, c.ours) {
			return false
		}
	}
	return true
}

// hasOtherKeys reports whether a map in the readable part of data has a key that is not a string.
// If a map is expected, both libraries look for the map after the header of an ext. Otherwise the
// ext contains its bytes.
func hasOtherKeys(data []byte) bool { return otherKeys(data, false) || otherKeys(data, true) }

func otherKeys(data []byte, behindExt bool) bool {
	d := msgpack.NewDecoder(bytes.NewReader(data))
	found := false
	var walk func() error
	values := func(n int) (err error) {
		for ; n > 0 && err == nil; n-- {
			err = walk()
		}
		return err
	}
	walk = func() error {
		c, err := d.PeekCode()
		switch {
		case err != nil:
			return err
		case msgpcode.IsFixedArray(c) || c == msgpcode.Array16 || c == msgpcode.Array32:
			n, err := d.DecodeArrayLen()
			if err != nil {
				return err
			}
			return values(n)
		case msgpcode.IsFixedMap(c) || c == msgpcode.Map16 || c == msgpcode.Map32:
			n, err := d.DecodeMapLen()
			for ; n > 0 && err == nil; n-- {
				c, errKey := d.PeekCode()
				if errKey != nil {
					return errKey
				}
				found = found || !msgpcode.IsString(c) && !msgpcode.IsBin(c) && c != msgpcode.Nil
				err = values(2)
			}
			return err
		}
		if behindExt && msgpcode.IsExt(c) {
			_, _, err := d.DecodeExtHeader()
			return err
		}
		return d.Skip()
	}
	for walk() == nil {
	}
	return found
}

func matches(text, part string) bool {
	return part == "*" || part == "" && text == "" || part != "" && strings.Contains(text, part)
}

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

var errPanic = errors.New("panic")

// guarded converts a panic of the original to an error.
func guarded(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%w: %v", errPanic, p)
		}
	}()
	return f()
}

// bomb reports whether data may contain a length that would make the original allocate all memory.
func bomb(data []byte) bool {
	for i, c := range data {
		if strings.IndexByte("\xc6\xc9\xdb\xdd\xdf", c) >= 0 && i+5 <= len(data) && binary.BigEndian.Uint32(data[i+1:]) > 1<<16 {
			return true
		}
	}
	return false
}

// verdict is the result of comparing both libraries for the same bytes.
type verdict uint8

const (
	alike verdict = iota
	refused
	differed
)

// compare decodes data into a target by both libraries, and describes a difference that is not
// allowed.
func compare(data []byte, target reflect.Type) (verdict, string) {
	theirs, ours := reflect.New(target), reflect.New(target)
	errTheirs := guarded(func() error { return v5.Unmarshal(data, theirs.Interface()) })
	errOurs := msgpack.Unmarshal(data, ours.Interface())
	switch {
	case unlike(data, errTheirs, errOurs):
		return differed, fmt.Sprintf("theirs %v, ours %+v", errTheirs, errOurs)
	case errTheirs != nil || errOurs != nil:
		return refused, ""
	}
	a, errA := sortedV5(theirs.Interface())
	b, errB := sortedV5(ours.Interface())
	if errA != nil || errB != nil || len(a) != len(b) || target.Kind() == reflect.Interface && !bytes.Equal(a, b) {
		return differed, fmt.Sprintf("theirs %+v, ours %+v", theirs.Elem(), ours.Elem())
	}
	return alike, ""
}

// TestMsgpackSameErrors passes the same damaged bytes to both libraries. Both must decode the same
// value, or return the same error text.
func TestMsgpackSameErrors(t *testing.T) {
	var counts [differed + 1]int
	seen := map[string]bool{}
	for seed := range uint64(3000) {
		r := corpus.New(seed)
		for _, zero := range corpus.Types() {
			typ := reflect.TypeOf(zero).Elem()
			v := reflect.New(typ)
			corpus.Fill(r, v.Elem(), 2)
			data := must(msgpack.Marshal(v.Interface()))
			if len(data) > 1000 {
				continue
			}
			if data = mutate(r, data); bomb(data) {
				continue
			}
			for _, target := range []reflect.Type{typ, reflect.TypeFor[any]()} {
				how, difference := compare(data, target)
				counts[how]++
				if key := fmt.Sprintf("%.120s", difference); how == differed && !seen[key] {
					seen[key] = true
					t.Errorf("seed %d, %v into %v: %s\n%x", seed, typ, target, difference, data)
				}
			}
		}
	}
	if counts[alike] < 1000 || counts[refused] < 1000 {
		t.Errorf("too few cases to mean anything: %d taken, %d refused", counts[alike], counts[refused])
	}
}

// FuzzMsgpackSame passes any bytes to both libraries, with every type of the corpus and without a
// type.
func FuzzMsgpackSame(f *testing.F) {
	vectors, err := corpus.ReadVectors("../../vectors/msgpack.txt")
	if err != nil {
		f.Fatal(err)
	}
	for _, v := range vectors {
		f.Add(v.Bytes)
	}
	r := corpus.New(1)
	targets := []reflect.Type{reflect.TypeFor[any]()}
	for _, zero := range corpus.Types() {
		typ := reflect.TypeOf(zero).Elem()
		targets = append(targets, typ)
		v := reflect.New(typ)
		corpus.Fill(r, v.Elem(), 1)
		f.Add(must(msgpack.Marshal(v.Interface())))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 1000 || bomb(data) {
			return
		}
		for _, target := range targets {
			if how, difference := compare(data, target); how == differed {
				t.Errorf("into %v: %s", target, difference)
			}
		}
	})
}
