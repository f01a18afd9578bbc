package queue

import (
	"bytes"
	"testing"
)

func FuzzReadEntry(f *testing.F) {
	it := &item{tenant: &tenant{name: "team-a"}, order: 5<<indexBits | 2, time: -7, note: [4]uint32{0, 1, 300, 1<<32 - 1}, codec: 3, sum: 0xdeadbeef}
	for _, moved := range []bool{false, true} {
		b := appendEntry(nil, it, []byte("a body"), moved)
		f.Add(b, moved)
		f.Add(b[:len(b)-1], moved)
		f.Add(append(b, b...), moved)
	}
	f.Fuzz(func(t *testing.T, b []byte, moved bool) {
		e, rest, err := readEntry(b, moved)
		if err != nil {
			if e.tenant != nil || rest != nil {
				t.Fatal("something is left after an error")
			}
			return
		}
		if e.head+len(e.body)+len(rest) != len(b) || !bytes.Equal(b[e.head:e.head+len(e.body)], e.body) {
			t.Fatalf("head %d, body %d, rest %d of %d", e.head, len(e.body), len(rest), len(b))
		}
		again := &item{tenant: &tenant{name: string(e.tenant)}, order: e.order, time: e.time, note: e.note, codec: e.codec, sum: e.sum}
		c, rest, err := readEntry(appendEntry(nil, again, e.body, moved), moved)
		if err != nil || len(rest) > 0 || !bytes.Equal(c.tenant, e.tenant) || !bytes.Equal(c.body, e.body) ||
			c.codec != e.codec || c.note != e.note || c.order != e.order || c.time != e.time || c.sum != e.sum || c.head > e.head {
			t.Fatalf("read %+v, appended and read again %+v, %v", e, c, err)
		}
	})
}

func FuzzReadNote(f *testing.F) {
	f.Add(appendNote(appendNote(nil, "team-a", 1<<40), "", 0))
	f.Fuzz(func(t *testing.T, b []byte) {
		for len(b) > 0 {
			tenant, to, rest, err := readNote(b)
			if err != nil {
				return
			}
			if len(rest) >= len(b) {
				t.Fatal("nothing was read")
			}
			again, to2, _, err := readNote(appendNote(nil, string(tenant), to))
			if err != nil || to2 != to || !bytes.Equal(again, tenant) {
				t.Fatalf("%q to %d, then %q to %d, %v", tenant, to, again, to2, err)
			}
			b = rest
		}
	})
}
