package schema

import "github.com/slipstream-go/slipstream/internal/mem"

// expected estimates the encoded size of the value at p. The estimate is exact unless the value
// contains lists, maps, or computed fields. For a list, it assumes that all elements have the same
// size as the first element. The result is used only to allocate a buffer, so it need not be exact.
func (pg *program) expected(p mem.Pointer) int {
	total := pg.least
	for k := range pg.sized {
		o := &pg.sized[k]
		switch q := mem.Add(p, uintptr(o.off)); o.kind {
		case opString8, opString16, opString:
			total += len(*mem.At[string](q, 0))
		case opBlob:
			total += len(*mem.At[[]byte](q, 0))
		case opList:
			if n := mem.At[mem.Slice](q, 0).Len; n > 0 && o.sub.raw > 0 {
				total += n * o.sub.raw
			} else if n > 0 {
				list := mem.At[mem.Slice](q, 0)
				size := o.sub.pg.expected(o.elements(list.Data, list.Cap))
				total += severally(n, size+(size-o.sub.pg.least)/4)
			}
		case opFixed:
			if list := mem.At[mem.Slice](q, 0); list.Len > 0 && o.sub.raw == 0 {
				total += severally(list.Len, o.sub.pg.expected(o.elements(list.Data, list.Cap))-o.sub.pg.least)
			}
		case opArray:
			total += severally(o.sub.count, o.sub.pg.expected(q)-o.sub.pg.least)
		case opMap:
			total += severally(mapLen(q), o.sub.least+usualText*o.sub.pg.texts)
		case opOptNumber, opOptBool, opOptString8, opOptString16:
			there := *mem.At[mem.Raw](q, 0)
			if there == nil {
				continue
			}
			if total += int(o.size1); o.kind == opOptString8 || o.kind == opOptString16 {
				total += len(*mem.At[string](o.value(there), 0))
			}
		default: // an option
			if there := *mem.At[mem.Raw](q, 0); there != nil {
				total += o.sub.pg.expected(o.value(there))
			}
		}
		if uint(total) > mostExpected {
			return mostExpected
		}
	}
	return total
}

const (
	mostExpected = 64 << 10 // the largest estimate; for longer messages, the buffer grows
	usualText    = 8        // assumed length of a string in a map, in bytes
)

// severally returns n·size, limited to mostExpected.
func severally(n, size int) int {
	if size > 0 && n > mostExpected/size {
		return mostExpected
	}
	return n * size
}

// sized returns the ops of c whose encoded length depends on the value. The method `expected` uses
// them.
func (c *code) sized() []op {
	var list []op
	for _, o := range c.ops {
		switch o.kind {
		case opString8, opString16, opString, opBlob, opList, opFixed, opArray, opMap, opOpt, opOptNumber, opOptBool, opOptString8, opOptString16:
			list = append(list, o)
		}
	}
	return list
}
