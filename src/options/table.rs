//! Settings of tables.
#![forbid(unsafe_code)]

use super::enums::{
    ChecksumType, DataBlockIndexType, IndexShortening, IndexType, LearnedIndex, PrepopulateBlob,
};
use crate::cache::Cache;
use crate::filter::FilterPolicy;
use std::sync::Arc;

options! {
    /// How a table is laid out. Names and defaults are RocksDB 8.10's, the `pgm_fence_*` ones ours.
    pub struct TableOptions {
        text {
            /// Index and filter blocks live in the block cache.
            cache_index_and_filter_blocks: bool = false, fixed;
            /// There with high priority.
            cache_index_and_filter_blocks_with_high_priority: bool = true, fixed;
            /// Pin those of level 0.
            pin_l0_filter_and_index_blocks_in_cache: bool = false, fixed;
            /// Pin top levels.
            pin_top_level_index_and_filter: bool = true, fixed;
            /// The classic index.
            index_type: IndexType = IndexType::BinarySearch, fixed;
            /// What data blocks carry for point reads.
            data_block_index_type: DataBlockIndexType = DataBlockIndexType::BinarySearch, fixed;
            /// Fill of the data block hash.
            data_block_hash_table_util_ratio: f64 = 0.75, fixed;
            /// Accepted, not used.
            hash_index_allow_collision: bool = true, fixed;
            /// Checksum of blocks.
            checksum: ChecksumType = ChecksumType::Xxh3, fixed;
            /// No block cache.
            no_block_cache: bool = false, fixed;
            /// Bytes of a data block before compression.
            block_size: u64 = 4096, mutable;
            /// Percent of a block that may stay empty.
            block_size_deviation: i32 = 10, fixed;
            /// Entries between restart points of data blocks.
            block_restart_interval: i32 = 16, mutable;
            /// Entries between restart points of index blocks.
            index_block_restart_interval: i32 = 1, fixed;
            /// Bytes of an index or filter partition.
            metadata_block_size: u64 = 4096, fixed;
            /// Filters in partitions.
            partition_filters: bool = false, fixed;
            /// Round filters to what the allocator gives.
            optimize_filters_for_memory: bool = false, fixed;
            /// Keys share prefixes within a block.
            use_delta_encoding: bool = true, fixed;
            /// Whole keys in filters.
            whole_key_filtering: bool = true, fixed;
            /// Read compressed blocks back.
            verify_compression: bool = false, fixed;
            /// Accepted, not used.
            read_amp_bytes_per_bit: u32 = 0, fixed;
            /// Layout of the file.
            format_version: u32 = 5, fixed;
            /// Compress the index.
            enable_index_compression: bool = true, fixed;
            /// Blocks never straddle pages.
            block_align: bool = false, fixed;
            /// Read-ahead of iterators at most.
            max_auto_readahead_size: usize = 256 << 10, mutable;
            /// Read-ahead of iterators at first.
            initial_auto_readahead_size: usize = 8 << 10, mutable;
            /// Reads in a row that start it.
            num_file_reads_for_auto_readahead: u64 = 2, mutable;
            /// Build filters twice and compare.
            detect_filter_construct_corruption: bool = false, mutable;
            /// New blocks go to the cache. Accepted, not used: a block is cached when it is first read.
            prepopulate_block_cache: PrepopulateBlob = PrepopulateBlob::Disable, mutable;
            /// Keys of the index are shortened.
            index_shortening: IndexShortening = IndexShortening::ShortenSeparators, fixed;
            /// Ours: the learned index of new tables.
            pgm_fence_mode: LearnedIndex = LearnedIndex::Exact, fixed;
            /// Ours: write the classic index beside the learned one, so that RocksDB opens the file.
            pgm_fence_write_standard_index: bool = true, fixed;
        }
        plain {
            /// Builds filters.
            filter_policy: Option<Arc<FilterPolicy>> = None;
            /// Blocks shared among tables; `None` makes one of 32 MiB a family.
            block_cache: Option<Arc<Cache>> = None;
        }
    }
}
