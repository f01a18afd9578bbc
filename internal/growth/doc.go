// Package growth measures how the cost of a call grows with its input. Only tests import it.
//
// A [Case] measures one function with one family of inputs. [Check] runs each case with n bytes and
// with 4n bytes. It asserts these limits for the cost of 4n bytes, relative to the cost of n bytes:
//
//	CPU time      at most 6 times
//	allocation    at most 6 times, and at most Case.Alloc bytes for each byte of input
//
// A quadratic cost grows 16 times, n log n less than 5 times. A [Held] sends one large message and
// then many small messages through the same objects and pools. [CheckHeld] asserts that the large
// message leaves at most 256 KB in use, after its result is dropped.
//
// # Noise
//
// CPU time is the time of the calling thread, so that other load on the machine has little effect.
// It is checked only on Linux. A growth beyond the bound is measured again, up to 12 times or for 2
// s, and the smallest measurement counts. The garbage collector works on other threads, and starts
// at a limit on memory instead of a growth of the heap. Hardware counters of instructions are not
// used. Virtual machines rarely have them, and a copy of any length is one instruction (rep movs),
// which would hide a quadratic copy.
//
// # Short and long form
//
// The short form runs in every go test. It compares 8 KB with 32 KB, and 128 KB with 512 KB. If a
// byte takes less than a nanosecond, as in text, it compares 512 KB with 2 MB instead of the second
// pair. A quadratic cost is found after some seconds of CPU time, because a growth is not confirmed
// by calls that would take longer.
//
// The long form runs if the environment variable SLIPSTREAM_LONG contains a duration, such as 30m.
// It compares all sizes from 1 KB to 16 MB, the small sizes first. Then it repeats the cases in
// random order with random sizes until the time is up.
//
// # Coverage
//
// [Covers] compares the exported functions and methods of a package with its table of cases. A
// function without a case needs a stated reason, and a case counts only if growth tests use the
// function. A call whose cost grows with no family fails, because it may do nothing, unless
// Call.Constant is set.
package growth
