// Package pb is the generated code of protobuf-go and of vtprotobuf for the message in small.proto.
package pb

//go:generate go run github.com/bufbuild/buf/cmd/buf@v1.75.0 generate
