//! A pick: what to merge, and into which level. Made by a picker, carried out by `job`.
//!
//! Also what pickers must know about the moment: `InProgress` lists the compactions that run. A file
//! that is an input of one carries the `being_compacted` flag, which the store sets and clears
//! through `Pick::mark` under its lock; pickers only read it.
#![forbid(unsafe_code)]

use crate::base::{Comparator, Sequence};
use crate::options::{Compression, CompressionOptions};
use crate::version::FileMeta;
use std::cmp::Ordering;
use std::sync::Arc;

/// Why a compaction runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reason {
    /// Nobody said.
    Unknown,
    /// Too many files on level 0.
    LevelL0Files,
    /// A level is over its target.
    LevelMaxSize,
    /// Runs of similar size, or too many runs (universal).
    UniversalSizeRatio,
    /// Too much dead data (universal).
    UniversalSizeAmplification,
    /// Too many runs (universal).
    UniversalSortedRuns,
    /// The family is over its size (FIFO).
    FifoMaxSize,
    /// Small files merged (FIFO).
    FifoReduceFiles,
    /// Files past their time (FIFO).
    FifoTtl,
    /// A user asked.
    Manual,
    /// A user asked for named files.
    FilesMarked,
    /// Deletions on the last level that no snapshot needs any more.
    BottommostFiles,
    /// Files past their time.
    Ttl,
    /// Files are rewritten now and then.
    Periodic,
}

/// Files of one level that go into a compaction.
pub type LevelFiles = (usize, Vec<Arc<FileMeta>>);

/// What to merge.
#[derive(Clone, Debug)]
pub struct Pick {
    /// The family.
    pub family: u32,
    /// Input files by level, the upper level first; level-0 files newest first, others by key.
    /// Never empty in all.
    pub inputs: Vec<LevelFiles>,
    /// Where the result goes.
    pub output_level: usize,
    /// Why.
    pub reason: Reason,
    /// A user asked for it.
    pub is_manual: bool,
    /// All files of the family are inputs.
    pub is_full: bool,
    /// Nothing below the output level overlaps the inputs.
    pub bottommost: bool,
    /// The inputs may be moved to the output level as they are.
    pub trivial_move: bool,
    /// The inputs are deleted, nothing is written (FIFO).
    pub deletion_only: bool,
    /// Bytes after which an output file ends.
    pub max_output_file_size: u64,
    /// Bytes of the level below the output level that an output file may overlap.
    pub max_grandparent_overlap: u64,
    /// How outputs are compressed.
    pub compression: Compression,
    /// How hard.
    pub compression_opts: CompressionOptions,
    /// Files of the next non-empty level below the output level that overlap the inputs.
    pub grandparents: Vec<Arc<FileMeta>>,
    /// How badly it is needed.
    pub score: f64,
    /// Where the next round-robin pick of the start level goes on, if that is the rule.
    pub cursor: Option<(usize, Vec<u8>)>,
    /// A manual compaction goes on from this user key in another pick.
    pub next_begin: Option<Vec<u8>>,
}

impl Pick {
    /// The upper level of the inputs.
    #[must_use]
    pub fn start_level(&self) -> usize {
        self.inputs.first().map_or(self.output_level, |(level, _)| *level)
    }

    /// All input files with their levels.
    pub fn files(&self) -> impl Iterator<Item = (usize, &Arc<FileMeta>)> {
        self.inputs.iter().flat_map(|(level, files)| files.iter().map(|f| (*level, f)))
    }

    /// Bytes of all inputs.
    #[must_use]
    pub fn input_bytes(&self) -> u64 {
        self.files().map(|(_, f)| f.size()).sum()
    }

    /// Sets or clears `being_compacted` on all inputs. The store holds its lock.
    pub fn mark(&self, being_compacted: bool) {
        for (_, file) in self.files() {
            assert_ne!(
                file.is_being_compacted(),
                being_compacted,
                "{} marked twice",
                file.number()
            );
            file.set_being_compacted(being_compacted);
        }
    }

