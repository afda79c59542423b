//! What one read sees: memtables and files, pinned together.
//!
//! A family swaps in a new `SuperVersion` whenever a memtable is sealed, flushed or its files change.
//! A reader that holds one sees that moment's data for as long as it likes; nothing in it changes but
//! the entries that writers add to `mem`, which a reader's sequence number hides.
#![forbid(unsafe_code)]

use super::version::Version;
use crate::memtable::MemTable;
use crate::options::CfOptions;
use std::sync::Arc;

/// Memtables and files of one family at one moment, newest data first: `mem`, `imm`, `version`.
#[derive(Clone)]
pub struct SuperVersion {
    /// Takes the writes.
    pub mem: Arc<MemTable>,
    /// Sealed memtables that are not in files yet, newest first.
    pub imm: Vec<Arc<MemTable>>,
    /// The files.
    pub version: Arc<Version>,
    /// The options of that moment.
    pub options: Arc<CfOptions>,
    /// Grows by one with each super version of the family.
    pub number: u64,
}

impl std::fmt::Debug for SuperVersion {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "SuperVersion({}, {} sealed)", self.number, self.imm.len())
    }
}

impl SuperVersion {
    /// The memtables, newest first.
    pub fn memtables(&self) -> impl Iterator<Item = &Arc<MemTable>> {
        std::iter::once(&self.mem).chain(&self.imm)
    }
}
