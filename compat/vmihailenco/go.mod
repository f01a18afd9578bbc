module github.com/vmihailenco/msgpack/v5

go 1.26

require github.com/slipstream-go/slipstream v0.0.0

replace github.com/slipstream-go/slipstream => ../..
