// Package wire holds what every byte format needs: big-endian words and the error that says where.
package wire
