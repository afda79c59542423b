//! Two-level iteration: a position among the blocks, and a cursor in one of them.
//!
//! Position comes from the learned index where there is one, else from the classic one. As in a
//! lookup, the learned index hints and the keys decide: a seek moves left while a block's first entry
//! is behind the target and right while a block's last one is before it.
#![forbid(unsafe_code)]

use super::blocks::{BlockRef, Held, How};
use super::index::ClassicCursor;
use super::prefetch::Readahead;
use super::reader::{IterPurpose, Table};
use crate::base::key::{self, MAX_SEQUENCE, SEEK_KIND, TAG_BYTES};
use crate::base::{Error, ParsedKey, Result, Sequence};
use crate::format::block::BlockCursor;
use crate::format::handle::{BlockHandle, TRAILER_BYTES};
use crate::iter::{BoxIter, InternalIterator};
use crate::learned::{Mode, PgmFence};
use crate::options::ReadOptions;
use crate::stats::Ticker;
use std::sync::Arc;

/// Bytes that a compaction reads at once unless told otherwise.
const COMPACTION_READAHEAD_BYTES: usize = 1 << 20;

/// Where among the blocks.
#[allow(clippy::large_enum_variant, reason = "one a cursor, never moved")]
enum Place {
    /// Not decided: the index is loaded by the first move.
    Unknown,
    Learned {
        model: Held<PgmFence>,
        at: u32,
    },
    Classic(Box<ClassicCursor<'static>>),
}

/// A cursor over the points of one table.
pub(super) struct TableIter {
    table: Arc<Table>,
    how: How,
    ahead: Readahead,
    place: Place,
    block: Option<BlockCursor<BlockRef>>,
    /// Offset of `block`, for error texts.
    offset: u64,
    error: Option<Error>,
}

impl TableIter {
    pub(super) fn boxed(
        table: &Arc<Table>,
        options: &ReadOptions,
        purpose: IterPurpose,
    ) -> BoxIter {
        let mut how = How::of(options);
        let t = &table.core.options;
        let ahead = match (purpose, options.readahead_size) {
            (IterPurpose::Compaction, size) => {
                how.use_cache = false;
                Readahead::fixed(if size == 0 { COMPACTION_READAHEAD_BYTES } else { size })
            }
            (IterPurpose::User, 0) => Readahead::growing(
                t.initial_auto_readahead_size,
                t.max_auto_readahead_size,
                t.num_file_reads_for_auto_readahead,
            ),
            (IterPurpose::User, size) => Readahead::fixed(size),
        };
        let iter = Self {
            table: Arc::clone(table),
            how,
            ahead,
            place: Place::Unknown,
            block: None,
            offset: 0,
            error: None,
        };
        match table.global_sequence {
            None => Box::new(iter),
            Some(sequence) => {
                Box::new(Renumbered { iter, sequence, key: Vec::new(), target: Vec::new() })
            }
        }
    }

    /// Takes the index that serves now.
    fn find_place(&mut self) -> Result<()> {
        let lost = matches!(self.place, Place::Learned { .. }) && !self.table.is_learned();
        if !lost && !matches!(self.place, Place::Unknown) {
            return Ok(());
        }
        self.place = match self.table.learned(self.how) {
            Some(model) => Place::Learned { model, at: 0 },
            None => {
                Place::Classic(Box::new(self.table.classic.cursor(&self.table.core, self.how)?))
            }
        };
        Ok(())
    }

    /// Opens the block at `handle`, standing nowhere in it.
    fn open(&mut self, handle: BlockHandle) -> Result<&mut BlockCursor<BlockRef>> {
        let block = self.table.core.data_ahead(handle, self.how, &mut self.ahead)?;
        self.offset = handle.offset;
        match &mut self.block {
            // Keeps the memory of the cursor.
            Some(cursor) => drop(cursor.reset(block)),
            None => self.block = Some(BlockCursor::new(block)),
        }
        Ok(self.block.as_mut().expect("just put there"))
    }

