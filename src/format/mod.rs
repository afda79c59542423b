//! Floor 3: bytes on disk, each format in one file, and no policy.

pub mod batch;
pub mod log;
pub mod manifest;
pub mod model_block;
pub mod name;
pub mod options_file;
