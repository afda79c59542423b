//! What an iterator merges: memtables, level-0 files and levels, newest data first, each with its
//! range deletions.
//!
//! Children of the merge and groups of range deletions have the same numbers. The files of a run bring
//! their range deletions when they are opened; the iterator takes them over before it looks at an
//! entry. At most one table of each run is held open.
#![forbid(unsafe_code)]

use super::tables::{Io, Tables};
use crate::base::Result;
use crate::base::sync::Mutex;
use crate::base::sync::atomic::{AtomicUsize, Ordering};
use crate::iter::{BoxIter, ConcatIter, Fragments, RangeDeletions, Run};
use crate::options::{ReadOptions, ReadTier};
use crate::table::IterPurpose;
use crate::version::{FileMeta, SuperVersion, Version};
use std::ops::Range;
use std::sync::Arc;

/// Range deletions of files that level cursors have opened and the iterator has not taken yet.
#[derive(Default)]
pub(super) struct Arrivals {
    count: AtomicUsize,
    list: Mutex<Vec<Arrival>>,
}

struct Arrival {
    group: usize,
    fragments: Arc<Fragments>,
    clip: (Vec<u8>, Vec<u8>),
}

impl Arrivals {
    fn push(&self, arrival: Arrival) {
        let mut list = self.list.lock();
        list.push(arrival);
        // Relaxed: pushed and taken by the thread that moves the iterator.
        self.count.store(list.len(), Ordering::Relaxed);
    }

    #[inline]
    pub(super) fn take(&self, into: &mut RangeDeletions) {
        if self.count.load(Ordering::Relaxed) != 0 {
            self.take_all(into);
        }
    }

    #[cold]
    fn take_all(&self, into: &mut RangeDeletions) {
        let mut list = self.list.lock();
        for a in list.drain(..) {
            into.add_to(a.group, a.fragments, Some(a.clip));
        }
        self.count.store(0, Ordering::Relaxed);
    }
}

/// How the files of one iterator are opened.
#[derive(Clone)]
pub(super) struct Opener {
    pub(super) tables: Arc<dyn Tables>,
    pub(super) options: Arc<ReadOptions>,
    pub(super) arrivals: Arc<Arrivals>,
}

impl Opener {
    fn open(&self, file: &FileMeta, level: usize, group: usize) -> Result<BoxIter> {
        let io = match self.options.read_tier {
            ReadTier::BlockCache => Io::Forbidden,
            _ => Io::Allowed,
        };
        let table = self.tables.open(file, level, io)?;
        if !self.options.ignore_range_deletions && !table.tombstones().is_empty() {
            self.arrivals.push(Arrival {
                group,
                fragments: Arc::clone(table.tombstones()),
                clip: (file.smallest().to_vec(), file.largest().to_vec()),
            });
        }
        Ok(table.iter(&self.options, IterPurpose::User))
    }
}

/// The files of a level between an iterator's bounds.
struct LevelRun {
    version: Arc<Version>,
    level: usize,
    files: Range<usize>,
    group: usize,
    opener: Opener,
}

impl LevelRun {
    fn file(&self, i: usize) -> &Arc<FileMeta> {
        &self.version.files(self.level)[self.files.start + i]
    }
}

impl Run for LevelRun {
    fn len(&self) -> usize {
        self.files.len()
    }
    fn smallest(&self, i: usize) -> &[u8] {
        self.file(i).smallest()
    }
    fn largest(&self, i: usize) -> &[u8] {
        self.file(i).largest()
    }
    fn open(&mut self, i: usize) -> Result<BoxIter> {
        self.opener.open(self.file(i), self.level, self.group)
    }
}

/// One child for each source, newest data first, and a group of range deletions for each.
pub(super) fn children(
    super_version: &SuperVersion,
    opener: &Opener,
    ranges: &mut RangeDeletions,
) -> Vec<BoxIter> {
    let options = &opener.options;
    let mut children: Vec<BoxIter> = Vec::new();
    for table in super_version.memtables() {
        // What comes in later is too new to be seen.
        if table.is_empty() {
            continue;
        }
        let group = ranges.new_group();
        if !options.ignore_range_deletions {
            for part in table.tombstone_groups() {
                ranges.add_to(group, part, None);
            }
        }
        children.push(table.iter());
    }
    if options.read_tier == ReadTier::Memtable {
        return children;
    }
    let version = &super_version.version;
    let order = version.order();
    let lower = options.iterate_lower_bound.as_deref();
    let upper = options.iterate_upper_bound.as_deref();
    let is_before =
        |f: &FileMeta| lower.is_some_and(|l| order.compare_user(f.largest_user(), l).is_lt());
    let is_behind =
        |f: &FileMeta| upper.is_some_and(|u| order.compare_user(f.smallest_user(), u).is_ge());
    let mut add = |level: usize, files: Range<usize>| {
        let run = LevelRun {
            version: Arc::clone(version),
            level,
            files,
            group: ranges.new_group(),
            opener: opener.clone(),
        };
        children.push(Box::new(ConcatIter::new(order.clone(), Box::new(run))));
    };
    // Each file of level 0 is a run of its own: opened when sought, and again after a failure.
    for (i, file) in version.files(0).iter().enumerate() {
        if !is_before(file) && !is_behind(file) {
            add(0, i..i + 1);
        }
    }
    for level in 1..version.num_levels() {
        let files = version.files(level);
        let start = files.partition_point(|f| is_before(f));
        let end = files.partition_point(|f| !is_behind(f));
        if start < end {
            add(level, start..end);
        }
    }
    children
}
