// Package matrix tests decoders: every kind of value, in every position, into every kind of target,
// from every source, by every public entry. Only tests import it.
//
// A format describes itself by a [Format]: the kinds of values that it has, and for each type a
// [Subject]: how a value is encoded, the ways to decode one, and an oracle. The oracle is a second
// decoder: small, by reflect, without unsafe. [Run] does the rest:
//
//	types     each leaf as the first, middle and last field; nested, in a list, in a map, behind a pointer; others at random
//	targets   zero; used; holding constants and memory on read-only pages; sharing memory with other values, and, if the format
//	          allows that, with themselves: a pointer may lead to what contains it; holding views, also those that
//	          another notation of the same Go type has decoded
//	sources   whole; from readers of one byte, of random pieces, with data and error together; cut at each byte; mutated;
//	          as bytes on read-only pages that end where the next page cannot be read
//
// # What is checked
//
// The world is the target, the values and inputs that were handed out before, and all memory that
// they lead to. Before each call it is cloned: the clone shares memory where the world does. The
// oracle decodes into the clone's target, the decoder into the world's. Then:
//
//   - both succeed, or both fail; where both succeed, they took as many bytes
//   - the worlds are equal: the target, and what every other value holds. So memory that is used
//     again is the memory that the contract says, and what is new is shared with nothing
//   - no string has other bytes than before, and no input has
//   - the target does not lie in the input, unless the way decodes views
//   - after an error, memory that the target does not lead to is as it was; what the target leads
//     to is as the oracle left it if [Format.ExactErrors] is set, else its strings are ones that
//     were there or that the input explains
//   - where the oracle returns [ErrUnspecified], memory is compared as after an error, and nothing
//     else
//   - nothing panics or faults. The oracle's clone of a read-only page is read-only as well: where
//     the oracle faults, the contract allows the write, and the page is made writable in both
//     worlds
//
// A collection runs now and then, so that pointers that are none are noticed. The worlds of the
// last cases are kept, and must be as they were left when later cases, of other types, have used
// the same pools.
//
// # What must be reached
//
// A run fails that leaves something out, however right its calls were (coverage.go): each way has
// decoded values and failed; each leaf was decoded in each place, each wrap and into each kind of
// target; each way has met each kind of target that may precede it; and each option of the package,
// by the names in its code, is set alone by a way and has changed a result there, or is excused
// with a reason.
//
// # What is not in it
//
// Transcode and iso8601 have no targets that are used again: they append to a []byte, or return
// numbers. Their fuzz tests and random tests compare them with other decoders. Schema's
// FrameReader, ModelReader and ParseAll find where messages begin and call Reader and Parse, which
// are ways here; what they add, heads and ends, has tests by case.
//
// # Probes
//
// Chance meets some classes too seldom for a short run. [Probes] makes calls by design, with the
// same checks, and each format's tests list them by generators of their own: two encodings of one
// key wherever a map may stand, slices that grow beside the memory of others, ints at the edges of
// their types and in runs, arrays shorter and longer than their target, texts about the lengths at
// which they get other memory, structs of many fields with names that are hard to tell apart. Their
// tests are TestMatrixKeys, TestMatrixGrowth and so on.
//
// # Plugging a format in
//
// The package's test makes a Format and calls Run, as schema/matrix_test.go does:
//
//	func TestMatrix(t *testing.T) {
//		matrix.Run(t, matrix.Format{
//			Leaves: []matrix.Kind{{Name: "uint8", Type: reflect.TypeFor[uint8]()}, …},
//			Wraps:  …, // of a kind a list, a map, a pointer
//			Struct: func(_ *rand.Rand, fields []matrix.Kind) matrix.Kind {
//				return matrix.Kind{Name: …, Type: matrix.StructOf(fields)}
//			},
//			Subject: func(k matrix.Kind) (*matrix.Subject, error) {
//				return &matrix.Subject{Encode: …, Oracle: …, Ways: []matrix.Way{
//					{Name: "Unmarshal", Bytes: func(b []byte, target reflect.Value) (int, error) {
//						return -1, format.Unmarshal(b, target.Interface())
//					}},
//					…
//				}}, nil
//			},
//		})
//	}
//
// The oracle says by what it does to its target what the contract is: which memory is used again,
// what is set before an error. Where the contract leaves something open, the Format's fields say
// so. A failure shows the case; either the decoder or the oracle is wrong.
//
// # Running it
//
// A test calls Run; its name begins with TestMatrix. The short form takes some seconds: cases that
// are always the same, then some from a fresh seed, which is printed. SLIPSTREAM_LONG=30m runs
// fresh cases for that time instead. A failure prints the case; SLIPSTREAM_MATRIX=case runs it
// alone, as the short form and as the long one do, and prints each call before it is made; several
// cases, with commas between them, run one after the other.
package matrix
