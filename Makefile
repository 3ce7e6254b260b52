# SPDX-License-Identifier: Apache-2.0
# The commands of the project. Everything is built by CMake (CMakePresets.json) into build/.
JOBS := $(shell nproc)
CTEST := ctest -j $(JOBS) --output-on-failure --no-tests=error
CXX_FILES = $(shell python3 tools/repo_files.py .h .cc)

.NOTPARALLEL:
.PHONY: help demo test bench tables paper-tables pictures format audit-long mutants crash-long fuzz-long tsan-long clean setup-build setup-test checks gate-release gate-tidy gate-tsan gate-asan

help:  ## show this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 18

demo: setup-build build/demo/build.ninja  ## set up, build, and make a synthetic table with its report in demo/
	@cmake --build --preset demo
	@tools/demo.sh build/demo/src/cli/sosia

# Cheap gates first. The last one runs the whole suite, so that its closing line is the last one of ctest.
test: setup-test checks gate-release gate-tidy gate-tsan gate-asan  ## set up, then every gate that a change must pass
	@echo "all gates passed: format, layers, limits, docs, release, tidy, tsan, asan-ubsan with fuzzers"

bench: setup-build build/release/build.ninja  ## build as shipped and run the benchmarks
	@cmake --build --preset release
	@for program in build/release/bench/*_bench; do $$program || exit 1; done
	@bench/startup.py build/release/src/cli/sosia

tables: setup-build build/release/build.ninja  ## take public data sets through schema, check and codec (bench/README.md)
	@cmake --build --preset release --target round_trip
	@bench/tables.py --then build/release/tests/tables/round_trip

# What was done before is taken from build/scores; a table of its own: make paper-tables TABLES=T4. QUICK=1: a minute each, not recorded.
TABLES = T1 T4 G1 T5 A1 B1 T2 T3 I1
paper-tables: setup-build build/release/build.ninja build/scores-venv/stamp  ## the tables of the papers, and docs/results.md (bench/README.md)
	@cmake --build --preset release --target sosia_cli
	@build/scores-venv/bin/python bench/scoring_test.py -b
	@for table in $(TABLES); do build/scores-venv/bin/python bench/scores.py $$table $(if $(QUICK),--quick,--record) || exit 1; done
	@$(if $(QUICK),,build/scores-venv/bin/python bench/results.py && build/scores-venv/bin/python bench/result_pictures.py)

build/scores-venv/stamp: bench/requirements.txt
	@python3 -m venv build/scores-venv
	@build/scores-venv/bin/python -m pip install --quiet --disable-pip-version-check --only-binary :all: -r bench/requirements.txt
	@touch $@

pictures: setup-test build/release/build.ninja  ## take the picture of a report that the README shows
	@cmake --build --preset release --target sosia_cli
	@tools/make_pictures.sh build/release/src/cli/sosia

format:  ## rewrite the C++ files in the project's format
	@clang-format-19 -i $(CXX_FILES)

audit-long: setup-build build/release/build.ninja  ## try for longer to break the guarantee
	@cmake --build --preset release --target door_audit
	@SOSIA_AUDIT=long ctest --test-dir build/release --output-on-failure --no-tests=error -L audit

mutants: setup-build build/release/build.ninja  ## break privacy code on purpose, line by line: a test must see it
	@python3 tests/mutants/run.py build/release

crash-long: setup-build build/release/build.ninja  ## kill runs at 200 moments, and go on with each
	@cmake --build --preset release --target sosia_cli
	@python3 tests/golden/crash.py --sosia build/release/src/cli/sosia --points 200

fuzz-long: setup-test build/asan-ubsan/build.ninja  ## search ten minutes a reader for bytes that break it
	@cmake --build --preset asan-ubsan
	@for name in plan ledger_file csv csv_neighbours parquet schema model scores image_records picture features; do build/asan-ubsan/tests/fuzz/$${name}_fuzz \
	  -max_total_time=600 -max_len=4096 -artifact_prefix=build/asan-ubsan/tests/fuzz/$$name- \
	  build/asan-ubsan/tests/fuzz/$$name tests/fuzz/corpus/$$name || exit 1; done

tsan-long: setup-test build/tsan/build.ninja  ## look for races where nets are trained and learners fitted, too
	@cmake --build --preset tsan --target generate_test eval_test
	@build/tsan/src/generate/generate_test --gtest_brief=1
	@build/tsan/src/eval/eval_test --gtest_brief=1

clean:  ## remove what was built
	rm -rf build demo

setup-build setup-test: setup-%:
	@tools/setup.sh $*

checks:
	@python3 tools/check_layers.py
	@python3 tools/check_limits.py
	@python3 tools/check_docs.py
	@python3 tools/check_audit.py
	@clang-format-19 --dry-run --Werror $(CXX_FILES)
	@echo "format: good"

# What must hold of the program as it is shipped. Every other test runs once, under sanitizers.
gate-release: build/release/build.ninja
	@cmake --build --preset release --target as_shipped
	@$(CTEST) --test-dir build/release -L as_shipped

# Sources are looked at, not compiled (tools/preprocess_only.sh): libraries of text, and no program.
gate-tidy: build/tidy/build.ninja
	@cmake --build --preset tidy --target sosia_commands src/cli/CMakeFiles/sosia_cli.dir/main.cc.o

# The pool, and the door, where threads read rows. Each program once: a start takes long.
gate-tsan: build/tsan/build.ninja
	@cmake --build --preset tsan --target base_test privacy_test
	@build/tsan/src/base/base_test --gtest_brief=1
	@build/tsan/src/privacy/privacy_test --gtest_brief=1 --gtest_filter=-*Sensitivity*

# Without long runs of arithmetic and of classifiers, which the release gate has.
gate-asan: build/asan-ubsan/build.ninja
	@cmake --build --preset asan-ubsan
	@$(CTEST) --test-dir build/asan-ubsan -E '^(vectors|golden\.(docs|evaluate)|audit\..*|Accountant\.(Tiny|Properties).*|Door\.Sensitivity.*|LatticeGaussian\.Cells.*|NormalCurve\..*)$$'

build/%/build.ninja: CMakePresets.json
	@cmake --preset $* >build/$*.configure.log || { cat build/$*.configure.log; exit 1; }
	@touch $@

# A change of the rules makes every file be looked at again.
build/tidy/build.ninja: CMakePresets.json .clang-tidy
	@cmake --preset tidy >build/tidy.configure.log || { cat build/tidy.configure.log; exit 1; }
	@cmake --build --preset tidy --target clean
	@touch $@
