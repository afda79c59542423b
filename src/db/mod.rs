//! Floor 9: the store: threads, locks, lifecycle.
//!
//! Locks, in the order in which they may be taken; none is held over a callback of the user's:
//!
//! ```text
//! no_deletions  shared while obsolete files are deleted
//! write queue   who leads the writers; a leader (or an exclusive holder) may switch memtables and logs
//! wal           the log being written, older unsynced ones; held over log I/O
//! manifest      the manifest being written; held over its I/O; serialises all edits
//! state         everything else (`State`); never held over I/O
//! snapshots     held sequence numbers
//! ```
//!
//! Reads take none of them: they pin a `SuperVersion` and read the published sequence number, in this
//! order (the other way round a flush in between could drop what the number still sees).
//!
//! A write is visible once its sequence number is published; it is published after it is in the log and
//! in the memtables, in order.
#![forbid(unsafe_code)]

mod background;
mod background_error;
mod close;
mod column_family;
mod compact;
mod flush;
mod fold;
#[cfg(test)]
mod folders_tests;
pub mod get;
pub mod iterator;
mod live_files;
mod manifest;
mod memory;
mod obsolete;
mod open;
mod options_file;
mod property;
mod read;
#[cfg(test)]
mod read_tests;
mod recover;
mod secondary;
mod set_options;
mod snapshot;
mod sources;
mod stall;
pub mod tables;
mod types;
mod wal;
mod wal_iter;
#[cfg(test)]
mod wal_iter_tests;
mod write;

pub use column_family::Family;
pub use live_files::CheckpointFiles;
pub use read::Iter;
pub use recover::RecoveryReport;
pub use snapshot::Snapshot;
pub use types::{FamilyMetadata, LevelMetadata, LiveFile, WaitForCompactOptions};
pub use wal_iter::WalIter;

use crate::base::sync::{ArcCell, Condvar, Mutex, MutexGuard, RwLock};
use crate::base::{Error, Result, Sequence};
use crate::env::{Env, FileLock, LogLevel, Logger, PoolUser};
use crate::memtable::MemTable;
use crate::options::DbOptions;
use crate::stats::Statistics;
use crate::table::TableCache;
use crate::version::set::ManifestWriter;
use crate::version::{FileMeta, Version};
use column_family::FamilyCore;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Weak};

/// An open store. Clones share it; `close` ends it for all of them, dropping the last one closes it.
#[derive(Clone)]
pub struct Db {
    inner: Arc<Inner>,
    /// Closes with the last clone; background jobs hold `inner` alone.
    _closer: Arc<Closer>,
}

struct Closer(Arc<Inner>);

impl Drop for Closer {
    fn drop(&mut self) {
        self.0.close();
    }
}

/// The parts of a store.
pub(crate) struct Inner {
    path: PathBuf,
    wal_dir: PathBuf,
    read_only: bool,
    is_secondary: AtomicBool,
    env: Env,
    options: ArcCell<DbOptions>,
    log: Arc<dyn Logger>,
    statistics: Option<Arc<Statistics>>,
    tables: Arc<TableCache>,
    /// Live families by id, for writers and readers; swapped whole under `state`.
    families: ArcCell<FamilyTable>,
    published: AtomicU64,
    next_file: AtomicU64,
    snapshots: Arc<snapshot::SnapshotList>,
    queue: write::WriteQueue,
    /// A failed edit leaves unknown which families the manifest has: no write before it is rewritten.
    families_in_doubt: AtomicBool,
    /// Some leader must look at memtables, logs and stalls before it writes.
    attention: AtomicBool,
    memory: memory::MemoryWatch,
    stall: stall::Stall,
    wal: Mutex<wal::Wal>,
    manifest: Mutex<Manifest>,
    state: Mutex<State>,
    /// Told whenever background work ends or `state` changes for somebody who may wait.
    changed: Condvar,
    closing: AtomicBool,
    /// A close has begun: nobody is held back any more, since what is unlogged must be flushed first.
    ending: AtomicBool,
    /// Shared by those who delete files; true once the store is closed: the folder may be somebody else's.
    no_deletions: RwLock<bool>,
    manual_paused: AtomicU64,
    report: RecoveryReport,
    identity: String,
    session: String,
    opened_micros: u64,
    counters: property::Counters,
    lock: Mutex<Option<Box<dyn FileLock>>>,
    /// The claim on background threads, until close.
    pool_user: Mutex<Option<PoolUser>>,
}

/// Families by id.
#[derive(Default)]
struct FamilyTable {
    /// Sorted by id; `default` is first.
    list: Vec<Arc<FamilyCore>>,
}

impl FamilyTable {
    fn get(&self, id: u32) -> Option<&Arc<FamilyCore>> {
        match self.list.first() {
            Some(first) if first.id == id => Some(first),
            _ => self.list.binary_search_by_key(&id, |f| f.id).ok().map(|at| &self.list[at]),
        }
    }
}

