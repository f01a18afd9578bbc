// Package sim has tests that run parts of the service on a simulated disk, clock and target. A seed
// determines all random events of a run.
//
// A test keeps a model: records that were acknowledged, records that were rejected, and records in
// doubt, because the disk failed or the machine stopped. The service is started several times, on a
// disk that fails, fills up and is slow. The time from a start to its end is a life. A life ends
// with a shutdown, with the death of the process, or with a crash of the machine at a call of the
// disk. The last life has no faults, and must complete all work. After it, each acknowledged record
// is there exactly once, no rejected record is there, and a record in doubt is there at most once.
//
// The crash of a seed is in one of the phases of a life: start, work, close. Faults affect all
// calls at random, all calls below a directory, or the nth call of a kind. Reads and writes may be
// short. The short form counts the events that its seeds have had, and requires those that [Plan]
// lists. The calls of the disk and their times are the trace of a seed, and Digest is its hash.
// Tests run seeds twice and compare the digests.
//
//	run.go     Plan, Run, Replays
//	world.go   World: the disk and its faults, phases, the end of a life
//	life.go    code for the lives of all services
//	counts.go  counts of events
//
// Package service has the test of the whole service over HTTP.
//
// A run is in a testing/synctest bubble, so delays cost no time, and a deadlock is found at once.
//
//	SLIPSTREAM_SEED=17 go test -run TestTable ./sim     # one seed, with the last calls of the disk
//	SLIPSTREAM_LONG=30m go test -timeout 0 ./sim        # new seeds, for half an hour
package sim
