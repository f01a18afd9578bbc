// Package pb contains the code that protobuf-go and vtprotobuf generate for the message in
// small.proto.
package pb

//go:generate go run github.com/bufbuild/buf/cmd/buf@v1.75.0 generate
