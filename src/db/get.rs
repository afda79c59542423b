//! Point reads: get, multi-get, key-may-exist.
//!
//! A read walks from new to old: the memtable, the sealed ones, the files of level 0 newest first,
//! then each deeper level's one file. On the way it keeps the newest range deletion that covers the
//! key: data of an older source is older than it, so once there is one the next source need not be
//! asked. No lock is taken; the caller's super-version keeps everything in place.
#![forbid(unsafe_code)]

use super::fold::Fold;
use super::tables::{Io, Tables};
use crate::base::key::{self, TAG_BYTES};
use crate::base::{Bytes, InternalComparator, Result, Sequence};
use crate::hooks::MergeOperator;
use crate::iter::tombstones::is_exclusive;
use crate::memtable::MemTable;
use crate::options::{ReadOptions, ReadTier};
use crate::stats::ticker::tick;
use crate::stats::{Statistics, Ticker};
use crate::version::{FileMeta, SuperVersion, Version};
use std::sync::Arc;

/// What one read works on.
#[derive(Clone, Copy)]
pub struct ReadView<'a> {
    /// Takes the writes.
    pub mem: &'a Arc<MemTable>,
    /// Sealed memtables, newest first.
    pub imm: &'a [Arc<MemTable>],
    /// The files.
    pub version: &'a Arc<Version>,
    /// How to reach them.
    pub tables: &'a dyn Tables,
    /// Folds merge operands.
    pub merge: Option<&'a dyn MergeOperator>,
    /// The order of keys.
    pub order: &'a InternalComparator,
    /// Counters.
    pub statistics: Option<&'a Statistics>,
    /// Do the memtables hold writes that no log has? Then reads of the persisted tier skip them.
    pub has_unlogged: bool,
}

impl<'a> ReadView<'a> {
    /// Of a super-version.
    #[must_use]
    pub fn new(
        super_version: &'a SuperVersion,
        tables: &'a dyn Tables,
        statistics: Option<&'a Statistics>,
    ) -> Self {
        Self {
            mem: &super_version.mem,
            imm: &super_version.imm,
            version: &super_version.version,
            tables,
            merge: super_version.options.merge_operator.as_deref(),
            order: super_version.version.order(),
            statistics,
            has_unlogged: false,
        }
    }

    fn memtables(&self) -> impl Iterator<Item = &'a Arc<MemTable>> {
        std::iter::once(self.mem).chain(self.imm)
    }
}

/// A seek target, without an allocation for keys of usual length.
enum Target {
    Short([u8; SHORT], usize),
    Long(Vec<u8>),
}

const SHORT: usize = 64;

impl Target {
    #[inline]
    fn new(user_key: &[u8], snapshot: Sequence) -> Self {
        let bytes = user_key.len() + TAG_BYTES;
        if bytes > SHORT {
            return Self::Long(key::seek_target(user_key, snapshot));
        }
        let mut short = [0; SHORT];
        short[..user_key.len()].copy_from_slice(user_key);
        let tag = key::pack(snapshot, key::SEEK_KIND);
        short[user_key.len()..bytes].copy_from_slice(&tag.to_le_bytes());
        Self::Short(short, bytes)
    }

    #[inline]
    fn bytes(&self) -> &[u8] {
        match self {
            Self::Short(bytes, len) => &bytes[..*len],
            Self::Long(bytes) => bytes,
        }
    }
}

/// The value of `user_key` as of `snapshot`; `None` when there is none.
pub fn get(
    view: &ReadView<'_>,
    options: &ReadOptions,
    user_key: &[u8],
    snapshot: Sequence,
) -> Result<Option<Bytes>> {
    let found = find(view, options, user_key, snapshot)?;
    tick(view.statistics, Ticker::KeysRead, 1);
    if let Some(value) = &found {
        tick(view.statistics, Ticker::BytesRead, value.len() as u64);
    }
    Ok(found)
}

