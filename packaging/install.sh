#!/bin/sh
# install.sh PREFIX [LIBDIR]
#
# Lays out what `cargo build --release` made, under $DESTDIR if set; LIBDIR counts from PREFIX and is
# "lib" unless said otherwise. Nothing of an installed RocksDB is touched: everything under RocksDB's
# names stands in PREFIX/LIBDIR/mountdb/rocksdb, which looks like a RocksDB prefix.
#
#   BUILT    folder of the built libraries (default: target/release)
set -eu
if [ $# -lt 1 ]; then
  sed -n '2,8s/^# \{0,1\}//p' "$0" >&2
  exit 2
fi
case $1 in
  /*) prefix=${1%/} ;;
  *) echo "install.sh: PREFIX must start with a slash: $1" >&2; exit 2 ;;
esac
cd "$(dirname "$0")/.."
libdir=$prefix/${2:-lib}
built=${BUILT:-${CARGO_TARGET_DIR:-target}/release}
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
api=$(cat packaging/rocksdb-api-version)
lib=${DESTDIR:-}$libdir
include=${DESTDIR:-}$prefix/include/mountdb
doc=${DESTDIR:-}$prefix/share/doc/mountdb
shaped=$lib/mountdb/rocksdb

fill() {
  sed -e "s|@prefix@|$prefix|" -e "s|@libdir@|$libdir|" -e "s|@version@|$version|" \
      -e "s|@api@|$api|" "packaging/$1" > "$2"
}

if [ ! -f "$built/libmountdb.so" ]; then
  echo "install.sh: no $built/libmountdb.so; run cargo build --release first" >&2
  exit 1
fi
install -d "$lib/pkgconfig" "$include/rocksdb" "$doc" \
  "$shaped/lib/pkgconfig" "$shaped/lib/cmake/rocksdb"
install -m 644 README.md CHANGELOG.md LICENSE-MIT LICENSE-APACHE docs/compat.md "$doc"
install -m 644 include/rocksdb/c.h "$include/rocksdb/c.h"
install -m 755 "$built/libmountdb.so" "$lib/libmountdb.so.$version"
if [ -f "$built/libmountdb.a" ]; then
  install -m 644 "$built/libmountdb.a" "$lib/libmountdb.a"
fi
if [ -f "$built/mountdb" ]; then
  install -d "${DESTDIR:-}$prefix/bin"
  install -m 755 "$built/mountdb" "${DESTDIR:-}$prefix/bin/mountdb"
fi
ln -sf "libmountdb.so.$version" "$lib/libmountdb.so.0"
ln -sf libmountdb.so.0 "$lib/libmountdb.so"
fill mountdb.pc.in "$lib/pkgconfig/mountdb.pc"

ln -srfn "$include" "$shaped/include"
# The soname too, so that this folder alone is enough of a library path.
for name in libmountdb.so.0 librocksdb.so $(cat packaging/rocksdb-sonames); do
  ln -srf "$lib/libmountdb.so.0" "$shaped/lib/$name"
done
fill rocksdb.pc.in "$shaped/lib/pkgconfig/rocksdb.pc"
fill RocksDBConfig.cmake.in "$shaped/lib/cmake/rocksdb/RocksDBConfig.cmake"
fill RocksDBConfigVersion.cmake.in "$shaped/lib/cmake/rocksdb/RocksDBConfigVersion.cmake"
