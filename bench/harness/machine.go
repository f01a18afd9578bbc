package harness

import (
	"os"
	"runtime"
	"runtime/debug"
	"strings"
)

// Machine describes the machine on which a suite was measured.
type Machine struct {
	CPU    string
	Cores  int
	Kernel string
	Go     string
	GOGC   string
}

// Version is the version of a rival in this build.
type Version struct {
	Name    string
	Module  string
	Version string
}

func thisMachine() Machine {
	m := Machine{
		CPU:    cpuModel(),
		Cores:  runtime.NumCPU(),
		Kernel: runtime.GOOS + "/" + runtime.GOARCH,
		Go:     runtime.Version(),
		GOGC:   "default",
	}
	if release, err := os.ReadFile("/proc/sys/kernel/osrelease"); err == nil {
		m.Kernel = m.Kernel + " " + strings.TrimSpace(string(release))
	}
	if v := os.Getenv("GOGC"); v != "" {
		m.GOGC = v
	}
	return m
}

// cpuModel returns the name of the processor, if the system provides it.
func cpuModel() string {
	info, err := os.ReadFile("/proc/cpuinfo")
	if err == nil {
		for line := range strings.Lines(string(info)) {
			if key, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == "model name" {
				return strings.TrimSpace(value)
			}
		}
	}
	return "unknown processor"
}

// versions returns the versions of the rivals in this build.
func versions(rivals []Rival) []Version {
	built := map[string]string{}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, dep := range info.Deps {
			built[dep.Path] = dep.Version
		}
	}
	list := make([]Version, len(rivals))
	for i, r := range rivals {
		v := built[r.Module]
		switch {
		case r.Version != "":
			v = r.Version
		case r.Module == Std:
			v = runtime.Version()
		case v == "":
			v = "unknown version"
		}
		list[i] = Version{Name: r.Name, Module: r.Module, Version: v}
	}
	return list
}
