//! Floor 6: one sorted file. A table is written once, front to back, by [`TableBuilder`], and read
//! by any number of threads through [`Table`]; [`TableCache`] keeps tables open by file number.
//!
//! ```text
//! builder.rs   sorted entries in, one file out
//! reader.rs    open, footer, metadata, pinning
//! get.rs       point lookup: filter, index, block
//! index.rs     binary, partitioned, hash and learned index behind one seek
//! iter.rs      two-level iteration
//! prefetch.rs  readahead that grows
//! cache.rs     open tables by file number
//! ```
#![forbid(unsafe_code)]

pub mod builder;
pub mod cache;
pub mod get;
pub mod reader;

pub use builder::{BuildOptions, TableBuilder, TableSummary};
pub use cache::{TableCache, TableId, TableSettings};
pub use get::ValueRef;
pub use reader::{IterPurpose, OpenOptions, Table};
