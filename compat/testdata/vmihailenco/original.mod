module example.com/program

go 1.26

require (
	example.com/telemetry v1.0.0
	github.com/vmihailenco/msgpack/v5 v5.4.1
)

require github.com/vmihailenco/tagparser/v2 v2.0.0 // indirect

replace example.com/telemetry => ../library
