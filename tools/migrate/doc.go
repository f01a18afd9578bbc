// Package migrate implements `slipctl migrate msgpack`. In Go programs, it replaces the imports of
// other MessagePack libraries by imports of Slipstream's msgpack. It lists the changes that must be
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
// Only import paths change. If a file was formatted with gofmt, it is formatted again, so that its
// imports stay sorted. In a file that was not formatted with gofmt, all other bytes are kept. All
// files are read before the first file is written. If a file cannot be parsed, no file is written.
//
// The arguments are patterns, as in the go command. They select files regardless of build tags.
// Directories named vendor or testdata, directories whose names begin with a dot or an underscore,
// and nested modules are skipped. Generated files are reported, but not changed.
package migrate
