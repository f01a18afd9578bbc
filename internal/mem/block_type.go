package mem

// BlockSize is the length of a Block in bytes.
const BlockSize = 32

// Block is a piece of text with a fixed size. All of its bytes are always stored, even if only some
// of them are needed. Block is a struct because the compiler copies a struct through two registers.
// To copy an array that may overlap its destination, the compiler calls a function.
type Block struct{ Text [BlockSize]byte }
