// Package disk is the file system as the service asks for it.
//
// A [Disk] is an interface so that tests can put one in the place of the system's, [OS], that loses what was not synced, tears
// writes, fails, fills up and is slow: see the package disk/faulty.
//
// # What survives a crash of the machine
//
//   - The bytes of a file, when Sync or Datasync has returned nil after they were written. After an error nothing is known about
//     them, and a later nil says nothing about them.
//   - An entry of a directory, when SyncDir has returned nil after the entry was made, renamed or removed.
//
// [MkdirAll], [WriteFile], [Stage] and [Publish] keep these rules.
//
// # Where to look
//
//	disk.go     Disk, File
//	os.go       OS
//	durable.go  MkdirAll, WriteFile, Stage, Publish
//	mutex.go    Mutex and RWMutex, which may be held while the disk is waited for
package disk
