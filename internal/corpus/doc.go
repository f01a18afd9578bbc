// Package corpus is what tests share: Go types of every kind (types.go), random values of them
// (random.go), and the vectors that both languages obey (vectors.go). Only tests and benchmarks
// import it.
package corpus
