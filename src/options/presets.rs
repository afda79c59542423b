//! Settings that change several options at once, with RocksDB's choices.
#![forbid(unsafe_code)]

use super::{CompactionStyle, Compression, Options};
use crate::cache::Cache;
use crate::env::Priority;
use crate::filter::FilterPolicy;
use std::sync::Arc;

impl Options {
    /// Background threads for `threads` cores.
    pub fn increase_parallelism(&mut self, threads: i32) {
        let threads = threads.max(1);
        self.db.max_background_jobs = threads;
        if let Some(env) = &self.db.env {
            env.pool.set_threads(Priority::Low, threads.unsigned_abs() as usize);
            env.pool.set_threads(Priority::High, 1);
        }
    }

    /// Everything goes to level 0, nothing is compacted or slowed.
    pub fn prepare_for_bulk_load(&mut self) {
        let cf = &mut self.cf;
        cf.level0_file_num_compaction_trigger = 1 << 30;
        cf.level0_slowdown_writes_trigger = 1 << 30;
        cf.level0_stop_writes_trigger = 1 << 30;
        cf.soft_pending_compaction_bytes_limit = 0;
        cf.hard_pending_compaction_bytes_limit = 0;
        cf.disable_auto_compactions = true;
        cf.max_compaction_bytes = 1 << 60;
        // A manual compaction from level 0 to level 1 is all that is left to do.
        cf.num_levels = 2;
        cf.max_write_buffer_number = 6;
        cf.min_write_buffer_number_to_merge = 1;
        cf.target_file_size_base = 256 << 20;
        self.db.max_background_flushes = 4;
        self.db.max_background_compactions = 2;
    }

    /// For gets alone: hashes in data blocks and memtables, and a block cache of so many MiB.
    pub fn optimize_for_point_lookup(&mut self, block_cache_mib: u64) {
        let mut table = (*self.cf.table).clone();
        table.data_block_index_type = super::DataBlockIndexType::BinaryAndHash;
        table.data_block_hash_table_util_ratio = 0.75;
        let bytes = usize::try_from(block_cache_mib << 20).unwrap_or(usize::MAX);
        table.block_cache = Some(Cache::lru(bytes, -1, false));
        table.filter_policy = Some(Arc::new(FilterPolicy::bloom(10.0)));
        self.cf.table = Arc::new(table);
        self.cf.memtable_prefix_bloom_size_ratio = 0.02;
        self.cf.memtable_whole_key_filtering = true;
    }

    /// Level style with memtables of `budget` bytes in all.
    pub fn optimize_level_style_compaction(&mut self, budget: u64) {
        let cf = &mut self.cf;
        cf.write_buffer_size = usize::try_from(budget / 4).unwrap_or(usize::MAX);
        cf.min_write_buffer_number_to_merge = 2;
        cf.max_write_buffer_number = 6;
        cf.level0_file_num_compaction_trigger = 2;
        cf.target_file_size_base = budget / 8;
        cf.max_bytes_for_level_base = budget;
        cf.compaction_style = CompactionStyle::Level;
        cf.compression_per_level = (0..cf.num_levels)
            .map(|level| if level < 2 { Compression::None } else { Compression::Lz4 })
            .collect();
    }

    /// Universal style with memtables of `budget` bytes in all.
    pub fn optimize_universal_style_compaction(&mut self, budget: u64) {
        let cf = &mut self.cf;
        cf.write_buffer_size = usize::try_from(budget / 4).unwrap_or(usize::MAX);
        cf.min_write_buffer_number_to_merge = 2;
        cf.max_write_buffer_number = 6;
        cf.compaction_style = CompactionStyle::Universal;
        cf.universal.compression_size_percent = 80;
    }

    /// No compression above `level`, `compression` from it on; a negative level changes nothing.
    pub fn set_min_level_to_compress(&mut self, level: i32) {
        if level < 0 {
            return;
        }
        let compression = self.cf.compression;
        self.cf.compression_per_level = (0..self.cf.num_levels)
            .map(|l| if l < level { Compression::None } else { compression })
            .collect();
    }
}
