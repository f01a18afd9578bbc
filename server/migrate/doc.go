// Package migrate is behind `slipstream migrate msgpack`: it makes Go programs import Slipstream's msgpack instead of the
// libraries that it takes the place of, and says what is left for a person to do.
//
//	run.go      what can be asked for, and what is printed
//	files.go    ./... → the Go files to look at
//	imports.go  a file → the same file with other import paths
//	origin.go   which import paths those are, and what they become
//	notes.go    what in a file does not follow from its imports
//	modules.go  dependencies that import the originals
//
// # What is touched
//
// Only import paths change. A file that is as gofmt leaves it is so afterwards, its imports sorted; of any other file every
// other byte stays. Nothing is written before all files are read, and nothing at all if one of them cannot be parsed.
//
// The files are those of the go command's patterns, whatever their build tags: directories named vendor or testdata, or whose
// names begin with a dot or an underscore, and nested modules are passed over. Generated files are left alone and reported.
package migrate
