# Each target is one line. Longer scripts are in .ci.
GO ?= go
FUZZTIME ?= 10s
ROUNDS ?= 10
AT_ONCE ?= 16
LONG ?= 30m

help: ## print this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 14

run: build ## build and start the service on loopback, with its data in ./data and no configuration
	bin/slipstream serve

demo: build ## show the main function: metrics of a process go over HTTP and the log into Parquet files, and are queried
	bin/slipstream demo

build: ## build bin/slipstream, the service, and bin/slipctl, the tool
	$(GO) build -C server -o ../bin/slipstream ./cmd/slipstream
	$(GO) build -C tools -o ../bin/slipctl ./cmd/slipctl

test: ## run gofmt, vet, and the short tests of every package and, if Ruby is there, of the gem (a few minutes)
	@.ci/test

test-all: ## run all checks of CI: test, the full tests, and other builds, architectures, languages and programs (about an hour)
	@.ci/run

consumers: ## make a release in a temporary directory, and install and use each part of it
	@.ci/consumers

loaded: ## run the tests ROUNDS (10) times, AT_ONCE (16) packages at a time, so that they load the machine
	@.ci/loaded $(ROUNDS) $(AT_ONCE)

nightly: ## run the long tests for LONG (30m) each, and kill the service hundreds of times while real senders write
	@.ci/nightly $(LONG)

check: ## run gofmt, vet (also for other architectures and the purego build), and golangci-lint
	@.ci/check

fuzz: ## run each fuzz target for FUZZTIME (10s)
	@.ci/fuzz $(FUZZTIME)

bench: ## run the benchmarks of every package, or of one: PKG=msgpack
	$(GO) build -C bench -o ../bin/bench ./cmd/bench && bin/bench -dir bench $(if $(PKG),-pkg $(PKG)) $(BENCHFLAGS)

bench-report: ## run the benchmarks, and write bench/RESULTS.md and its charts
	@$(MAKE) bench BENCHFLAGS=-report

ruby: ## build the extension of the Ruby gem in its directory, and run the specs
	@.ci/ruby build specs

rubies: ## test the gem with Ruby 3.3 and 3.4 of Debian, in directories below .cache (needs root)
	@.ci/rubies

ruby-asan: ## run the gem's specs and fuzzer with an extension that detects invalid memory accesses and undefined behaviour
	@.ci/ruby asan

ruby-bench: ## compare the speed of the gem with msgpack, json, oj and bson; BENCHFLAGS=--help lists the options
	@.ci/ruby build && ruby ruby/bench/run.rb $(BENCHFLAGS)

.PHONY: help run demo build test test-all consumers loaded nightly check fuzz bench bench-report ruby rubies ruby-asan ruby-bench
