//! Point lookup: filter, index, block.
//!
//! The learned index hints; the blocks' own keys decide. A search lands in some block; if its first
//! entry is not before the target the answer may lie further left, if its last one is, further right,
//! and the search moves until it is certain. Right hints make no move, so that a lookup costs one
//! block; wrong ones cost blocks, never answers. What is trusted of the learned index: where blocks are,
//! and which of them share a user key.
#![forbid(unsafe_code)]

use super::blocks::{BlockRef, Class, How};
use super::reader::Table;
use crate::base::key::{self, MAX_SEQUENCE, SEEK_KIND};
use crate::base::{Bytes, Error, ParsedKey, Result};
use crate::filter::Probe;
use crate::format::block::{Block, BlockCursor};
use crate::format::handle::{BlockHandle, TRAILER_BYTES};
use crate::learned::{Candidates, Mode, PgmFence};
use crate::options::ReadOptions;
use crate::stats::Ticker;
use std::ops::{ControlFlow, Range};

/// A value in a block. It can be copied, or pinned together with its block.
pub struct ValueRef<'a> {
    block: &'a BlockRef,
    range: Range<usize>,
}

impl<'a> ValueRef<'a> {
    /// The bytes, valid until the sink returns.
    #[inline]
    #[must_use]
    pub fn bytes(&self) -> &'a [u8] {
        &self.block.bytes()[self.range.clone()]
    }

    /// The bytes for keeps, without a copy: the block stays as long as they do.
    #[must_use]
    pub fn to_bytes(&self) -> Bytes {
        Bytes::shared(self.block.owner(), self.range.clone())
    }
}

/// Receives the versions of one key, newest first, until it breaks.
pub type Sink<'a> = dyn FnMut(ParsedKey<'_>, ValueRef<'_>) -> ControlFlow<()> + 'a;

/// How the entries of a block ended.
#[derive(PartialEq, Eq)]
enum Ended {
    /// The sink has enough, or another key follows: the lookup is over.
    Done,
    /// The block is at its end; the next one may go on.
    Block,
}

/// One lookup.
struct Lookup<'t, 's, 'f> {
    table: &'t Table,
    how: How,
    user_key: &'t [u8],
    /// Entries from here on are wanted.
    tag: u64,
    /// Where to search: the target, in terms of what is stored.
    target: &'t [u8],
    sink: &'s mut Sink<'f>,
    delivered: bool,
}

impl Table {
    /// Hands the entries of `target`'s user key at or behind `target` (see `key::seek_target`) to
    /// `sink`, newest first, until it breaks. Range tombstones are the caller's.
    pub fn get(&self, options: &ReadOptions, target: &[u8], sink: &mut Sink<'_>) -> Result<()> {
        if self.filter.exists() {
            self.get_probed(options, target, &Probe::new(key::user_key(target)), sink)
        } else {
            self.find(How::of(options), target, sink)
        }
    }

    /// [`Table::get`] of a key that is hashed already, for lookups that go through many tables.
    /// `probe` must be of `target`'s user key.
    pub fn get_probed(
        &self,
        options: &ReadOptions,
        target: &[u8],
        probe: &Probe<'_>,
        sink: &mut Sink<'_>,
    ) -> Result<()> {
        let how = How::of(options);
        if !self.filter.may_match_key(&self.core, how, probe)? {
            self.core.tick(Ticker::BloomFilterUseful, 1);
            return Ok(());
        }
        self.find(how, target, sink)
    }

    /// A lookup that the filter has let through.
    fn find(&self, how: How, target: &[u8], sink: &mut Sink<'_>) -> Result<()> {
        let user_key = key::user_key(target);
        let stored_target;
        let mut lookup = Lookup {
            table: self,
            how,
            user_key,
            tag: key::tag(target),
            target,
            sink,
            delivered: false,
        };
        if self.global_sequence.is_some() {
            // Stored sequences are all 0: search before all of them, compare what they mean.
            let mut all = Vec::with_capacity(target.len());
            key::append_internal(&mut all, user_key, key::pack(MAX_SEQUENCE, SEEK_KIND));
            stored_target = all;
            lookup.target = &stored_target;
        }
        lookup.run()?;
        if self.core.statistics.is_some() && self.filter.exists() {
            self.core.tick(Ticker::BloomFilterFullPositive, 1);
            self.core.tick(Ticker::BloomFilterFullTruePositive, u64::from(lookup.delivered));
        }
        Ok(())
    }
}

