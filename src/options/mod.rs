//! Floor 5: settings, each declared once.
#![forbid(unsafe_code)]

#[macro_use]
mod schema;
mod backup;
mod cf;
mod compaction;
mod db;
mod enums;
mod presets;
mod read;
mod table;
pub mod text;
mod txn;
mod write;
mod write_buffer_manager;

pub use backup::{BackupOptions, RestoreOptions};
pub use cf::CfOptions;
pub use compaction::{CompactRangeOptions, FlushOptions, IngestOptions, WaitForCompactOptions};
pub use db::DbOptions;
pub use enums::{
    AccessHint, BottommostCompaction, ChecksumType, CompactOnDeletion, CompactionPri,
    CompactionStyle, Compression, CompressionOptions, DataBlockIndexType, FifoOptions,
    IndexShortening, IndexType, LearnedIndex, MemtableKind, PrepopulateBlob, ReadTier, StopStyle,
    UniversalOptions, WalRecoveryMode,
};
pub use read::ReadOptions;
pub use schema::{OptionText, OptionValue};
pub use table::TableOptions;
pub use text::Options;
pub use txn::{OptimisticTransactionOptions, TransactionDbOptions, TransactionOptions};
pub use write::WriteOptions;
pub use write_buffer_manager::{MemtableMemory, WriteBufferManager};
