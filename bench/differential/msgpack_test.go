// Package differential compares Slipstream with the original libraries. For the same random values,
// both must give the same bytes, values and errors. The tests list all exceptions with their
// reasons.
package differential

import (
	"bytes"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/slipstream-go/slipstream/internal/corpus"
	"github.com/slipstream-go/slipstream/msgpack"
	v5 "github.com/vmihailenco/msgpack/v5"
)

func sortedV5(v any) ([]byte, error) {
	var b bytes.Buffer
	e := v5.NewEncoder(&b)
	e.SetSortMapKeys(true)
	err := e.Encode(v)
	return b.Bytes(), err
}

func sortedOurs(v any) ([]byte, error) {
	var b bytes.Buffer
	e := msgpack.NewEncoder(&b)
	e.SetSortMapKeys(true)
	err := e.Encode(v)
	return b.Bytes(), err
}

// TestMsgpackSameValues encodes random values with the original and decodes them with Slipstream,
// and the reverse.
func TestMsgpackSameValues(t *testing.T) {
	for seed := range uint64(300) {
		r := corpus.New(seed)
		for _, zero := range corpus.Types() {
			typ := reflect.TypeOf(zero).Elem()
			v := reflect.New(typ)
			corpus.Fill(r, v.Elem(), 0)
			data, err := v5.Marshal(v.Interface())
			if err != nil {
				t.Fatalf("seed %d, %v: the original cannot marshal: %v", seed, typ, err)
			}
			theirs, ours := reflect.New(typ), reflect.New(typ)
			if err := v5.Unmarshal(data, theirs.Interface()); err != nil {
				t.Fatalf("seed %d, %v: the original cannot unmarshal: %v", seed, typ, err)
			}
			if err := msgpack.Unmarshal(data, ours.Interface()); err != nil {
				t.Fatalf("seed %d, %v: %+v", seed, typ, err)
			}
			if !reflect.DeepEqual(theirs.Interface(), ours.Interface()) {
				t.Fatalf("seed %d, %v:\ntheirs %+v\nours   %+v", seed, typ, theirs.Elem(), ours.Elem())
			}
			back, err := msgpack.Marshal(v.Interface())
			if err != nil {
				t.Fatalf("seed %d, %v: marshal: %v", seed, typ, err)
			}
			again := reflect.New(typ)
			if err := v5.Unmarshal(back, again.Interface()); err != nil || !reflect.DeepEqual(theirs.Interface(), again.Interface()) {
				t.Fatalf("seed %d, %v: the original reads ours differently: %v\n%+v\n%+v", seed, typ, err, theirs.Elem(), again.Elem())
			}
			var theirsAny, oursAny any
			if err := v5.Unmarshal(data, &theirsAny); err != nil {
				continue // the map keys are not strings
			}
			if err := msgpack.Unmarshal(data, &oursAny); err != nil || !reflect.DeepEqual(theirsAny, oursAny) {
				t.Fatalf("seed %d, %v as any: %v\ntheirs %v\nours   %v", seed, typ, err, theirsAny, oursAny)
			}
			a, errA := sortedV5(theirsAny)
			b, errB := sortedOurs(theirsAny)
			if errA != nil || errB != nil || !bytes.Equal(a, b) {
				t.Fatalf("seed %d, %v as any, sorted: %v, %v\n%x\n%x", seed, typ, errA, errB, a, b)
			}
		}
	}
}

// TestMsgpackSameBytes compares the encodings of values without maps, because maps have a random
// order.
func TestMsgpackSameBytes(t *testing.T) {
	for seed := range uint64(300) {
		r := corpus.New(seed)
		for _, v := range []any{new(corpus.Scalars), new(corpus.Tuple), new(corpus.Tagged), new([]corpus.Scalars), new([]float32)} {
			corpus.Fill(r, reflect.ValueOf(v).Elem(), 0)
			if tagged, ok := v.(*corpus.Tagged); ok {
				tagged.Inner.Labels = nil
			}
			theirs, err := v5.Marshal(v)
			if err != nil {
				t.Fatal(err)
			}
			ours, err := msgpack.Marshal(v)
			if err != nil || !bytes.Equal(theirs, ours) {
				t.Fatalf("seed %d, %T: %v\n%x\n%x", seed, v, err, theirs, ours)
			}
		}
	}
}

// mutate changes, cuts or extends data.
func mutate(r *rand.Rand, data []byte) []byte {
	data = bytes.Clone(data)
	for range 1 + r.IntN(3) {
		switch {
		case len(data) == 0:
			data = append(data, byte(r.Uint32()))
		case r.IntN(3) == 0:
			data = data[:r.IntN(len(data))]
		default:
			data[r.IntN(len(data))] = byte(r.Uint32())
		}
	}
	return data
}
