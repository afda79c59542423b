//! Being built.

pub mod model_block;
