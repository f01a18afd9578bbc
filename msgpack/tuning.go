package msgpack

// Each optimisation that could be argued about hangs on one of these. The tests pass whichever way
// they are set; what each is worth is in docs/decisions.md.
const (
	predictFields = true // expect the next field's key before looking any up
	inlineLeaves  = true // handle strings, 64-bit numbers and bools in the struct loops
	cacheKeys     = true // keep the strings of recurring map keys
	sharedStrings = true // cut short strings from chunks
	slabBoxes     = true // cut what an any points to from slabs
	keepEqual     = true // leave a string of a struct alone that equals what is read
	walkMaps      = true // read maps slot by slot, not by the runtime's iterator
	readRuns      = true // read columns of numbers several at a time
)
