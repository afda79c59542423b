//! A table made outside a store, to be ingested later.
//!
//! All its entries have sequence number 0; the store that takes it in gives it one number for all,
//! which readers apply (`OpenOptions::largest_sequence`).
#![forbid(unsafe_code)]

use super::builder::{BuildOptions, TableBuilder, TableSummary};
use crate::base::key::{self, Kind};
use crate::base::{Error, Result};
use crate::env::{FileSystem, WriteMode};
use std::cmp::Ordering;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The family of a file that may go into any: whoever takes it in compares.
const NO_FAMILY: u32 = 0x7FFF_FFFF;

/// Writes tables for ingestion, one at a time.
pub struct SstWriter {
    fs: Arc<dyn FileSystem>,
    mode: WriteMode,
    options: BuildOptions,
    open: Option<(TableBuilder, PathBuf)>,
    last: Option<Vec<u8>>,
    ikey: Vec<u8>,
    points: u64,
    range_deletions: u64,
    size: u64,
}

impl SstWriter {
    /// Writes with `options` (of which `external`, `family` and `name` are set here).
    #[must_use]
    pub fn new(fs: Arc<dyn FileSystem>, mode: WriteMode, mut options: BuildOptions) -> Self {
        options.external = true;
        options.family = (NO_FAMILY, String::new());
        Self {
            fs,
            mode,
            options,
            open: None,
            last: None,
            ikey: Vec::new(),
            points: 0,
            range_deletions: 0,
            size: 0,
        }
    }

    /// Begins the file at `path`.
    pub fn open(&mut self, path: &Path) -> Result<()> {
        let file = self.fs.create(path, self.mode)?;
        self.options.name = path.display().to_string();
        self.open = Some((TableBuilder::new(self.options.clone(), file)?, path.to_owned()));
        self.last = None;
        self.points = 0;
        self.range_deletions = 0;
        self.size = 0;
        Ok(())
    }

    fn builder(&mut self) -> Result<&mut TableBuilder> {
        match &mut self.open {
            Some((builder, _)) => Ok(builder),
            None => Err(Error::invalid_argument("File is not opened")),
        }
    }

    fn point(&mut self, user_key: &[u8], value: &[u8], kind: Kind) -> Result<()> {
        self.builder()?;
        let order = &self.options.order;
        if self.last.as_ref().is_some_and(|l| order.compare_user(user_key, l) != Ordering::Greater)
        {
            return Err(Error::invalid_argument("Keys must be added in strict ascending order."));
        }
        let mut ikey = std::mem::take(&mut self.ikey);
        ikey.clear();
        key::append_internal(&mut ikey, user_key, key::pack(0, kind as u8));
        let added = self.builder()?.add(&ikey, value);
        self.ikey = ikey;
        added?;
        let last = self.last.get_or_insert_default();
        last.clear();
        last.extend_from_slice(user_key);
        self.points += 1;
        Ok(())
    }

    /// Adds a value. Keys of points ascend strictly.
    pub fn put(&mut self, user_key: &[u8], value: &[u8]) -> Result<()> {
        self.point(user_key, value, Kind::Value)
    }

    /// Adds a merge operand.
    pub fn merge(&mut self, user_key: &[u8], operand: &[u8]) -> Result<()> {
        self.point(user_key, operand, Kind::Merge)
    }

    /// Adds a deletion.
    pub fn delete(&mut self, user_key: &[u8]) -> Result<()> {
        self.point(user_key, &[], Kind::Deletion)
    }

    /// Adds a range deletion, which hides nothing of this file itself. Ranges come in any order.
    pub fn delete_range(&mut self, begin: &[u8], end: &[u8]) -> Result<()> {
        let order = self.options.order.clone();
        let builder = self.builder()?;
        match order.compare_user(begin, end) {
            Ordering::Greater => Err(Error::invalid_argument("end key comes before start key")),
            // An empty range deletes nothing.
            Ordering::Equal => Ok(()),
            Ordering::Less => {
                builder.add(&key::internal(begin, 0, Kind::RangeDeletion), end)?;
                self.range_deletions += 1;
                Ok(())
            }
        }
    }

    /// Writes the rest and syncs. An empty file is an error and is removed.
    pub fn finish(&mut self) -> Result<TableSummary> {
        let Some((builder, path)) = self.open.take() else {
            return Err(Error::invalid_argument("File is not opened"));
        };
        let finished = if self.points + self.range_deletions == 0 {
            builder.abandon();
            Err(Error::invalid_argument("Cannot create sst file with no entries"))
        } else {
            builder.finish()
        };
        match &finished {
            Ok(summary) => self.size = summary.file_size,
            Err(_) => {
                // The first error is the one to report.
                let _ = self.fs.remove(&path);
            }
        }
        finished
    }

    /// Bytes written so far, or of the last file finished.
    #[must_use]
    pub fn file_size(&self) -> u64 {
        self.open.as_ref().map_or(self.size, |(builder, _)| builder.file_size())
    }
}

impl Drop for SstWriter {
    fn drop(&mut self) {
        if let Some((builder, path)) = self.open.take() {
            builder.abandon();
            // Nobody is left to tell.
            let _ = self.fs.remove(&path);
        }
    }
}
