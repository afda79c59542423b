#!/usr/bin/env bash
# rockstore.sh: the Python binding `rockstore` (PyPI) and its own tests, on our library.
source "$(dirname "$0")/common.sh"
need python3
use_library
version=0.2.0
dir=$work/rockstore-$version
if [ ! -d "$dir" ]; then
  python3 -m venv "$work/python"
  "$work/python/bin/pip" install -q cffi pytest
  "$work/python/bin/pip" download -q --no-deps --no-binary :all: \
    -d "$work" "rockstore==$version" || skip "rockstore $version is not to be had"
  tar -xf "$work/rockstore-$version.tar.gz" -C "$work"
fi
cd "$dir"
"$work/python/bin/python" -m pytest -q tests