impl Lookup<'_, '_, '_> {
    fn run(&mut self) -> Result<()> {
        if let Some(learned) = self.table.lend_learned(self.how) {
            match self.by_learned(&learned) {
                // A damaged index may have pointed anywhere. The classic one tells whether it was that.
                Err(error) if error.is_corruption() && !self.delivered => {
                    self.by_classic()?;
                    self.table.reject_learned();
                    return Ok(());
                }
                other => return other,
            }
        }
        self.by_classic()
    }

    /// Hands out entries of the key from `cursor` on.
    #[inline]
    fn deliver(
        &mut self,
        block: &BlockRef,
        cursor: &mut BlockCursor<&Block>,
        offset: u64,
    ) -> Result<Ended> {
        let core = &self.table.core;
        while cursor.valid() {
            let Some(mut entry) = ParsedKey::parse(cursor.key()) else {
                return Err(core.bad_entry(offset));
            };
            if core.order.compare_user(entry.user_key, self.user_key).is_ne() {
                return Ok(Ended::Done);
            }
            if let Some(global) = self.table.global_sequence {
                entry.sequence = global;
            }
            if key::pack(entry.sequence, entry.kind as u8) <= self.tag {
                self.delivered = true;
                let value = ValueRef { block, range: cursor.value_range() };
                if (self.sink)(entry, value).is_break() {
                    return Ok(Ended::Done);
                }
            }
            cursor.next();
        }
        cursor.status().map_err(|e| core.file.locate(e, offset))?;
        Ok(Ended::Block)
    }

    #[inline]
    fn seek_in(&self, cursor: &mut BlockCursor<&Block>) {
        let order = &self.table.core.order;
        if order.is_bytewise() {
            cursor.seek_hashed(order, self.target);
        } else {
            cursor.seek(order, self.target);
        }
    }

    fn by_classic(&mut self) -> Result<()> {
        let core = &self.table.core;
        let mut index = self.table.classic.lend_cursor(core, self.how)?;
        index.seek(core, self.target)?;
        let mut first = true;
        while index.valid() {
            let handle = index.handle();
            let block = core.data(handle, self.how)?;
            let mut cursor = BlockCursor::new(&*block);
            if first {
                self.seek_in(&mut cursor);
            } else {
                cursor.seek_to_first();
            }
            first = false;
            if self.deliver(&block, &mut cursor, handle.offset)? == Ended::Done
                || !index.may_go_on(core, self.user_key)
            {
                return Ok(());
            }
            index.next(core)?;
        }
        Ok(())
    }

    fn by_learned(&mut self, learned: &PgmFence) -> Result<()> {
        let core = &self.table.core;
        let blocks = learned.blocks();
        let candidates = learned.candidates(self.user_key);
        core.tick(Ticker::LearnedSeeks, 1);
        let mut near = Near { candidates, window: learned.mode() == Mode::Window, span: None };
        let start = if near.window { candidates.predicted } else { candidates.last };
        let mut at = start.min(blocks.saturating_sub(1));
        // Every entry of this block is before the target.
        let mut passed = None;
        let mut opened = 0u64;
        while at < blocks {
            let (offset, size) = learned.handle(at);
            let handle = BlockHandle { offset, size };
            let block = near.load(self.table, learned, at, handle, self.how)?;
            opened += 1;
            if opened > 1 {
                core.tick(Ticker::LearnedExtraBlocks, 1);
            }
            let mut cursor = BlockCursor::new(&*block);
            self.seek_in(&mut cursor);
            if !cursor.valid() {
                cursor.status().map_err(|e| core.file.locate(e, offset))?;
                passed = Some(at);
                at += 1;
                continue;
            }
            if cursor.is_first() && at > 0 && passed != Some(at - 1) {
                let same =
                    core.order.compare_user(key::user_key(cursor.key()), self.user_key).is_eq();
                if !same || learned.span(at - 1) {
                    at -= 1;
                    continue;
                }
            }
            if self.deliver(&block, &mut cursor, offset)? == Ended::Done {
                return Ok(());
            }
            // The key's versions go on while blocks say so.
            while learned.span(at) && at + 1 < blocks {
                at += 1;
                let (offset, size) = learned.handle(at);
                let block = core.data(BlockHandle { offset, size }, self.how)?;
                let mut cursor = BlockCursor::new(&*block);
                cursor.seek_to_first();
                if self.deliver(&block, &mut cursor, offset)? == Ended::Done {
                    break;
                }
            }
            return Ok(());
        }
        Ok(())
    }
}

/// Loads the blocks that a lookup comes by: from the cache, and in window mode all candidates by the
/// one read that the first miss costs.
struct Near {
    candidates: Candidates,
    window: bool,
    /// Where it starts, and the candidates as they are stored.
    span: Option<(u64, Vec<u8>)>,
}

impl Near {
    fn load(
        &mut self,
        table: &Table,
        learned: &PgmFence,
        at: u32,
        handle: BlockHandle,
        how: How,
    ) -> Result<BlockRef> {
        let core = &table.core;
        let Candidates { first, last, .. } = self.candidates;
        if !self.window || first == last || at < first || at > last {
            return core.data(handle, how);
        }
        if let Some(block) = core.cached(handle.offset, Class::Data) {
            return Ok(block);
        }
        if how.no_io {
            return Err(Error::incomplete("no blocking io"));
        }
        let len = core.file.stored_len(handle)?;
        if self.span.is_none() {
            let (start, _) = learned.handle(first);
            let (offset, size) = learned.handle(last.min(learned.blocks().saturating_sub(1)));
            let end = offset.saturating_add(size).saturating_add(TRAILER_BYTES as u64);
            if start > handle.offset || end < handle.offset + len as u64 || end > core.file.size {
                return Err(core.file.corrupt("learned index with crossed blocks", handle.offset));
            }
            self.span = Some((start, core.file.read(start, (end - start) as usize)?));
            core.tick(Ticker::DataReads, 1);
        }
        let Some((start, span)) = &self.span else { return core.data(handle, how) };
        let from = handle.offset.checked_sub(*start).and_then(|n| usize::try_from(n).ok());
        let Some(stored) = from.and_then(|from| span.get(from..from.checked_add(len)?)) else {
            return core.data(handle, how);
        };
        let dictionary = core.file.dictionary.as_deref();
        let content = core.file.content(handle, stored.to_vec(), how.verify, dictionary)?;
        let (block, charge) =
            core.parse_data(content, how).map_err(|e| core.file.locate(e, handle.offset))?;
        core.keep(handle.offset, Class::Data, how.fill_cache, block, charge)
    }
}
