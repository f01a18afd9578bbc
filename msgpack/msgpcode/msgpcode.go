// Package msgpcode defines names for the codes of MessagePack. The method Decoder.PeekCode of
// package msgpack returns these codes.
//
// The codes are variables, as in package msgpcode of vmihailenco/msgpack, which this package
// replaces. Package msgpack does not use these variables.
package msgpcode

// Ints from -32 to 127 consist of one byte, which is both the code and the value.
var (
	PosFixedNumHigh byte = 0x7f
	NegFixedNumLow  byte = 0xe0
)

// Nil and bools consist only of the code. The code of any other number is followed by the number in
// big-endian order, with the number of bits in the name of the code.
var (
	Nil   byte = 0xc0
	False byte = 0xc2
	True  byte = 0xc3

	Float  byte = 0xca
	Double byte = 0xcb

	Uint8  byte = 0xcc
	Uint16 byte = 0xcd
	Uint32 byte = 0xce
	Uint64 byte = 0xcf

	Int8  byte = 0xd0
	Int16 byte = 0xd1
	Int32 byte = 0xd2
	Int64 byte = 0xd3
)

// The code of a short str contains the length in the bits of FixedStrMask. The codes of short
// arrays and maps contain the count in the bits of FixedArrayMask and FixedMapMask. All other codes
// except FixExt codes are followed by a length or count; the name of the code contains its number
// of bits. The name of a FixExt code contains the length of the ext's data in bytes.
var (
	FixedStrLow  byte = 0xa0
	FixedStrHigh byte = 0xbf
	FixedStrMask byte = 0x1f
	Str8         byte = 0xd9
	Str16        byte = 0xda
	Str32        byte = 0xdb

	Bin8  byte = 0xc4
	Bin16 byte = 0xc5
	Bin32 byte = 0xc6

	FixedArrayLow  byte = 0x90
	FixedArrayHigh byte = 0x9f
	FixedArrayMask byte = 0x0f
	Array16        byte = 0xdc
	Array32        byte = 0xdd

	FixedMapLow  byte = 0x80
	FixedMapHigh byte = 0x8f
	FixedMapMask byte = 0x0f
	Map16        byte = 0xde
	Map32        byte = 0xdf

	FixExt1  byte = 0xd4
	FixExt2  byte = 0xd5
	FixExt4  byte = 0xd6
	FixExt8  byte = 0xd7
	FixExt16 byte = 0xd8
	Ext8     byte = 0xc7
	Ext16    byte = 0xc8
	Ext32    byte = 0xc9
)

// IsFixedNum reports whether c is the code of a fixint, an int that consists of its code alone.
func IsFixedNum(c byte) bool { return c <= PosFixedNumHigh || c >= NegFixedNumLow }

// IsFixedMap reports whether c is the code of a fixmap, a map of fewer than 16 pairs.
func IsFixedMap(c byte) bool { return c >= FixedMapLow && c <= FixedMapHigh }

// IsFixedArray reports whether c is the code of a fixarray, an array of fewer than 16 values.
func IsFixedArray(c byte) bool { return c >= FixedArrayLow && c <= FixedArrayHigh }

// IsFixedString reports whether c is the code of a fixstr, a str of fewer than 32 bytes.
func IsFixedString(c byte) bool { return c >= FixedStrLow && c <= FixedStrHigh }

// IsString reports whether c is the code of a str.
func IsString(c byte) bool { return IsFixedString(c) || c == Str8 || c == Str16 || c == Str32 }

// IsBin reports whether c is the code of a bin.
func IsBin(c byte) bool { return c == Bin8 || c == Bin16 || c == Bin32 }

// IsFixedExt reports whether c is the code of a fixext, an ext of 1, 2, 4, 8 or 16 bytes.
func IsFixedExt(c byte) bool { return c >= FixExt1 && c <= FixExt16 }

// IsExt reports whether c is the code of an ext.
func IsExt(c byte) bool { return IsFixedExt(c) || c == Ext8 || c == Ext16 || c == Ext32 }
