# Each target is one line; what takes more stands in .ci/.
GO ?= go
FUZZTIME ?= 10s
ROUNDS ?= 10
AT_ONCE ?= 16
LONG ?= 30m

help: ## print this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:[^#]*## /\t/' | expand -t 14

run: build ## build and start the service: loopback, ./data, no configuration
	bin/slipstream serve

demo: build ## see the main job: the metrics of a process over HTTP, through the log, into Parquet, and queried
	bin/slipstream demo

build: ## build bin/slipstream, the service, and bin/slipctl, the tool
	$(GO) build -C server -o ../bin/slipstream ./cmd/slipstream
	$(GO) build -C tools -o ../bin/slipctl ./cmd/slipctl

test: ## run gofmt, vet, and the tests of every package in the plain build: some minutes
	@.ci/test

ci: ## run all that CI does: test, and the other builds, machines, languages and programs: up to an hour
	@.ci/run

consumers: ## cut a release into a temporary directory, and install and use each part of it
	@.ci/consumers

loaded: ## run the tests ROUNDS (10) times, AT_ONCE (16) packages at a time, as the load of each other
	@.ci/loaded $(ROUNDS) $(AT_ONCE)

nightly: ## run the instruments for LONG (30m) each, and hundreds of kills under real senders
	@.ci/nightly $(LONG)

check: ## gofmt, vet, staticcheck, other architectures, the purego build
	@.ci/check

fuzz: ## run each fuzz target for FUZZTIME (10s)
	@.ci/fuzz $(FUZZTIME)

bench: ## run the benchmarks of every package, or of one: PKG=msgpack
	$(GO) build -C bench -o ../bin/bench ./cmd/bench && bin/bench -dir bench $(if $(PKG),-pkg $(PKG)) $(BENCHFLAGS)

bench-report: ## the same, and write bench/RESULTS.md and its charts
	@$(MAKE) bench BENCHFLAGS=-report

ruby: ## build the gem for Ruby in its directory, and run its specs
	@.ci/ruby build specs

rubies: ## the same on Debian's Ruby 3.3 and 3.4, in directories below .cache, which takes root
	@.ci/rubies

ruby-asan: ## run the specs and a fuzz of the gem with an extension that notices bad memory and undefined behaviour
	@.ci/ruby asan

ruby-bench: ## time the gem against msgpack, json, oj and bson: BENCHFLAGS=--help
	@.ci/ruby build && ruby ruby/bench/run.rb $(BENCHFLAGS)

.PHONY: help run demo build test ci consumers loaded nightly check fuzz bench bench-report ruby rubies ruby-asan ruby-bench
