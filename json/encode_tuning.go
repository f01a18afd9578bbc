package json

// Each of these constants enables an optimization whose benefit is debatable. The tests pass with
// both values of each constant.
const (
	inlineStructs = true // write an inner struct with steps of the outer struct
	walkMaps      = true // read the slots of maps directly, not through the runtime's iterator
	useKeyBook    = true // cache map keys that occur repeatedly (encode_keys.go)
)
