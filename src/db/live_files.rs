//! Which files make up the store, as its user may ask.
#![forbid(unsafe_code)]

use super::obsolete;
use super::{Db, Family, FamilyMetadata, Inner, LevelMetadata, LiveFile};
use crate::base::range::KeyRange;
use crate::base::{Error, Result, key};
use crate::compaction::folders;
use crate::env::Env;
use crate::format::name::{self, FileName};
use crate::version::{FileMeta, SuperVersion};
use std::path::PathBuf;
use std::sync::Arc;

impl Inner {
    fn live_file(&self, family: &Family, level: usize, file: &FileMeta) -> LiveFile {
        let counts = file.counts().or_else(|| {
            // Opening the table fills the counts in; a table that cannot be opened shows none.
            let _ = self.table(&family.0, file, level);
            file.counts()
        });
        let counts = counts.unwrap_or_default();
        LiveFile {
            family: family.name().to_owned(),
            name: format!("/{}", name::table(file.number())),
            directory: folders::of(family.0.tables.folders(), file.entry.path_id)
                .display()
                .to_string(),
            number: file.number(),
            level: i32::try_from(level).unwrap_or(-1),
            size: file.size(),
            smallest_key: file.smallest_user().to_vec(),
            largest_key: file.largest_user().to_vec(),
            entries: counts.entries,
            deletions: counts.deletions,
        }
    }

    /// Bytes of tables between two user keys.
    fn bytes_in_files(
        &self,
        family: &Family,
        view: &SuperVersion,
        begin: &[u8],
        limit: &[u8],
    ) -> Result<u64> {
        let order = &family.0.order;
        let mut total = 0;
        for level in 0..view.version.num_levels() {
            let range = KeyRange { begin: Some(begin), end: Some(limit) };
            for file in view.version.overlapping(level, range) {
                let inside = order.compare_user(begin, file.smallest_user()).is_le()
                    && order.compare_user(file.largest_user(), limit).is_lt();
                if inside {
                    total += file.size();
                    continue;
                }
                let table = self.table(&family.0, &file, level)?;
                let at = |user: &[u8]| {
                    table.approximate_offset(&key::seek_target(user, key::MAX_SEQUENCE))
                };
                total += at(limit).saturating_sub(at(begin));
            }
        }
        Ok(total)
    }
}

/// Bytes of memtables between two user keys, by counting entries and the average size.
fn bytes_in_memtables(family: &Family, view: &SuperVersion, begin: &[u8], limit: &[u8]) -> u64 {
    let mut total = 0;
    for mem in view.memtables().filter(|m| !m.is_empty()) {
        let mut iter = mem.iter();
        iter.seek(&key::seek_target(begin, key::MAX_SEQUENCE));
        while iter.valid() && family.0.order.compare_user(key::user_key(iter.key()), limit).is_lt()
        {
            total += (iter.key().len() + iter.value().len()) as u64;
            iter.next();
        }
    }
    total
}

impl Db {
    /// All live tables, by family and level.
    #[must_use]
    pub fn live_files(&self) -> Vec<LiveFile> {
        let families = self.inner.families.load();
        let mut files = Vec::new();
        for core in &families.list {
            let family = Family(Arc::clone(core));
            let view = core.view.load();
            files.extend(
                view.version.all_files().map(|(level, f)| self.inner.live_file(&family, level, f)),
            );
        }
        files
    }

    /// The levels of a family.
    #[must_use]
    pub fn family_metadata(&self, family: &Family) -> FamilyMetadata {
        let view = family.0.view.load();
        let version = &view.version;
        let levels: Vec<LevelMetadata> = (0..version.num_levels())
            .map(|level| LevelMetadata {
                level: i32::try_from(level).unwrap_or(-1),
                size: version.level_bytes(level),
                files: version
                    .files(level)
                    .iter()
                    .map(|f| self.inner.live_file(family, level, f))
                    .collect(),
            })
            .collect();
        FamilyMetadata {
            name: family.name().to_owned(),
            size: version.total_bytes(),
            file_count: version.file_count(),
            levels,
        }
    }

