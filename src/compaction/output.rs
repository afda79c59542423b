//! Output files under way: survivors in, table files with their manifest entries out.
//!
//! A file ends before the first user key that
//!  - finds the file at its target size, or
//!  - would make it overlap more of the grandparent level than allowed, or
//!  - begins a new grandparent file while this one is at 50 % of its target or more (5 % more for
//!    each grandparent begun within it, up to 90 %): aligned files cost less later.
//!
//! A file never ends between versions of one user key, and files of level 0 never end early.
//!
//! Range deletions are cut at the ends of files. A file's keys run from the last cut to the next one:
//!
//! ```text
//!   deletions      [b ........................ m)
//!   points       a     d    f | g     k     p
//!   file 1   smallest a, largest (g, 2^56-1, 0x0F), deletion [b, g)
//!   file 2   smallest (g, ..), largest p, deletion [g, m)
//! ```
//!
//! The largest key with the largest tag sorts before every version of its user key, so that files
//! stay disjoint, and says "exclusive". Deletions with no points beside them get a file too.
#![forbid(unsafe_code)]

use crate::base::key::{self, Kind, MAX_SEQUENCE, Sequence};
use crate::base::{InternalComparator, Result};
use crate::env::rate_limiter::{RateLimiter, Urgency};
use crate::env::{FileSystem, WriteMode};
use crate::format::manifest::FileEntry;
use crate::format::name;
use crate::iter::tombstones::Tombstone;
use crate::table::{BuildOptions, TableBuilder, TableSummary};
use crate::version::FileMeta;
use std::cmp::Ordering;
use std::path::PathBuf;
use std::sync::Arc;

/// How output files are made.
pub struct OutputOptions {
    /// Where files are made.
    pub fs: Arc<dyn FileSystem>,
    /// How they are written.
    pub write_mode: WriteMode,
    /// Who holds the writes back.
    pub limiter: Option<(Arc<RateLimiter>, Urgency)>,
    /// What all of them share; number and name are filled in for each.
    pub build: BuildOptions,
    /// Their level.
    pub level: usize,
    /// Their folder: index and path.
    pub folder: (u32, PathBuf),
    /// Target size of a file.
    pub max_file_size: u64,
    /// Files of the level below that overlap the whole.
    pub grandparents: Vec<Arc<FileMeta>>,
    /// Bytes of them that one file may overlap.
    pub max_grandparent_overlap: u64,
    /// The epoch of the outputs: the smallest of the inputs', or a new one for a flush.
    pub epoch: u64,
}

/// A finished file.
#[derive(Clone, Debug)]
pub struct Output {
    /// For the manifest.
    pub entry: FileEntry,
    /// Where it is.
    pub path: PathBuf,
    /// Points in it.
    pub points: u64,
    /// What the builder counted.
    pub summary: TableSummary,
}

/// Hands out file numbers.
pub type NewNumber<'a> = dyn Fn() -> u64 + Send + Sync + 'a;

/// Output files under way.
pub struct Outputs<'a> {
    options: OutputOptions,
    order: InternalComparator,
    new_number: &'a NewNumber<'a>,
    /// Sorted pieces that overlap each other only if they are the same range.
    tombstones: Vec<Tombstone>,
    /// The first piece not wholly written.
    next_tombstone: usize,
    /// Where the file under way begins for range deletions.
    lower: Option<Vec<u8>>,
    current: Option<Building>,
    done: Vec<Output>,
    created: Vec<(u64, PathBuf)>,
    alignment: Alignment,
}

struct Building {
    builder: TableBuilder,
    path: PathBuf,
    number: u64,
    smallest: Vec<u8>,
    largest: Vec<u8>,
    sequences: (Sequence, Sequence),
    points: u64,
    entries: u64,
}

/// How the file under way lies over the grandparents.
#[derive(Default)]
struct Alignment {
    /// The first grandparent that does not end before the last key.
    at: usize,
    /// Bytes of those passed within this file.
    passed_bytes: u64,
    /// How many.
    passed: u64,
}