    /// The handle of the block at the current place, if there is one.
    fn handle(&self) -> Option<BlockHandle> {
        match &self.place {
            Place::Unknown => None,
            Place::Learned { model, at } => (*at < model.blocks()).then(|| {
                let (offset, size) = model.handle(*at);
                BlockHandle { offset, size }
            }),
            Place::Classic(cursor) => cursor.valid().then(|| cursor.handle()),
        }
    }

    fn place_first(&mut self) -> Result<()> {
        self.find_place()?;
        match &mut self.place {
            Place::Learned { at, .. } => *at = 0,
            Place::Classic(cursor) => cursor.seek_to_first(&self.table.core)?,
            Place::Unknown => {}
        }
        Ok(())
    }

    fn place_last(&mut self) -> Result<()> {
        self.find_place()?;
        match &mut self.place {
            // With no block at all this is behind the end, too.
            Place::Learned { model, at } => *at = model.blocks().wrapping_sub(1),
            Place::Classic(cursor) => cursor.seek_to_last(&self.table.core)?,
            Place::Unknown => {}
        }
        Ok(())
    }

    fn place_next(&mut self) -> Result<()> {
        match &mut self.place {
            Place::Learned { at, .. } => *at = at.saturating_add(1),
            Place::Classic(cursor) => cursor.next(&self.table.core)?,
            Place::Unknown => {}
        }
        Ok(())
    }

    fn place_prev(&mut self) -> Result<()> {
        match &mut self.place {
            // Before the first is nowhere.
            Place::Learned { at, .. } => *at = at.checked_sub(1).unwrap_or(u32::MAX),
            Place::Classic(cursor) => cursor.prev(&self.table.core)?,
            Place::Unknown => {}
        }
        Ok(())
    }

    /// Does the cursor in the block stand on an entry? An error in the block is an error here.
    fn settled(&self) -> Result<bool> {
        let Some(block) = &self.block else { return Ok(false) };
        if !block.valid() {
            block.status().map_err(|e| self.table.core.file.locate(e, self.offset))?;
            return Ok(false);
        }
        if block.key().len() < TAG_BYTES {
            return Err(self.table.core.bad_entry(self.offset));
        }
        Ok(true)
    }

    /// From the end of a block to the first entry behind it.
    fn skip_forward(&mut self) -> Result<()> {
        while !self.settled()? {
            self.place_next()?;
            let Some(handle) = self.handle() else {
                self.block = None;
                return Ok(());
            };
            self.open(handle)?.seek_to_first();
        }
        Ok(())
    }

    /// From the start of a block to the last entry before it.
    fn skip_backward(&mut self) -> Result<()> {
        while !self.settled()? {
            self.place_prev()?;
            let Some(handle) = self.handle() else {
                self.block = None;
                return Ok(());
            };
            self.open(handle)?.seek_to_last();
        }
        Ok(())
    }

    fn try_first(&mut self) -> Result<()> {
        self.place_first()?;
        let Some(handle) = self.handle() else { return Ok(()) };
        self.open(handle)?.seek_to_first();
        self.skip_forward()
    }

    fn try_last(&mut self) -> Result<()> {
        self.place_last()?;
        let Some(handle) = self.handle() else { return Ok(()) };
        self.open(handle)?.seek_to_last();
        self.skip_backward()
    }

    fn try_seek(&mut self, target: &[u8]) -> Result<()> {
        self.find_place()?;
        if matches!(self.place, Place::Learned { .. }) {
            return self.seek_learned(target);
        }
        let table = Arc::clone(&self.table);
        if let Place::Classic(cursor) = &mut self.place {
            cursor.seek(&table.core, target)?;
        }
        let Some(handle) = self.handle() else {
            self.block = None;
            return Ok(());
        };
        // The next seek often lands in the same block.
        self.reopen(handle)?.seek(&table.core.order, target);
        self.skip_forward()
    }

