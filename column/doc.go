// Package column implements typed columns. The codecs decode batches into columns, and the service
// buffers, sorts and writes them.
//
// A [Column] is one Go slice of the column's type and a bitmap of nulls. Text is one []byte with
// offsets, so a column of a million strings takes two allocations, and the garbage collector does
// not scan it:
//
//	Kind     cells                                       under a null
//	Null     none: no value was seen yet, all are null   -
//	Bool     Bools[i]                                    false
//	Int64    Ints[i]                                     0
//	Float64  Floats[i]                                   0
//	String   Text[Ends[i-1]:Ends[i]] (Ends[-1] is 0)     empty
//	Time     Ints[i], microseconds since 1970-01-01 UTC  0
//
// Integers are not rounded. A column that contains both ints and floats is a Float64 column. It
// accepts an integer that equals a float64: all integers up to ±2^53, and larger ones whose low
// bits are zero. It also accepts an integer whose digits are the shortest form of a float64,
// because JavaScript writes 2^61 as 2305843009213694000. Any other integer is an error in a Float64
// column. A float is an error in an Int64 column that contains such an integer ([Column.Accepts],
// [Column.AcceptsInt64]). All codecs follow this rule. Only [Column.Widen] rounds.
//
// A [Batch] is a set of columns of equal length. Batches and columns are made to be reused: Reset
// keeps their memory, and filling a batch again with similar data does not allocate.
//
// The fields are exported because the codecs and the service use them in their innermost loops.
// Code that fills a column must keep these invariants. The slice of the column's kind has Rows
// elements, and the other slices are empty. No null has an index of Rows or more. A Column is not
// safe for concurrent use.
package column
