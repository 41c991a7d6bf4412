# One entry for everything; bare `make` lists what there is.
SHELL := /bin/bash
PACKAGES := build-essential pkg-config git ca-certificates lua5.4 liblua5.4-dev libcurl4-openssl-dev \
	libmicrohttpd-dev libssl-dev libargon2-dev libcrypt-dev libxml2-dev libqrencode-dev libpsl-dev libsqlite3-dev zlib1g-dev \
	libpq-dev libjemalloc-dev lua-luassert lua-say
# Oracles and peers of the tests.
TEST_PACKAGES := jose lua-busted lua-cjson lua-lpeg lua-socket python3 python3-pytest python3-requests \
	python3-venv curl wrk argon2 apache2-utils oathtool \
	chromium-headless-shell chromium-driver nginx-light openssl glewlwyd dbconfig-sqlite3 sqlite3 \
	libxml2-utils perl postgresql redis-server zsh fish groff man-db tmux skopeo runc
SWIFT_FILES = git ls-files -z '*.swift'
PREFIX ?= /usr/local
FUZZ_SECONDS ?= 600
# Symbols are resolved once at the start, and libraries come from the system's folders only. For --wrap, see
# Sources/CShims/luath_open.c. No library looks up symbols in the program, and lld writes its 100,000 relative
# relocations in a hundredth of the space: together 1.8 MB less (0.24 MB compressed), and fewer pages to read at the start.
RELEASE := --configuration release --static-swift-stdlib --product luath --disable-local-rpath -Xswiftc -use-ld=lld \
	-Xlinker -z -Xlinker now -Xlinker -z -Xlinker pack-relative-relocs -Xlinker --no-export-dynamic -Xlinker --wrap=open

.DEFAULT_GOAL := help
.PHONY: help setup setup-tests build install archive image wheel deb release check-deb demo test peers check check-all format lint asan tsan docs bench soak \
	fuzz chaos clean

help: ## List these targets
	@awk -F':.*## ' '/^[a-z-]+:.*## / { printf "  %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: ## Install the Debian packages that are missing
	@Tools/install-packages $(PACKAGES)

setup-tests: setup
	@Tools/install-packages $(TEST_PACKAGES)
	@Tools/setup-peers

build: setup ## Build the release binary ./luath
	@swift build $(RELEASE)
	@cp "$$(swift build $(RELEASE) --show-bin-path)/luath" luath
	@Tools/check-binary luath

install: ## Install what make build made under PREFIX, with DESTDIR before it
	@Tools/install-tree luath "$(DESTDIR)" "$(PREFIX)"

archive: build ## Pack the program and all that belongs to it into dist/
	@Tools/make-archive ./luath

image: build ## Make a container image in dist/, without Docker
	@Tools/make-image ./luath

wheel: build ## Make a Python wheel with the program and fixtures for pytest in dist/
	@Tools/make-wheel ./luath

deb: build ## Make a Debian package in dist/
	@Tools/make-deb ./luath

release: ## Build the release of the tag vVERSION into dist/luath-VERSION/
	@Tools/check-release
	@$(MAKE) --no-print-directory build
	@Tools/make-release ./luath

check-deb: ## Try the newest package of dist/ in a fresh Debian; minutes, as root
	@Tools/install-packages debootstrap lintian
	@Tools/check-deb "$$(ls -t dist/*.deb dist/*/*.deb 2>/dev/null | head -n 1)"

demo: build ## Run the account merge on the embedded emulator
	@./luath run scripts/07-merge.lua

test: setup-tests ## Build and run the tests: Swift, Lua, lessons
	@Tools/run-tests

peers: setup-tests ## Test the program with software from elsewhere, recorded exchanges and kill -9
	@swift build
	@Tools/run-peers

check: lint test ## Check the format of all files, then test

check-all: lint demo setup-tests ## What CI runs: check, demo, two minutes of made-up input, ten of mixed load, peers
	@Tools/check-all '$(CURDIR)/luath'

format: ## Reformat all Swift files
	@$(SWIFT_FILES) | xargs -0 swift format format --in-place --parallel

lint: setup ## Check the format of Swift and Lua files
	@$(SWIFT_FILES) | xargs -0 swift format lint --strict --parallel
	@Tools/check-lua

asan: setup-tests ## Run the tests under the address sanitizer
	@Tools/run-tests --sanitize=address

tsan: setup-tests ## Run the tests under the thread sanitizer
	@Tools/run-tests --sanitize=thread

docs: setup ## Write docs/reference.md, docs/errors.md, and a site in build/reference
	@swift build
	@Tools/make-docs

bench: setup-tests build ## Measure speed and memory as ratios against peers
	@Benchmarks/run

soak: setup-tests build ## Keep an emulator under mixed load for MINUTES (60), and fail if memory or open files grow
	@python3 Benchmarks/soak/soak.py $(MINUTES)

fuzz: setup ## Feed made-up input to the emulator, to all readers and to the script API: ten minutes
	@Tools/fuzz all $(FUZZ_SECONDS)

chaos: setup-tests ## Kill merging batches at random moments: a hundred runs, thirty that processes share, and an engine's
	@swift build
	@python3 Tests/Peers/batch_chaos.py 100 2000
	@python3 Tests/Peers/batch_chaos_postgres.py 30 2000
	@.build-peers/venv/bin/python Tests/Peers/batch_engine.py 1000 150
	@python3 Tests/Peers/batch_accounts.py 40 4000

clean: ## Remove what was built
	@rm -rf .build .build-* Benchmarks/build dist luath
