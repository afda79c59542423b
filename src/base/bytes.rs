//! A byte slice that keeps its owner alive: how a pinned value leaves the store without a copy.
#![forbid(unsafe_code)]

use std::fmt;
use std::ops::{Deref, Range};
use std::sync::Arc;

/// Whoever holds bytes that others may point into: a block, a mapped file.
pub trait Owner: Send + Sync {
    /// All of its bytes. Must be the same bytes each time.
    fn bytes(&self) -> &[u8];
}

impl Owner for Vec<u8> {
    fn bytes(&self) -> &[u8] {
        self
    }
}

/// A shared, immutable run of bytes.
#[derive(Clone)]
pub struct Bytes(Repr);

#[derive(Clone)]
enum Repr {
    Owned(Vec<u8>),
    Shared { owner: Arc<dyn Owner>, range: Range<usize> },
}

impl Bytes {
    /// A copy of `bytes`.
    #[must_use]
    pub fn copy_from(bytes: &[u8]) -> Self {
        Self(Repr::Owned(bytes.to_vec()))
    }

    /// `range` of what `owner` holds. Panics if the range is outside.
    #[must_use]
    pub fn shared(owner: Arc<dyn Owner>, range: Range<usize>) -> Self {
        assert!(range.start <= range.end && range.end <= owner.bytes().len());
        Self(Repr::Shared { owner, range })
    }

    /// As an owned vector, without a copy where this is the only owner.
    #[must_use]
    pub fn into_vec(self) -> Vec<u8> {
        match self.0 {
            Repr::Owned(v) => v,
            Repr::Shared { .. } => self.to_vec(),
        }
    }
}

impl From<Vec<u8>> for Bytes {
    fn from(v: Vec<u8>) -> Self {
        Self(Repr::Owned(v))
    }
}

impl Deref for Bytes {
    type Target = [u8];
    fn deref(&self) -> &[u8] {
        match &self.0 {
            Repr::Owned(v) => v,
            Repr::Shared { owner, range } => &owner.bytes()[range.clone()],
        }
    }
}

impl fmt::Debug for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Bytes({} B)", self.len())
    }
}
