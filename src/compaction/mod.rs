//! Floor 8: choosing what to merge, and merging it.
//!
//! `score` says how badly each level needs it, `picker` turns that into a `Pick`, `job` carries the
//! pick out: `stream` decides which entries survive, `output` puts them into files. Nothing here
//! takes a lock or installs a result: the store does.
#![forbid(unsafe_code)]

pub mod folders;
pub mod job;
pub mod output;
pub mod pick;
pub mod picker;
pub mod score;
pub mod stream;

pub use job::{JobContext, JobResult};
pub use pick::{InProgress, Pick, Reason, Running};
pub use stream::{CompactionStream, StreamOptions};
