// Package sim contains tests that run parts of the service on a simulated disk, clock and target. A
// seed determines all random events of a run.
//
// A test keeps a model with three kinds of records: acknowledged, rejected and in doubt. A record
// is in doubt if its outcome is unknown, because the disk failed or the machine stopped. The test
// starts the service several times, on a disk that fails, fills up and is slow. The time from a
// start of the service to the next stop is called a life of the service. A life ends with a
// shutdown, with a kill of the process, or with a crash of the machine during a call to the disk.
// The last life has no faults, and must complete all work. After the last life, each acknowledged
// record must be stored exactly once. A rejected record must not be stored, and a record in doubt
// may be stored at most once.
//
// A crash happens in one of three phases: while the service starts, works or closes. Faults affect
// randomly chosen calls, all calls below a directory, or the nth call of a certain kind. Reads and
// writes may transfer fewer bytes than requested. By default, a test runs a fixed set of seeds. It
// counts the events in all of these runs, and requires that the events in [Plan] have occurred. The
// calls to the disk, and the times of these calls, form the trace of a seed. The method Digest
// returns a hash of the trace. Tests run each seed twice and compare the digests.
//
//	run.go     Plan, Run, Replays
//	world.go   World: the disk and its faults, phases, the end of a life
//	life.go    code for the lives of all services
//	counts.go  counts of events
//
// The test of the whole service over HTTP is in package service.
//
// Each run uses a testing/synctest bubble, so delays take no real time, and a deadlock is detected
// immediately.
//
//	SLIPSTREAM_SEED=17 go test -run TestTable ./sim     # one seed, with the last calls of the disk
//	SLIPSTREAM_LONG=30m go test -timeout 0 ./sim        # new seeds, for half an hour
package sim
