package msgpwire

// These are the codes of MessagePack. Codes with a name that begins with Fix contain a value or a
// length in their low bits.
const (
	FixintMax   = 0x7f
	Fixmap      = 0x80
	Fixarray    = 0x90
	Fixstr      = 0xa0
	FixstrMax   = 0xbf
	Nil         = 0xc0
	Never       = 0xc1
	False       = 0xc2
	True        = 0xc3
	Bin8        = 0xc4
	Bin16       = 0xc5
	Bin32       = 0xc6
	Ext8        = 0xc7
	Ext16       = 0xc8
	Ext32       = 0xc9
	Float32     = 0xca
	Float64     = 0xcb
	Uint8       = 0xcc
	Uint16      = 0xcd
	Uint32      = 0xce
	Uint64      = 0xcf
	Int8        = 0xd0
	Int16       = 0xd1
	Int32       = 0xd2
	Int64       = 0xd3
	Fixext1     = 0xd4
	Fixext2     = 0xd5
	Fixext4     = 0xd6
	Fixext8     = 0xd7
	Fixext16    = 0xd8
	Str8        = 0xd9
	Str16       = 0xda
	Str32       = 0xdb
	Array16     = 0xdc
	Array32     = 0xdd
	Map16       = 0xde
	Map32       = 0xdf
	Negfixint   = 0xe0
	ExtTime     = -1
	ExtTimeNode = 13 // the ext type under which encoders for Node.js write times
)

// IsStr reports whether c is the code of a str.
func IsStr(c byte) bool {
	return c >= Fixstr && c <= FixstrMax || c >= Str8 && c <= Str32
}

// IsExt reports whether c is the code of an ext.
func IsExt(c byte) bool {
	return c >= Ext8 && c <= Ext32 || c >= Fixext1 && c <= Fixext16
}
