#!/usr/bin/env bash
# balboa.sh [OBSERVATIONS]: Debian's passive-DNS server, unmodified, with our library as its
# librocksdb.so.7.8. See balboa.py for what is asked of it.
source "$(dirname "$0")/common.sh"
need balboa balboa-rocksdb python3
use_library
store=$work/balboa.db
rm -rf "$store"
python3 tests/external/balboa.py "$store" "${1:-100000}"
echo "test result: ok. balboa"