    /// Opens the block at `handle` unless it is open.
    fn reopen(&mut self, handle: BlockHandle) -> Result<&mut BlockCursor<BlockRef>> {
        if self.block.is_none() || self.offset != handle.offset {
            return self.open(handle);
        }
        Ok(self.block.as_mut().expect("just seen"))
    }

    /// Reads all candidates at once, unless the first one to be looked at is in memory. `place` is
    /// where that one starts, and the first of all; `last` the handle of the last of all.
    fn fetch_window(&mut self, place: (u64, u64), last: (u64, u64)) -> Result<()> {
        let core = &self.table.core;
        let (predicted, start) = place;
        let end = last.0.saturating_add(last.1).saturating_add(TRAILER_BYTES as u64);
        if self.how.no_io
            || end <= start
            || end > core.file.size
            || (self.block.is_some() && self.offset == predicted)
            || (self.how.use_cache && core.holds(predicted))
        {
            return Ok(());
        }
        let len = (end - start) as usize;
        let (_, reads) = self
            .ahead
            .read(&*core.file.file, core.file.size, start, len)
            .map_err(|e| core.file.locate(e, start))?;
        core.tick(Ticker::DataReads, reads);
        Ok(())
    }

    fn seek_learned(&mut self, target: &[u8]) -> Result<()> {
        let table = Arc::clone(&self.table);
        let user_key = key::user_key(target);
        let Place::Learned { model, at } = &mut self.place else { return Ok(()) };
        let blocks = model.blocks();
        let candidates = model.candidates(user_key);
        let window = model.mode() == Mode::Window;
        let start = if window { candidates.predicted } else { candidates.last };
        *at = start.min(blocks.saturating_sub(1));
        table.core.tick(Ticker::LearnedSeeks, 1);
        if window && blocks > 0 && candidates.first < candidates.last {
            let place = (model.handle(*at).0, model.handle(candidates.first).0);
            let last = model.handle(candidates.last.min(blocks - 1));
            self.fetch_window(place, last)?;
        }
        let mut passed = None;
        let mut opened = 0;
        while let Some(handle) = self.handle() {
            let Place::Learned { at, .. } = &self.place else { break };
            let here = *at;
            opened += 1;
            if opened > 1 {
                table.core.tick(Ticker::LearnedExtraBlocks, 1);
            }
            let cursor = self.reopen(handle)?;
            cursor.seek(&table.core.order, target);
            let first = cursor.is_first();
            let valid = self.settled()?;
            let Place::Learned { model, at } = &mut self.place else { break };
            if !valid {
                passed = Some(here);
                *at = here + 1;
                continue;
            }
            if first && here > 0 && passed != Some(here - 1) {
                let found = self.block.as_ref().map_or(&[][..], |block| key::user_key(block.key()));
                let same = table.core.order.compare_user(found, user_key).is_eq();
                if !same || model.span(here - 1) {
                    *at = here - 1;
                    continue;
                }
            }
            return Ok(());
        }
        self.block = None;
        Ok(())
    }

    /// Runs a move; a failure leaves the cursor invalid, with the error.
    fn run(&mut self, go: impl Fn(&mut Self) -> Result<()>) {
        if let Err(error) = go(self) {
            self.block = None;
            self.error = Some(error);
        }
    }

