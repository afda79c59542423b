# Sourced by the scripts beside it: other people's programs and suites, run on our library.
#
# Nothing of theirs is kept in this repository: packages come from Debian, crates.io and PyPI, and
# lie under target/external.
#
#   STOCK=1    run on the RocksDB that is installed here, to see what a script says when all is well
#   PROFILE    cargo profile of our library: dev or release (default)
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
root=$PWD
work=${EXTERNAL_DIR:-$root/target/external}
mkdir -p "$work"

# Sets $rocks, a folder that looks like a RocksDB prefix, and puts its library first for the loader.
use_library() {
  if [ -n "${STOCK:-}" ]; then
    local found
    found=$(find /usr/lib /usr/local/lib -name 'librocksdb.so' -print -quit 2>/dev/null)
    [ -n "$found" ] || skip "no RocksDB is installed here"
    rocks=$work/stock
    mkdir -p "$rocks/lib"
    ln -sfn /usr/include "$rocks/include"
    ln -sf "$(readlink -f "$found")" "$rocks/lib/librocksdb.so"
  else
    local profile=${PROFILE:-release} built=release
    [ "$profile" = dev ] && built=debug
    cargo build --lib --profile "$profile"
    BUILT=${CARGO_TARGET_DIR:-target}/$built packaging/install.sh "$work/prefix"
    rocks=$work/prefix/lib/mountdb/rocksdb
    export LD_LIBRARY_PATH=$rocks/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
  fi
}

skip() {
  echo "skipped: $1"
  exit 0
}

need() {
  local command
  for command in "$@"; do
    command -v "$command" >/dev/null || skip "no $command here"
  done
}
