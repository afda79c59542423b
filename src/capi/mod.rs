//! Floor 11: RocksDB's C API. Opaque pointers in, the engine's own types behind them; no logic.
//!
//! The API level is 8: the 851 declarations of RocksDB 8.10's `c.h`. `build.rs` writes the header
//! `include/rocksdb/c.h` from these files, with cbindgen. Three kinds of functions:
//!
//! - those that move one value are lines of `fields.tbl`;
//! - those that are not served yet are lines of `missing.tbl`;
//! - all others are written out, in a file for each subject.
//!
//! Conventions: every entry point goes through the macros of `ffi`, which know C's memory rules. A
//! null pointer where the header wants an object is an error, or does nothing where there is no way
//! to report one. An error or a panic becomes the text at `errptr`; a panic in a function without
//! one ends the process.
#![allow(non_camel_case_types, reason = "the names are C's")]
#![allow(missing_docs, unreachable_pub, reason = "the C header is the interface")]
#![allow(
    clippy::needless_pass_by_value,
    clippy::must_use_candidate,
    reason = "C's signatures are what they are"
)]

pub mod batch;
pub mod cache;
pub mod callbacks;
pub mod checkpoint;
pub mod column_family;
pub mod compaction;
pub mod constants;
pub mod env;
mod ffi;
pub mod iterator;
pub mod open;
pub mod options;
pub mod properties;
pub mod read;
pub mod snapshot;
pub mod stats;
pub mod types;
pub mod wal_iter;
pub mod write;

/// The entry points that `build.rs` writes from `fields.tbl`.
pub mod fields {
    use super::ffi::Scalar;
    use super::types::*;
    use std::ffi::{c_char, c_int, c_uchar, c_uint};
    include!(concat!(env!("OUT_DIR"), "/capi_fields.rs"));
}

/// The entry points that `build.rs` writes from `missing.tbl`.
#[allow(unused_variables, reason = "they do nothing with what they get")]
pub mod missing {
    use super::ffi::{missing, missing_for_each, store};
    use super::types::*;
    use std::ffi::{c_char, c_int, c_uchar, c_void};
    include!(concat!(env!("OUT_DIR"), "/capi_missing.rs"));
}
