package differential

import (
	"bytes"
	"fmt"
	"io"
	"log"
	"testing"
	"time"

	"github.com/slipstream-go/slipstream/msgpack"
	v5 "github.com/vmihailenco/msgpack/v5"
)

type (
	Base  struct{ A, B int }
	Other struct{ B, C int }
)

// TestMsgpackSameTags passes structs to both libraries. Their tags and embedded fields collide in
// all possible ways.
func TestMsgpackSameTags(t *testing.T) {
	defer log.SetOutput(log.Writer())
	log.SetOutput(io.Discard) // the original reports collisions
	for _, c := range []struct {
		v    func() any
		keys []string
	}{
		{func() any {
			return &struct {
				A int `msgpack:"alias:X"`
				X int
			}{1, 2}
		}, []string{"A", "X"}},
		{func() any {
			return &struct {
				X int
				A int `msgpack:"alias:X"`
			}{1, 2}
		}, []string{"A", "X"}},
		{func() any {
			return &struct {
				Base
				A int
			}{Base{1, 2}, 3}
		}, []string{"A", "B"}},
		{func() any {
			return &struct {
				A int
				Base
			}{3, Base{1, 2}}
		}, []string{"A", "B"}},
		{func() any {
			return &struct {
				A    int
				Base `msgpack:",inline"`
			}{3, Base{1, 2}}
		}, []string{"A", "B"}},
		{func() any {
			return &struct {
				Base
				Other
			}{Base{1, 2}, Other{3, 4}}
		}, []string{"A", "B", "C"}},
		{func() any {
			return &struct {
				*Base
				Other `msgpack:"o,noinline"`
			}{&Base{1, 2}, Other{3, 4}}
		}, []string{"A", "B", "C"}},
		{func() any {
			return &struct {
				Base `msgpack:"b"`
				C    int `msgpack:"'c,d',omitempty"`
				D    int `msgpack:"-,"`
				E    int `msgpack:"e,alias:f,alias:g"`
			}{Base{1, 2}, 3, 4, 5}
		}, []string{"A", "B", "c,d", "D", "e", "g"}}, // not f, because the original supports only the last alias
		{func() any {
			return &struct {
				time.Time
				N int
			}{time.Unix(0, 0), 1}
		}, nil},
		{func() any {
			return &struct {
				T time.Time `msgpack:",omitempty"`
				D time.Duration
			}{}
		}, []string{"D"}},
	} {
		theirs, errTheirs := v5.Marshal(c.v())
		ours, errOurs := msgpack.Marshal(c.v())
		if errTheirs != nil || errOurs != nil || !bytes.Equal(theirs, ours) {
			t.Errorf("%T: %v, %v\n%x\n%x", c.v(), errTheirs, errOurs, theirs, ours)
		}
		var theirsOmit, oursOmit bytes.Buffer
		a, b := v5.NewEncoder(&theirsOmit), msgpack.NewEncoder(&oursOmit)
		a.SetOmitEmpty(true)
		b.SetOmitEmpty(true)
		if a.Encode(c.v()) != nil || b.Encode(c.v()) != nil || !bytes.Equal(theirsOmit.Bytes(), oursOmit.Bytes()) {
			t.Errorf("%T, without what is empty:\n%x\n%x", c.v(), theirsOmit.Bytes(), oursOmit.Bytes())
		}
		for _, key := range c.keys {
			data := must(msgpack.Marshal(map[string]int{key: 9}))
			x, y := c.v(), c.v()
			errTheirs, errOurs := v5.Unmarshal(data, x), msgpack.Unmarshal(data, y)
			if text(errTheirs) != text(errOurs) || fmt.Sprint(must(msgpack.Marshal(x))) != fmt.Sprint(must(msgpack.Marshal(y))) {
				t.Errorf("%T, %s: %v, %v\n%+v\n%+v", x, key, errTheirs, errOurs, x, y)
			}
		}
	}
}
