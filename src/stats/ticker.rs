//! Tickers: plain counters with RocksDB's names. Off unless the caller asks (`None` costs a test).
//!
//! `Ticker` lists what the engine counts; `capi/` maps RocksDB's ids and names to these by name.
#![forbid(unsafe_code)]

use super::histogram::{Histogram, HistogramKind};
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};

macro_rules! tickers {
    ($($name:ident = $text:literal,)*) => {
        /// What is counted.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[allow(missing_docs, reason = "each name says what it counts; the text is RocksDB's")]
        pub enum Ticker { $($name,)* }
        impl Ticker {
            /// All of them.
            pub const ALL: &'static [Ticker] = &[$(Ticker::$name,)*];
            /// RocksDB's name, or ours under `mountdb.`.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $(Ticker::$name => $text,)* }
            }
        }
    };
}

tickers! {
    BlockCacheMiss = "rocksdb.block.cache.miss",
    BlockCacheHit = "rocksdb.block.cache.hit",
    BlockCacheAdd = "rocksdb.block.cache.add",
    BlockCacheAddFailures = "rocksdb.block.cache.add.failures",
    BlockCacheIndexMiss = "rocksdb.block.cache.index.miss",
    BlockCacheIndexHit = "rocksdb.block.cache.index.hit",
    BlockCacheFilterMiss = "rocksdb.block.cache.filter.miss",
    BlockCacheFilterHit = "rocksdb.block.cache.filter.hit",
    BlockCacheDataMiss = "rocksdb.block.cache.data.miss",
    BlockCacheDataHit = "rocksdb.block.cache.data.hit",
    BloomFilterUseful = "rocksdb.bloom.filter.useful",
    BloomFilterFullPositive = "rocksdb.bloom.filter.full.positive",
    BloomFilterFullTruePositive = "rocksdb.bloom.filter.full.true.positive",
    BloomFilterPrefixChecked = "rocksdb.bloom.filter.prefix.checked",
    BloomFilterPrefixUseful = "rocksdb.bloom.filter.prefix.useful",
    MemtableHit = "rocksdb.memtable.hit",
    MemtableMiss = "rocksdb.memtable.miss",
    GetHitL0 = "rocksdb.l0.hit",
    GetHitL1 = "rocksdb.l1.hit",
    GetHitL2AndUp = "rocksdb.l2andup.hit",
    KeysWritten = "rocksdb.number.keys.written",
    KeysRead = "rocksdb.number.keys.read",
    BytesWritten = "rocksdb.bytes.written",
    BytesRead = "rocksdb.bytes.read",
    DbSeek = "rocksdb.number.db.seek",
    DbNext = "rocksdb.number.db.next",
    DbPrev = "rocksdb.number.db.prev",
    DbSeekFound = "rocksdb.number.db.seek.found",
    IterBytesRead = "rocksdb.db.iter.bytes.read",
    FileOpens = "rocksdb.no.file.opens",
    FileErrors = "rocksdb.no.file.errors",
    StallMicros = "rocksdb.stall.micros",
    WalFileSynced = "rocksdb.wal.synced",
    WalFileBytes = "rocksdb.wal.bytes",
    WriteDoneBySelf = "rocksdb.write.self",
    WriteDoneByOther = "rocksdb.write.other",
    WriteWithWal = "rocksdb.write.wal",
    CompactReadBytes = "rocksdb.compact.read.bytes",
    CompactWriteBytes = "rocksdb.compact.write.bytes",
    FlushWriteBytes = "rocksdb.flush.write.bytes",
    CompactionKeyDropNewerEntry = "rocksdb.compaction.key.drop.new",
    CompactionKeyDropObsolete = "rocksdb.compaction.key.drop.obsolete",
    CompactionKeyDropRangeDel = "rocksdb.compaction.key.drop.range_del",
    CompactionKeyDropUser = "rocksdb.compaction.key.drop.user",
    MergeFailures = "rocksdb.number.merge.failures",
    MultigetCalls = "rocksdb.number.multiget.get",
    MultigetKeysRead = "rocksdb.number.multiget.keys.read",
    // Ours: what the learned index does. See docs/glossary.md.
    DataReads = "mountdb.table.data.reads",
    IndexReads = "mountdb.table.index.reads",
    FilterReads = "mountdb.table.filter.reads",
    LearnedSeeks = "mountdb.learned.seeks",
    LearnedExtraBlocks = "mountdb.learned.extra.blocks",
    LearnedRejected = "mountdb.learned.rejected",
}

/// Counters and histograms, shared by all stores opened with the same options object.
#[derive(Debug)]
pub struct Statistics {
    tickers: Vec<AtomicU64>,
    histograms: Vec<Histogram>,
    level: AtomicU8,
}

impl Default for Statistics {
    fn default() -> Self {
        Self {
            tickers: Ticker::ALL.iter().map(|_| AtomicU64::new(0)).collect(),
            histograms: HistogramKind::ALL.iter().map(|_| Histogram::default()).collect(),
            level: AtomicU8::new(3),
        }
    }
}

impl Statistics {
    /// Adds `n`.
    #[inline]
    pub fn add(&self, ticker: Ticker, n: u64) {
        // Relaxed: a counter orders nothing.
        self.tickers[ticker as usize].fetch_add(n, Ordering::Relaxed);
    }

    /// The count so far.
    #[must_use]
    pub fn get(&self, ticker: Ticker) -> u64 {
        self.tickers[ticker as usize].load(Ordering::Relaxed)
    }

    /// A histogram.
    #[must_use]
    pub fn histogram(&self, kind: HistogramKind) -> &Histogram {
        &self.histograms[kind as usize]
    }

    /// Records `value`, unless the level leaves histograms out.
    #[inline]
    pub fn record(&self, kind: HistogramKind, value: u64) {
        if self.level() > 1 {
            self.histograms[kind as usize].record(value);
        }
    }

    /// How much is counted: RocksDB's levels, 0 (nothing) to 5 (everything); 3 at first.
    #[must_use]
    pub fn level(&self) -> u8 {
        self.level.load(Ordering::Relaxed)
    }

    /// Sets that; higher numbers mean 5.
    pub fn set_level(&self, level: u8) {
        self.level.store(level.min(5), Ordering::Relaxed);
    }
}

/// Adds to `statistics` when there is one.
#[inline]
pub fn tick(statistics: Option<&Statistics>, ticker: Ticker, n: u64) {
    if let Some(s) = statistics {
        s.add(ticker, n);
    }
}
