//! Floor 2: sorted streams of internal keys.
#![forbid(unsafe_code)]

pub mod concat;
#[cfg(test)]
pub(crate) mod fixed;
pub mod merging;
pub mod tombstones;

pub use concat::{ConcatIter, Run};
pub use merging::{MergingIter, merge};
pub use tombstones::{Fragments, RangeDeletions, Tombstone};

use crate::base::Result;

/// A cursor over entries sorted by internal key.
///
/// Contract: a new cursor is invalid until the first seek. When `valid` is false, `status` tells an
/// end (Ok) from an error; a seek clears an old error. `key` and `value` are empty on an invalid
/// cursor and stand until the next move. `next` and `prev` on an invalid cursor do nothing.
pub trait InternalIterator: Send {
    /// Does it stand on an entry?
    fn valid(&self) -> bool;
    /// To the first entry.
    fn seek_to_first(&mut self);
    /// To the last entry.
    fn seek_to_last(&mut self);
    /// To the first entry with an internal key >= `target`.
    fn seek(&mut self, target: &[u8]);
    /// To the last entry with an internal key <= `target`.
    fn seek_for_prev(&mut self, target: &[u8]);
    /// One forward.
    fn next(&mut self);
    /// One back.
    fn prev(&mut self);
    /// The internal key.
    fn key(&self) -> &[u8];
    /// The value.
    fn value(&self) -> &[u8];
    /// Ok, or what went wrong.
    fn status(&self) -> Result<()>;
}

/// Owned cursor.
pub type BoxIter = Box<dyn InternalIterator>;

/// No entries, and perhaps an error.
#[derive(Debug, Default)]
pub struct Empty(Option<crate::base::Error>);

impl Empty {
    /// Empty because of `error`.
    #[must_use]
    pub fn failed(error: crate::base::Error) -> Self {
        Self(Some(error))
    }
}

impl InternalIterator for Empty {
    fn valid(&self) -> bool {
        false
    }
    fn seek_to_first(&mut self) {}
    fn seek_to_last(&mut self) {}
    fn seek(&mut self, _target: &[u8]) {}
    fn seek_for_prev(&mut self, _target: &[u8]) {}
    fn next(&mut self) {}
    fn prev(&mut self) {}
    fn key(&self) -> &[u8] {
        &[]
    }
    fn value(&self) -> &[u8] {
        &[]
    }
    fn status(&self) -> Result<()> {
        self.0.clone().map_or(Ok(()), Err)
    }
}
