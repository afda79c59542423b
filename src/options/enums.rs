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
    /// 0 similar sizes, 1 total size.
    pub stop_style: i32,
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
            stop_style: 1,
            allow_trivial_move: false,
            incremental: false,
        }
    }
}

/// Settings of the FIFO style.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FifoOptions {
    /// Bytes kept.
    pub max_table_files_size: u64,
    /// Merge small files.
    pub allow_compaction: bool,
}

impl Default for FifoOptions {
    fn default() -> Self {
        Self { max_table_files_size: 1 << 30, allow_compaction: false }
    }
}
