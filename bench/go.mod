module github.com/slipstream-go/slipstream/bench

go 1.26

require github.com/slipstream-go/slipstream v0.0.0

require (
	github.com/hashicorp/go-msgpack/v2 v2.1.5 // indirect
	github.com/philhofer/fwd v1.2.0 // indirect
	github.com/shamaton/msgpack/v2 v2.4.0 // indirect
	github.com/tinylib/msgp v1.6.5 // indirect
	github.com/ugorji/go/codec v1.3.2 // indirect
	github.com/vmihailenco/msgpack/v5 v5.4.1 // indirect
	github.com/vmihailenco/tagparser/v2 v2.0.0 // indirect
	golang.org/x/mod v0.28.0 // indirect
	golang.org/x/sync v0.17.0 // indirect
	golang.org/x/tools v0.37.0 // indirect
)

replace github.com/slipstream-go/slipstream => ../
