//! An open table: footer, metadata, pinning.
#![forbid(unsafe_code)]

use crate::base::prefix::SliceTransform;
use crate::base::{Error, InternalComparator, Result, Sequence};
use crate::cache::Cache;
use crate::env::RandomAccessFile;
use crate::iter::BoxIter;
use crate::options::{ReadOptions, TableOptions};
use crate::stats::Statistics;
use std::sync::Arc;

/// What an iterator is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IterPurpose {
    /// A user's read: blocks go through the cache, readahead grows with use.
    User,
    /// A compaction: big reads, nothing enters the cache.
    Compaction,
}

/// How a table is opened.
#[derive(Clone)]
pub struct OpenOptions {
    /// The file's name for error texts.
    pub name: String,
    /// Its number.
    pub number: u64,
    /// Its exact size.
    pub file_size: u64,
    /// The order of its keys.
    pub order: InternalComparator,
    /// Settings of tables.
    pub options: Arc<TableOptions>,
    /// Where its blocks live.
    pub cache: Option<Arc<Cache>>,
    /// Counters.
    pub statistics: Option<Arc<Statistics>>,
    /// The family's prefix extractor.
    pub prefix_extractor: Option<Arc<dyn SliceTransform>>,
    /// The manifest's largest sequence: the global sequence number of an ingested file.
    pub largest_sequence: Sequence,
    /// The level it is on; -1 unknown.
    pub level: i32,
}

/// An open table. Any number of threads may read it at the same time.
pub struct Table {
    options: OpenOptions,
}

impl Table {
    /// Opens: reads footer, metaindex, properties and what the settings want in memory.
    pub fn open(_file: Arc<dyn RandomAccessFile>, options: OpenOptions) -> Result<Arc<Self>> {
        let _ = options;
        Err(Error::not_supported("table reader"))
    }

    /// A cursor over the points.
    pub fn iter(self: &Arc<Self>, _options: &ReadOptions, _purpose: IterPurpose) -> BoxIter {
        Box::new(crate::iter::Empty::failed(Error::not_supported("table iterator")))
    }

    /// About where in the file `ikey` lies, in bytes.
    #[must_use]
    pub fn approximate_offset(&self, _ikey: &[u8]) -> u64 {
        0
    }

    /// Reads every block and compares its checksum.
    pub fn verify_checksums(&self) -> Result<()> {
        Err(Error::not_supported("table reader"))
    }

    /// May the table hold `user_key`? True when nothing proves the contrary.
    pub fn may_match_key(&self, _user_key: &[u8]) -> Result<bool> {
        Ok(true)
    }

    /// May the table hold a key with the prefix of `user_key`? True when nothing proves the contrary.
    pub fn may_match_prefix(&self, _user_key: &[u8]) -> Result<bool> {
        Ok(true)
    }

    /// Bytes of memory held outside the block cache.
    #[must_use]
    pub fn memory(&self) -> usize {
        0
    }

    /// The file's number.
    #[must_use]
    pub fn number(&self) -> u64 {
        self.options.number
    }
}
