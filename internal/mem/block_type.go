package mem

// BlockSize is the length of a Block.
const BlockSize = 32

// Block is text that is stored as a whole, whatever of it counts. It is a struct because the
// compiler calls a function to copy an array that may overlap with where it goes, but moves a
// struct by two registers.
type Block struct{ Text [BlockSize]byte }
