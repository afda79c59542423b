//! The classic index: separators to handles, in one block or in partitions under a top level.
//!
//! RocksDB's index types all come down to these two: the hash index is an ordinary index with
//! accelerators that are not needed, the first-key index is one with more in its values.
#![forbid(unsafe_code)]

use super::blocks::{BlockRef, Class, Core, How, Lent, Resident};
use super::file::Tail;
use crate::base::{Error, Result};
use crate::format::block::Block;
use crate::format::handle::BlockHandle;
use crate::format::index_block::{self, IndexCursor, IndexFormat};
use crate::format::properties::{TableProperties, index_type};

/// What an index looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct IndexShape {
    /// Its entries.
    pub(super) format: IndexFormat,
    /// Partitions under a top level.
    pub(super) two_level: bool,
}

impl IndexShape {
    pub(super) fn of(properties: &TableProperties) -> Self {
        Self {
            format: IndexFormat {
                user_keys: properties.index_key_is_user_key != 0,
                delta_handles: properties.index_value_is_delta_encoded != 0,
                first_keys: properties.index_type == index_type::FIRST_KEY,
            },
            two_level: properties.index_type == index_type::TWO_LEVEL,
        }
    }
}

/// The index block, loaded when wanted.
pub(super) struct ClassicIndex {
    top: Resident<Block>,
    pub(super) shape: IndexShape,
}

impl ClassicIndex {
    pub(super) fn new(handle: BlockHandle, shape: IndexShape, cached: bool) -> Self {
        Self { top: Resident::new(handle, Class::Index, cached), shape }
    }

    pub(super) fn is_cached(&self) -> bool {
        self.top.is_cached()
    }

    /// The index block, or the top level.
    pub(super) fn top(&self, core: &Core, how: How, tail: Option<&Tail>) -> Result<BlockRef> {
        self.top.get(core, how, tail, |content| parse_index(core, self.shape.format, content))
    }

    /// A cursor over all data blocks.
    pub(super) fn cursor(&self, core: &Core, how: How) -> Result<ClassicCursor<'static>> {
        let top = self.top(core, how, None)?;
        Ok(self.cursor_over(Lent::Held(top), how))
    }

    /// The same for the length of a borrow.
    pub(super) fn lend_cursor(&self, core: &Core, how: How) -> Result<ClassicCursor<'_>> {
        let make = |content| parse_index(core, self.shape.format, content);
        Ok(self.cursor_over(self.top.lend(core, how, make)?, how))
    }

    fn cursor_over<'t>(&self, top: Lent<'t, Block>, how: How) -> ClassicCursor<'t> {
        ClassicCursor {
            shape: self.shape,
            offset: self.top.handle.offset,
            top: IndexCursor::new(top, self.shape.format),
            part: None,
            how,
        }
    }

    /// Where the block starts that `ikey` is in; an error as well when it is behind all.
    pub(super) fn offset_of(&self, core: &Core, how: How, ikey: &[u8]) -> Result<u64> {
        let mut cursor = self.lend_cursor(core, how)?;
        cursor.seek(core, ikey)?;
        if cursor.valid() { Ok(cursor.handle().offset) } else { Err(Error::not_found("")) }
    }

    /// Hands out every data block in order, straight from the file.
    pub(super) fn for_each_data_block(
        &self,
        core: &Core,
        f: &mut dyn FnMut(BlockHandle) -> Result<()>,
    ) -> Result<()> {
        let mut cursor = self.cursor(core, How::PLAIN)?;
        cursor.seek_to_first(core)?;
        while cursor.valid() {
            f(cursor.handle())?;
            cursor.next(core)?;
        }
        Ok(())
    }

    /// Bytes held outside the block cache.
    pub(super) fn memory(&self) -> usize {
        self.top.pinned().map_or(0, |block| block.memory())
    }
}

/// An index block ready for searches, and what it weighs in a cache.
pub(super) fn parse_index(
    core: &Core,
    format: IndexFormat,
    content: Vec<u8>,
) -> Result<(Block, usize)> {
    let mut block = Block::parse(content)?;
    if core.order.is_bytewise() {
        index_block::prepare(&mut block, format);
    }
    let charge = block.memory();
    Ok((block, charge))
}

