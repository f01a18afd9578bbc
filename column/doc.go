// Package column holds typed columns: what a format decodes a batch into, and what the service buffers, sorts and lands.
//
// A [Column] is one Go slice of the column's type, plus a bitmap of nulls. Text is kept as offsets into one arena, so that a
// column of a million strings is two allocations and nothing for the garbage collector to walk:
//
//	Kind     cells                                       under a null
//	Null     none: no value was seen yet, all are null   -
//	Bool     Bools[i]                                    false
//	Int64    Ints[i]                                     0
//	Float64  Floats[i]                                   0
//	String   Text[Ends[i-1]:Ends[i]] (Ends[-1] is 0)     empty
//	Time     Ints[i], microseconds since 1970-01-01 UTC  0
//
// Integers are not rounded. A column that holds ints and floats is a Float64 column. It takes the integers that a float64 equals,
// which are all up to ±2^53 and larger ones whose low bits are zero, and those that a float64 prints as in its shortest form, since
// JavaScript writes 2^61 as 2305843009213694000. Any other integer is refused in a Float64 column, and a float is refused in an
// Int64 column that has such an integer ([Column.Accepts], [Column.AcceptsInt64]). All formats keep this rule. Only [Column.Widen]
// rounds.
//
// A [Batch] is a set of columns of equal length. Both are made to be reused: Reset keeps every buffer, and a batch that is
// filled with the shape of the last one allocates nothing.
//
// The fields are open, because the formats fill them and the service drains them in their innermost loops. Whoever fills a
// column by hand keeps the inequality: the slice of its kind has Rows elements, the others none, and no null lies at or
// beyond Rows. A Column is not safe for concurrent use.
package column
