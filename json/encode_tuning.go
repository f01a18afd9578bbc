package json

// Each optimisation that could be argued about hangs on one of these. The tests pass whichever way
// they are set.
const (
	inlineStructs = true // take structs within structs apart
	walkMaps      = true // read maps slot by slot, not by the runtime's iterator
	useKeyBook    = true // keep the keys of maps that come again
)
