//! Settings of a whole store.
#![forbid(unsafe_code)]

use super::enums::{AccessHint, Compression, WalRecoveryMode};
use super::write_buffer_manager::WriteBufferManager;
use crate::cache::Cache;
use crate::env::rate_limiter::RateLimiter;
use crate::env::{Env, LogLevel, Logger};
use crate::stats::Statistics;
use std::path::PathBuf;
use std::sync::Arc;

options! {
    /// How a store is opened and run. Names and defaults are RocksDB 8.10's.
    pub struct DbOptions {
        text {
            /// Make the store when the path holds none.
            create_if_missing: bool = false, fixed;
            /// Make listed families that are not there.
            create_missing_column_families: bool = false, fixed;
            /// Refuse an existing store.
            error_if_exists: bool = false, fixed;
            /// Stop writing at the first sign of damage.
            paranoid_checks: bool = true, fixed;
            /// Open tables; -1 keeps all open.
            max_open_files: i32 = -1, mutable;
            /// Threads that open tables at start.
            max_file_opening_threads: i32 = 16, fixed;
            /// Bytes of live logs that force a flush; 0 means 4 times all write buffers.
            max_total_wal_size: u64 = 0, mutable;
            /// fsync instead of fdatasync.
            use_fsync: bool = false, fixed;
            /// Seconds until an archived log is deleted.
            WAL_ttl_seconds: u64 = 0, fixed;
            /// Megabytes of archived logs kept.
            WAL_size_limit_MB: u64 = 0, fixed;
            /// Flushes and compactions at once.
            max_background_jobs: i32 = 2, mutable;
            /// Compactions at once; -1 derives it.
            max_background_compactions: i32 = -1, mutable;
            /// Flushes at once; -1 derives it.
            max_background_flushes: i32 = -1, mutable;
            /// Threads of one compaction.
            max_subcompactions: u32 = 1, mutable;
            /// Folder of the info log; empty means the store's.
            db_log_dir: String = String::new(), fixed;
            /// Folder of the logs; empty means the store's.
            wal_dir: String = String::new(), fixed;
            /// Microseconds between searches for obsolete files.
            delete_obsolete_files_period_micros: u64 = 21_600_000_000, mutable;
            /// Bytes after which LOG is rolled; 0 never.
            max_log_file_size: usize = 0, fixed;
            /// Seconds after which LOG is rolled; 0 never.
            log_file_time_to_roll: usize = 0, fixed;
            /// LOG files kept.
            keep_log_file_num: usize = 1000, fixed;
            /// Log files recycled. Accepted, not used: a fresh log is never mistaken.
            recycle_log_file_num: usize = 0, fixed;
            /// Bytes after which a new manifest is begun.
            max_manifest_file_size: u64 = 1 << 30, fixed;
            /// Shards of the table cache as a power of two.
            table_cache_numshardbits: i32 = 6, fixed;
            /// Map tables for reading.
            allow_mmap_reads: bool = false, fixed;
            /// Accepted, not used.
            allow_mmap_writes: bool = false, fixed;
            /// Read tables past the page cache.
            use_direct_reads: bool = false, fixed;
            /// Write tables past the page cache.
            use_direct_io_for_flush_and_compaction: bool = false, fixed;
            /// Reserve space ahead.
            allow_fallocate: bool = true, fixed;
            /// Descriptors are not inherited. Always so.
            is_fd_close_on_exec: bool = true, fixed;
            /// Seconds between statistics in LOG.
            stats_dump_period_sec: u32 = 600, mutable;
            /// Seconds between kept statistics.
            stats_persist_period_sec: u32 = 600, mutable;
            /// Tell the OS that table reads are random.
            advise_random_on_open: bool = true, fixed;
            /// Bytes of all memtables together; 0 means no bound.
            db_write_buffer_size: usize = 0, fixed;
            /// Bytes read at once by compactions.
            compaction_readahead_size: usize = 2 << 20, mutable;
            /// Buffer of a table under way.
            writable_file_max_buffer_size: usize = 1 << 20, mutable;
            /// How compactions read. Accepted, not used: reads of compactions are always sequential.
            access_hint_on_compaction_start: AccessHint = AccessHint::Normal, fixed;
            /// Buffer of a table read directly. Accepted, not used: reads have the size of a block.
            random_access_max_buffer_size: usize = 1 << 20, fixed;
            /// Spin instead of sleeping on locks. Accepted, not used.
            use_adaptive_mutex: bool = false, fixed;
            /// Bytes of a table between write-outs; 0 means none.
            bytes_per_sync: u64 = 0, mutable;
            /// The same for logs.
            wal_bytes_per_sync: u64 = 0, mutable;
            /// Never more than that unwritten.
            strict_bytes_per_sync: bool = false, mutable;
            /// Pipelined writes. Accepted: writers share work in any case.
            enable_pipelined_write: bool = false, fixed;
            /// Unordered writes. Accepted: order is always kept.
            unordered_write: bool = false, fixed;
            /// Writers insert at the same time.
            allow_concurrent_memtable_write: bool = true, fixed;
            /// Accepted, not used.
            enable_write_thread_adaptive_yield: bool = true, fixed;
            /// Accepted, not used.
            write_thread_max_yield_usec: u64 = 100, fixed;
            /// Accepted, not used.
            write_thread_slow_yield_usec: u64 = 3, fixed;
            /// Largest write group, bytes.
            max_write_batch_group_size_bytes: u64 = 1 << 20, fixed;
            /// Do not read table properties at open.
            skip_stats_update_on_db_open: bool = false, fixed;
            /// Do not compare table sizes with the manifest at open.
            skip_checking_sst_file_sizes_on_db_open: bool = false, fixed;
            /// What to do with damaged logs.
            wal_recovery_mode: WalRecoveryMode = WalRecoveryMode::PointInTime, fixed;
            /// Allow prepared transactions in logs.
            allow_2pc: bool = false, fixed;
            /// A failing OPTIONS file fails the open.
            fail_if_options_file_error: bool = true, fixed;
            /// Keep replayed data in memory.
            avoid_flush_during_recovery: bool = false, fixed;
            /// Do not flush unlogged data at close.
            avoid_flush_during_shutdown: bool = false, mutable;
            /// Leave room below all data.
            allow_ingest_behind: bool = false, fixed;
            /// Logs reach the OS at flush_wal only.
            manual_wal_flush: bool = false, fixed;
            /// Log compression.
            wal_compression: Compression = Compression::None, fixed;
            /// Flush all families as one.
            atomic_flush: bool = false, fixed;
            /// Accepted, not used.
            two_write_queues: bool = false, fixed;
            /// Bytes a second while writers are slowed; 0 derives it.
            delayed_write_rate: u64 = 0, mutable;
            /// Errors of background work that are retried.
            max_bgerror_resume_count: i32 = i32::MAX, fixed;
            /// Microseconds between them.
            bgerror_resume_retry_interval: u64 = 1_000_000, fixed;
            /// Delete obsolete files off the caller's thread.
            avoid_unnecessary_blocking_io: bool = false, fixed;
            /// Write the store's id to the manifest.
            write_dbid_to_manifest: bool = false, fixed;
            /// Record logs in the manifest.
            track_and_verify_wals_in_manifest: bool = false, fixed;
            /// Compare tables' ids with the manifest.
            verify_sst_unique_id_in_manifest: bool = true, fixed;
            /// Salvage what can be at open.
            best_efforts_recovery: bool = false, fixed;
            /// The host's name in table properties.
            db_host_id: String = "__hostname__".to_owned(), fixed;
            /// Read logs in pieces of this size; 0 picks.
            log_readahead_size: usize = 0, fixed;
            /// Bytes reserved for the manifest.
            manifest_preallocation_size: usize = 4 << 20, fixed;
            /// Accepted, not used.
            enable_thread_tracking: bool = false, fixed;
            /// Accepted, not used.
            dump_malloc_stats: bool = false, fixed;
            /// Keep statistics in a family.
            persist_stats_to_disk: bool = false, fixed;
            /// Bytes of statistics history.
            stats_history_buffer_size: usize = 1 << 20, mutable;
            /// Count what a flush writes against what was inserted.
            flush_verify_memtable_count: bool = true, fixed;
            /// Count what a compaction reads against properties.
            compaction_verify_record_count: bool = true, fixed;
            /// Values may appear in error texts.
            allow_data_in_errors: bool = false, fixed;
            /// Complain when a single deletion meets more than one value. Accepted, not used: it
            /// removes the newest of them.
            enforce_single_del_contracts: bool = true, fixed;
            /// Hours of the day with less work. Accepted, not used.
            daily_offpeak_time_utc: String = String::new(), mutable;
        }
        plain {
            /// Files, clock, threads.
            env: Option<Arc<Env>> = None;
            /// Where log lines go; `None` makes DIR/LOG.
            info_log: Option<Arc<dyn Logger>> = None;
            /// Least level of the info log.
            info_log_level: LogLevel = LogLevel::Info;
            /// Counters, shared with the caller.
            statistics: Option<Arc<Statistics>> = None;
            /// Bytes a second for background work, shared with other stores.
            rate_limiter: Option<Arc<RateLimiter>> = None;
            /// Memtable memory shared with other stores.
            write_buffer_manager: Option<Arc<WriteBufferManager>> = None;
            /// Cache of single entries. Accepted, not used: the block cache serves.
            row_cache: Option<Arc<Cache>> = None;
            /// Folders of tables with their target sizes; empty means the store's.
            db_paths: Vec<(PathBuf, u64)> = Vec::new();
        }
    }
}
