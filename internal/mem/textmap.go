//go:build go1.26 && !go1.27 && !purego

package mem

// TextMaps reports whether PutText and PutTexts may be used.
//
// To assign to a map, the runtime wants to know of its type how keys are hashed and where in a slot
// the value lies. Of all maps from strings to numbers of one size that is the same, whatever the
// types are called. So one whose type is met at run time only can be assigned to as if it were
// written out: an entry takes 18 ns to decode so, and 22 by a generic function with its dictionary.
const TextMaps = true

// PutText assigns the low size bytes of w to key, in the map at m. Its keys are strings, its values
// of 1, 2, 4 or 8 bytes without pointers.
func PutText(m Pointer, key string, w uint64, size int) {
	switch size {
	case 1:
		(*At[map[string]uint8](m, 0))[key] = uint8(w)
	case 2:
		(*At[map[string]uint16](m, 0))[key] = uint16(w)
	case 4:
		(*At[map[string]uint32](m, 0))[key] = uint32(w)
	default:
		(*At[map[string]uint64](m, 0))[key] = w
	}
}

// PutTexts assigns value to key, in the map at m. Both are strings.
func PutTexts(m Pointer, key, value string) { (*At[map[string]string](m, 0))[key] = value }
