//! Floor 3: bytes on disk, each format in one file, and no policy.
#![forbid(unsafe_code)]

pub mod batch;
pub mod block;
pub mod compression;
pub mod handle;
pub mod index_block;
pub mod log;
pub mod manifest;
pub mod model_block;
pub mod name;
pub mod options_file;
pub mod properties;
