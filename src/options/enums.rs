//! Small types that options are made of. Numbers are those of the C API, names those of option text.
#![forbid(unsafe_code)]

use super::schema::OptionValue;
use crate::base::{Error, Result};

macro_rules! choice {
    ($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $variant:ident = $number:literal, $text:literal;)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[repr(i32)]
        pub enum $name { $($(#[$vdoc])* $variant = $number,)* }
        impl $name {
            /// The choice with this number.
            #[must_use]
            pub fn from_number(n: i32) -> Option<Self> {
                match n { $($number => Some(Self::$variant),)* _ => None }
            }
            /// The number that the C API uses.
            #[must_use]
            pub fn number(self) -> i32 {
                self as i32
            }
        }
        impl OptionValue for $name {
            fn parse(text: &str) -> Result<Self> {
                match text.trim() {
                    $($text => Ok(Self::$variant),)*
                    other => Err(Error::invalid_argument(other)),
                }
            }
            fn text(&self) -> String {
                match self { $(Self::$variant => $text.to_owned(),)* }
            }
        }
    };
}

choice! {
    /// How files are merged.
    CompactionStyle {
        /// One sorted run a level.
        Level = 0, "kCompactionStyleLevel";
        /// Runs merged by size.
        Universal = 1, "kCompactionStyleUniversal";
        /// The oldest files are dropped.
        Fifo = 2, "kCompactionStyleFIFO";
        /// Nothing by itself.
        None = 3, "kCompactionStyleNone";
    }
}
choice! {
    /// When the universal style stops adding runs to a merge.
    StopStyle {
        /// When the next one is not of similar size.
        SimilarSize = 0, "kCompactionStopStyleSimilarSize";
        /// When the next one is larger than all before together.
        TotalSize = 1, "kCompactionStopStyleTotalSize";
    }
}
choice! {
    /// Which file of a level goes first.
    CompactionPri {
        /// Large files first, deletions counted double.
        ByCompensatedSize = 0, "kByCompensatedSize";
        /// The file whose newest entry is oldest.
        OldestLargestSeqFirst = 1, "kOldestLargestSeqFirst";
        /// The file whose oldest entry is oldest.
        OldestSmallestSeqFirst = 2, "kOldestSmallestSeqFirst";
        /// The file with the least overlap below.
        MinOverlappingRatio = 3, "kMinOverlappingRatio";
        /// Round robin through the key range.
        RoundRobin = 4, "kRoundRobin";
    }
}
choice! {
    /// Block compression. The numbers are on disk.
    Compression {
        /// As it is.
        None = 0, "kNoCompression";
        /// Snappy.
        Snappy = 1, "kSnappyCompression";
        /// Raw deflate.
        Zlib = 2, "kZlibCompression";
        /// bzip2.
        Bzip2 = 3, "kBZip2Compression";
        /// LZ4.
        Lz4 = 4, "kLZ4Compression";
        /// LZ4 with a slower search.
        Lz4hc = 5, "kLZ4HCCompression";
        /// Windows only.
        Xpress = 6, "kXpressCompression";
        /// Zstandard.
        Zstd = 7, "kZSTD";
        /// "Not said": the general setting holds.
        Disable = 255, "kDisableCompressionOption";
    }
}
choice! {
    /// Checksum of blocks. The numbers are on disk.
    ChecksumType {
        /// None.
        None = 0, "kNoChecksum";
        /// CRC-32C, masked.
        Crc32c = 1, "kCRC32c";
        /// XXH32.
        XxHash = 2, "kxxHash";
        /// Low half of XXH64.
        XxHash64 = 3, "kxxHash64";
        /// Low half of XXH3.
        Xxh3 = 4, "kXXH3";
    }
}
choice! {
    /// The classic index of a table.
    IndexType {
        /// Binary search.
        BinarySearch = 0, "kBinarySearch";
        /// Binary search with a prefix hash.
        HashSearch = 1, "kHashSearch";
        /// Partitions under a top level.
        TwoLevel = 2, "kTwoLevelIndexSearch";
        /// Binary search, first keys kept.
        BinarySearchWithFirstKey = 3, "kBinarySearchWithFirstKey";
    }
}
choice! {
    /// What a data block carries for point reads.
    DataBlockIndexType {
        /// Restart points.
        BinarySearch = 0, "kDataBlockBinarySearch";
        /// Restart points and a hash.
        BinaryAndHash = 1, "kDataBlockBinaryAndHash";
    }
}
choice! {
    /// What to do with a damaged log.
    WalRecoveryMode {
        /// A torn tail ends the log; anything else fails.
        TolerateCorruptedTailRecords = 0, "kTolerateCorruptedTailRecords";
        /// Anything fails.
        AbsoluteConsistency = 1, "kAbsoluteConsistency";
        /// Stop at the first damage.
        PointInTime = 2, "kPointInTimeRecovery";
        /// Skip what is damaged.
        SkipAnyCorruptedRecords = 3, "kSkipAnyCorruptedRecords";
    }
}
choice! {
    /// Where a read may look.
    ReadTier {
        /// Everywhere.
        All = 0, "kReadAllTier";
        /// No I/O.
        BlockCache = 1, "kBlockCacheTier";
        /// What survives a crash.
        Persisted = 2, "kPersistedTier";
        /// Memtables.
        Memtable = 3, "kMemtableTier";
    }
}
choice! {
    /// Does a manual compaction rewrite the last level?
    BottommostCompaction {
        /// No.
        Skip = 0, "kSkip";
        /// If there is a compaction filter.
        IfHaveCompactionFilter = 1, "kIfHaveCompactionFilter";
        /// Yes.
        Force = 2, "kForce";
        /// Yes, but not files that this compaction made.
        ForceOptimized = 3, "kForceOptimized";
    }
}
choice! {
    /// What buffers writes.
    MemtableKind {
        /// Arena skiplist, many writers.
        SkipList = 0, "skip_list";
        /// Append, then sort.
        Vector = 1, "vector";
    }
}
choice! {
    /// How compactions read their inputs.
    AccessHint {
        /// No hint.
        None = 0, "NONE";
        /// No hint either.
        Normal = 1, "NORMAL";
        /// From front to back.
        Sequential = 2, "SEQUENTIAL";
        /// Soon.
        WillNeed = 3, "WILLNEED";
    }
}
choice! {
    /// Does what is written go to a cache at once?
    PrepopulateBlob {
        /// No.
        Disable = 0, "kDisable";
        /// By flushes.
        FlushOnly = 1, "kFlushOnly";
    }
}
choice! {
    /// Which keys of an index are shortened.
    IndexShortening {
        /// None.
        None = 0, "kNoShortening";
        /// All but the last.
        ShortenSeparators = 1, "kShortenSeparators";
        /// All.
        ShortenSeparatorsAndSuccessor = 2, "kShortenSeparatorsAndSuccessor";
    }
}
choice! {
    /// Do new tables carry a learned index?
    LearnedIndex {
        /// No.
        Off = 0, "off";
        /// One I/O of one block: a code per block picks it in memory.
        Exact = 1, "exact";
        /// One I/O of three blocks, as in the paper.
        Window = 2, "window";
    }
}

/// How hard to compress.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CompressionOptions {
    /// zlib's window; negative means raw deflate.
    pub window_bits: i32,
    /// Level; 32767 means the codec's default.
    pub level: i32,
    /// zlib's strategy.
    pub strategy: i32,
    /// Bytes of dictionary a file; 0 means none.
    pub max_dict_bytes: i32,
    /// Bytes sampled to train a Zstandard dictionary.
    pub zstd_max_train_bytes: u32,
    /// Threads that compress a file. Accepted, one is used.
    pub parallel_threads: u32,
    /// Was it set (matters for `bottommost_compression_opts`)?
    pub enabled: bool,
    /// Bytes buffered to build a dictionary.
    pub max_dict_buffer_bytes: u64,
    /// Train dictionaries with Zstandard's trainer.
    pub use_zstd_dict_trainer: bool,
    /// Largest acceptable result, in bytes per KiB of input.
    pub max_compressed_bytes_per_kb: i32,
    /// Zstandard's own checksum.
    pub checksum: bool,
}

impl Default for CompressionOptions {
    fn default() -> Self {
        Self {
            window_bits: -14,
            level: 32767,
            strategy: 0,
            max_dict_bytes: 0,
            zstd_max_train_bytes: 0,
            parallel_threads: 1,
            enabled: false,
            max_dict_buffer_bytes: 0,
            use_zstd_dict_trainer: true,
            max_compressed_bytes_per_kb: 896,
            checksum: false,
        }
    }
}

/// Settings of the universal style.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UniversalOptions {
    /// Percent by which the next run may be larger.
    pub size_ratio: u32,
    /// Fewest runs merged at once.
    pub min_merge_width: u32,
    /// Most runs merged at once.
    pub max_merge_width: u32,
    /// Percent of dead data tolerated.
    pub max_size_amplification_percent: u32,
    /// Percent of data that is compressed; -1 all.
    pub compression_size_percent: i32,
    /// How runs are chosen.
    pub stop_style: StopStyle,
    /// Move instead of rewriting where possible.
    pub allow_trivial_move: bool,
    /// Merge in slices.
    pub incremental: bool,
}

