//! The opaque types of the C API. The header shows their names and nothing else.

use super::callbacks::{CComparator, CFilter, KeptPolicy};
use crate::base::{Bytes, Error};
use crate::cache::Cache;
use crate::db::{Db, Family, FamilyMetadata, Iter, LevelMetadata, LiveFile, Snapshot, WalIter};
use crate::env::rate_limiter::RateLimiter;
use crate::env::{Env, Logger};
use crate::format::batch::WriteBatch;
use crate::hooks::CompactionFilterContext;
use crate::options::{
    BackupOptions, CompactRangeOptions, FifoOptions, FlushOptions, IngestOptions,
    OptimisticTransactionOptions, Options, ReadOptions, RestoreOptions, TableOptions,
    TransactionDbOptions, TransactionOptions, UniversalOptions, WriteBufferManager, WriteOptions,
};
use std::ffi::CString;
use std::path::PathBuf;
use std::sync::Arc;

/// An open store, with the default family at hand since most calls want it.
pub struct rocksdb_t {
    pub(super) db: Db,
    pub(super) default: Family,
}

/// A column family.
pub struct rocksdb_column_family_handle_t(pub(super) Family);

/// A cursor.
pub struct rocksdb_iterator_t(pub(super) Iter);

/// A held moment.
pub struct rocksdb_snapshot_t(pub(super) Snapshot);

/// A value that stays where it is.
pub struct rocksdb_pinnableslice_t(pub(super) Bytes);

/// Writes to be made as one, and why a record was not taken.
pub struct rocksdb_writebatch_t {
    pub(super) batch: WriteBatch,
    pub(super) refused: Option<Error>,
}

/// Options of a store and of a family.
#[derive(Clone, Default)]
pub struct rocksdb_options_t(pub(super) Options, pub(super) Option<KeptPolicy>);

/// Options of tables.
#[derive(Clone, Default)]
pub struct rocksdb_block_based_table_options_t(
    pub(super) TableOptions,
    pub(super) Option<KeptPolicy>,
);

/// Options of cuckoo tables. Kept; tables are written in the one format that we have.
pub struct rocksdb_cuckoo_table_options_t {
    pub(super) hash_ratio: f64,
    pub(super) max_search_depth: u32,
    pub(super) cuckoo_block_size: u32,
    pub(super) identity_as_first_hash: bool,
    pub(super) use_module_hash: bool,
}

impl Default for rocksdb_cuckoo_table_options_t {
    fn default() -> Self {
        Self {
            hash_ratio: 0.9,
            max_search_depth: 100,
            cuckoo_block_size: 5,
            identity_as_first_hash: false,
            use_module_hash: true,
        }
    }
}

/// Options of a read.
#[derive(Default)]
pub struct rocksdb_readoptions_t(pub(super) ReadOptions);

/// Options of a write.
#[derive(Default)]
pub struct rocksdb_writeoptions_t(pub(super) WriteOptions);

/// Options of a flush.
#[derive(Default)]
pub struct rocksdb_flushoptions_t(pub(super) FlushOptions);

/// Options of a manual compaction.
#[derive(Default)]
pub struct rocksdb_compactoptions_t(pub(super) CompactRangeOptions);

/// Options of waiting.
#[derive(Default)]
pub struct rocksdb_wait_for_compact_options_t(pub(super) crate::db::WaitForCompactOptions);

/// Options of ingestion.
#[derive(Default)]
pub struct rocksdb_ingestexternalfileoptions_t(pub(super) IngestOptions);

/// Options of the universal style.
#[derive(Default)]
pub struct rocksdb_universal_compaction_options_t(pub(super) UniversalOptions);

/// Options of the FIFO style.
#[derive(Default)]
pub struct rocksdb_fifo_compaction_options_t(pub(super) FifoOptions);

/// Options of files. RocksDB has no setter for them in C.
#[derive(Default)]
pub struct rocksdb_envoptions_t {
    _none: (),
}

/// Options of backups.
#[derive(Default)]
pub struct rocksdb_backup_engine_options_t(pub(super) BackupOptions);

/// Options of restoring.
#[derive(Default)]
pub struct rocksdb_restore_options_t(pub(super) RestoreOptions);

/// Options of a store with transactions.
#[derive(Default)]
pub struct rocksdb_transactiondb_options_t(pub(super) TransactionDbOptions);

/// Options of a transaction.
#[derive(Default)]
pub struct rocksdb_transaction_options_t(pub(super) TransactionOptions);

/// Options of an optimistic transaction.
#[derive(Default)]
pub struct rocksdb_optimistictransaction_options_t(pub(super) OptimisticTransactionOptions);

/// Options of an LRU cache.
pub struct rocksdb_lru_cache_options_t {
    pub(super) capacity: usize,
    pub(super) num_shard_bits: i32,
}

impl Default for rocksdb_lru_cache_options_t {
    fn default() -> Self {
        Self { capacity: 0, num_shard_bits: -1 }
    }
}

