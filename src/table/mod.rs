//! Floor 6: one sorted file. A table is written once, front to back, by [`TableBuilder`], and read
//! by any number of threads through [`Table`]; [`TableCache`] keeps tables open by file number.
//!
//! ```text
//! builder.rs     sorted entries in, one file out
//! output.rs      what the builder writes through
//! sst_writer.rs  a file made outside the store
//! unique_id.rs   who a file is
//! file.rs        blocks out of a file: read, checked, decompressed
//! blocks.rs      blocks by way of the cache
//! reader.rs      open, metadata, what stays in memory
//! filter.rs      the filter of one table
//! index.rs       the classic index: one block or partitions
//! get.rs         point lookup: filter, learned or classic index, block
//! iter.rs        two-level iteration
//! prefetch.rs    readahead that grows
//! cache.rs       open tables by file number
//! ```
#![forbid(unsafe_code)]

mod blocks;
pub mod builder;
pub mod cache;
mod file;
mod filter;
pub mod get;
mod index;
mod iter;
mod output;
mod prefetch;
pub mod reader;
pub mod sst_writer;
pub mod unique_id;

pub use builder::{BuildOptions, TableBuilder, TableSummary};
pub use cache::{TableCache, TableId, TableSettings};
pub use get::ValueRef;
pub use reader::{IterPurpose, OpenOptions, Table};
pub use sst_writer::SstWriter;
pub use unique_id::unique_id;

#[cfg(test)]
mod tests;
