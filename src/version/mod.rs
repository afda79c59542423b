//! Floor 7: which files make up the store, now and after each edit.

pub mod builder;
pub mod file;
pub mod recover;
pub mod set;
#[allow(clippy::module_inception)]
mod version;

pub use file::{FileCounts, FileMeta};
pub use version::{FilesFor, Version};
