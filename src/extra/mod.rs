//! Floor 10: what needs only an open store.
#![forbid(unsafe_code)]

pub mod checkpoint;
pub mod latest_options;
