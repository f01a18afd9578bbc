// Package harness times this project's code against its rivals, and says what came out.
//
// Where things are:
//
//	case.go     Suite, Case, Side, Bar: what there is to measure
//	measure.go  one timed case: check, calibrate, interleaved rounds, allocations
//	figure.go   one observed case: Figure, and the bar that it brings
//	stats.go    median, quartiles, geometric mean
//	result.go   Result: a measured suite, kept as JSON; what its bars say
//	machine.go  where it was measured, and which versions
//	print.go    a result on the terminal
//	report.go   all results as Markdown
//	chart.go    a result as SVG: a chart for each group of timed cases
//	units.go    and one for all that were observed
//
// # Method
//
// The sides of a timed case run in one process on the same input. Each side first shows that its
// output is right; a wrong value fails the run. Then come the rounds: in a round each side works
// for one slot of a few milliseconds, and from round to round the order rotates and turns round, so
// that no side always follows the same neighbour. Two figures come of it, and they are not the
// same:
//
//   - the time shown is the least of the rounds: what the code costs when nothing disturbs it;
//   - the ratio is the median over the rounds of (rival's time ÷ our time in the same round). Both
//     meet the same machine in a round, so the ratio stands still where times wander. It is the
//     figure to quote, and the one that bars judge.
//
// Allocations are counted apart from the timing, from runtime.MemStats. The garbage collector is
// left as it is, and nothing forces it between slots; a cycle that one side starts may end in the
// slot of the next, which favours those who allocate more. Sides are built just before their case
// is measured and let go after it, so that the live heap stays small.
//
// An observed case measures by itself, in its own units, what cannot be done in slots: a service
// under load. The harness judges, prints and keeps what it gives.
package harness
