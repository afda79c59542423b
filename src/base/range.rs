//! Ranges of user keys.
#![forbid(unsafe_code)]

use super::comparator::Comparator;
use std::cmp::Ordering;

/// From `begin` (inclusive) to `end`, either open. Whether `end` is part of it is the caller's say.
#[derive(Clone, Copy, Debug, Default)]
pub struct KeyRange<'a> {
    /// The first key, or the beginning of all.
    pub begin: Option<&'a [u8]>,
    /// The end, or the end of all.
    pub end: Option<&'a [u8]>,
}

impl KeyRange<'_> {
    /// Does this share a key with the closed range `first..=last`, taking `end` as inclusive?
    #[must_use]
    pub fn overlaps(&self, order: &dyn Comparator, first: &[u8], last: &[u8]) -> bool {
        self.begin.is_none_or(|b| order.compare(b, last) != Ordering::Greater)
            && self.end.is_none_or(|e| order.compare(first, e) != Ordering::Greater)
    }
}
