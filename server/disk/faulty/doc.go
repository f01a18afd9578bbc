// Package faulty is a disk in memory with the faults of real disks, for tests: it loses unsynced
// data, tears writes, fails, fills up, is slow, and performs short reads and writes. Its data can
// be damaged.
//
// It panics if a file or directory is created with other permissions than [disk.FileMode] or
// [disk.DirMode]. All files and directories of a service must have these permissions.
//
// All random events depend on a seed. In a synctest bubble, each call takes a different time. So
// the calls of a program come in the same order in every run, if the program has no other random
// events. [Disk.Digest] shows whether they did.
//
// # The disk after a crash
//
// [Disk.Crash] returns the disk that the next start finds. A file has the data that the last Sync
// or Datasync covered. Of the data written after that, it has none, all, the beginning, or any
// sectors of 512 bytes. A directory has the entries that the last SyncDir covered, and the first
// few of the later changes, because file systems keep changes in order. A rename within a directory
// is atomic. Files without an entry are lost.
//
// After a failed Sync, any part of the data may be on the disk. The rest never will be, even if a
// later Sync returns nil. Until a crash, all of the data can be read. This is the behaviour of
// Linux.
package faulty
