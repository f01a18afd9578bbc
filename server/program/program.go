// Package program contains the common parts of the command-line programs: argument parsing,
// signals, exit codes and version.
package program

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"github.com/alecthomas/kong"
)

// Run parses the command line with kong into the struct `commands`, and runs the command that the
// user has chosen. The context of the command ends at the first SIGINT or SIGTERM. If the command
// returns an error, Run prints the error and exits. The exit status is the result of the error's
// method ExitCode, or 1 if the error has no such method.
func Run(commands any, name, description string, options ...kong.Option) {
	k := kong.Parse(commands, append(options,
		kong.Name(name),
		kong.Description(description),
		kong.Exit(exit),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}),
		kong.BindTo(interruptible(), (*context.Context)(nil)))...)
	k.FatalIfErrorf(k.Run())
}

// exit ends the process with a status. For an invalid command line, kong uses the status 80. Most
// programs use 2, so exit changes 80 to 2. Some commands use the status 1 for a negative result.
func exit(code int) {
	if code > 2 {
		code = 2
	}
	os.Exit(code)
}

// interruptible returns a context that ends at the first SIGINT or SIGTERM. A second signal ends
// the process immediately. Even then, no acknowledged data is lost.
func interruptible() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	signals := make(chan os.Signal, 2) // the second signal may come before the first is handled
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		<-signals
		cancel()
		second := (<-signals).(syscall.Signal)
		signal.Reset(second)
		_ = syscall.Kill(os.Getpid(), second) // ends the process, as without a handler
	}()
	return ctx
}

// ShowVersion is the command that prints the program's name and version.
type ShowVersion struct{}

// Run prints the program's name and version. It is called by kong.
func (ShowVersion) Run(k *kong.Context) error {
	_, err := fmt.Fprintln(k.Stdout, k.Model.Name, Version())
	return err
}

// Version returns the version of the main module. If the module has no version, it returns the
// revision from which the program was built.
func Version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "dev"
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && (info.Main.Version == "" || info.Main.Version == "(devel)") {
			return s.Value[:min(12, len(s.Value))]
		}
	}
	if info.Main.Version == "" || info.Main.Version == "(devel)" {
		return "dev"
	}
	return info.Main.Version
}
