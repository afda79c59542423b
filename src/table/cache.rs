//! Open tables by file number.
//!
//! Who looks up an open table takes a shared lock of one of 64 shards, for as long as a hash probe
//! takes. Who misses becomes the opener of that file, or waits for the opener that is at it: a file
//! is never loaded twice at the same time, and no shard is locked while anybody does I/O.
//!
//! The bound counts tables that the cache holds. One that a reader holds as well stays open until
//! that reader drops it, so for moments more files are open than the bound says.
#![forbid(unsafe_code)]

use super::reader::{OpenOptions, Table};
use crate::base::prefix::SliceTransform;
use crate::base::sync::{Condvar, Mutex, RwLock};
use crate::base::{Error, InternalComparator, Result, Sequence};
use crate::cache::Cache;
use crate::env::{FileSystem, ReadMode};
use crate::options::TableOptions;
use crate::stats::ticker::tick;
use crate::stats::{Statistics, Ticker};
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Which file, and what the manifest says about it.
#[derive(Clone, Debug)]
pub struct TableId {
    /// File number.
    pub number: u64,
    /// Exact size.
    pub size: u64,
    /// Where it is.
    pub path: PathBuf,
    /// The manifest's largest sequence.
    pub largest_sequence: Sequence,
    /// The level it is on.
    pub level: i32,
}

/// What all tables of a column family share.
#[derive(Clone)]
pub struct TableSettings {
    /// The order of keys.
    pub order: InternalComparator,
    /// Settings of tables.
    pub options: Arc<TableOptions>,
    /// Block cache of the family; `None` means no cache.
    pub cache: Option<Arc<Cache>>,
    /// Prefixes of keys.
    pub prefix_extractor: Option<Arc<dyn SliceTransform>>,
}

const SHARDS: usize = 64;

/// Keeps tables open. Concurrent opens of one file are one open.
pub struct TableCache {
    fs: Arc<dyn FileSystem>,
    mode: ReadMode,
    statistics: Option<Arc<Statistics>>,
    shards: Vec<RwLock<HashMap<u64, Slot>>>,
    limit: AtomicUsize,
    open: AtomicUsize,
    /// The shard at which the search for a table to close goes on.
    hand: AtomicUsize,
}

/// What is known of one file. It outlives its table, so that blocks cached before the table was
/// closed are found again after it is reopened.
#[derive(Default)]
struct Slot {
    table: Option<Arc<Table>>,
    /// Looked up since the hand came by?
    used: AtomicBool,
    opening: Option<Arc<Opening>>,
    /// The file's half of its block cache keys.
    cache_id: Option<u64>,
}

/// An open under way, and its outcome.
#[derive(Default)]
struct Opening {
    outcome: Mutex<Option<Result<Arc<Table>>>>,
    done: Condvar,
}

impl Opening {
    fn complete(&self, outcome: Result<Arc<Table>>) {
        *self.outcome.lock() = Some(outcome);
        self.done.notify_all();
    }

    fn wait(&self) -> Result<Arc<Table>> {
        let mut outcome = self.outcome.lock();
        loop {
            if let Some(outcome) = &*outcome {
                return outcome.clone();
            }
            self.done.wait(&mut outcome);
        }
    }
}

/// Completes an [`Opening`] even if the opener panics: nobody may wait for ever.
struct Opener<'a> {
    cache: &'a TableCache,
    number: u64,
    opening: Arc<Opening>,
    outcome: Option<Result<Arc<Table>>>,
}

impl Drop for Opener<'_> {
    fn drop(&mut self) {
        let outcome = self.outcome.take().unwrap_or_else(|| Err(Error::aborted("open gave up")));
        let mut kept = false;
        {
            let mut shard = self.cache.shard(self.number).write();
            // A file evicted meanwhile has no slot, or a new one with an opening of its own.
            if let Some(slot) = shard.get_mut(&self.number)
                && slot.opening.as_ref().is_some_and(|o| Arc::ptr_eq(o, &self.opening))
            {
                slot.opening = None;
                if let Ok(table) = &outcome {
                    slot.cache_id = slot.cache_id.or(table.cache_id());
                    slot.table = Some(Arc::clone(table));
                    *slot.used.get_mut() = true;
                    kept = true;
                }
            }
        }
        self.opening.complete(outcome);
        if kept {
            self.cache.open.fetch_add(1, Ordering::Relaxed);
            self.cache.close_some();
        }
    }
}

/// RocksDB keeps ten descriptors for files that are not tables.
fn limit_of(max_open_files: i32) -> usize {
    match usize::try_from(max_open_files) {
        Ok(n) => n.saturating_sub(10).max(1),
        Err(_) => usize::MAX,
    }
}

impl TableCache {
    /// Over `fs`; at most `max_open_files` files, ten of them not tables, stay open (-1: all).
    #[must_use]
    pub fn new(
        fs: Arc<dyn FileSystem>,
        mode: ReadMode,
        max_open_files: i32,
        statistics: Option<Arc<Statistics>>,
    ) -> Self {
        Self {
            fs,
            mode,
            statistics,
            shards: (0..SHARDS).map(|_| RwLock::default()).collect(),
            limit: AtomicUsize::new(limit_of(max_open_files)),
            open: AtomicUsize::new(0),
            hand: AtomicUsize::new(0),
        }
    }