/// A position among the data blocks. An error leaves it invalid.
pub(super) struct ClassicCursor<'t> {
    shape: IndexShape,
    /// Of the top block, for error texts.
    offset: u64,
    top: IndexCursor<Lent<'t, Block>>,
    /// The partition under way, where there are partitions.
    part: Option<IndexCursor<Lent<'t, Block>>>,
    how: How,
}

impl<'t> ClassicCursor<'t> {
    fn leaf(&self) -> Option<&IndexCursor<Lent<'t, Block>>> {
        if self.shape.two_level { self.part.as_ref() } else { Some(&self.top) }
    }

    pub(super) fn valid(&self) -> bool {
        self.leaf().is_some_and(IndexCursor::valid)
    }

    /// The block of this position.
    pub(super) fn handle(&self) -> BlockHandle {
        self.leaf().map_or(BlockHandle { offset: 0, size: 0 }, IndexCursor::handle)
    }

    /// Can the block behind this one begin with `user_key`, given that this one ended with keys
    /// not above it?
    pub(super) fn may_go_on(&self, core: &Core, user_key: &[u8]) -> bool {
        // Bare user keys say that no user key is in two blocks.
        !self.shape.format.user_keys
            && self
                .leaf()
                .is_some_and(|leaf| core.order.compare_user(leaf.user_key(), user_key).is_eq())
    }

    fn check(&self, core: &Core) -> Result<()> {
        self.top.status().map_err(|e| core.file.locate(e, self.offset))?;
        match &self.part {
            Some(part) => part.status().map_err(|e| core.file.locate(e, self.offset)),
            None => Ok(()),
        }
    }

    /// Opens the partition that the top level stands on.
    fn open_part(&mut self, core: &Core) -> Result<()> {
        self.part = None;
        if self.shape.two_level && self.top.valid() {
            let format = self.shape.format;
            let block = core.load(self.top.handle(), Class::Index, self.how, None, |content| {
                parse_index(core, format, content)
            })?;
            self.part = Some(IndexCursor::new(Lent::Held(block), format));
        }
        Ok(())
    }

    pub(super) fn seek(&mut self, core: &Core, target: &[u8]) -> Result<()> {
        self.top.seek(&core.order, target);
        self.open_part(core)?;
        if let Some(part) = &mut self.part {
            part.seek(&core.order, target);
        }
        self.check(core)?;
        self.skip_empty_forward(core)
    }

    pub(super) fn seek_to_first(&mut self, core: &Core) -> Result<()> {
        self.top.seek_to_first();
        self.open_part(core)?;
        if let Some(part) = &mut self.part {
            part.seek_to_first();
        }
        self.check(core)?;
        self.skip_empty_forward(core)
    }

    pub(super) fn seek_to_last(&mut self, core: &Core) -> Result<()> {
        self.top.seek_to_last();
        self.open_part(core)?;
        if let Some(part) = &mut self.part {
            part.seek_to_last();
        }
        self.check(core)?;
        self.skip_empty_backward(core)
    }

    pub(super) fn next(&mut self, core: &Core) -> Result<()> {
        match &mut self.part {
            Some(part) => part.next(),
            None => self.top.next(),
        }
        self.check(core)?;
        self.skip_empty_forward(core)
    }

    pub(super) fn prev(&mut self, core: &Core) -> Result<()> {
        match &mut self.part {
            Some(part) => part.prev(),
            None => self.top.prev(),
        }
        self.check(core)?;
        self.skip_empty_backward(core)
    }

    fn skip_empty_forward(&mut self, core: &Core) -> Result<()> {
        while self.part.as_ref().is_some_and(|part| !part.valid()) {
            self.top.next();
            self.open_part(core)?;
            if let Some(part) = &mut self.part {
                part.seek_to_first();
            }
            self.check(core)?;
        }
        Ok(())
    }

    fn skip_empty_backward(&mut self, core: &Core) -> Result<()> {
        while self.part.as_ref().is_some_and(|part| !part.valid()) {
            self.top.prev();
            self.open_part(core)?;
            if let Some(part) = &mut self.part {
                part.seek_to_last();
            }
            self.check(core)?;
        }
        Ok(())
    }
}
