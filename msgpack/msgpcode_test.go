package msgpack

import (
	"testing"

	"github.com/slipstream-go/slipstream/msgpack/msgpcode"
)

// TestCodesAsExported holds the exported codes to those that the package reads and writes.
func TestCodesAsExported(t *testing.T) {
	for _, c := range []struct {
		name           string
		exported, used byte
	}{
		{"PosFixedNumHigh", msgpcode.PosFixedNumHigh, codeFixintMax},
		{"NegFixedNumLow", msgpcode.NegFixedNumLow, codeNegfixint},
		{"Nil", msgpcode.Nil, codeNil},
		{"False", msgpcode.False, codeFalse},
		{"True", msgpcode.True, codeTrue},
		{"Float", msgpcode.Float, codeFloat32},
		{"Double", msgpcode.Double, codeFloat64},
		{"Uint8", msgpcode.Uint8, codeUint8},
		{"Uint16", msgpcode.Uint16, codeUint16},
		{"Uint32", msgpcode.Uint32, codeUint32},
		{"Uint64", msgpcode.Uint64, codeUint64},
		{"Int8", msgpcode.Int8, codeInt8},
		{"Int16", msgpcode.Int16, codeInt16},
		{"Int32", msgpcode.Int32, codeInt32},
		{"Int64", msgpcode.Int64, codeInt64},
		{"FixedStrLow", msgpcode.FixedStrLow, codeFixstr},
		{"FixedStrHigh", msgpcode.FixedStrHigh, codeFixstrMax},
		{"FixedStrMask", msgpcode.FixedStrMask, codeFixstrMax - codeFixstr},
		{"Str8", msgpcode.Str8, codeStr8},
		{"Str16", msgpcode.Str16, codeStr16},
		{"Str32", msgpcode.Str32, codeStr32},
		{"Bin8", msgpcode.Bin8, codeBin8},
		{"Bin16", msgpcode.Bin16, codeBin16},
		{"Bin32", msgpcode.Bin32, codeBin32},
		{"FixedArrayLow", msgpcode.FixedArrayLow, codeFixarray},
		{"FixedArrayHigh", msgpcode.FixedArrayHigh, codeFixstr - 1},
		{"FixedArrayMask", msgpcode.FixedArrayMask, codeFixstr - 1 - codeFixarray},
		{"Array16", msgpcode.Array16, codeArray16},
		{"Array32", msgpcode.Array32, codeArray32},
		{"FixedMapLow", msgpcode.FixedMapLow, codeFixmap},
		{"FixedMapHigh", msgpcode.FixedMapHigh, codeFixarray - 1},
		{"FixedMapMask", msgpcode.FixedMapMask, codeFixarray - 1 - codeFixmap},
		{"Map16", msgpcode.Map16, codeMap16},
		{"Map32", msgpcode.Map32, codeMap32},
		{"FixExt1", msgpcode.FixExt1, codeFixext1},
		{"FixExt2", msgpcode.FixExt2, codeFixext2},
		{"FixExt4", msgpcode.FixExt4, codeFixext4},
		{"FixExt8", msgpcode.FixExt8, codeFixext8},
		{"FixExt16", msgpcode.FixExt16, codeFixext16},
		{"Ext8", msgpcode.Ext8, codeExt8},
		{"Ext16", msgpcode.Ext16, codeExt16},
		{"Ext32", msgpcode.Ext32, codeExt32},
	} {
		if c.exported != c.used {
			t.Errorf("msgpcode.%s is %x, the package uses %x", c.name, c.exported, c.used)
		}
	}
}

// TestCodeClasses holds the functions to the table of forms, for every code.
func TestCodeClasses(t *testing.T) {
	for code := range 256 {
		c := byte(code)
		f := forms[c]
		str := f.kind == formFixBytes || c >= codeStr8 && c <= codeStr32
		for name, class := range map[string]struct{ got, want bool }{
			"IsFixedNum":    {msgpcode.IsFixedNum(c), f.kind == formScalar && f.head == 1 && (c < codeNil || c > codeTrue)},
			"IsFixedMap":    {msgpcode.IsFixedMap(c), f.kind == formFixMap},
			"IsFixedArray":  {msgpcode.IsFixedArray(c), f.kind == formFixArray},
			"IsFixedString": {msgpcode.IsFixedString(c), f.kind == formFixBytes},
			"IsString":      {msgpcode.IsString(c), str},
			"IsBin":         {msgpcode.IsBin(c), f.kind == formBytes && !str && !isExt(c)},
			"IsFixedExt":    {msgpcode.IsFixedExt(c), isExt(c) && f.kind == formScalar},
			"IsExt":         {msgpcode.IsExt(c), isExt(c)},
		} {
			if class.got != class.want {
				t.Errorf("msgpcode.%s(%x) is %t", name, c, class.got)
			}
		}
	}
}
