package msgpack

import (
	"testing"

	"github.com/slipstream-go/slipstream/internal/msgpwire"
	"github.com/slipstream-go/slipstream/msgpack/msgpcode"
)

// The exported codes equal the codes that the package uses.
func TestCodesAsExported(t *testing.T) {
	for _, c := range []struct {
		name           string
		exported, used byte
	}{
		{"PosFixedNumHigh", msgpcode.PosFixedNumHigh, msgpwire.FixintMax},
		{"NegFixedNumLow", msgpcode.NegFixedNumLow, msgpwire.Negfixint},
		{"Nil", msgpcode.Nil, msgpwire.Nil},
		{"False", msgpcode.False, msgpwire.False},
		{"True", msgpcode.True, msgpwire.True},
		{"Float", msgpcode.Float, msgpwire.Float32},
		{"Double", msgpcode.Double, msgpwire.Float64},
		{"Uint8", msgpcode.Uint8, msgpwire.Uint8},
		{"Uint16", msgpcode.Uint16, msgpwire.Uint16},
		{"Uint32", msgpcode.Uint32, msgpwire.Uint32},
		{"Uint64", msgpcode.Uint64, msgpwire.Uint64},
		{"Int8", msgpcode.Int8, msgpwire.Int8},
		{"Int16", msgpcode.Int16, msgpwire.Int16},
		{"Int32", msgpcode.Int32, msgpwire.Int32},
		{"Int64", msgpcode.Int64, msgpwire.Int64},
		{"FixedStrLow", msgpcode.FixedStrLow, msgpwire.Fixstr},
		{"FixedStrHigh", msgpcode.FixedStrHigh, msgpwire.FixstrMax},
		{"FixedStrMask", msgpcode.FixedStrMask, msgpwire.FixstrMax - msgpwire.Fixstr},
		{"Str8", msgpcode.Str8, msgpwire.Str8},
		{"Str16", msgpcode.Str16, msgpwire.Str16},
		{"Str32", msgpcode.Str32, msgpwire.Str32},
		{"Bin8", msgpcode.Bin8, msgpwire.Bin8},
		{"Bin16", msgpcode.Bin16, msgpwire.Bin16},
		{"Bin32", msgpcode.Bin32, msgpwire.Bin32},
		{"FixedArrayLow", msgpcode.FixedArrayLow, msgpwire.Fixarray},
		{"FixedArrayHigh", msgpcode.FixedArrayHigh, msgpwire.Fixstr - 1},
		{"FixedArrayMask", msgpcode.FixedArrayMask, msgpwire.Fixstr - 1 - msgpwire.Fixarray},
		{"Array16", msgpcode.Array16, msgpwire.Array16},
		{"Array32", msgpcode.Array32, msgpwire.Array32},
		{"FixedMapLow", msgpcode.FixedMapLow, msgpwire.Fixmap},
		{"FixedMapHigh", msgpcode.FixedMapHigh, msgpwire.Fixarray - 1},
		{"FixedMapMask", msgpcode.FixedMapMask, msgpwire.Fixarray - 1 - msgpwire.Fixmap},
		{"Map16", msgpcode.Map16, msgpwire.Map16},
		{"Map32", msgpcode.Map32, msgpwire.Map32},
		{"FixExt1", msgpcode.FixExt1, msgpwire.Fixext1},
		{"FixExt2", msgpcode.FixExt2, msgpwire.Fixext2},
		{"FixExt4", msgpcode.FixExt4, msgpwire.Fixext4},
		{"FixExt8", msgpcode.FixExt8, msgpwire.Fixext8},
		{"FixExt16", msgpcode.FixExt16, msgpwire.Fixext16},
		{"Ext8", msgpcode.Ext8, msgpwire.Ext8},
		{"Ext16", msgpcode.Ext16, msgpwire.Ext16},
		{"Ext32", msgpcode.Ext32, msgpwire.Ext32},
	} {
		if c.exported != c.used {
			t.Errorf("msgpcode.%s is %x, the package uses %x", c.name, c.exported, c.used)
		}
	}
}

// The functions of msgpcode agree with the table of forms for every code.
func TestCodeClasses(t *testing.T) {
	for code := range 256 {
		c := byte(code)
		f := msgpwire.Forms[c]
		str := f.Kind == msgpwire.FormFixBytes || c >= msgpwire.Str8 && c <= msgpwire.Str32
		for name, class := range map[string]struct{ got, want bool }{
			"IsFixedNum":    {msgpcode.IsFixedNum(c), f.Kind == msgpwire.FormScalar && f.Head == 1 && (c < msgpwire.Nil || c > msgpwire.True)},
			"IsFixedMap":    {msgpcode.IsFixedMap(c), f.Kind == msgpwire.FormFixMap},
			"IsFixedArray":  {msgpcode.IsFixedArray(c), f.Kind == msgpwire.FormFixArray},
			"IsFixedString": {msgpcode.IsFixedString(c), f.Kind == msgpwire.FormFixBytes},
			"IsString":      {msgpcode.IsString(c), str},
			"IsBin":         {msgpcode.IsBin(c), f.Kind == msgpwire.FormBytes && !str && !msgpwire.IsExt(c)},
			"IsFixedExt":    {msgpcode.IsFixedExt(c), msgpwire.IsExt(c) && f.Kind == msgpwire.FormScalar},
			"IsExt":         {msgpcode.IsExt(c), msgpwire.IsExt(c)},
		} {
			if class.got != class.want {
				t.Errorf("msgpcode.%s(%x) is %t", name, c, class.got)
			}
		}
	}
}
