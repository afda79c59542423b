//! Floor 4: user code that the store calls.
#![forbid(unsafe_code)]

pub mod compaction_filter;
pub mod merge;

pub use compaction_filter::{
    CompactionFilter, CompactionFilterContext, CompactionFilterFactory, Decision,
};
pub use merge::MergeOperator;
