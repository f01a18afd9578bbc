package msgpack

import "github.com/slipstream-go/slipstream/internal/msgpwire"

// A head describes the part of a value before its bytes, elements or pairs.
type head struct {
	form uint8 // FormScalar, FormBytes, FormArray or FormMap of msgpwire
	n    int   // number of bytes, elements or pairs that follow
	next int   // offset after the head, or after the bytes of a str, bin or ext
}

// readHead reads the head of the value at i. Like the function `skip`, readHead fails for an
// undefined code, for incomplete bytes, and if the header announces more values than there are
// remaining bytes.
func readHead(b []byte, i int) (h head, ok bool) {
	if uint(i) >= uint(len(b)) {
		return h, false
	}
	f := msgpwire.Forms[b[i]]
	if f.Kind == msgpwire.FormNever || int(f.Head) > len(b)-i {
		return h, false
	}
	n := msgpwire.CountAt(b, i)
	h.form, h.next = f.Kind, i+int(f.Head)
	switch f.Kind {
	case msgpwire.FormFixBytes:
		h.form, n = msgpwire.FormBytes, uint64(b[i]&0x1f)
	case msgpwire.FormFixArray:
		h.form, n = msgpwire.FormArray, uint64(b[i]&0x0f)
	case msgpwire.FormFixMap:
		h.form, n = msgpwire.FormMap, uint64(b[i]&0x0f)
	}
	least := n // minimum number of bytes that follow
	if h.form == msgpwire.FormMap {
		least *= 2
	}
	if least > uint64(len(b)-h.next) {
		return h, false
	}
	if h.n = int(n); h.form == msgpwire.FormBytes {
		h.next += h.n
	}
	return h, true
}

// holds reports whether the value is an array or a map, and returns the number of values in it.
func (h head) holds() (values int, ok bool) {
	switch h.form {
	case msgpwire.FormArray:
		return h.n, true
	case msgpwire.FormMap:
		return 2 * h.n, true
	}
	return 0, false
}
