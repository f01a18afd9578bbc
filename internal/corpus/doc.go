// Package corpus contains test data that several packages share: Go types of every kind (types.go),
// random values of these types (random.go), and a reader of the vector files, which the tests of
// every language read (vectors.go). Only tests and benchmarks import it.
package corpus
