//! Which files nobody needs, and deleting them.
//!
//! A table leaves the current versions by an edit; it is deleted once no version that somebody still
//! reads holds it, no backup holds deletions off, and no edit of unknown fate mentions it. A log goes once
//! all its data is in tables.
#![forbid(unsafe_code)]

use super::column_family::FamilyCore;
use super::{Db, Inner, State};
use crate::base::Result;
use crate::env::{LogLevel, Priority};
use crate::format::name::{self, FileName};
use crate::version::{FileMeta, Version};
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

/// OPTIONS files kept.
const KEEP_OPTIONS: usize = 2;

/// All files of a version.
pub(super) fn files_of(version: &Version) -> Vec<Arc<FileMeta>> {
    (0..version.num_levels()).flat_map(|l| version.files(l).iter().cloned()).collect()
}

impl State {
    /// Tables of a family that left its version: deleted when nobody reads them any more.
    pub(super) fn retire(
        &mut self,
        family: &FamilyCore,
        files: impl IntoIterator<Item = Arc<FileMeta>>,
    ) {
        self.obsolete.extend(files.into_iter().map(|f| (family.tables.path_of(&f), f)));
    }

    /// The oldest log with data that is in no table; `current` when there is none.
    fn oldest_needed_log(&self, current: u64) -> u64 {
        self.families
            .values()
            .filter_map(super::FamilyState::oldest_log)
            .min()
            .unwrap_or(current)
            .min(current)
    }
}

impl Inner {
    /// Deletes what nobody needs any more. Errors are logged; the next purge or open tries again.
    pub(super) fn purge(&self) {
        if self.read_only {
            return;
        }
        // Held to the end: a close waits for it.
        let no_deletions = self.no_deletions.read();
        if *no_deletions {
            return;
        }
        let current_log = self.wal.lock().number();
        let (doubtful, is_published) = {
            let manifest = self.manifest.lock();
            (manifest.doubtful.clone(), manifest.is_published)
        };
        if !is_published {
            return;
        }
        let needed = self.state.lock().oldest_needed_log(current_log);
        self.wal.lock().forget_below(needed);
        let mut tables: Vec<(PathBuf, u64)> = Vec::new();
        let mut logs = Vec::new();
        let mut again;
        {
            let mut state = self.state.lock();
            if state.deletions_disabled > 0 {
                return;
            }
            again = std::mem::take(&mut state.undeleted);
            state.live_versions.retain(|v| v.strong_count() > 0);
            let mut held = BTreeSet::new();
            for version in state.live_versions.iter().filter_map(std::sync::Weak::upgrade) {
                held.extend(files_of(&version).iter().map(|f| f.number()));
            }
            held.extend(&doubtful);
            let (keep, drop): (Vec<_>, Vec<_>) =
                state.obsolete.drain(..).partition(|(_, f)| held.contains(&f.number()));
            state.obsolete = keep;
            tables.extend(drop.into_iter().map(|(path, f)| (path, f.number())));
            let (keep, drop) = state.lost.drain(..).partition(|n| held.contains(n));
            state.lost = keep;
            let drop: Vec<u64> = drop;
            let folders = if drop.is_empty() { Vec::new() } else { self.table_folders(&state) };
            for folder in &folders {
                tables.extend(drop.iter().map(|n| (folder.join(name::table(*n)), *n)));
            }
            state.logs.retain(|log| {
                let keep = log.number >= needed;
                if !keep {
                    logs.push(log.number);
                }
                keep
            });
            self.update_wal_attention(&state);
        }
        for (path, number) in tables {
            self.tables.evict(number);
            again.push(path);
        }
        again.extend(logs.into_iter().map(|number| self.wal_dir.join(name::wal(number))));
        again.retain(|path| !self.remove(path));
        if !again.is_empty() {
            self.state.lock().undeleted.append(&mut again);
        }
    }

