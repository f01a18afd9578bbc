// Package column implements typed columns. The codecs decode batches of records into columns, and
// the service buffers, sorts and writes these columns.
//
// A [Column] consists of one Go slice of the column's type, and a bitmap of nulls. Text is stored
// in one []byte with a slice of offsets. So a column of a million strings needs two allocations,
// and the garbage collector does not scan the text:
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
// accepts an integer that equals a float64: every integer from -2^53 to 2^53, and larger integers
// whose low bits are zero. It also accepts an integer that has the digits of the shortest decimal
// form of a float64, because JavaScript writes 2^61 as 2305843009213694000. A Float64 column
// rejects any other integer. An Int64 column that contains such an integer rejects floats. See
// [Column.Accepts] and [Column.AcceptsInt64]. All codecs follow these rules. Only [Column.Widen]
// rounds.
//
// A [Batch] is a set of columns of equal length. Batches and columns are meant to be reused: Reset
// keeps their memory, and filling a batch again with similar data does not allocate.
//
// The fields are exported because the codecs and the service use them in their innermost loops.
// Code that fills a column must maintain the following invariants. The slice of the column's kind
// has Rows elements, and all other slices are empty. Every bit in the bitmap of nulls has an index
// less than Rows. A Column is not safe for concurrent use.
package column
