// Package migrate implements `slipstream migrate msgpack`. It changes the imports of Go programs
// from other MessagePack libraries to Slipstream's msgpack, and lists the changes that have to be
// made by hand.
//
//	run.go      options and output
//	files.go    ./... → Go files
//	imports.go  replacement of import paths in a file
//	origin.go   the import paths, and their replacements
//	notes.go    changes to be made by hand
//	modules.go  dependencies that import the other libraries
//
// # Changes
//
// Only import paths change. If a file is formatted as gofmt does it, its imports are sorted and it
// stays so; in other files, all other bytes stay. All files are read before the first is written.
// If one of them cannot be parsed, no file is written.
//
// The files are those of the go command's patterns, for all build tags. Directories named vendor or
// testdata, directories whose names begin with a dot or an underscore, and nested modules are
// skipped. Generated files are reported, but do not change.
package migrate
