// Package sim holds tests that run the service's parts on a simulated disk, clock and target, by the thousand, each from a seed.
//
// A test keeps a model: what was acknowledged, what was refused, and what nobody knows, since the disk failed or the machine
// stopped meanwhile. Lives of the service follow one another, on a disk that fails, fills up and is slow; each ends in an orderly
// way, or by the end of the process, or by that of the machine at some call of the disk. After the last one comes a life without
// faults, in which all that is left must be worked off. Then what was acknowledged is there exactly once, what was refused is not
// there, and the rest is there once at most.
//
// Each run lies in a bubble of testing/synctest, so that seconds of pauses cost nothing, and a service that waits for ever is
// found at once.
//
//	SLIPSTREAM_SEED=17 go test -run TestTable ./sim     # one seed, with the last calls of the disk
//	SLIPSTREAM_LONG=30m go test -timeout 0 ./sim        # new seeds, for half an hour
package sim
