#!/usr/bin/env bash
# test.sh [ARGUMENTS]: runs all tests, from a clean checkout. Arguments go to `cargo test`.
#
# Needs Rust (cargo). What the tests want besides (a C compiler, valgrind, CMake, and RocksDB with
# its tools as the one to agree with) is installed with apt-get where that is allowed; what cannot be had, its
# tests skip, and say so.
set -euo pipefail
cd "$(dirname "$0")/.."
source packaging/debian.sh
need_commands cc:gcc c++:g++ nm:binutils clang:clang valgrind:valgrind cmake:cmake \
  pkg-config:pkg-config perl:perl ldb:rocksdb-tools balboa:balboa \
  balboa-rocksdb:balboa-backend-rocksdb
need_files /usr/include/rocksdb/c.h:librocksdb-dev '/usr/lib/llvm-*/lib/libclang*.so*':libclang-dev
install_needed
cargo test "$@"
