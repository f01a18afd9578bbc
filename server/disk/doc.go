// Package disk is the interface between the service and the file system.
//
// [OS] is the file system of the machine. Tests use a [Disk] that loses unsynced data, writes only
// parts of the data, fails, fills up and is slow: see package disk/faulty.
//
// # Data that survives a crash of the machine
//
//   - Bytes that were written to a file survive if a later Sync or Datasync returned nil. After an
//     error, the state of these bytes is unknown, even if a later call returns nil.
//   - A change of a directory entry survives if SyncDir returned nil after the entry was created,
//     renamed or removed.
//
// [MkdirAll], [WriteFile], [Stage] and [Publish] follow these rules.
//
// # Files
//
//	disk.go     Disk, File
//	os.go       OS
//	durable.go  MkdirAll, WriteFile, Stage, Publish
//	mutex.go    Mutex and RWMutex, which may be held during a call of the disk
package disk
