//! How reads reach the tables of a version.
#![forbid(unsafe_code)]

use crate::base::{Error, Result};
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
    folders: Vec<PathBuf>,
}

impl std::fmt::Debug for FamilyTables {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "FamilyTables({:?})", self.folders)
    }
}

impl FamilyTables {
    /// Tables in `folders`, made with `settings`.
    #[must_use]
    pub fn new(cache: Arc<TableCache>, settings: TableSettings, folders: Vec<PathBuf>) -> Self {
        Self { cache, settings, folders }
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
        let path_id = file.entry.path_id;
        let folder = usize::try_from(path_id).ok().and_then(|i| self.folders.get(i));
        let Some(folder) = folder else {
            return Err(Error::corruption(format!(
                "file {} is in folder {path_id}, which the options do not name",
                file.number()
            )));
        };
        let id = TableId {
            number: file.number(),
            size: file.size(),
            path: folder.join(name::table(file.number())),
            largest_sequence: file.largest_sequence(),
            level: i32::try_from(level).unwrap_or(-1),
        };
        self.cache.get(&id, &self.settings)
    }
}
