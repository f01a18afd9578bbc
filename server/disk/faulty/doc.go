// Package faulty is a disk in memory that does what disks do: it loses what was not synced, tears writes, fails, fills up and is
// slow. It reads and writes less than it was asked for, and can be damaged. It is for tests.
//
// It panics when a file or directory is made with other permissions than [disk.FileMode] or [disk.DirMode]: all files of a service have the
// same.
//
// All that happens by chance follows from a seed. In a synctest bubble, where each call takes a time of its own, calls come in the
// same order again as long as the program asks for nothing else by chance. [Disk.Digest] tells whether they did.
//
// # What a crash leaves
//
// [Disk.Crash] returns the disk as the next start finds it. Of a file there is what the last Sync or Datasync has covered, and of
// what was written since then nothing, all, the beginning, or any of its sectors of 512 bytes. Of a directory there are the entries
// that the last SyncDir has covered, and the first few of the changes since then: file systems keep them in order. A rename in
// one directory happens or does not. Files of which no entry is left are gone.
//
// After a Sync that failed, any part of what it should have covered is on the disk, and the rest never will be, whatever a later
// Sync says; meanwhile it can still be read. Linux does that.
package faulty