/// The manifest being written. `None` after a failed write: the next edit begins a new one, since what
/// the failed record left behind is unknown.
#[derive(Default)]
struct Manifest {
    writer: Option<ManifestWriter>,
    /// Tables of edits whose fate is unknown; not deleted before a new manifest stands.
    doubtful: Vec<u64>,
    /// Manifests that were given up, any of which CURRENT may name until the next one stands.
    given_up: Vec<u64>,
    /// Has CURRENT named a manifest of this opening? Before, nothing is deleted: the folder is as the
    /// manifest of the opening before tells.
    is_published: bool,
    /// The store is closed: the folder may be somebody else's.
    is_closed: bool,
}

/// What the state lock guards.
struct State {
    families: BTreeMap<u32, FamilyState>,
    max_family: u32,
    running_flushes: usize,
    running_compactions: usize,
    scheduled_compactions: usize,
    /// Numbers of files under way; not deleted however unknown they are.
    pending_outputs: BTreeSet<u64>,
    /// Versions that somebody may still read.
    live_versions: Vec<Weak<Version>>,
    /// Tables that left the current versions, with where they are.
    obsolete: Vec<(PathBuf, Arc<FileMeta>)>,
    /// Numbers of tables that never came to be live, in whichever folder.
    lost: Vec<u64>,
    /// Live logs, oldest first, the one being written last.
    logs: Vec<LiveLog>,
    /// Tables and logs that could not be deleted: tried again with the next ones.
    undeleted: Vec<PathBuf>,
    deletions_disabled: u32,
    /// What background work failed with.
    failures: background_error::Failures,
    retry_scheduled: bool,
    /// Families (by id) with a manual compaction that wants to be alone.
    exclusive_manual: u32,
    cancelled: bool,
    super_version_number: u64,
}

/// A log that may hold data that is in no table yet.
#[derive(Clone, Copy, Debug)]
struct LiveLog {
    number: u64,
    bytes: u64,
    /// Sequence numbers in it are not below this.
    floor: Sequence,
}

/// One family's share of the state.
struct FamilyState {
    core: Arc<FamilyCore>,
    mem: Arc<MemTable>,
    /// Immutable memtables, oldest first.
    imm: Vec<Arc<MemTable>>,
    version: Arc<Version>,
    /// What the manifest says: data in older logs is flushed.
    log_number: u64,
    /// Memtables of `imm` that shall be flushed.
    flush_requested: bool,
    flushing: bool,
    /// The oldest memtable of the flush under way, until its job has ended, files deleted and all.
    flushing_from: Option<u64>,
    /// Files move or leave outside of a compaction: none begins meanwhile.
    frozen: bool,
    /// Compactions under way.
    running: Vec<Arc<background::Running>>,
    scores: crate::compaction::score::Scores,
    next_epoch: u64,
}

impl FamilyState {
    /// The oldest log that holds data of this family that is in no table.
    fn oldest_log(&self) -> Option<u64> {
        self.imm
            .iter()
            .chain(std::iter::once(&self.mem))
            .filter(|m| !m.is_empty())
            .map(|m| m.log_number())
            .min()
    }
}

impl Inner {
    fn log(&self, level: LogLevel, text: &str) {
        if level >= self.log.level() {
            self.log.log(level, text);
        }
    }

    fn new_file_number(&self) -> u64 {
        // Relaxed: numbers only need to differ.
        self.next_file.fetch_add(1, Ordering::Relaxed)
    }

    fn published(&self) -> Sequence {
        // Acquire: pairs with the Release in write.rs, so that what the number covers is in the memtables.
        self.published.load(Ordering::Acquire)
    }

    fn is_closing(&self) -> bool {
        self.closing.load(Ordering::Acquire)
    }

    /// Waits, on the state lock, until `ready` says something. In a single-stepped environment the
    /// waiting thread runs the background jobs itself.
    fn wait_until<T>(&self, mut ready: impl FnMut(&mut State) -> Option<T>) -> T {
        let mut state = self.state.lock();
        loop {
            if let Some(answer) = ready(&mut state) {
                return answer;
            }
            if MutexGuard::unlocked(&mut state, || self.env.pool.run_one()) {
                continue;
            }
            if let Some(answer) = ready(&mut state) {
                return answer;
            }
            self.changed.wait(&mut state);
        }
    }

    /// Wakes all who wait, after a change that was not made under the state lock: taking it first means that
    /// nobody stands between having looked and waiting.
    fn tell_all(&self) {
        drop(self.state.lock());
        self.changed.notify_all();
    }

    /// Refuses what a closed or read-only store cannot do.
    fn check_writable(&self) -> Result<()> {
        if self.read_only {
            return Err(Error::not_supported("Not supported operation in read only mode."));
        }
        if self.is_closing() {
            return Err(Error::shutdown(""));
        }
        Ok(())
    }
}

impl Db {
    fn from_inner(inner: Arc<Inner>) -> Self {
        Self { _closer: Arc::new(Closer(Arc::clone(&inner))), inner }
    }

    /// The folder.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.inner.path
    }

    /// The last published sequence number.
    #[must_use]
    pub fn latest_sequence(&self) -> Sequence {
        self.inner.published()
    }

    /// The text of IDENTITY.
    pub fn identity(&self) -> Result<String> {
        Ok(self.inner.identity.clone())
    }

    /// What opening had to drop.
    #[must_use]
    pub fn recovery_report(&self) -> &RecoveryReport {
        &self.inner.report
    }
}
