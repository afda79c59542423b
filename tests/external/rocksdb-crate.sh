#!/usr/bin/env bash
# rocksdb-crate.sh [TEST...]: the Rust binding `rocksdb` 0.22.0 (crates.io) and its own tests,
# unmodified, on our header and our library.
#
#   ARGS    arguments to each test program, such as a filter
source "$(dirname "$0")/common.sh"
need cargo clang
[ -z "${STOCK:-}" ] || skip "the binding wants RocksDB 8.10, which Debian does not have"
use_library
version=0.22.0
crate=$work/rocksdb-$version
if [ ! -d "$crate" ]; then
  # cargo has no command that only fetches a crate, so a project that depends on it does.
  project=$work/fetch
  mkdir -p "$project/src"
  echo "fn main() {}" > "$project/src/main.rs"
  cat > "$project/Cargo.toml" <<END
[package]
name = "fetch"
version = "0.0.0"
edition = "2021"
[dependencies]
rocksdb = { version = "=$version", default-features = false }
[workspace]
END
  (cd "$project" && cargo vendor -q --versioned-dirs "$work/vendor" > /dev/null)
  cp -R "$work/vendor/rocksdb-$version" "$crate"
  rm -rf "$work/vendor" "$project"
  # What a registry adds to a crate, and a mark that it is no member of our workspace.
  rm -f "$crate/.cargo-checksum.json" "$crate/Cargo.toml.orig"
  printf '\n[workspace]\n' >> "$crate/Cargo.toml"
fi
tests=("$@")
if [ ${#tests[@]} = 0 ]; then
  tests=(test_db test_iterator test_raw_iterator test_write_batch test_column_family
    test_merge_operator test_compationfilter test_comparator test_slice_transform test_checkpoint
    test_multithreaded test_pinnable_slice test_property test_rocksdb_options)
fi
targets=()
for name in "${tests[@]}"; do targets+=(--test "$name"); done
export ROCKSDB_LIB_DIR=$rocks/lib ROCKSDB_INCLUDE_DIR=$rocks/include
export CARGO_TARGET_DIR=$work/rocksdb-target
cd "$crate"
# Each program runs, even behind one that fails.
cargo test --no-default-features --no-fail-fast "${targets[@]}" -- ${ARGS:-}
