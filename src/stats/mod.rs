//! Floor 1: counters.
#![forbid(unsafe_code)]

pub mod ticker;

pub use ticker::{Statistics, Ticker};
