//! How reads reach the tables of a version.
#![forbid(unsafe_code)]

use crate::base::{Error, Result};
use crate::compaction::folders::{self, Folder};
use crate::format::name;
use crate::table::{Table, TableCache, TableId, TableSettings};
use crate::version::FileMeta;
use std::path::PathBuf;
use std::sync::Arc;

/// May opening a table do I/O?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Io {
    /// Yes.
    Allowed,
    /// No: a table that is not open is an `Incomplete` error.
    Forbidden,
}

/// Opens the tables of one family. Called from any thread.
pub trait Tables: Send + Sync {
    /// The open table of `file`, which is on `level`.
    fn open(&self, file: &FileMeta, level: usize, io: Io) -> Result<Arc<Table>>;
}

/// The tables of a family through the store's table cache.
pub struct FamilyTables {
    cache: Arc<TableCache>,
    settings: TableSettings,
    /// By the path number that the manifest keeps.
    folders: Vec<Folder>,
}

impl std::fmt::Debug for FamilyTables {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "FamilyTables({:?})", self.folders)
    }
}

impl FamilyTables {
    /// Tables in `folders`, made with `settings`.
    #[must_use]
    pub fn new(cache: Arc<TableCache>, settings: TableSettings, folders: Vec<Folder>) -> Self {
        Self { cache, settings, folders }
    }

    /// Where they are, by path number; never empty.
    #[must_use]
    pub fn folders(&self) -> &[Folder] {
        &self.folders
    }

    /// Where a file is.
    #[must_use]
    pub fn path_of(&self, file: &FileMeta) -> PathBuf {
        folders::of(&self.folders, file.entry.path_id).join(name::table(file.number()))
    }

    /// What the tables share.
    #[must_use]
    pub fn settings(&self) -> &TableSettings {
        &self.settings
    }
}

impl Tables for FamilyTables {
    fn open(&self, file: &FileMeta, level: usize, io: Io) -> Result<Arc<Table>> {
        // The common case first: no path is put together for an open table.
        if let Some(table) = self.cache.peek(file.number()) {
            return Ok(table);
        }
        if io == Io::Forbidden {
            return Err(Error::incomplete("no I/O allowed to open a table"));
        }
        let id = TableId {
            number: file.number(),
            size: file.size(),
            path: self.path_of(file),
            largest_sequence: file.largest_sequence(),
            level: i32::try_from(level).unwrap_or(-1),
        };
        self.cache.get(&id, &self.settings)
    }
}
