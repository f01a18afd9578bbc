// Package growth measures how the cost of a call grows with its input. Only tests import it.
//
// A [Case] measures one function with one family of inputs. [Check] runs each case with n bytes and
// with 4n bytes. It asserts the following limits for the cost of a call with 4n bytes of input,
// relative to the cost of a call with n bytes:
//
//	CPU time      at most 6 times
//	allocation    at most 6 times, and at most Case.Alloc bytes for each byte of input
//
// A quadratic cost grows by a factor of 16, and a cost of n log n by a factor of less than 5. A
// [Held] test sends one large message and then many small messages through the same objects and
// pools. [CheckHeld] asserts that at most 256 KB of the memory for the large message stay in use
// after its result is dropped.
//
// # Noise
//
// CPU time is the time of the calling thread, so that programs that run at the same time have
// little effect. It is checked only on Linux. If a growth exceeds the limit, it is measured again,
// up to 12 times or for 2 s, and the smallest measurement counts. The garbage collector runs on
// other threads. It starts when a memory limit is reached, and not when the heap has grown.
// Hardware counters of instructions are not used, because virtual machines rarely support them.
// Besides, a copy of any length is one instruction (rep movs), so such counters would not reveal
// quadratic copying.
//
// # Short and long test
//
// The short test runs whenever the package is tested. It compares 8 KB with 32 KB, and 128 KB with
// 512 KB. If the call takes less than a nanosecond per byte, the second pair is replaced by 512 KB
// and 2 MB. Such fast calls are common for text. The test finds a quadratic cost within a few
// seconds of CPU time. It confirms a growth with larger inputs, unless calls with these inputs
// would take too long.
//
// The long test runs if the environment variable SLIPSTREAM_LONG contains a duration, such as 30m.
// It compares all sizes from 1 KB to 16 MB, the small sizes first. Then it repeats the cases in
// random order with random sizes until the time is up.
//
// # Coverage
//
// [Covers] compares the exported functions and methods of a package with its table of cases. A
// function that no case names must be in a list of exceptions, with a reason. A case counts only if
// the growth tests also use the function. If the cost of a call does not grow with any family of
// inputs, the check fails, because the call may do nothing. Call.Constant turns this rule off for a
// call.
package growth
