package mem

// BlockSize is the length of a Block in bytes.
const BlockSize = 32

// Block is a piece of text of fixed size. It is always stored whole, even if only some of its bytes
// are needed. It is a struct because the compiler moves a struct through two registers, but calls a
// function to copy an array that may overlap its destination.
type Block struct{ Text [BlockSize]byte }
