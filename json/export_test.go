package json

// OnV2 is whether encoding/json stands upon its second version: see v2.go.
const OnV2 = onV2

// KeySlot returns the slot at which an encoder's book of keys looks for key.
func KeySlot(key string) uint64 {
	first, last := words(key)
	return slotOf(hashOf(first, last, len(key))) % bookSlots
}
