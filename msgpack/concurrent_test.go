package msgpack

import (
	"bytes"
	"reflect"
	"sync"
	"testing"

	"github.com/slipstream-go/slipstream/internal/corpus"
)

// Many goroutines may encode and decode the same types at once, although the plans of the types are
// not yet compiled when they start.
func TestConcurrent(t *testing.T) {
	type (
		leaf struct {
			Name  string
			Value any `msgpack:",omitempty"`
		}
		node struct {
			Leaf     leaf
			Children []*node
			Index    map[string]leaf
			Corpus   corpus.Tree
		}
	)
	value := node{leaf{"a", 1.5}, []*node{{Leaf: leaf{"b", "x"}}}, map[string]leaf{"k": {"c", nil}}, corpus.Tree{Value: 3, Children: []corpus.Tree{{Value: 4}}}}
	results := make([][]byte, 16)
	var all sync.WaitGroup
	for g := range results {
		all.Go(func() {
			for range 50 {
				data, err := Marshal(&value)
				var back node
				if err == nil {
					err = Unmarshal(data, &back)
				}
				if err != nil || !reflect.DeepEqual(back, value) {
					t.Errorf("%+v, %v", back, err)
					return
				}
				e, d := GetEncoder(), GetDecoder()
				var out bytes.Buffer
				e.Reset(&out)
				e.SetCustomStructTag("json")
				e.SetOmitEmpty(g%2 == 0)
				d.Reset(&out)
				d.SetCustomStructTag("json")
				back = node{}
				if err := e.Encode(value); err != nil {
					t.Error(err)
				}
				if err := d.Decode(&back); err != nil || back.Leaf != value.Leaf {
					t.Errorf("%+v, %v", back, err)
				}
				PutEncoder(e)
				PutDecoder(d)
				results[g] = data
			}
		})
	}
	all.Wait()
	for _, data := range results {
		if !bytes.Equal(data, results[0]) {
			t.Fatalf("%x, %x", data, results[0])
		}
	}
}
