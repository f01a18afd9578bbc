//go:build goexperiment.jsonv2

package json

import (
	"encoding/json"
	jsonv2 "encoding/json/v2"
	"reflect"
)

// onV2 is true if encoding/json is built on its second version (see v2.go).
const onV2 = true

// badText is the output for a byte that is not part of valid UTF-8.
const badText = "\ufffd"

var (
	marshalerToType     = reflect.TypeFor[jsonv2.MarshalerTo]()
	unmarshalerFromType = reflect.TypeFor[jsonv2.UnmarshalerFrom]()
)

// streams reports whether type t has one of the encoding or decoding methods that the second
// version introduced.
func streams(t reflect.Type) bool {
	return t.Implements(marshalerToType) || t.Implements(unmarshalerFromType)
}

// Options is an alias of the type Options of encoding/json, which contains options of the second
// version. Each function below returns the option with the same name. For the documentation of an
// option, see encoding/json.
type Options = json.Options

func DefaultOptionsV1() Options                      { return json.DefaultOptionsV1() }
func CallMethodsWithLegacySemantics(v bool) Options  { return json.CallMethodsWithLegacySemantics(v) }
func FormatByteArrayAsArray(v bool) Options          { return json.FormatByteArrayAsArray(v) }
func FormatBytesWithLegacySemantics(v bool) Options  { return json.FormatBytesWithLegacySemantics(v) }
func FormatDurationAsNano(v bool) Options            { return json.FormatDurationAsNano(v) }
func MatchCaseSensitiveDelimiter(v bool) Options     { return json.MatchCaseSensitiveDelimiter(v) }
func MergeWithLegacySemantics(v bool) Options        { return json.MergeWithLegacySemantics(v) }
func OmitEmptyWithLegacySemantics(v bool) Options    { return json.OmitEmptyWithLegacySemantics(v) }
func ParseBytesWithLooseRFC4648(v bool) Options      { return json.ParseBytesWithLooseRFC4648(v) }
func ParseTimeWithLooseRFC3339(v bool) Options       { return json.ParseTimeWithLooseRFC3339(v) }
func ReportErrorsWithLegacySemantics(v bool) Options { return json.ReportErrorsWithLegacySemantics(v) }
func StringifyWithLegacySemantics(v bool) Options    { return json.StringifyWithLegacySemantics(v) }
func UnmarshalArrayFromAnyLength(v bool) Options     { return json.UnmarshalArrayFromAnyLength(v) }
