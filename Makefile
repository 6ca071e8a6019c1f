# Targets for people and for .ci/run. Without an argument: the list.

# Recipes are one shell each, so that set -e and variables hold throughout.
SHELL := /bin/bash
.ONESHELL:
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

VERSION   := $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
PKG       ?= ./...
BENCH     ?= .
BENCHTIME ?= 1s
FUZZTIME  ?= 10s

# Tools live in their own modules, and are built into a folder git ignores.
TOOLBIN := $(CURDIR)/.cache/bin

.PHONY: help
help: ## list the targets
	@awk -F ':.*## ' '/^[a-z0-9]+:.*## / { printf "  make %-8s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: demo
demo: build ## crawl an embedded world on loopback and show what heed did there, and why
	@bin/heed demo

.PHONY: build
build: ## build bin/heed and bin/heed-registry
	@CGO_ENABLED=0 go build -buildvcs=false -trimpath -ldflags '-s -w -X main.version=$(VERSION)' -o bin/ ./cmd/heed ./cmd/heed-registry

.PHONY: test
test: ## run every test of the module, with the race detector where a C compiler works
	@race=-race
	if ! tools/race.sh; then
		race=
		echo 'no race detector: it needs a C compiler and CGO_ENABLED=1; testing without it' >&2
	fi
	go test $$race -timeout 10m ./...

.PHONY: slow
slow: ## run the tests that have a longer form at full length: more kills, more random cases
	@folders=$$(grep -rl --include='*_test.go' --exclude-dir='.?*' HEED_SLOW . | xargs dirname | sort -u)
	HEED_SLOW=1 go test -count=1 -timeout 15m -skip '^TestScript$$' $$folders # scripts have one form

.PHONY: lint
lint: ## gofmt, go vet and staticcheck; the import law is a test
	@mkdir -p $(TOOLBIN)
	unformatted=$$(go list -tags e2e -f '{{.Dir}}' ./... | xargs gofmt -l | sort -u)
	if [ -n "$$unformatted" ]; then
		printf 'not formatted by gofmt:\n%s\n' "$$unformatted" >&2
		exit 1
	fi
	go vet -tags e2e ./...
	go -C tools build -o $(TOOLBIN)/ honnef.co/go/tools/cmd/staticcheck
	$(TOOLBIN)/staticcheck -tags e2e ./...

.PHONY: bench
bench: ## run the benchmarks beside the code (BENCH=regexp PKG=./folder BENCHTIME=1s)
	@go test -run '^$$' -bench '$(BENCH)' -benchtime $(BENCHTIME) -benchmem -timeout 2h $(PKG)

.PHONY: e2e
e2e: build ## hold both commands against programs that share no code with them (see e2e/doc.go)
	@go test -tags e2e -count=1 -timeout 20m -v ./e2e/

.PHONY: fuzz
fuzz: ## run every fuzz target for FUZZTIME each (default 10s)
	@tools/fuzz.sh $(FUZZTIME) $(PKG)

.PHONY: ledger
ledger: ## list the rows of the requirement ledgers with their tests; fails if a row has none
	@go -C tools/ledger test .
	go -C tools/ledger run . $(CURDIR)

.PHONY: vuln
vuln: ## scan for known vulnerabilities, offline, with the toolchain of go.mod
	@tools/vuln.sh

.PHONY: clean
clean: ## remove what the targets have built
	@rm -rf bin .cache
