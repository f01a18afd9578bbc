module github.com/slipstream-go/slipstream/bench

go 1.26

require (
	github.com/hashicorp/go-msgpack/v2 v2.1.5
	github.com/klauspost/compress v1.20.3
	github.com/shamaton/msgpack/v2 v2.4.0
	github.com/slipstream-go/slipstream v0.0.0
	github.com/tinylib/msgp v1.6.5
	github.com/ugorji/go/codec v1.3.2
	github.com/vmihailenco/msgpack/v5 v5.4.1
)

require (
	github.com/philhofer/fwd v1.2.0 // indirect
	github.com/vmihailenco/tagparser/v2 v2.0.0 // indirect
)

replace github.com/slipstream-go/slipstream => ../