    /// Bytes of each [start, limit), in tables, in memtables, or in both.
    pub fn approximate_sizes(
        &self,
        family: &Family,
        ranges: &[(&[u8], &[u8])],
        files: bool,
        memtables: bool,
    ) -> Result<Vec<u64>> {
        let view = family.0.view.load();
        ranges
            .iter()
            .map(|(begin, limit)| {
                if family.0.order.compare_user(begin, limit).is_ge() {
                    return Ok(0);
                }
                let mut bytes = 0;
                if files {
                    bytes += self.inner.bytes_in_files(family, &view, begin, limit)?;
                }
                if memtables {
                    bytes += bytes_in_memtables(family, &view, begin, limit);
                }
                Ok(bytes)
            })
            .collect()
    }
}

/// What a copy of the store consists of.
#[derive(Clone, Debug, Default)]
pub struct CheckpointFiles {
    /// Names of tables, in the store's folder.
    pub tables: Vec<String>,
    /// Number of the manifest and the bytes of it that count.
    pub manifest: (u64, u64),
    /// Numbers of logs and the bytes of them that count.
    pub logs: Vec<(u64, u64)>,
    /// Where the logs are.
    pub wal_dir: PathBuf,
    /// Name of the newest OPTIONS file.
    pub options: Option<String>,
}

impl Db {
    /// The environment.
    #[must_use]
    pub fn env(&self) -> &Env {
        &self.inner.env
    }

    /// The files that make up the store at this moment. The caller holds file deletions off.
    pub fn checkpoint_files(&self, log_size_for_flush: u64) -> Result<CheckpointFiles> {
        let inner = &self.inner;
        inner.check_writable()?;
        let elsewhere = inner.families.load().list.iter().any(|f| {
            let folders = f.tables.folders();
            folders.len() > 1 || folders.iter().any(|(folder, _)| *folder != inner.path)
        });
        if elsewhere {
            return Err(Error::not_supported(
                "db_paths / cf_paths not supported for Checkpoint nor BackupEngine",
            ));
        }
        let log_bytes = {
            let current = inner.wal.lock().number_bytes();
            let state = inner.state.lock();
            inner.live_log_bytes(&state, current)
        };
        if log_size_for_flush == 0 || log_bytes >= log_size_for_flush {
            let ids: Vec<u32> = inner.state.lock().families.keys().copied().collect();
            inner.flush_and_wait(&ids)?;
        }
        // Alone: no write and no memtable switch between the manifest's length and the logs'.
        let lead = inner.lead_alone()?;
        let (number, bytes) = {
            let mut wal = inner.wal.lock();
            wal.flush()?;
            (wal.number(), wal.number_bytes())
        };
        let manifest = inner.manifest.lock();
        let state = inner.state.lock();
        let tables = state
            .families
            .values()
            .flat_map(|f| obsolete::files_of(&f.version))
            .map(|f| name::table(f.number()))
            .collect();
        let logs = state
            .logs
            .iter()
            .map(|l| (l.number, if l.number == number { bytes } else { l.bytes }))
            .collect();
        drop(state);
        let manifest =
            manifest.writer.as_ref().map(|w| (w.number(), w.size())).ok_or_else(|| {
                Error::try_again("the manifest is being rewritten after a failure")
            })?;
        drop(lead);
        let options = inner
            .env
            .fs
            .list(&inner.path)?
            .into_iter()
            .filter_map(|n| match FileName::parse(&n) {
                Some(FileName::Options(number)) => Some((number, n)),
                _ => None,
            })
            .max()
            .map(|(_, n)| n);
        Ok(CheckpointFiles { tables, manifest, logs, wal_dir: inner.wal_dir.clone(), options })
    }
}