    /// Every folder that a family keeps tables in, once.
    pub(super) fn table_folders(&self, state: &State) -> Vec<PathBuf> {
        let tables = state.families.values().map(|f| &f.core.tables);
        let all = tables.flat_map(|t| t.folders()).map(|(folder, _)| folder.clone());
        let mut all: Vec<PathBuf> = self
            .options
            .load()
            .db_paths
            .iter()
            .map(|(folder, _)| folder.clone())
            .chain(all)
            .collect();
        all.sort();
        all.dedup();
        all
    }

    /// Deletes a file and says whether it is gone.
    pub(super) fn remove(&self, path: &std::path::Path) -> bool {
        match self.env.fs.remove(path) {
            Ok(()) => self.log(LogLevel::Debug, &format!("Deleted {}", path.display())),
            Err(error) if error.is_not_found() => {}
            Err(error) => {
                self.log(LogLevel::Warn, &format!("Not deleted: {error}"));
                return false;
            }
        }
        true
    }

    /// A purge on a background thread: for callers that must not do I/O.
    pub(super) fn schedule_purge(self: &Arc<Self>) {
        if self.is_closing() || self.read_only {
            return;
        }
        let this = Arc::downgrade(self);
        self.env.pool.schedule(
            Priority::High,
            Box::new(move || {
                if let Some(this) = this.upgrade().filter(|t| !t.is_closing()) {
                    this.purge();
                }
            }),
        );
    }

    /// Deletes all but the newest OPTIONS files.
    pub(super) fn prune_options_files(&self) {
        if self.state.lock().deletions_disabled > 0 {
            return;
        }
        let Ok(names) = self.env.fs.list(&self.path) else { return };
        let mut options: Vec<(u64, String)> = names
            .into_iter()
            .filter_map(|n| match FileName::parse(&n) {
                Some(FileName::Options(number)) => Some((number, n)),
                _ => None,
            })
            .collect();
        options.sort_unstable();
        for (_, name) in options.iter().rev().skip(KEEP_OPTIONS) {
            self.remove(&self.path.join(name));
        }
    }

    /// Looks through the folders and deletes every file of ours that is neither live nor under way:
    /// leftovers of crashes and of failed work. Only while opening: later on, files that a reader holds
    /// and files just made would look the same.
    pub(super) fn sweep(&self) {
        let manifest = {
            let manifest = self.manifest.lock();
            let Some(writer) = manifest.writer.as_ref().filter(|_| manifest.is_published) else {
                return;
            };
            writer.number()
        };
        let (live, logs, pending, mut folders) = {
            let state = self.state.lock();
            let live: BTreeSet<u64> = state
                .families
                .values()
                .flat_map(|f| files_of(&f.version))
                .map(|f| f.number())
                .collect();
            let logs: BTreeSet<u64> = state.logs.iter().map(|l| l.number).collect();
            (live, logs, state.pending_outputs.clone(), self.table_folders(&state))
        };
        folders.push(self.path.clone());
        folders.push(self.wal_dir.clone());
        folders.sort();
        folders.dedup();
        for folder in folders {
            let Ok(names) = self.env.fs.list(&folder) else { continue };
            let home = folder == self.path || folder == self.wal_dir;
            for file in &names {
                let dead = match FileName::parse(file) {
                    Some(FileName::Table(n)) => !live.contains(&n) && !pending.contains(&n),
                    _ if !home => false,
                    Some(FileName::Wal(n)) => !logs.contains(&n),
                    Some(FileName::Manifest(n)) => n < manifest,
                    Some(FileName::Temp(_) | FileName::OptionsTemp(_)) => true,
                    _ => false,
                };
                if dead {
                    self.remove(&folder.join(file));
                }
            }
        }
    }
}

impl Db {
    /// Keeps obsolete files until `enable_file_deletions`; calls are counted.
    pub fn disable_file_deletions(&self) -> Result<()> {
        self.inner.state.lock().deletions_disabled += 1;
        Ok(())
    }

    /// Undoes one `disable_file_deletions`, or all with `force`.
    pub fn enable_file_deletions(&self, force: bool) -> Result<()> {
        {
            let mut state = self.inner.state.lock();
            let left = if force { 0 } else { state.deletions_disabled.saturating_sub(1) };
            state.deletions_disabled = left;
        }
        self.inner.purge();
        Ok(())
    }
}
