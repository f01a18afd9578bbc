// Package vtpb2 contains the code that vtprotobuf generates for Remote Write 2.0.
//
// Regenerating it needs protoc, protoc-gen-go and protoc-gen-go-vtproto in the path. Their versions
// are stated at the beginning of the generated files. Every message supports pools, so that a
// reused message keeps its memory.
package vtpb2

//go:generate protoc --go_out=. --go_opt=paths=source_relative --go-vtproto_out=. --go-vtproto_opt=paths=source_relative,features=marshal+size+unmarshal+unmarshal_unsafe+pool,pool=github.com/slipstream-go/slipstream/bench/remotewrite/vtpb2.* vtpb2.proto