fn find(
    view: &ReadView<'_>,
    options: &ReadOptions,
    user_key: &[u8],
    snapshot: Sequence,
) -> Result<Option<Bytes>> {
    let target = Target::new(user_key, snapshot);
    let target = target.bytes();
    let mut fold = Fold::new(user_key, view.merge, view.statistics);

    let skip_memtables = options.read_tier == ReadTier::Persisted && view.has_unlogged;
    if !skip_memtables {
        for table in view.memtables() {
            if !options.ignore_range_deletions {
                fold.covering = fold.covering.max(table.max_covering(user_key, snapshot));
            }
            table.get(target, &mut |entry, value| fold.take(&entry, &value));
            if fold.is_done() || fold.covering != 0 {
                tick(view.statistics, Ticker::MemtableHit, 1);
                return fold.finish();
            }
        }
    }
    tick(view.statistics, Ticker::MemtableMiss, 1);
    if options.read_tier == ReadTier::Memtable {
        return fold.finish();
    }

    for (level, file) in view.version.files_for(user_key) {
        look_in(view, options, file, level, target, snapshot, &mut fold)?;
        if fold.is_done() || fold.covering != 0 {
            let ticker = match level {
                0 => Ticker::GetHitL0,
                1 => Ticker::GetHitL1,
                _ => Ticker::GetHitL2AndUp,
            };
            tick(view.statistics, ticker, 1);
            break;
        }
    }
    fold.finish()
}

/// Hands what `file` has of the key to `fold`.
fn look_in(
    view: &ReadView<'_>,
    options: &ReadOptions,
    file: &Arc<FileMeta>,
    level: usize,
    target: &[u8],
    snapshot: Sequence,
    fold: &mut Fold<'_>,
) -> Result<()> {
    let user_key = key::user_key(target);
    let io = if options.read_tier == ReadTier::BlockCache { Io::Forbidden } else { Io::Allowed };
    let table = view.tables.open(file, level, io)?;
    let mut at_the_edge = false;
    if !options.ignore_range_deletions && !table.tombstones().is_empty() {
        // The key lies within the file's bounds, and beyond them its tombstones do not count. One case
        // is left: when the file's last key goes on in the next file, the versions there are not this
        // file's to cover.
        let order = view.order;
        fold.covering = table.tombstones().max_covering(order.user().as_ref(), user_key, snapshot);
        at_the_edge = fold.covering != 0
            && !is_exclusive(file.largest())
            && order.compare_user(user_key, file.largest_user()).is_eq();
    }
    table.get(options, target, &mut |entry, value| {
        debug_assert!(entry.sequence <= snapshot);
        fold.take(&entry, &value)
    })?;
    if at_the_edge && !fold.is_done() {
        fold.covering = 0;
    }
    Ok(())
}

/// One result a key, in the order of `keys`; equal keys are looked up once. Keys are visited in their
/// order in the store, so that neighbours find their blocks warm.
pub fn multi_get(
    view: &ReadView<'_>,
    options: &ReadOptions,
    keys: &[&[u8]],
    snapshot: Sequence,
) -> Vec<Result<Option<Bytes>>> {
    tick(view.statistics, Ticker::MultigetCalls, 1);
    tick(view.statistics, Ticker::MultigetKeysRead, keys.len() as u64);
    let mut sorted: Vec<usize> = (0..keys.len()).collect();
    sorted.sort_by(|&a, &b| view.order.compare_user(keys[a], keys[b]));
    let mut results: Vec<Result<Option<Bytes>>> = keys.iter().map(|_| Ok(None)).collect();
    let mut last: Option<usize> = None;
    for at in sorted {
        results[at] = match last {
            Some(before) if keys[before] == keys[at] => results[before].clone(),
            _ => get(view, options, keys[at], snapshot),
        };
        last = Some(at);
    }
    results
}

/// False: the key is surely absent. True: it may be there, with its value when that is in memory.
/// Never does I/O.
pub fn key_may_exist(
    view: &ReadView<'_>,
    options: &ReadOptions,
    user_key: &[u8],
    snapshot: Sequence,
) -> (bool, Option<Bytes>) {
    let options = ReadOptions { read_tier: ReadTier::BlockCache, ..options.clone() };
    match find(view, &options, user_key, snapshot) {
        Ok(Some(value)) => (true, Some(value)),
        Ok(None) => (false, None),
        Err(_) => (true, None),
    }
}
