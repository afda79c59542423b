//! Floor 5: settings, each declared once.
#![forbid(unsafe_code)]

#[macro_use]
mod schema;
mod cf;
mod compaction;
mod db;
mod enums;
mod read;
mod table;
mod write;

pub use cf::CfOptions;
pub use compaction::{CompactRangeOptions, FlushOptions, IngestOptions};
pub use db::DbOptions;
pub use enums::{
    BottommostCompaction, ChecksumType, CompactionPri, CompactionStyle, Compression,
    CompressionOptions, DataBlockIndexType, FifoOptions, IndexType, LearnedIndex, MemtableKind,
    ReadTier, UniversalOptions, WalRecoveryMode,
};
pub use read::ReadOptions;
pub use schema::{OptionText, OptionValue};
pub use table::TableOptions;
pub use write::WriteOptions;
