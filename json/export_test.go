package json

// OnV2 is whether encoding/json stands upon its second version: see v2.go.
const OnV2 = onV2
