//go:build go1.26 && !go1.27 && !purego

package mem

// TextMaps reports whether PutText and PutTexts may be used.
//
// To assign to a map, the runtime needs two properties of its type: how keys are hashed, and where
// in a slot the value is stored. Both are the same for all maps from strings to numbers of one
// size, whatever the types are called. So PutText can assign to a map whose type is known only at
// run time as if it were a map of a built-in type. Decoding an entry takes 18 ns this way, and 22
// ns with a generic function and its dictionary.
const TextMaps = true

// PutText assigns the low size bytes of w to key in the map at m. The map's keys must be strings,
// and its values must have 1, 2, 4 or 8 bytes and no pointers.
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

// PutTexts assigns value to key in the map at m, whose keys and values must be strings.
func PutTexts(m Pointer, key, value string) { (*At[map[string]string](m, 0))[key] = value }
