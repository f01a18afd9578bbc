//go:build !goexperiment.jsonv2

package json

import "reflect"

// onV2 is whether encoding/json stands upon its second version: see v2.go.
const onV2 = false

// badText is written for a byte that is no part of valid UTF-8.
const badText = `\ufffd`

func streams(reflect.Type) bool { return false }