    /// Runs a move that starts from the index; one that failed because the learned index is damaged
    /// is done over with the classic one.
    fn restart(&mut self, go: impl Fn(&mut Self) -> Result<()>) {
        self.error = None;
        self.run(&go);
        if let (Some(error), Place::Learned { .. }) = (&self.error, &self.place)
            && error.is_corruption()
        {
            let first = error.clone();
            match self.table.classic.cursor(&self.table.core, self.how) {
                Ok(cursor) => self.place = Place::Classic(Box::new(cursor)),
                Err(_) => return,
            }
            self.error = None;
            self.run(&go);
            match &self.error {
                None => self.table.reject_learned(),
                // The data is damaged, whatever the index.
                Some(_) => self.error = Some(first),
            }
        }
    }
}

impl InternalIterator for TableIter {
    #[inline]
    fn valid(&self) -> bool {
        self.block.as_ref().is_some_and(BlockCursor::valid)
    }
    fn seek_to_first(&mut self) {
        self.block = None;
        self.restart(Self::try_first);
    }
    fn seek_to_last(&mut self) {
        self.block = None;
        self.restart(Self::try_last);
    }
    fn seek(&mut self, target: &[u8]) {
        self.restart(|iter| iter.try_seek(target));
    }
    fn seek_for_prev(&mut self, target: &[u8]) {
        self.seek(target);
        if self.error.is_some() {
            return;
        }
        if !self.valid() {
            self.seek_to_last();
        } else if self.table.core.order.compare(self.key(), target).is_gt() {
            self.prev();
        }
    }
    #[inline]
    fn next(&mut self) {
        let Some(block) = &mut self.block else { return };
        if !block.valid() {
            return;
        }
        block.next();
        if !block.valid() || block.key().len() < TAG_BYTES {
            self.run(Self::skip_forward);
        }
    }
    #[inline]
    fn prev(&mut self) {
        let Some(block) = &mut self.block else { return };
        if !block.valid() {
            return;
        }
        block.prev();
        if !block.valid() || block.key().len() < TAG_BYTES {
            self.run(Self::skip_backward);
        }
    }
    #[inline]
    fn key(&self) -> &[u8] {
        match &self.block {
            Some(block) if block.valid() => block.key(),
            _ => &[],
        }
    }
    #[inline]
    fn value(&self) -> &[u8] {
        match &self.block {
            Some(block) if block.valid() => block.value(),
            _ => &[],
        }
    }
    fn status(&self) -> Result<()> {
        self.error.clone().map_or(Ok(()), Err)
    }
}

/// The cursor over an ingested table: every stored sequence is 0 and means `sequence`.
struct Renumbered {
    iter: TableIter,
    sequence: Sequence,
    key: Vec<u8>,
    target: Vec<u8>,
}

impl Renumbered {
    fn update(&mut self) {
        self.key.clear();
        let Some(entry) = ParsedKey::parse(self.iter.key()) else {
            if self.iter.valid() {
                self.iter.error = Some(self.iter.table.core.bad_entry(self.iter.offset));
                self.iter.block = None;
            }
            return;
        };
        key::append_internal(
            &mut self.key,
            entry.user_key,
            key::pack(self.sequence, entry.kind as u8),
        );
    }
}

impl InternalIterator for Renumbered {
    fn valid(&self) -> bool {
        self.iter.valid()
    }
    fn seek_to_first(&mut self) {
        self.iter.seek_to_first();
        self.update();
    }
    fn seek_to_last(&mut self) {
        self.iter.seek_to_last();
        self.update();
    }
    fn seek(&mut self, target: &[u8]) {
        self.target.clear();
        let before_all = key::pack(MAX_SEQUENCE, SEEK_KIND);
        key::append_internal(&mut self.target, key::user_key(target), before_all);
        self.iter.seek(&self.target);
        self.update();
        while self.valid() && self.iter.table.core.order.compare(&self.key, target).is_lt() {
            self.next();
        }
    }
    fn seek_for_prev(&mut self, target: &[u8]) {
        self.seek(target);
        if self.iter.error.is_some() {
            return;
        }
        if !self.valid() {
            self.seek_to_last();
        } else if self.iter.table.core.order.compare(&self.key, target).is_gt() {
            self.prev();
        }
    }
    fn next(&mut self) {
        self.iter.next();
        self.update();
    }
    fn prev(&mut self) {
        self.iter.prev();
        self.update();
    }
    fn key(&self) -> &[u8] {
        &self.key
    }
    fn value(&self) -> &[u8] {
        self.iter.value()
    }
    fn status(&self) -> Result<()> {
        self.iter.status()
    }
}
