package json

// OnV2 reports whether encoding/json is built with GOEXPERIMENT=jsonv2: see v2.go.
const OnV2 = onV2

// KeySlot returns the slot of key in an encoder's key book.
func KeySlot(key string) uint64 {
	first, last := words(key)
	return slotOf(hashOf(first, last, len(key))) % bookSlots
}