    /// The smallest and largest user key of the inputs.
    #[must_use]
    pub fn key_range(&self, order: &dyn Comparator) -> (Vec<u8>, Vec<u8>) {
        key_range(self.files().map(|(_, f)| f), order).unwrap_or_default()
    }

    /// What others must know of it while it runs.
    #[must_use]
    pub fn running(&self, order: &dyn Comparator) -> Running {
        let (smallest, largest) = self.key_range(order);
        Running {
            start_level: self.start_level(),
            output_level: self.output_level,
            smallest,
            largest,
            is_manual: self.is_manual,
        }
    }
}

/// The smallest and largest user key of `files`; `None` when there are none.
pub fn key_range<'a>(
    files: impl Iterator<Item = &'a Arc<FileMeta>>,
    order: &dyn Comparator,
) -> Option<(Vec<u8>, Vec<u8>)> {
    let mut range: Option<(&[u8], &[u8])> = None;
    for file in files {
        let (small, large) = (file.smallest_user(), file.largest_user());
        range = Some(match range {
            None => (small, large),
            Some((s, l)) => (
                if order.compare(small, s) == Ordering::Less { small } else { s },
                if order.compare(large, l) == Ordering::Greater { large } else { l },
            ),
        });
    }
    range.map(|(s, l)| (s.to_vec(), l.to_vec()))
}

/// A compaction that runs.
#[derive(Clone, Debug)]
pub struct Running {
    /// The upper level of its inputs.
    pub start_level: usize,
    /// Where its result goes.
    pub output_level: usize,
    /// Its smallest user key.
    pub smallest: Vec<u8>,
    /// Its largest user key.
    pub largest: Vec<u8>,
    /// A user asked for it.
    pub is_manual: bool,
}

/// What a picker knows of the moment besides the version: one family's share.
#[derive(Clone, Debug, Default)]
pub struct InProgress {
    /// The family.
    pub family: u32,
    /// Compactions of this family that run.
    pub running: Vec<Running>,
    /// Seconds since 1970; 0 switches off all rules about age.
    pub now_seconds: u64,
    /// The oldest live snapshot, or the last sequence number when there is none; 0 switches off
    /// the rewriting of deletions on the last level.
    pub oldest_snapshot: Sequence,
}

impl InProgress {
    /// Does a compaction into `level` write keys of `smallest..=largest`?
    #[must_use]
    pub fn overlaps_output(
        &self,
        order: &dyn Comparator,
        level: usize,
        smallest: &[u8],
        largest: &[u8],
    ) -> bool {
        self.running.iter().any(|r| {
            r.output_level == level
                && order.compare(&r.smallest, largest) != Ordering::Greater
                && order.compare(smallest, &r.largest) != Ordering::Greater
        })
    }

    /// Does a compaction with level-0 inputs run?
    #[must_use]
    pub fn level0_busy(&self) -> bool {
        self.running.iter().any(|r| r.start_level == 0)
    }
}

/// The compression of files on `level`, `base_level` being the first one under level 0.
#[must_use]
pub fn compression_of(
    options: &crate::options::CfOptions,
    level: usize,
    base_level: usize,
    bottommost: bool,
) -> (Compression, CompressionOptions) {
    if bottommost && options.bottommost_compression != Compression::Disable {
        let opts = if options.bottommost_compression_opts.enabled {
            options.bottommost_compression_opts
        } else {
            options.compression_opts
        };
        return (options.bottommost_compression, opts);
    }
    let table = &options.compression_per_level;
    let Some(last) = table.len().checked_sub(1) else {
        return (options.compression, options.compression_opts);
    };
    // The table counts level 0 and then the levels in use.
    let at = if level == 0 { 0 } else { (level + 1).saturating_sub(base_level) };
    (table[at.min(last)], options.compression_opts)
}
