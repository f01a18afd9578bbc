package ingest

import (
	"context"

	"github.com/slipstream-go/slipstream/bench/child"
)

// program is a service that can be started.
type program struct {
	build  func(ctx context.Context, dir string) (binary string, err error) // dir is the directory of the bench module
	args   func(address, data string) []string
	env    []string
	tables string // directory of the Parquet files, in the data directory
	count  func(dir string) (landed, error)
}

// slipstream is the service of this project.
var slipstream = program{
	build:  child.Slipstream,
	args:   func(address, data string) []string { return []string{"serve", "--listen", address, "--data", data} },
	tables: "tables",
	count:  countLanded,
}

// start runs the program on a free loopback port, and waits until it is ready.
func start(ctx context.Context, p program, binary, data string) (*child.Process, error) {
	address, err := child.FreeAddress()
	if err != nil {
		return nil, err
	}
	return child.Start(ctx, child.Command{
		Name: "the service", Binary: binary, Args: p.args(address, data), Env: p.env, URL: "http://" + address, Ready: "/ready",
	})
}
