//! MountDB: a log-structured key-value engine with learned indexes behind RocksDB's own C API.
//!
//! The crate is a stack of floors; a module may use those below it, never its neighbours and
//! never above. `tests/floors.rs` reads every `use crate::` line and fails on a climb.
//!
//! ```text
//! 11  capi/                           RocksDB's C API
//! 10  extra/                          checkpoint and what else needs only an open store
//!  9  db/                             the store: threads, locks, lifecycle
//!  8  compaction/                     choosing and doing
//!  7  version/                        which files make up the store
//!  6  table/  memtable/               one sorted file; one sorted buffer
//!  5  options/                        settings; they hold hooks and caches, so they stand above both
//!  4  cache/  filter/  hooks/         shared blocks; membership; user code
//!  3  format/                         bytes on disk, each format in one file
//!  2  env/  learned/  iter/           files, clock, threads, faults; models; sorted streams
//!  1  stats/                          counters
//!  0  base/                           keys, numbers, errors
//! ```
//!
//! The modules are public so that tests and tools can reach every floor; only the C API
//! (`include/rocksdb/c.h`) is a stable interface.

pub mod base;
pub mod cache;
pub mod capi;
pub mod compaction;
pub mod db;
pub mod env;
pub mod extra;
pub mod filter;
pub mod format;
pub mod hooks;
pub mod iter;
pub mod learned;
pub mod memtable;
pub mod options;
pub mod stats;
pub mod table;
pub mod version;