impl Default for UniversalOptions {
    fn default() -> Self {
        Self {
            size_ratio: 1,
            min_merge_width: 2,
            max_merge_width: u32::MAX,
            max_size_amplification_percent: 200,
            compression_size_percent: -1,
            stop_style: StopStyle::TotalSize,
            allow_trivial_move: false,
            incremental: false,
        }
    }
}

/// A file is marked for compaction when among `window` entries in a row there are `trigger` deletions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CompactOnDeletion {
    /// Entries looked at.
    pub window: usize,
    /// Deletions among them; 0 never.
    pub trigger: usize,
    /// Or this share of all entries of a file are deletions; above 1 or not above 0 means never.
    pub ratio: f64,
}

impl std::fmt::Display for CompactOnDeletion {
    /// RocksDB's description of it.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "CompactOnDeletionCollector (Sliding window size = {} Deletion trigger = {} Deletion ratio = {})",
            self.window, self.trigger, self.ratio
        )
    }
}

/// Settings of the FIFO style.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FifoOptions {
    /// Bytes kept.
    pub max_table_files_size: u64,
    /// Merge small files.
    pub allow_compaction: bool,
    /// Seconds until a file counts as warm. Accepted, not used: there are no tiers.
    pub age_for_warm: u64,
}

impl Default for FifoOptions {
    fn default() -> Self {
        Self { max_table_files_size: 1 << 30, allow_compaction: false, age_for_warm: 0 }
    }
}

