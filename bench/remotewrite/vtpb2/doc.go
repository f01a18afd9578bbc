// Package vtpb2 is the code that vtprotobuf generates for Remote Write 2.0.
//
// To regenerate it, have protoc, protoc-gen-go and protoc-gen-go-vtproto in the path, of the
// versions that stand at the head of the generated files. Every message is one that a pool may
// keep, so that one that is used again keeps its memory.
package vtpb2

//go:generate protoc --go_out=. --go_opt=paths=source_relative --go-vtproto_out=. --go-vtproto_opt=paths=source_relative,features=marshal+size+unmarshal+unmarshal_unsafe+pool,pool=github.com/slipstream-go/slipstream/bench/remotewrite/vtpb2.* vtpb2.proto
