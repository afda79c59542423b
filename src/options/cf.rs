//! Settings of a column family.
#![forbid(unsafe_code)]

use super::enums::{
    CompactOnDeletion, CompactionPri, CompactionStyle, Compression, CompressionOptions,
    FifoOptions, MemtableKind, PrepopulateBlob, UniversalOptions,
};
use super::table::TableOptions;
use crate::base::comparator::{self, Comparator};
use crate::base::prefix::SliceTransform;
use crate::cache::Cache;
use crate::hooks::{CompactionFilter, CompactionFilterFactory, MergeOperator};
use std::path::PathBuf;
use std::sync::Arc;

options! {
    /// How a column family stores its data. Names and defaults are RocksDB 8.10's.
    pub struct CfOptions {
        text {
            /// Bytes one memtable may hold before it becomes immutable.
            write_buffer_size: usize = 64 << 20, mutable;
            /// Memtables, the active one included, before writers wait.
            max_write_buffer_number: i32 = 2, mutable;
            /// Immutable memtables merged by one flush.
            min_write_buffer_number_to_merge: i32 = 1, fixed;
            /// Memtables kept after flush for conflict checks.
            max_write_buffer_number_to_maintain: i32 = 0, fixed;
            /// Bytes of memtables kept after flush.
            max_write_buffer_size_to_maintain: i64 = 0, fixed;
            /// Block compression.
            compression: Compression = Compression::Snappy, mutable;
            /// Block compression of the last level.
            bottommost_compression: Compression = Compression::Disable, mutable;
            /// Level-0 files that start a compaction.
            level0_file_num_compaction_trigger: i32 = 4, mutable;
            /// Level-0 files that slow writers.
            level0_slowdown_writes_trigger: i32 = 20, mutable;
            /// Level-0 files that stop writers.
            level0_stop_writes_trigger: i32 = 36, mutable;
            /// Bytes of a file on level 1.
            target_file_size_base: u64 = 64 << 20, mutable;
            /// Growth of files a level.
            target_file_size_multiplier: i32 = 1, mutable;
            /// Bytes of level 1.
            max_bytes_for_level_base: u64 = 256 << 20, mutable;
            /// Growth of levels.
            max_bytes_for_level_multiplier: f64 = 10.0, mutable;
            /// Level sizes derived from the last level's.
            level_compaction_dynamic_level_bytes: bool = true, fixed;
            /// Levels.
            num_levels: i32 = 7, fixed;
            /// Most bytes of a compaction; 0 means 25 files.
            max_compaction_bytes: u64 = 0, mutable;
            /// Do not count files of the output level in `max_compaction_bytes`.
            ignore_max_compaction_bytes_for_input: bool = true, mutable;
            /// Bytes awaiting compaction that slow writers.
            soft_pending_compaction_bytes_limit: u64 = 64 << 30, mutable;
            /// Bytes awaiting compaction that stop writers.
            hard_pending_compaction_bytes_limit: u64 = 256 << 30, mutable;
            /// No compaction by itself.
            disable_auto_compactions: bool = false, mutable;
            /// How files are merged.
            compaction_style: CompactionStyle = CompactionStyle::Level, fixed;
            /// Which file goes first.
            compaction_pri: CompactionPri = CompactionPri::MinOverlappingRatio, fixed;
            /// Seconds after which old files are rewritten; the largest value but one means default.
            ttl: u64 = u64::MAX - 1, mutable;
            /// Seconds after which every file is rewritten.
            periodic_compaction_seconds: u64 = u64::MAX - 1, mutable;
            /// Hidden entries that an iterator steps over before it seeks.
            max_sequential_skip_in_iterations: u64 = 8, mutable;
            /// Merge operands folded at write time.
            max_successive_merges: usize = 0, mutable;
            /// Overwrite values in memory.
            inplace_update_support: bool = false, fixed;
            /// Locks for that.
            inplace_update_num_locks: usize = 10_000, mutable;
            /// Bytes an arena grows by; 0 derives it.
            arena_block_size: usize = 0, mutable;
            /// Share of a memtable for a prefix filter.
            memtable_prefix_bloom_size_ratio: f64 = 0.0, mutable;
            /// Whole keys in it.
            memtable_whole_key_filtering: bool = false, mutable;
            /// Bytes of huge pages.
            memtable_huge_page_size: usize = 0, mutable;
            /// Accepted, not used.
            bloom_locality: u32 = 0, fixed;
            /// No filter on the last level.
            optimize_filters_for_hits: bool = false, fixed;
            /// Read back every file.
            paranoid_file_checks: bool = false, mutable;
            /// Check the order of levels at each edit.
            force_consistency_checks: bool = true, fixed;
            /// Accepted, not used.
            report_bg_io_stats: bool = false, mutable;
            /// Large values in files of their own. Accepted, not used: values of all sizes stay in the tables.
            enable_blob_files: bool = false, mutable;
            /// Least bytes of such a value. Accepted, not used: there are no blob files.
            min_blob_size: u64 = 0, mutable;
            /// Bytes of such a file. Accepted, not used: there are no blob files.
            blob_file_size: u64 = 256 << 20, mutable;
            /// Compression of such a file. Accepted, not used: there are no blob files.
            blob_compression_type: Compression = Compression::None, mutable;
            /// Rewrite such files. Accepted, not used: there are no blob files.
            enable_blob_garbage_collection: bool = false, mutable;
            /// Age of files rewritten. Accepted, not used: there are no blob files.
            blob_garbage_collection_age_cutoff: f64 = 0.25, mutable;
            /// Share of garbage that forces it. Accepted, not used: there are no blob files.
            blob_garbage_collection_force_threshold: f64 = 1.0, mutable;
            /// Read-ahead for it. Accepted, not used: there are no blob files.
            blob_compaction_readahead_size: u64 = 0, mutable;
            /// Level from which values go to such files. Accepted, not used: there are no blob files.
            blob_file_starting_level: i32 = 0, mutable;
            /// Check a compaction's input and output order.
            check_flush_compaction_key_order: bool = true, mutable;
            /// Memtable purge.
            experimental_mempurge_threshold: f64 = 0.0, mutable;
            /// Blocks sampled for compression statistics.
            sample_for_compression: u64 = 0, mutable;
            /// Range deletions before a flush; 0 means no bound.
            memtable_max_range_deletions: u32 = 0, mutable;
            /// Checksum bytes a key in memtables.
            memtable_protection_bytes_per_key: u32 = 0, mutable;
            /// Checksum bytes a key in blocks.
            block_protection_bytes_per_key: u8 = 0, mutable;
            /// Seconds before files of the last level are rewritten to drop dead entries.
            bottommost_file_compaction_delay: u32 = 0, mutable;
            /// Seconds of data kept off the last level. Accepted, not used: there are no tiers.
            preclude_last_level_data_seconds: u64 = 0, fixed;
            /// Seconds of time kept for sequence numbers. Accepted, not used: there are no tiers.
            preserve_internal_time_seconds: u64 = 0, fixed;
            /// Keep user timestamps in tables. Accepted, not used: there are no user timestamps.
            persist_user_defined_timestamps: bool = true, fixed;
            /// New blob values go to the cache. Accepted, not used: there are no blob files.
            prepopulate_blob_cache: PrepopulateBlob = PrepopulateBlob::Disable, mutable;
        }
        plain {
            /// The order of keys.
            comparator: Arc<dyn Comparator> = comparator::bytewise();
            /// Folds merge operands.
            merge_operator: Option<Arc<dyn MergeOperator>> = None;
            /// Drops or changes values.
            compaction_filter: Option<Arc<dyn CompactionFilter>> = None;
            /// Makes one filter a compaction.
            compaction_filter_factory: Option<Arc<dyn CompactionFilterFactory>> = None;
            /// Prefixes of keys.
            prefix_extractor: Option<Arc<dyn SliceTransform>> = None;
            /// Tables.
            table: Arc<TableOptions> = Arc::default();
            /// What buffers writes.
            memtable: MemtableKind = MemtableKind::SkipList;
            /// Compression by level; empty means `compression`.
            compression_per_level: Vec<Compression> = Vec::new();
            /// How hard.
            compression_opts: CompressionOptions = CompressionOptions::default();
            /// How hard on the last level.
            bottommost_compression_opts: CompressionOptions = CompressionOptions::default();
            /// Universal style.
            universal: UniversalOptions = UniversalOptions::default();
            /// FIFO style.
            fifo: FifoOptions = FifoOptions::default();
            /// Extra growth by level.
            max_bytes_for_level_multiplier_additional: Vec<i32> = vec![1; 7];
            /// Cache of blob values. Accepted, not used: there are no blob files.
            blob_cache: Option<Arc<Cache>> = None;
            /// When a file with many deletions is marked for compaction.
            compact_on_deletion: Vec<CompactOnDeletion> = Vec::new();
            /// Folders of tables with their target sizes.
            cf_paths: Vec<(PathBuf, u64)> = Vec::new();
        }
    }
}