impl<'a> Outputs<'a> {
    /// No file yet. `tombstones` as `stream::surviving` gives them.
    #[must_use]
    pub fn new(
        options: OutputOptions,
        tombstones: Vec<Tombstone>,
        new_number: &'a NewNumber<'a>,
    ) -> Self {
        let order = options.build.order.clone();
        Self {
            options,
            order,
            new_number,
            tombstones,
            next_tombstone: 0,
            lower: None,
            current: None,
            done: Vec::new(),
            created: Vec::new(),
            alignment: Alignment::default(),
        }
    }

    /// Adds a survivor; keys come in ascending internal order.
    pub fn add(&mut self, internal: &[u8], value: &[u8]) -> Result<()> {
        let user_key = key::user_key(internal);
        let is_new_key = self.current.as_ref().is_none_or(|c| {
            c.largest.is_empty()
                || self.order.compare_user(key::user_key(&c.largest), user_key) != Ordering::Equal
        });
        if is_new_key && self.must_end_before(user_key) {
            self.end_file(Some(user_key))?;
        }
        if self.current.is_none() {
            self.begin_file()?;
        }
        let current = self.current.as_mut().expect("a file was begun above");
        current.builder.add(internal, value)?;
        if current.smallest.is_empty() {
            current.smallest.extend_from_slice(internal);
        }
        current.largest.clear();
        current.largest.extend_from_slice(internal);
        current.points += 1;
        current.note_sequence(key::tag(internal) >> 8);
        Ok(())
    }

    /// Ends the last file. Afterwards all is on the medium except the names in the folder.
    pub fn finish(&mut self) -> Result<Vec<Output>> {
        if self.current.is_none() && self.next_tombstone < self.tombstones.len() {
            self.begin_file()?;
        }
        if self.current.is_some() {
            self.end_file(None)?;
        }
        Ok(std::mem::take(&mut self.done))
    }

