package msgpwire

import "github.com/slipstream-go/slipstream/internal/wire"

// A Form describes the data that begins with a certain code.
type Form struct {
	Head  uint8 // total size of the code, the number or length field, and the ext type, in bytes
	Count uint8 // width of the length or count field: 0, 1, 2 or 4 bytes, right after the code
	Kind  uint8 // FormScalar, FormBytes, …
}

const (
	FormScalar   = iota // the value consists of Head bytes
	FormBytes           // the length counts bytes
	FormArray           // the length counts values
	FormMap             // the length counts pairs
	FormFixBytes        // the low bits of the code are the length in bytes
	FormFixArray
	FormFixMap
	FormNever
)

// Forms contains the form of each code.
var Forms = func() (t [256]Form) {
	for c := range t {
		switch {
		case c < 0x80 || c >= 0xe0:
			t[c] = Form{Head: 1, Kind: FormScalar}
		case c < 0x90:
			t[c] = Form{Head: 1, Kind: FormFixMap}
		case c < 0xa0:
			t[c] = Form{Head: 1, Kind: FormFixArray}
		case c < 0xc0:
			t[c] = Form{Head: 1, Kind: FormFixBytes}
		}
	}
	for c, f := range map[byte]Form{
		Nil: {1, 0, FormScalar}, Never: {1, 0, FormNever}, False: {1, 0, FormScalar}, True: {1, 0, FormScalar},
		Bin8: {2, 1, FormBytes}, Bin16: {3, 2, FormBytes}, Bin32: {5, 4, FormBytes},
		Ext8: {3, 1, FormBytes}, Ext16: {4, 2, FormBytes}, Ext32: {6, 4, FormBytes},
		Float32: {5, 0, FormScalar}, Float64: {9, 0, FormScalar},
		Uint8: {2, 0, FormScalar}, Uint16: {3, 0, FormScalar}, Uint32: {5, 0, FormScalar}, Uint64: {9, 0, FormScalar},
		Int8: {2, 0, FormScalar}, Int16: {3, 0, FormScalar}, Int32: {5, 0, FormScalar}, Int64: {9, 0, FormScalar},
		Fixext1: {3, 0, FormScalar}, Fixext2: {4, 0, FormScalar}, Fixext4: {6, 0, FormScalar},
		Fixext8: {10, 0, FormScalar}, Fixext16: {18, 0, FormScalar},
		Str8: {2, 1, FormBytes}, Str16: {3, 2, FormBytes}, Str32: {5, 4, FormBytes},
		Array16: {3, 2, FormArray}, Array32: {5, 4, FormArray},
		Map16: {3, 2, FormMap}, Map32: {5, 4, FormMap},
	} {
		t[c] = f
	}
	return t
}()

// CountAt returns the value of the length or count field after the code at b[i]. b must contain the
// whole field.
func CountAt(b []byte, i int) uint64 {
	switch Forms[b[i]].Count {
	case 1:
		return uint64(b[i+1])
	case 2:
		return uint64(wire.BE16(b, i+1))
	case 4:
		return uint64(wire.BE32(b, i+1))
	}
	return 0
}
