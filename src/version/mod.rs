//! Floor 7: which files make up the store, now and after each edit.
#![forbid(unsafe_code)]

pub mod builder;
pub mod file;
pub mod recover;
pub mod set;
pub mod super_version;
#[allow(clippy::module_inception)]
mod version;

pub use file::{FileCounts, FileMeta};
pub use super_version::SuperVersion;
pub use version::{FilesFor, Version};
