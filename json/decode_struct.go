package json

// This file decodes into structs. After each key, the decoder expects the key that usually follows.
// It compares the expected key with the input as one or two words, including the quotes and the
// colon. If the key in the input differs, the decoder reads it and looks it up.

import (
	"fmt"
	"math/bits"
	"sync/atomic"
	"unicode"
	"unicode/utf8"

	"github.com/slipstream-go/slipstream/internal/mem"
)

// decodeStruct decodes an object into the struct at p. Each round of its loop reads a member:
//
//	place           reads                                                continues at
//	start           { and white space                                    the loop; with }, end
//	loop            the expected key, or another key by findField
//	switch f.kind   a value of a frequent kind, without a call of an op  more
//	after it        any other value, and nulls and misfits, by field     more
//	more            a comma                                              the loop
//	                }                                                    end
//	end             nothing: it leaves the struct
func decodeStruct(d *decoder, i int, p mem.Pointer, o *decodeOp) int {
	b := d.b
	if mem.Load8(b, i) != '{' {
		return d.mismatch(i, p, o)
	}
	if d.depth++; d.depth > maxDepth {
		return failed
	}
	s := o.fields
	expected := &s.first
	f := expected.Load()
	i++
	if c := mem.Load8(b, i); c <= ' ' {
		if c == '\n' {
			i = line(b, i)
		}
		if mem.Load8(b, i) <= ' ' {
			i = d.blanks(i)
			b = d.b
		}
	}
	if mem.Load8(b, i) == '}' {
		i++
		goto end
	}
	for {
		if i > d.lim {
			i = d.near(i)
			b = d.b
		}
		size := int(f.size)
		if (mem.Load64(b, i)^f.key0)&f.mask0|(mem.Load64(b, i+8)^f.key1)&f.mask1 != 0 || size > 16 && !f.restIsAt(b, i) {
			if f, i = d.findField(s, expected, i); i < 0 {
				return failed
			}
			b = d.b
		} else {
			i += size
		}
		if mem.Load8(b, i) == ' ' {
			i++
		}
		if mem.Load8(b, i) <= ' ' {
			i = d.blanks(i)
			b = d.b
		}
		switch f.kind {
		case decodesString:
			if mem.Load8(b, i) == '"' {
				var v string
				if v, i = d.string(i + 1); i < 0 {
					return failed
				}
				*mem.At[string](p, uintptr(f.offset)) = v
				b = d.b
				goto more
			}
		case decodesInt64:
			if v, j := d.int(i); j >= 0 {
				*mem.At[int64](p, uintptr(f.offset)) = v
				i = j
				goto more
			}
		case decodesUint64:
			if v, j := d.uint(i); j >= 0 {
				*mem.At[uint64](p, uintptr(f.offset)) = v
				i = j
				goto more
			}
		case decodesFloat64:
			if v, j := d.float(i); j >= 0 {
				*mem.At[float64](p, uintptr(f.offset)) = v
				i = j
				b = d.b
				goto more
			}
		case decodesBool:
			if j := literal(b, i); j > 0 && mem.Load8(b, i) != 'n' {
				*mem.At[bool](p, uintptr(f.offset)) = mem.Load8(b, i) == 't'
				i = j
				goto more
			}
		}
		i = d.field(i, p, f)
		if i < 0 {
			if i = d.named(s, f, i); i < 0 {
				return failed
			}
		}
		b = d.b
	more:
		expected = &f.next
		f = expected.Load()
		if c := mem.Load8(b, i); c <= ' ' {
			if c == '\n' {
				i = line(b, i)
			}
			if mem.Load8(b, i) <= ' ' {
				i = d.blanks(i)
				b = d.b
			}
		}
		i++
		switch mem.Load8(b, i-1) {
		case ',':
		case '}':
			goto end
		default:
			return failed
		}
		if mem.Load8(b, i) <= ' ' {
			if mem.Load8(b, i) == '\n' {
				i = line(b, i)
			}
			if mem.Load8(b, i) <= ' ' {
				i = d.blanks(i)
				b = d.b
			}
		}
	}
end:
	if i > d.lim {
		i = d.near(i)
	}
	return d.leave(i)
}

