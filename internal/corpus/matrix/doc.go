// Package matrix tests decoders. It combines every way to decode with every kind of value, every
// position in a message, every kind of target and every source. Only tests import it.
//
// The tests of a package describe its format in a [Format]: the kinds of values, and for each type
// a [Subject]. A subject contains an encoder, the ways to decode a value, and an oracle. A way is a
// decoding function or method with certain options. The oracle is an independent decoder. It is
// small, and uses package reflect instead of unsafe code. [Run] generates the combinations of:
//
//	types     each leaf as the first, middle and last field; nested, in a list, in a map, behind a pointer; others at random
//	targets   zero; used before; with constants and memory on read-only pages; sharing memory with other values and, if the
//	          format allows it, with themselves (a pointer may point to a value that contains it); with views, also views
//	          that a decoder of another notation of the same Go type has made
//	sources   whole; cut at each byte; mutated; from bytes on read-only pages before a page that cannot be read; from
//	          readers that return one byte, random pieces, or data together with an error
//
// # What is checked
//
// The world consists of the target, the values and inputs of earlier calls, and all memory to which
// these refer. Before each call, the world is cloned. Values that share memory in the world also
// share memory in the clone. The oracle decodes into the clone's target, and the decoder decodes
// into the world's target. Then the package checks the following conditions:
//
//   - Both succeed, or both fail. If both succeed, they have consumed the same number of bytes.
//   - The two worlds are equal: both their targets and all their other values. So the decoder has
//     reused exactly the memory that the contract specifies, and new memory is not shared with
//     other values.
//   - No string and no input has changed.
//   - The target does not refer to the input, unless [Way.Views] permits this.
//   - After an error, all memory to which the target does not refer is unchanged. If
//     [Format.ExactErrors] is set, the target equals the oracle's target. Otherwise each string in
//     the target existed before, or can come from the input.
//   - If the oracle returns [ErrUnspecified], only memory is compared, as after an error.
//   - No call panics or faults. The clone of a read-only page is also read-only. If the oracle
//     faults at a write to that page, the contract allows the write, and the page is made writable
//     in both worlds.
//
// The garbage collector runs from time to time, because it detects invalid pointers. The worlds of
// the most recent cases are kept. They must not change while later cases, with other types, use the
// same pools.
//
// # What must be reached
//
// Even if all calls of a run were correct, the run fails unless all of the following occurred
// (coverage.go):
//   - Each way has decoded at least one message, and has failed for at least one message.
//   - Each leaf was decoded in each place, inside each wrapper (see Format.Wraps) and into each
//     kind of target.
//   - Each way has decoded into each kind of target that it supports.
//   - For each option of the package, there is a way that sets only this option, and the option has
//     changed a result of that way. Exceptions need a stated reason. The names of the options are
//     read from the package's code.
//
// # What is not tested here
//
// Packages transcode and iso8601 do not reuse targets: they append to a []byte, or return numbers.
// Their fuzz tests and random tests compare them with other decoders. In package schema,
// FrameReader, ModelReader and ParseAll find the beginning of each message, and then call Reader or
// Parse. This package tests Reader and Parse. It does not test how FrameReader, ModelReader and
// ParseAll read the id or fingerprint before a message, and how they find the message's end.
// Separate tests cover these steps.
//
// # Probes
//
// In the short test, random values reach some classes of cases too rarely. For these classes,
// [Probes] makes specially designed calls, with the same checks. Each format's tests generate the
// probes in tests such as TestMatrixKeys and TestMatrixGrowth:
//   - two encodings of the same key, in every place where a map may occur
//   - slices that grow next to memory of other values
//   - ints at the limits of their types, and several consecutive ints
//   - arrays shorter and longer than their target
//   - texts whose length is near a length at which the kind of allocation changes
//   - structs with many fields whose names are hard to distinguish
//
// # Plugging a format in
//
// The package's test makes a Format and calls Run, as schema/matrix_test.go does:
//
//	func TestMatrix(t *testing.T) {
//		matrix.Run(t, matrix.Format{
//			Leaves: []matrix.Kind{{Name: "uint8", Type: reflect.TypeFor[uint8]()}, …},
//			Wraps:  …, // make a list, a map or a pointer from a kind
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
// The effect of the oracle on its target defines the contract, for example which memory is reused,
// and which values are set before an error. Fields of Format list the points that the contract does
// not define. If a check fails, the message shows the case, and either the decoder or the oracle is
// wrong.
//
// # Running it
//
// The name of a test that calls Run begins with TestMatrix. The short test takes a few seconds. It
// runs a fixed set of cases, and then some cases from a new seed, which it prints. The long test is
// enabled by SLIPSTREAM_LONG=30m: it runs new cases for 30 minutes. A failed test prints the name
// of the case. With SLIPSTREAM_MATRIX=<case>, the test runs only that case, first as in the short
// test and then as in the long test. The test prints each call before making it. Several cases,
// separated by commas, run one after the other.
package matrix