/// Options of a clock cache.
pub struct rocksdb_hyper_clock_cache_options_t {
    pub(super) capacity: usize,
    pub(super) estimated_entry_charge: usize,
    pub(super) num_shard_bits: i32,
}

/// A folder and how full it may get.
#[derive(Clone)]
pub struct rocksdb_dbpath_t {
    pub(super) path: PathBuf,
    pub(super) target_size: u64,
}

/// A block cache.
pub struct rocksdb_cache_t(pub(super) Arc<Cache>);

/// A bound on bytes a second.
pub struct rocksdb_ratelimiter_t(pub(super) Arc<RateLimiter>);

/// A bound on memtables.
pub struct rocksdb_write_buffer_manager_t(pub(super) Arc<WriteBufferManager>);

/// An environment.
pub struct rocksdb_env_t(pub(super) Arc<Env>);

/// Where log lines go.
pub struct rocksdb_logger_t(pub(super) Arc<dyn Logger>);

/// An order of keys.
pub struct rocksdb_comparator_t(pub(super) Arc<CComparator>);

/// A compaction filter.
pub struct rocksdb_compactionfilter_t(pub(super) Arc<CFilter>);

/// Why a filter is made.
pub struct rocksdb_compactionfiltercontext_t(pub(super) CompactionFilterContext);

/// A filter policy; C's pointer is really that of an `Arc` of `callbacks::Owned`.
pub struct rocksdb_filterpolicy_t {
    _opaque: [u8; 0],
}

/// A merge operator; C's pointer is really that of an `Arc` of `callbacks::Owned`.
pub struct rocksdb_mergeoperator_t {
    _opaque: [u8; 0],
}

/// A filter factory; C's pointer is really that of an `Arc` of `callbacks::Owned`.
pub struct rocksdb_compactionfilterfactory_t {
    _opaque: [u8; 0],
}

/// A prefix extractor; C's pointer is really that of an `Arc` of `callbacks::Owned`.
pub struct rocksdb_slicetransform_t {
    _opaque: [u8; 0],
}

/// Live files, with the strings that C gets to see.
pub struct rocksdb_livefiles_t(pub(super) Vec<(LiveFile, CString, CString)>);

/// The levels of a family.
pub struct rocksdb_column_family_metadata_t(pub(super) Arc<FamilyMetadata>);

/// One level.
pub struct rocksdb_level_metadata_t(pub(super) LevelMetadata);

/// One file.
pub struct rocksdb_sst_file_metadata_t(pub(super) LiveFile);

/// Makes checkpoints of a store.
pub struct rocksdb_checkpoint_t(pub(super) Db);

/// Numbers of a histogram.
#[derive(Default)]
pub struct rocksdb_statistics_histogram_data_t(pub(super) crate::stats::HistogramData);

/// Counters of the calling thread.
pub struct rocksdb_perfcontext_t {
    pub(super) _none: (),
}

/// Whose memory is summed up.
#[derive(Default)]
pub struct rocksdb_memory_consumers_t {
    pub(super) stores: Vec<Db>,
    pub(super) caches: Vec<Arc<Cache>>,
}

/// What they use.
#[derive(Default)]
pub struct rocksdb_memory_usage_t {
    pub(super) mem_table_total: u64,
    pub(super) mem_table_unflushed: u64,
    pub(super) mem_table_readers_total: u64,
    pub(super) cache_total: u64,
}

/// Not served.
pub struct rocksdb_backup_engine_t {
    _opaque: [u8; 0],
}
/// Not served.
pub struct rocksdb_backup_engine_info_t {
    _opaque: [u8; 0],
}
/// Not served.
pub struct rocksdb_memory_allocator_t {
    _opaque: [u8; 0],
}
/// Not served.
pub struct rocksdb_writebatch_wi_t {
    _opaque: [u8; 0],
}
/// Not served.
pub struct rocksdb_sstfilewriter_t {
    _opaque: [u8; 0],
}
/// Not served.
pub struct rocksdb_transactiondb_t {
    _opaque: [u8; 0],
}
/// Not served.
pub struct rocksdb_optimistictransactiondb_t {
    _opaque: [u8; 0],
}
/// Not served.
pub struct rocksdb_transaction_t {
    _opaque: [u8; 0],
}
/// A cursor over the batches of the logs.
pub struct rocksdb_wal_iterator_t(pub(super) WalIter);
/// Named by RocksDB; nothing makes one.
pub struct rocksdb_wal_readoptions_t {
    _opaque: [u8; 0],
}
/// Named by RocksDB, used by no function.
pub struct rocksdb_filelock_t {
    _opaque: [u8; 0],
}
/// Named by RocksDB, used by no function.
pub struct rocksdb_randomfile_t {
    _opaque: [u8; 0],
}
/// Named by RocksDB, used by no function.
pub struct rocksdb_seqfile_t {
    _opaque: [u8; 0],
}
/// Named by RocksDB, used by no function.
pub struct rocksdb_writablefile_t {
    _opaque: [u8; 0],
}
