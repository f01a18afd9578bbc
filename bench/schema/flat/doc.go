// Package flat contains the code that the FlatBuffers compiler (Debian's flatbuffers-compiler,
// 2.0.8) generates for the table in small.fbs.
package flat

//go:generate flatc --go -o .. small.fbs
//go:generate gofmt -w SmallStruct.go
