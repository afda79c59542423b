//! Checksums by RocksDB's numbers. (Being built.)
