// Package corpus contains test data that several packages share: Go types of every kind (types.go),
// random values of these types (random.go), and a reader for the vector files that the tests of
// every language use (vectors.go). Only tests and benchmarks import it.
package corpus
