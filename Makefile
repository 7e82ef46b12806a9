# make build   build/rotary, the program, and the tests
# make test    the quick tests                make demo    train and try a classifier of real documents
# make fuzz    every fuzz target for a minute make format  lay out the sources
#
# build, test and demo first install the packages that are missing, when they can.

FUZZ_SECONDS ?= 60
JOBS := $(shell nproc 2>/dev/null || echo 2)

.PHONY: build test demo fuzz format clean
.DEFAULT_GOAL := build

build: build/build.ninja
	@cmake --build build

# After the first time ninja itself runs cmake when a CMake file has changed.
build/build.ninja: CMakePresets.json | deps
	cmake --preset release $(CMAKE_OPTIONS)
	@touch $@

.PHONY: deps
deps:
	@tools/install_deps build

test: build
	@tools/run_tests build

# Only the programs: the tests take longer to build than the demo to run.
demo: build/build.ninja
	@cmake --build build --target programs
	@tools/demo.sh

fuzz:
	@tools/install_deps ci
	cmake --preset asan -DROTARY_FUZZ_SECONDS=$(FUZZ_SECONDS)
	cmake --build --preset asan --target fuzzers
	ctest --test-dir build/asan -L fuzz -j $(JOBS) --output-on-failure --no-tests=error

format:
	tools/check_format --fix

clean:
	rm -rf build
