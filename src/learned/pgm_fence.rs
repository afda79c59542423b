//! PGM(Fence): which blocks of a table must hold a key.
#![forbid(unsafe_code)]

use crate::base::{Bytes, Error, Result};

/// How much the index says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Mode {
    /// Two more bytes a block; names the one block nearly always.
    #[default]
    Exact,
    /// As published: names three neighbouring blocks.
    Window,
}

/// What [`PgmFenceBuilder::finish`] needs to know.
#[derive(Clone, Debug, Default)]
pub struct BuildOptions {
    /// Exact or window.
    pub mode: Mode,
    /// Bytes of the classic index of the same table; 0 when unknown (then it is estimated).
    pub standard_index_bytes: u64,
}

/// The blocks that a key can be in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Candidates {
    /// The first of them.
    pub first: u32,
    /// The last of them, inclusive; at most `first + 2`.
    pub last: u32,
    /// Where to look first.
    pub predicted: u32,
}

/// How large the parts of an index are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// All bytes of the block.
    pub bytes: u64,
    /// Line segments.
    pub segments: u32,
    /// Nodes of the tree, leaves included.
    pub nodes: u32,
    /// Nodes that hold real keys instead of a model.
    pub leaves: u32,
    /// Nodes on the longest way from the root.
    pub depth: u32,
}

/// Gathers block boundaries while a table is written.
#[derive(Debug, Default)]
pub struct PgmFenceBuilder {}

impl PgmFenceBuilder {
    /// With no block yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The next data block: its first and last **user** keys, where it starts, and its size
    /// without the trailer. Keys must ascend bytewise.
    pub fn add_block(&mut self, _first: &[u8], _last: &[u8], _offset: u64, _size: u64) {}

    /// The index as the bytes of a block without trailer, every boundary verified through these
    /// bytes; `None` when the table is better off with its classic index. `data_end` is where
    /// the data blocks end, trailer of the last one included.
    #[must_use]
    pub fn finish(self, _data_end: u64, _options: &BuildOptions) -> Option<Vec<u8>> {
        None
    }
}

/// The index of one table, read in place from its bytes.
#[derive(Debug)]
pub struct PgmFence {}

impl PgmFence {
    /// Checks `bytes` as a whole. An error means: use the classic index.
    pub fn parse(_bytes: impl Into<Bytes>) -> Result<Self> {
        Err(Error::not_supported("learned index"))
    }

    /// The blocks that can hold `user_key`: for a stored key they include the first block whose last
    /// key is not below it; for an absent one that block or the one before it, so that a seek that
    /// runs past the end of the last candidate goes on with the next block. Never panics, never allocates.
    #[must_use]
    pub fn candidates(&self, _user_key: &[u8]) -> Candidates {
        Candidates { first: 0, last: 0, predicted: 0 }
    }

    /// Offset and size (without trailer) of block `i`. Never beyond the end of the data, whatever
    /// the bytes say.
    #[must_use]
    pub fn handle(&self, _i: u32) -> (u64, u64) {
        (0, 0)
    }

    /// Does the last user key of block `i` go on in block `i + 1`?
    #[must_use]
    pub fn span(&self, _i: u32) -> bool {
        false
    }

    /// Number of data blocks.
    #[must_use]
    pub fn blocks(&self) -> u32 {
        0
    }

    /// Where the data blocks end.
    #[must_use]
    pub fn data_end(&self) -> u64 {
        0
    }

    /// Memory that this holds.
    #[must_use]
    pub fn memory(&self) -> usize {
        0
    }

    /// The serialized form.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &[]
    }

    /// Exact or window.
    #[must_use]
    pub fn mode(&self) -> Mode {
        Mode::Exact
    }

    /// Sizes of its parts.
    #[must_use]
    pub fn stats(&self) -> Stats {
        Stats::default()
    }
}