    fn shard(&self, number: u64) -> &RwLock<HashMap<u64, Slot>> {
        &self.shards[(number % SHARDS as u64) as usize]
    }

    /// The open table of `id`.
    pub fn get(&self, id: &TableId, settings: &TableSettings) -> Result<Arc<Table>> {
        if let Some(table) = self.peek(id.number) {
            return Ok(table);
        }
        let (opening, cache_id) = {
            let mut shard = self.shard(id.number).write();
            let slot = shard.entry(id.number).or_default();
            if let Some(table) = &slot.table {
                return Ok(Arc::clone(table));
            }
            if let Some(opening) = &slot.opening {
                let opening = Arc::clone(opening);
                drop(shard);
                return opening.wait();
            }
            let opening = Arc::new(Opening::default());
            slot.opening = Some(Arc::clone(&opening));
            (opening, slot.cache_id)
        };
        let mut opener = Opener { cache: self, number: id.number, opening, outcome: None };
        let outcome = self.load(id, settings, cache_id);
        opener.outcome = Some(outcome.clone());
        drop(opener);
        outcome
    }

    /// The table of file `number` if it is open. Never does I/O.
    #[must_use]
    pub fn peek(&self, number: u64) -> Option<Arc<Table>> {
        let shard = self.shard(number).read();
        let slot = shard.get(&number)?;
        let table = slot.table.as_ref()?;
        // Relaxed: a hint to the hand. Written once a round, so that the line stays shared.
        if !slot.used.load(Ordering::Relaxed) {
            slot.used.store(true, Ordering::Relaxed);
        }
        Some(Arc::clone(table))
    }

    fn load(
        &self,
        id: &TableId,
        settings: &TableSettings,
        cache_id: Option<u64>,
    ) -> Result<Arc<Table>> {
        let statistics = self.statistics.as_deref();
        tick(statistics, Ticker::FileOpens, 1);
        let open = || {
            let file = match self.fs.open_random(&id.path, self.mode) {
                // LevelDB's name of the same file.
                Err(error) if error.is_not_found() => {
                    let old = id.path.with_extension("ldb");
                    self.fs.open_random(&old, self.mode).map_err(|_| error)?
                }
                other => other?,
            };
            Table::open(
                file,
                OpenOptions {
                    name: id.path.display().to_string(),
                    number: id.number,
                    file_size: id.size,
                    order: settings.order.clone(),
                    options: Arc::clone(&settings.options),
                    cache: settings.cache.clone(),
                    cache_id,
                    statistics: self.statistics.clone(),
                    prefix_extractor: settings.prefix_extractor.clone(),
                    largest_sequence: id.largest_sequence,
                    level: id.level,
                },
            )
        };
        open().inspect_err(|_| tick(statistics, Ticker::FileErrors, 1))
    }

    /// Closes tables until the bound holds: the hand goes round, spares once what was used since
    /// its last visit, and closes the rest.
    fn close_some(&self) {
        let mut closed = Vec::new();
        // Two rounds visit everything unused; a third covers what others use meanwhile.
        for _ in 0..3 * SHARDS {
            let limit = self.limit.load(Ordering::Relaxed);
            if self.open.load(Ordering::Relaxed) <= limit {
                break;
            }
            let at = self.hand.fetch_add(1, Ordering::Relaxed) % SHARDS;
            for slot in self.shards[at].write().values_mut() {
                if self.open.load(Ordering::Relaxed) <= limit {
                    break;
                }
                if slot.table.is_some() && !std::mem::take(slot.used.get_mut()) {
                    closed.extend(slot.table.take());
                    self.open.fetch_sub(1, Ordering::Relaxed);
                }
            }
        }
        // Files are closed here, outside every lock.
        drop(closed);
    }

    /// Forgets the table of a deleted file.
    pub fn evict(&self, number: u64) {
        let slot = self.shard(number).write().remove(&number);
        if slot.is_some_and(|slot| slot.table.is_some()) {
            self.open.fetch_sub(1, Ordering::Relaxed);
        }
    }

    /// Changes the bound on open files.
    pub fn set_max_open_files(&self, max_open_files: i32) {
        self.limit.store(limit_of(max_open_files), Ordering::Relaxed);
        self.close_some();
    }

    /// Tables held open.
    #[must_use]
    pub fn open_tables(&self) -> usize {
        self.open.load(Ordering::Relaxed)
    }

    /// Bytes of memory held by open tables outside the block cache.
    #[must_use]
    pub fn memory(&self) -> usize {
        let memory_of = |slot: &Slot| slot.table.as_ref().map_or(0, |table| table.memory());
        self.shards.iter().map(|s| s.read().values().map(memory_of).sum::<usize>()).sum()
    }
}

impl std::fmt::Debug for TableCache {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "TableCache({} open)", self.open_tables())
    }
}