// restIsAt reports whether the key at i equals the expected key from byte 16 on. The fields key0
// and key1 contain the first 16 bytes of the expected key.
func (f *decodeField) restIsAt(b []byte, i int) bool {
	return string(b[i+16:i+int(f.size)]) == f.text[16:]
}

// findField reads the key at i. It returns the key's field, and the position after the colon. If
// the struct has no such field, it returns the last entry of s.list, which has no op, so that the
// value is skipped.
func (d *decoder) findField(s *decodeFields, expected *atomic.Pointer[decodeField], i int) (*decodeField, int) {
	if mem.Load8(d.b, i) != '"' {
		return nil, failed
	}
	key, i := d.key(i + 1)
	if i < 0 {
		return nil, failed
	}
	unknown := &s.list[len(s.list)-1]
	f := unknown
	if n := s.names.Find(key); n >= 0 {
		f = &s.list[n]
	} else if n := s.findFolded(key); n >= 0 && d.flags&DontMatchCaseInsensitiveStructFields == 0 {
		f = &s.list[n]
	} else if d.flags&DisallowUnknownFields != 0 {
		d.save(fmt.Errorf("json: unknown field %q", key))
	}
	if f != unknown {
		// All decoders share the expected order of fields. They rarely change it, so that they do
		// not wait for each other.
		if d.misses++; d.misses&15 == 0 {
			expected.Store(f)
		}
	}
	if i > d.lim {
		i = d.near(i)
	}
	if mem.Load8(d.b, i) != ':' {
		if i = d.blanks(i); mem.Load8(d.b, i) != ':' {
			return nil, failed
		}
	}
	return f, i + 1
}

// key returns the unescaped text of a key, and the position after the closing quote. The key's text
// begins at i. The returned bytes are valid until the next key or string is read.
func (d *decoder) key(i int) ([]byte, int) {
	b := d.b
	for k := 0; k < 64; k += 8 {
		if m := stops(mem.Load64(b, i+k)); m != 0 {
			k += bits.TrailingZeros64(m) >> 3
			if mem.Load8(b, i+k) == '"' {
				return b[i : i+k : i+k], i + k + 1
			}
			break
		}
	}
	text, i := d.unescape(d.scratch[:0], i)
	d.scratch = text[:0]
	return text, i
}

// findFolded returns the index in s.list of the first field whose name equals key if case is
// ignored. If there is no such field, it returns -1.
func (s *decodeFields) findFolded(key []byte) int {
	var room [64]byte
	n := s.folded.Find(appendFolded(room[:0], key))
	if n < 0 {
		return -1
	}
	return int(s.byFold[n])
}

// foldName converts name to a form that is equal for all names that differ only in case. It uses
// Unicode's simple folding: K also matches the Kelvin sign, and S also matches the long s.
func foldName(name string) string { return string(appendFolded(nil, mem.Bytes(name))) }

func appendFolded(dst, name []byte) []byte {
	for i := 0; i < len(name); {
		c := name[i]
		if c < utf8.RuneSelf {
			if 'a' <= c && c <= 'z' {
				c -= 'a' - 'A'
			}
			dst = append(dst, c)
			i++
			continue
		}
		r, size := utf8.DecodeRune(name[i:])
		dst = utf8.AppendRune(dst, leastFold(r))
		i += size
	}
	return dst
}

// leastFold returns the smallest rune that equals r under simple folding.
func leastFold(r rune) rune {
	for {
		next := unicode.SimpleFold(r)
		if next <= r {
			return next
		}
		r = next
	}
}

// field decodes the value at i into the field f of the struct at p.
func (d *decoder) field(i int, p mem.Pointer, f *decodeField) int {
	if f.op == nil {
		return d.skip(i)
	}
	for n := range f.hops {
		hop := &f.hops[n]
		at := mem.At[mem.Raw](p, hop.Offset)
		if *at == nil {
			if !hop.Exported {
				d.save(fmt.Errorf("json: cannot set embedded pointer to unexported struct: %v", hop.Type))
				return d.skip(i)
			}
			*at = mem.NewAt(hop.Type)
		}
		p = mem.Of(*at, hop.Type)
	}
	p = mem.Add(p, uintptr(f.offset))
	if f.quoted {
		return d.quoted(i, p, f.op)
	}
	return f.op.decode(d, i, p, f.op)
}
