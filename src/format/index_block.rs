//! Index blocks: separators to handles.
//!
//! The key of an entry is >= all keys of its block and < all keys of the next. What a key and a value
//! look like is up to three flags ([`IndexFormat`]):
//!
//!     key    := user key | internal key
//!     value  := length varint32 | handle [ first key ]                    without delta_handles
//!     value  := handle [ first key ]                                      with, shared = 0
//!     value  := zigzag varint64 of (size - previous size) [ first key ]   with, shared > 0
//!     first key := length varint32 | internal key                         with first_keys
//!
//! A handle in the last form starts where the block before ends, so the builder shares no key bytes
//! where blocks do not follow each other. The blocks of a two-level index, and those of a partitioned
//! filter, have the same form.
#![forbid(unsafe_code)]

use super::block::{Block, BlockBuilder, BlockCursor, HoldsBlock, UserOrder};
use super::handle::BlockHandle;
use crate::base::coding::{put_slice, put_varint64, zigzag};
use crate::base::key::user_key;
use crate::base::{InternalComparator, Result};
use std::ops::Range;

/// What the entries of an index look like.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IndexFormat {
    /// Separators are bare user keys.
    pub user_keys: bool,
    /// Handles may be given by the one before.
    pub delta_handles: bool,
    /// The first key of each block is there.
    pub first_keys: bool,
}

/// Collects index entries, and lays them out when all is known.
#[derive(Debug, Default)]
pub struct IndexBuilder {
    keys: Vec<u8>,
    first_keys: Vec<u8>,
    entries: Vec<Collected>,
}

#[derive(Clone, Copy, Debug)]
struct Collected {
    key_end: usize,
    first_key_end: usize,
    handle: BlockHandle,
}

impl IndexBuilder {
    /// Empty.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a block. `separator` is an internal key; `first_key`, which only indexes with first keys
    /// need, the block's first internal key.
    pub fn add(&mut self, separator: &[u8], first_key: &[u8], handle: BlockHandle) {
        self.keys.extend_from_slice(separator);
        self.first_keys.extend_from_slice(first_key);
        self.entries.push(Collected {
            key_end: self.keys.len(),
            first_key_end: self.first_keys.len(),
            handle,
        });
    }

    /// Blocks so far.
    #[must_use]
    pub fn entries(&self) -> usize {
        self.entries.len()
    }

    /// Is there none yet?
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// About what the block would take now.
    #[must_use]
    pub fn size_estimate(&self) -> usize {
        self.keys.len() + self.first_keys.len() + 12 * self.entries.len() + 8
    }

    /// Memory held.
    #[must_use]
    pub fn memory(&self) -> usize {
        self.keys.capacity()
            + self.first_keys.capacity()
            + self.entries.capacity() * size_of::<Collected>()
    }

    /// The last separator; the key of this block in a top level.
    #[must_use]
    pub fn last_separator(&self) -> Option<&[u8]> {
        let start = self.entries.len().checked_sub(2).map_or(0, |i| self.entries[i].key_end);
        let last = self.entries.last()?;
        Some(&self.keys[start..last.key_end])
    }

    /// The block. The builder keeps its entries until `clear`.
    #[must_use]
    pub fn finish(&self, restart_interval: usize, format: IndexFormat) -> Vec<u8> {
        let mut block = BlockBuilder::new(restart_interval, true);
        let (mut key_start, mut first_start) = (0, 0);
        let mut before: Option<BlockHandle> = None;
        let (mut full, mut delta) = (Vec::new(), Vec::new());
        for e in &self.entries {
            let separator = &self.keys[key_start..e.key_end];
            let first_key = &self.first_keys[first_start..e.first_key_end];
            (key_start, first_start) = (e.key_end, e.first_key_end);
            let key = if format.user_keys { user_key(separator) } else { separator };
            full.clear();
            e.handle.encode(&mut full);
            if format.first_keys {
                put_slice(&mut full, first_key);
            }
            if !format.delta_handles {
                block.add(key, &full);
                continue;
            }
            let previous = before.replace(e.handle);
            let adjacent = previous.filter(|p| p.end() == Some(e.handle.offset));
            delta.clear();
            if let Some(previous) = adjacent {
                put_varint64(&mut delta, zigzag(e.handle.size.wrapping_sub(previous.size) as i64));
                if format.first_keys {
                    put_slice(&mut delta, first_key);
                }
            }
            block.add_bare(key, &full, adjacent.map(|_| &delta[..]));
        }
        block.finish().to_vec()
    }

    /// Forgets all entries, keeping the memory.
    pub fn clear(&mut self) {
        self.keys.clear();
        self.first_keys.clear();
        self.entries.clear();
    }
}

/// Prepares an index block in plain byte order for fast searches.
pub fn prepare(block: &mut Block, format: IndexFormat) {
    block.prepare_index(format);
}

/// A position in an index block. Invalid until the first move.
#[derive(Debug)]
pub struct IndexCursor<B> {
    cursor: BlockCursor<B>,
    format: IndexFormat,
}

impl<B: HoldsBlock> IndexCursor<B> {
    /// Over the index block in `holder`.
    #[must_use]
    pub fn new(holder: B, format: IndexFormat) -> Self {
        Self { cursor: BlockCursor::over_index(holder, format), format }
    }

    /// Stands on another block from now on, before its first entry.
    pub fn reset(&mut self, holder: B) -> B {
        self.cursor.reset(holder)
    }

    /// What it stands on.
    #[must_use]
    pub fn holder(&self) -> &B {
        self.cursor.holder()
    }

    /// Does it stand on an entry?
    #[inline]
    #[must_use]
    pub fn valid(&self) -> bool {
        self.cursor.valid()
    }

    /// Ok, or what is wrong with the block.
    pub fn status(&self) -> Result<()> {
        self.cursor.status()
    }

    /// To the first block that may hold keys >= `target`, an internal key.
    pub fn seek(&mut self, order: &InternalComparator, target: &[u8]) {
        if self.format.user_keys {
            self.cursor.seek(&UserOrder(order), user_key(target));
        } else {
            self.cursor.seek(order, target);
        }
    }

    /// To the first block.
    pub fn seek_to_first(&mut self) {
        self.cursor.seek_to_first();
    }

    /// To the last block.
    pub fn seek_to_last(&mut self) {
        self.cursor.seek_to_last();
    }

    /// One block forward.
    pub fn next(&mut self) {
        self.cursor.next();
    }

    /// One block back.
    pub fn prev(&mut self) {
        self.cursor.prev();
    }

    /// The separator as it is stored: an internal or a user key.
    #[must_use]
    pub fn key(&self) -> &[u8] {
        self.cursor.key()
    }

    /// The separator's user key.
    #[must_use]
    pub fn user_key(&self) -> &[u8] {
        if self.format.user_keys { self.key() } else { user_key(self.key()) }
    }

    /// The block's handle.
    #[must_use]
    pub fn handle(&self) -> BlockHandle {
        self.cursor.handle()
    }

    /// The block's first internal key; empty in an index without first keys.
    #[must_use]
    pub fn first_key(&self) -> &[u8] {
        self.cursor.value()
    }

    /// Where in the index block the first key is.
    #[must_use]
    pub fn first_key_range(&self) -> Range<usize> {
        self.cursor.value_range()
    }
}

#[cfg(test)]
mod tests;
