package msgpack

// Each of these constants enables one optional optimization. The tests pass with every combination
// of settings. docs/decisions.md describes the speedup of each optimization.
const (
	predictFields = true // compare a key with the next field's before looking it up
	inlineLeaves  = true // handle strings, 64-bit numbers and bools in the struct loops
	cacheKeys     = true // keep the strings of recurring map keys
	sharedStrings = true // allocate short strings in shared chunks
	slabBoxes     = true // allocate the values that an any points to in slabs
	keepEqual     = true // keep a string of a struct if it equals the string in the input
	walkMaps      = true // read maps slot by slot, without the runtime's iterator
	readRuns      = true // read several numbers of a column at a time
)
