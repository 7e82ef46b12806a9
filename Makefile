# make build   build/rotary, the program
# make test    the quick tests                make demo    what rotary says about real configurations
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
	cmake --preset release
	@touch $@

.PHONY: deps
deps:
	@tools/install_deps build

test: build
	ctest --test-dir build -LE 'ci|aarch64' -j $(JOBS) --output-on-failure --no-tests=error

demo: build
	@tools/demo.sh

fuzz:
	@tools/install_deps ci
	cmake --preset fuzz -DROTARY_FUZZ_SECONDS=$(FUZZ_SECONDS)
	cmake --build --preset fuzz
	ctest --test-dir build/fuzz -L fuzz -j $(JOBS) --output-on-failure --no-tests=error

format:
	tools/check_format --fix

clean:
	rm -rf build
