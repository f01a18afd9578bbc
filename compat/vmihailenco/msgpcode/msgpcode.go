// Package msgpcode is Slipstream's msgpack/msgpcode under the import path
// github.com/vmihailenco/msgpack/v5/msgpcode. The codes are copies of Slipstream's variables, so
// assigning to a code in this package has no effect on other packages.
package msgpcode

import slip "github.com/slipstream-go/slipstream/msgpack/msgpcode"

var (
	PosFixedNumHigh, NegFixedNumLow = slip.PosFixedNumHigh, slip.NegFixedNumLow

	Nil, False, True = slip.Nil, slip.False, slip.True

	Float, Double = slip.Float, slip.Double

	Uint8, Uint16, Uint32, Uint64 = slip.Uint8, slip.Uint16, slip.Uint32, slip.Uint64
	Int8, Int16, Int32, Int64     = slip.Int8, slip.Int16, slip.Int32, slip.Int64

	FixedStrLow, FixedStrHigh, FixedStrMask = slip.FixedStrLow, slip.FixedStrHigh, slip.FixedStrMask
	Str8, Str16, Str32                      = slip.Str8, slip.Str16, slip.Str32

	Bin8, Bin16, Bin32 = slip.Bin8, slip.Bin16, slip.Bin32

	FixedArrayLow, FixedArrayHigh, FixedArrayMask = slip.FixedArrayLow, slip.FixedArrayHigh, slip.FixedArrayMask
	Array16, Array32                              = slip.Array16, slip.Array32

	FixedMapLow, FixedMapHigh, FixedMapMask = slip.FixedMapLow, slip.FixedMapHigh, slip.FixedMapMask
	Map16, Map32                            = slip.Map16, slip.Map32

	FixExt1, FixExt2, FixExt4, FixExt8, FixExt16 = slip.FixExt1, slip.FixExt2, slip.FixExt4, slip.FixExt8, slip.FixExt16
	Ext8, Ext16, Ext32                           = slip.Ext8, slip.Ext16, slip.Ext32
)

func IsFixedNum(c byte) bool { return slip.IsFixedNum(c) }

func IsFixedMap(c byte) bool { return slip.IsFixedMap(c) }

func IsFixedArray(c byte) bool { return slip.IsFixedArray(c) }

func IsFixedString(c byte) bool { return slip.IsFixedString(c) }

func IsString(c byte) bool { return slip.IsString(c) }

func IsBin(c byte) bool { return slip.IsBin(c) }

func IsFixedExt(c byte) bool { return slip.IsFixedExt(c) }

func IsExt(c byte) bool { return slip.IsExt(c) }
