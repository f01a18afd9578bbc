module example.com/telemetry

go 1.26

require github.com/vmihailenco/msgpack/v5 v5.4.1