/// The fields of a small set as `name=value` pairs, by name.
macro_rules! fields {
    ($set:ident { $($field:ident = $name:literal,)* }) => {
        impl $set {
            /// Names and values as text, in order.
            #[must_use]
            pub fn pairs(&self) -> Vec<(&'static str, String)> {
                vec![$(($name, OptionValue::text(&self.$field)),)*]
            }
            /// Sets the field `name`; `Ok(false)` if there is none of the name.
            pub fn set_text(&mut self, name: &str, value: &str) -> Result<bool> {
                match name {
                    $($name => self.$field = OptionValue::parse(value)?,)*
                    _ => return Ok(false),
                }
                Ok(true)
            }
        }
    };
}

fields! { CompressionOptions {
    checksum = "checksum",
    max_dict_buffer_bytes = "max_dict_buffer_bytes",
    enabled = "enabled",
    max_dict_bytes = "max_dict_bytes",
    max_compressed_bytes_per_kb = "max_compressed_bytes_per_kb",
    parallel_threads = "parallel_threads",
    zstd_max_train_bytes = "zstd_max_train_bytes",
    level = "level",
    use_zstd_dict_trainer = "use_zstd_dict_trainer",
    strategy = "strategy",
    window_bits = "window_bits",
}}

fields! { UniversalOptions {
    allow_trivial_move = "allow_trivial_move",
    stop_style = "stop_style",
    min_merge_width = "min_merge_width",
    compression_size_percent = "compression_size_percent",
    max_size_amplification_percent = "max_size_amplification_percent",
    incremental = "incremental",
    max_merge_width = "max_merge_width",
    size_ratio = "size_ratio",
}}

fields! { FifoOptions {
    age_for_warm = "age_for_warm",
    max_table_files_size = "max_table_files_size",
    allow_compaction = "allow_compaction",
}}
