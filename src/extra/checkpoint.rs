//! A copy of an open store that shares its tables by hard links.
//!
//!  1. Nothing is deleted meanwhile.
//!  2. Memtables are flushed, or, while live logs are small, the logs go along.
//!  3. Into a folder `DIR.tmp`: tables linked (copied where links cannot be made), the manifest copied
//!     up to the length it had, logs likewise, CURRENT and OPTIONS written.
//!  4. All synced, then renamed to DIR. After a failure nothing is left.
#![forbid(unsafe_code)]

use crate::base::{Error, Result};
use crate::db::{CheckpointFiles, Db};
use crate::env::{FileSystem, WriteMode};
use crate::format::name;
use std::path::{Path, PathBuf};

/// Bytes copied at a time.
const CHUNK: usize = 1 << 20;

/// Copies the first `limit` bytes of a file and syncs the copy.
fn copy(fs: &dyn FileSystem, from: &Path, to: &Path, limit: u64) -> Result<()> {
    let mut source = fs.open_sequential(from)?;
    let mut target = fs.create(to, WriteMode::default())?;
    let mut left = limit;
    let mut buffer = vec![0u8; CHUNK];
    while left > 0 {
        let want = CHUNK.min(usize::try_from(left).unwrap_or(CHUNK));
        let n = source.read(&mut buffer[..want])?;
        if n == 0 {
            break;
        }
        target.append(&buffer[..n])?;
        left -= n as u64;
    }
    if left > 0 && limit != u64::MAX {
        return Err(Error::corruption(format!("{}: {left} bytes are missing", from.display())));
    }
    target.fsync()?;
    target.close()
}

fn remove_folder(fs: &dyn FileSystem, folder: &Path) {
    for file in fs.list(folder).unwrap_or_default() {
        // Best effort: the failure that brought us here is the one to report.
        let _ = fs.remove(&folder.join(file));
    }
    let _ = fs.remove_dir(folder);
}

fn fill(fs: &dyn FileSystem, db: &Db, files: &CheckpointFiles, to: &Path) -> Result<()> {
    for table in &files.tables {
        let source = db.path().join(table);
        let target = to.join(table);
        // Another file system, or one without links.
        if fs.link(&source, &target).is_err() {
            copy(fs, &source, &target, u64::MAX)?;
        }
    }
    let manifest = name::manifest(files.manifest.0);
    copy(fs, &db.path().join(&manifest), &to.join(&manifest), files.manifest.1)?;
    for (number, bytes) in &files.logs {
        let log = name::wal(*number);
        copy(fs, &files.wal_dir.join(&log), &to.join(&log), *bytes)?;
    }
    if let Some(options) = &files.options {
        copy(fs, &db.path().join(options), &to.join(options), u64::MAX)?;
    }
    crate::version::set::set_current(fs, to, files.manifest.0)
}

impl Db {
    /// Copies the store, as it is now, into `dir`, which must not exist. Memtables are flushed first unless
    /// live logs hold fewer than `log_size_for_flush` bytes, which are copied then.
    ///
    /// # Errors
    /// `Invalid argument: Directory exists`, `Invalid argument: invalid checkpoint directory name`; I/O errors,
    /// after which nothing is left of the attempt.
    pub fn checkpoint(&self, dir: &Path, log_size_for_flush: u64) -> Result<()> {
        if dir.as_os_str().is_empty() || dir.file_name().is_none() {
            return Err(Error::invalid_argument("invalid checkpoint directory name"));
        }
        let env = self.env().clone();
        let fs = &*env.fs;
        if fs.exists(dir)? {
            return Err(Error::invalid_argument("Directory exists"));
        }
        let mut temporary = dir.as_os_str().to_owned();
        temporary.push(".tmp");
        let temporary = PathBuf::from(temporary);
        if fs.exists(&temporary)? {
            remove_folder(fs, &temporary);
        }
        self.disable_file_deletions()?;
        let mut target = &*temporary;
        let mut make = || {
            let files = self.checkpoint_files(log_size_for_flush)?;
            fs.create_dir(&temporary)?;
            fill(fs, self, &files, &temporary)?;
            fs.sync_dir(&temporary)?;
            fs.rename(&temporary, dir)?;
            target = dir;
            fs.sync_dir(
                dir.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new(".")),
            )
        };
        let made = make();
        self.enable_file_deletions(false)?;
        if made.is_err() {
            remove_folder(fs, target);
        }
        made
    }
}
