//! Floor 1: counters.
#![forbid(unsafe_code)]

pub mod histogram;
pub mod report;
pub mod ticker;

pub use histogram::{HistogramData, HistogramKind};
pub use ticker::{Statistics, Ticker};