    /// Bytes written so far.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        let current = self.current.as_ref().map_or(0, |c| c.builder.file_size());
        self.done.iter().map(|o| o.entry.size).sum::<u64>() + current
    }

    /// All files made so far, finished or not.
    #[must_use]
    pub fn created(&self) -> &[(u64, PathBuf)] {
        &self.created
    }

    /// Gives up: removes every file made so far.
    pub fn abandon(&mut self) {
        if let Some(current) = self.current.take() {
            current.builder.abandon();
        }
        self.done.clear();
        for (_, path) in self.created.drain(..) {
            // A file that cannot be removed now is found and removed as obsolete later.
            let _ = self.options.fs.remove(&path);
        }
    }

    /// Must the file under way end before `user_key`, its next one?
    fn must_end_before(&mut self, user_key: &[u8]) -> bool {
        if self.options.level == 0 {
            return false;
        }
        let grandparents = &self.options.grandparents;
        let a = &mut self.alignment;
        let passed_before = a.passed;
        while let Some(file) = grandparents.get(a.at) {
            if self.order.compare_user(user_key, file.largest_user()) != Ordering::Greater {
                break;
            }
            a.at += 1;
            a.passed += 1;
            a.passed_bytes = a.passed_bytes.saturating_add(file.size());
        }
        let Some(current) = &self.current else {
            // What lies before a file's first key does not burden it.
            (a.passed, a.passed_bytes) = (0, 0);
            return false;
        };
        let size = current.builder.file_size();
        let target = self.options.max_file_size;
        let aligned_target = target.div_ceil(100).saturating_mul(50 + (a.passed * 5).min(40));
        size >= target
            || a.passed_bytes > self.options.max_grandparent_overlap
            || (a.passed > passed_before && size >= aligned_target)
    }

    fn begin_file(&mut self) -> Result<()> {
        let number = (self.new_number)();
        let name = name::table(number);
        let path = self.options.folder.1.join(&name);
        let mut build = self.options.build.clone();
        build.number = number;
        build.name = name;
        // Before the file is there, so that no failure leaves one behind.
        self.created.push((number, path.clone()));
        let mut file = self.options.fs.create(&path, self.options.write_mode)?;
        if let Some((limiter, urgency)) = &self.options.limiter {
            file = limiter.writer(file, *urgency);
        }
        let builder = TableBuilder::new(build, file)?;
        self.current = Some(Building {
            builder,
            path,
            number,
            smallest: Vec::new(),
            largest: Vec::new(),
            sequences: (MAX_SEQUENCE, 0),
            points: 0,
            entries: 0,
        });
        Ok(())
    }

    /// Ends the file under way; the next one begins with `next`.
    fn end_file(&mut self, next: Option<&[u8]>) -> Result<()> {
        let Some(mut current) = self.current.take() else { return Ok(()) };
        self.add_tombstones(&mut current, next)?;
        (self.alignment.passed, self.alignment.passed_bytes) = (0, 0);
        self.lower = next.map(<[u8]>::to_vec);
        let Building { builder, path, number, smallest, largest, sequences, points, entries } =
            current;
        assert!(
            self.order.compare(&smallest, &largest) != Ordering::Greater,
            "a table's keys run backwards"
        );
        let (creation_time, file_creation_time) =
            (self.options.build.creation_time, self.options.build.file_creation_time);
        let summary = builder.finish()?;
        assert_eq!(summary.entries, entries, "the table lost entries");
        let entry = FileEntry {
            number,
            size: summary.file_size,
            smallest,
            largest,
            smallest_sequence: sequences.0,
            largest_sequence: sequences.1,
            oldest_ancestor_time: creation_time,
            file_creation_time,
            epoch: self.options.epoch,
            tail_size: summary.tail_size,
            unique_id: summary.unique_id,
            path_id: self.options.folder.0,
            ..FileEntry::default()
        };
        self.done.push(Output { entry, path, points, summary });
        Ok(())
    }

    /// Writes the pieces of range deletions between the last cut and `upper`.
    fn add_tombstones(&mut self, current: &mut Building, upper: Option<&[u8]>) -> Result<()> {
        let user = self.order.user();
        let before = |a: &[u8], b: &[u8]| user.compare(a, b) == Ordering::Less;
        let mut unfinished = None;
        let mut at = self.next_tombstone;
        while let Some(piece) = self.tombstones.get(at) {
            if upper.is_some_and(|upper| !before(&piece.begin, upper)) {
                break;
            }
            let begin = match &self.lower {
                Some(lower) if before(&piece.begin, lower) => lower,
                _ => &piece.begin,
            };
            let mut end = &piece.end[..];
            if let Some(upper) = upper.filter(|upper| before(upper, end)) {
                end = upper;
                unfinished.get_or_insert(at);
            }
            at += 1;
            if !before(begin, end) {
                continue;
            }
            let start = key::internal(begin, piece.sequence, Kind::RangeDeletion);
            current.builder.add(&start, end)?;
            current.note_sequence(piece.sequence);
            let limit = key::internal(end, MAX_SEQUENCE, Kind::RangeDeletion);
            let is_unset = current.smallest.is_empty();
            if is_unset || self.order.compare(&start, &current.smallest) == Ordering::Less {
                current.smallest = start;
            }
            if is_unset || self.order.compare(&limit, &current.largest) == Ordering::Greater {
                current.largest = limit;
            }
        }
        self.next_tombstone = unfinished.unwrap_or(at);
        Ok(())
    }
}

impl Building {
    fn note_sequence(&mut self, sequence: Sequence) {
        self.entries += 1;
        self.sequences.0 = self.sequences.0.min(sequence);
        self.sequences.1 = self.sequences.1.max(sequence);
    }
}

impl std::fmt::Debug for Outputs<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Outputs({} files, {} bytes)", self.created.len(), self.bytes())
    }
}

/// Bytes below `level` that the range deletions of a new file are likely to free: what RocksDB adds
/// to the file's size when it chooses.
#[must_use]
pub fn range_deletion_weight(
    version: &crate::version::Version,
    level: usize,
    tombstones: &[Tombstone],
) -> u64 {
    let order = version.order().user();
    let Some(below) = (level + 1..version.num_levels()).find(|l| !version.files(*l).is_empty())
    else {
        return 0;
    };
    let inside = |file: &FileMeta| {
        tombstones.iter().any(|t| {
            order.compare(&t.begin, file.smallest_user()) != Ordering::Greater
                && order.compare(file.largest_user(), &t.end) == Ordering::Less
        })
    };
    version.files(below).iter().filter(|f| inside(f)).map(|f| f.compensated_size()).sum()
}
