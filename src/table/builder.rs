//! Sorted entries in, one file out.
#![forbid(unsafe_code)]

use crate::base::prefix::SliceTransform;
use crate::base::{Error, InternalComparator, Result, Sequence};
use crate::env::WritableFile;
use crate::options::{Compression, CompressionOptions, TableOptions};
use crate::stats::Statistics;
use std::sync::Arc;

/// How one table is written, and what its properties say about its origin.
#[derive(Clone)]
pub struct BuildOptions {
    /// The order of its keys.
    pub order: InternalComparator,
    /// Layout.
    pub options: Arc<TableOptions>,
    /// Codec of data and index blocks.
    pub compression: Compression,
    /// How hard.
    pub compression_opts: CompressionOptions,
    /// Prefixes that go into the filter.
    pub prefix_extractor: Option<Arc<dyn SliceTransform>>,
    /// Column family: number and name.
    pub family: (u32, String),
    /// The level it is written for; -1 unknown.
    pub level: i32,
    /// Its file number.
    pub number: u64,
    /// The file's name, for error texts.
    pub name: String,
    /// The store's identity.
    pub db_id: String,
    /// The identity of this opening of the store.
    pub db_session_id: String,
    /// The host.
    pub db_host_id: String,
    /// Unix seconds: age of the oldest data.
    pub creation_time: u64,
    /// Unix seconds: now.
    pub file_creation_time: u64,
    /// Unix seconds: when the oldest key was written; 0 unknown.
    pub oldest_key_time: u64,
    /// The merge operator's name, or `nullptr`.
    pub merge_operator: String,
    /// Build no filter (the last level with `optimize_filters_for_hits`).
    pub skip_filter: bool,
    /// A file made outside a store: carries the properties that ingestion needs.
    pub external: bool,
    /// Counters.
    pub statistics: Option<Arc<Statistics>>,
}

impl BuildOptions {
    /// Plain settings over `order`; the caller fills in what it knows.
    #[must_use]
    pub fn new(order: InternalComparator, options: Arc<TableOptions>) -> Self {
        Self {
            order,
            options,
            compression: Compression::None,
            compression_opts: CompressionOptions::default(),
            prefix_extractor: None,
            family: (0, "default".to_owned()),
            level: -1,
            number: 0,
            name: String::new(),
            db_id: String::new(),
            db_session_id: String::new(),
            db_host_id: String::new(),
            creation_time: 0,
            file_creation_time: 0,
            oldest_key_time: 0,
            merge_operator: "nullptr".to_owned(),
            skip_filter: false,
            external: false,
            statistics: None,
        }
    }
}

/// What became of a build.
#[derive(Clone, Debug, Default)]
pub struct TableSummary {
    /// Bytes of the file.
    pub file_size: u64,
    /// Bytes behind the data blocks.
    pub tail_size: u64,
    /// Entries, range tombstones included.
    pub entries: u64,
    /// Smallest and largest sequence numbers among all entries.
    pub sequences: (Sequence, Sequence),
    /// First and last internal key of the points; empty when there are none.
    pub first_key: Vec<u8>,
    /// See `first_key`.
    pub last_key: Vec<u8>,
    /// MANIFEST field 12, when database and session identity are known.
    pub unique_id: Option<[u8; 16]>,
    /// Bytes of the learned index; 0 when the table has none.
    pub learned_bytes: u64,
    /// Bytes of the classic index.
    pub index_bytes: u64,
}

/// Writes one table. Keys come in strictly ascending internal order; range tombstones
/// (kind `RangeDeletion`, value = end key) in any order, at any time.
pub struct TableBuilder {
    options: BuildOptions,
}

impl TableBuilder {
    /// Into `file`, which must be empty.
    pub fn new(options: BuildOptions, _file: Box<dyn WritableFile>) -> Result<Self> {
        let _ = options;
        Err(Error::not_supported("table builder"))
    }

    /// Adds an entry.
    pub fn add(&mut self, _ikey: &[u8], _value: &[u8]) -> Result<()> {
        Err(Error::not_supported("table builder").context(&self.options.name))
    }

    /// Bytes so far, the block under way included as it stands.
    #[must_use]
    pub fn file_size(&self) -> u64 {
        0
    }

    /// Entries so far, range tombstones included.
    #[must_use]
    pub fn entries(&self) -> u64 {
        0
    }

    /// Writes the rest, syncs and closes.
    pub fn finish(self) -> Result<TableSummary> {
        Err(Error::not_supported("table builder"))
    }

    /// Gives up: closes the file, which the caller deletes.
    pub fn abandon(self) {}
}
