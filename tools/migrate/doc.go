// Package migrate implements `slipctl migrate msgpack`. It changes the imports of Go programs
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
// Only import paths change. If a file is formatted like gofmt output, it is formatted again, so its
// imports stay sorted. In other files, all other bytes are kept. All files are read before the
// first file is written. If one of them cannot be parsed, no file is written.
//
// The arguments are patterns as in the go command. They select the files of all build tags.
// Directories named vendor or testdata, directories whose names begin with a dot or an underscore,
// and nested modules are skipped. Generated files are reported, but not changed.
package migrate
