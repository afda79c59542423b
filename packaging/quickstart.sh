#!/usr/bin/env bash
# quickstart.sh: builds MountDB and runs examples-c/quickstart.c against it, from a clean checkout.
#
# Needs Rust (cargo). A missing C compiler is installed with apt-get where that is allowed.
set -euo pipefail
cd "$(dirname "$0")/.."
source packaging/debian.sh
need_commands cc:gcc
install_needed
cargo build --release
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
packaging/install.sh "$work/prefix"
rocks=$work/prefix/lib/mountdb/rocksdb
cc -std=c99 -Wall -Wextra -Werror examples-c/quickstart.c \
  -I"$rocks/include" -L"$rocks/lib" -lrocksdb -Wl,-rpath,"$rocks/lib" -o "$work/quickstart"
echo "--- examples-c/quickstart.c says:"
"$work/quickstart" "$work/db"
