// Package wire holds what every byte format needs: big-endian words, the error that says where,
// names of types for its text, and a write that is whole or an error.
package wire
