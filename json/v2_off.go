//go:build !goexperiment.jsonv2

package json

import "reflect"

// onV2 is true if encoding/json is built on its second version (see v2.go).
const onV2 = false

// badText is the output for a byte that is not part of valid UTF-8.
const badText = `\ufffd`

func streams(reflect.Type) bool { return false }
