// Package faulty implements an in-memory disk with the faults of real disks, for tests. The disk
// loses unsynced data, fails, fills up and is slow. It performs short reads and writes, and after a
// crash, a write may be incomplete. Tests can also damage its data.
//
// The disk panics if a file or directory is created with permissions other than [disk.FileMode] or
// [disk.DirMode]. All files and directories of a service must have these permissions.
//
// All random events depend on a seed. In a synctest bubble, no two calls take the same time. So if
// a program contains no other random events, it makes its calls in the same order in every run. To
// check this, compare the [Disk.Digest] of two runs.
//
// # The disk after a crash
//
// [Disk.Crash] returns the disk as the service finds it at its next start. A file contains the data
// that the last Sync or Datasync covered. Of the data that was written later, the file contains
// nothing, everything, the beginning, or any selection of 512-byte sectors. A directory contains
// the entries that the last SyncDir covered. The first few of the later changes may also survive,
// because file systems keep changes in order. A rename within a directory is atomic. Files without
// an entry are lost.
//
// After a failed Sync, any part of the data may be on the disk. The rest never reaches the disk,
// even if a later Sync returns nil. Until a crash, all of the data can be read. This is the
// behaviour of Linux.
package faulty
