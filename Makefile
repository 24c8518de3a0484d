# ctxpack. `make check` is what CI runs; `make test` needs nothing but Go and a C compiler.

GO      ?= go
TOOLS   := $(CURDIR)/.tools
LINT_VERSION := v2.15.0
LINT    := $(TOOLS)/golangci-lint-$(LINT_VERSION)
FUZZTIME ?= 10s
BENCHTIME ?= 1s
BENCHSIZE ?= 1000
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)

.PHONY: build test test-long race vet fmt tidy lint fuzz bench quality golden demo check-html check-parquet check clean

build: ## the program, ./ctxpack
	$(GO) build -trimpath -ldflags "-s -w -X github.com/ctxpack/ctxpack/cmd.version=$(VERSION)" -o ctxpack .

test: ## the default tests: deterministic, offline
	@GO="$(GO)" .ci/test

test-long: ## the same with every generated layout instead of a part of them
	CTXPACK_LONG=1 $(GO) test -timeout 60m ./...

race:
	@GO="$(GO)" .ci/test -race

vet:
	$(GO) vet ./...

fmt: ## fails when a file is not formatted
	@out=$$(gofmt -l .); if [ -n "$$out" ]; then echo "not formatted:"; echo "$$out"; exit 1; fi

tidy: ## fails when go.mod or go.sum are not tidy
	$(GO) mod tidy -diff

lint: $(LINT)
	$(LINT) run --allow-parallel-runners --timeout 15m

$(LINT):
	@mkdir -p $(TOOLS)
	GOBIN=$(TOOLS) $(GO) install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(LINT_VERSION)
	@mv $(TOOLS)/golangci-lint $@

fuzz: ## every fuzz target for FUZZTIME
	@GO="$(GO)" FUZZTIME="$(FUZZTIME)" .ci/fuzz

bench: build ## the README's table of speed: BENCHTIME each, and the program itself on BENCHSIZE (1000) MB
	@GO="$(GO)" BENCHTIME="$(BENCHTIME)" BENCHSIZE="$(BENCHSIZE)" .ci/bench

quality: build ## how good the summaries are, against the committed baseline; `.ci/quality baseline` writes that anew
	@GO="$(GO)" .ci/quality

check-parquet: ## Parquet outputs against DuckDB from the npm registry; needs node and npm
	@GO="$(GO)" .ci/parquet/run

golden: ## rewrite the golden files; review them with git diff
	$(GO) test ./report -update
	$(GO) test ./summarize/extractive -update

demo: ## the README's picture of the HTML report and its text summary, from fixtures/ (needs Debian's chromium)
	@GO="$(GO)" .ci/demo

check-html: ## the HTML report in headless Chromium: no message, no request, hostile text as text
	@GO="$(GO)" .ci/check-html

check: fmt vet tidy lint test race quality fuzz ## what CI runs

clean:
	rm -rf ctxpack bench.txt $(TOOLS)
