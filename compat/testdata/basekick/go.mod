module example.com/program

go 1.26

require (
	example.com/telemetry v1.0.0
	github.com/Basekick-Labs/msgpack/v6 v6.1.0
	github.com/slipstream-go/slipstream v0.0.0
	github.com/vmihailenco/msgpack/v5 v5.4.1
)

replace (
	example.com/telemetry => ../library
	github.com/Basekick-Labs/msgpack/v6 => ../../basekick
	github.com/slipstream-go/slipstream => ../../..
	github.com/vmihailenco/msgpack/v5 => ../../vmihailenco
)
