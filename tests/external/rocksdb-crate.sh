#!/usr/bin/env bash
# rocksdb-crate.sh [TEST...]: the Rust binding `rocksdb` 0.22.0 (crates.io) and its own tests,
# unmodified, on our header and our library. Fails when a test fails that rocksdb-crate.known does
# not list.
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
status=0
cargo test --no-default-features --no-fail-fast "${targets[@]}" -- ${ARGS:-} 2>&1 |
  tee "$work/rocksdb.out" || status=$?
[ "$status" = 0 ] && exit 0
grep -q '^test result' "$work/rocksdb.out" || exit "$status"

# What may fail stands in a list, with its reason; anything else is ours to mend.
known=$root/tests/external/rocksdb-crate.known
failed=$(sed -n 's/^test \([a-z0-9_]*\) \.\.\. FAILED$/\1/p' "$work/rocksdb.out" | sort -u)
passed=$(sed -n 's/^test \([a-z0-9_]*\) \.\.\. ok$/\1/p' "$work/rocksdb.out" | sort -u)
listed=$(sed -n 's/^\([a-z0-9_]*\)  *.*/\1/p' "$known" | sort -u)
echo
echo "passed: $(wc -w <<< "$passed"), failed: $(wc -w <<< "$failed")"
stale=$(comm -12 <(echo "$passed") <(echo "$listed") | xargs)
[ -z "$stale" ] || echo "listed in rocksdb-crate.known, but they pass: $stale"
new=$(comm -23 <(echo "$failed") <(echo "$listed") | xargs)
if [ -n "$new" ]; then
  echo "failed, and not listed: $new"
  exit 1
fi
echo "test result: ok. rocksdb $version, but for what rocksdb-crate.known lists"
