// Package harness measures this project's code against its rivals, and reports the results.
//
// Where things are:
//
//	case.go     Suite, Case, Side, Bar: the description of a benchmark
//	measure.go  one timed case: check, calibrate, interleaved rounds, allocations
//	figure.go   one observed case: Figure, and its bar
//	stats.go    median, quartiles, geometric mean
//	result.go   Result: a measured suite, saved as JSON, with the verdicts on its bars
//	machine.go  the machine, and the versions of the rivals
//	print.go    a result on the terminal
//	report.go   all results as Markdown
//	chart.go    a result as SVG: a chart for each group of timed cases
//	units.go    the chart of all observed cases of a suite
//
// # Method
//
// The sides of a timed case run in one process on the same input. First, the output of each side is
// checked; a wrong value fails the run. Then the rounds follow. In a round, each side works for one
// slot of a few milliseconds. The order of the sides rotates from round to round, and every second
// round runs it backwards, so that a side does not always follow the same side. There are two
// different results:
//
//   - the time shown is the minimum over the rounds: the cost of the code when nothing disturbs it;
//   - the ratio is the median over the rounds of (rival's time ÷ our time in the same round). In a
//     round, both sides run at the same speed of the machine. So the ratio is stable even if the
//     times vary. The ratio is the figure to quote, and bars judge the ratio.
//
// Allocations are counted separately from the timing, from runtime.MemStats. The settings of the
// garbage collector are not changed, and no collection is forced between slots. A collection that
// one side starts may end in the slot of the next side. This favours sides that allocate more.
// Sides are built just before their case is measured and released after it, so that the live heap
// stays small.
//
// An observed case measures by itself, in its own units. It is used for measurements that do not
// fit into slots, such as a service under load. The harness judges, prints and saves its figures.
package harness
