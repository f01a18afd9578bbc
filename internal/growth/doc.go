// Package growth measures how the cost of a call grows with its input. Only tests import it.
//
// A [Case] is one family of inputs to one function. [Check] runs each case with n bytes and with 4n
// bytes and asserts, for 4n against n:
//
//	CPU time      at most 6 times
//	allocation    at most 6 times, and at most Case.Alloc bytes for each byte of input
//
// A quadratic cost grows 16 times, n log n less than 5 times. A [Held] is a sequence of messages,
// one large and then many small ones, through the same objects and pools; [CheckHeld] asserts that
// the large one leaves at most 256 KB behind, once its result is dropped.
//
// # Noise
//
// CPU time is that of the calling thread (Linux; elsewhere it is not asserted), so that other load
// on the machine counts little. A growth beyond the bound is measured again, up to 12 times or for
// 2 s, and the least of the measurements counts. The collector works on other threads, at a limit
// on memory rather than at a growth of the heap. Hardware counters of instructions are not used:
// virtual machines rarely have them, and a copy of any length is one instruction (rep movs), which
// hides a quadratic copy.
//
// # Short and long form
//
// The short form, in every run of go test, compares 8 KB with 32 KB and 128 KB with 512 KB; where a
// byte takes less than a nanosecond, as in text, it compares 512 KB with 2 MB instead. A cost that
// grows with the square has its verdict after some seconds of CPU time: a growth is not confirmed
// by calls that would take longer. The long form runs when the environment variable SLIPSTREAM_LONG
// holds a duration, such as 30m: it compares all sizes from 1 KB to 16 MB, the small ones first,
// and then repeats the cases in random order with random sizes until the time is up.
//
// # Coverage
//
// [Covers] compares the exported functions and methods of a package with its table of cases: a
// function without a case needs a stated reason, and a case counts only if growth tests use the
// function. A call whose cost grows with no family fails, because it may do nothing, unless
// Call.Constant says that it need not.
package growth
