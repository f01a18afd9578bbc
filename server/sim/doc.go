// Package sim holds tests that run the service's parts on a simulated disk, clock and target, by the thousand, each from a seed.
//
// A test keeps a model: what was acknowledged, what was refused, and what nobody knows, since the disk failed or the machine
// stopped meanwhile. Lives of the service follow one another, on a disk that fails, fills up and is slow; each ends in an orderly
// way, or by the end of the process, or by that of the machine at some call of the disk. After the last one comes a life without
// faults, in which all that is left must be worked off. Then what was acknowledged is there exactly once, what was refused is not
// there, and the rest is there once at most.
//
// A seed's crash lies in one of the three phases of a life: start, work, close. Faults hit all calls now and then, all below a directory, or the
// nth of one kind; reads and writes are short. What the seeds of the short form have met is counted, and what they must have met is listed: see
// [Plan]. The calls of the disk and their times are a seed's trace, of which Digest is a hash; tests run seeds twice and compare that.
//
//	run.go     Plan, Run, Replays       counts.go  what was met
//	world.go   World: the disk and how it fails, phases, the end of a life
//	life.go    what lives of all services have in common
//
// The whole service over HTTP has its test in package service.
//
// Each run lies in a bubble of testing/synctest, so that seconds of pauses cost nothing, and a service that waits for ever is
// found at once.
//
//	SLIPSTREAM_SEED=17 go test -run TestTable ./sim     # one seed, with the last calls of the disk
//	SLIPSTREAM_LONG=30m go test -timeout 0 ./sim        # new seeds, for half an hour
package sim
