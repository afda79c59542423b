//! Leveled compaction: one sorted run a level, each a multiple of the one above.
//!
//!  1. Levels are tried by score, those under 1 never. While level 0 waits for its turn, the base
//!     level starts nothing, else level 0 would starve.
//!  2. On level 0 a compaction takes one file and, transitively, all that overlap it; only one such
//!     runs at a time. When it cannot start, the newest level-0 files may be merged into one that
//!     stays on level 0, so that readers and writers get relief meanwhile.
//!  3. On other levels one file starts it, chosen by `compaction_pri`.
//!  4. The input of each level is grown until no user key has versions both inside and outside
//!     (a *clean cut*): an older version that moves below a newer one is fine, the reverse is not.
//!  5. The files of the output level that overlap come in. If more files of the start level fit in
//!     without growing that set, and within `max_compaction_bytes`, they come too.
//!  6. A pick is given up if it touches a file that is being compacted, or writes where a running
//!     compaction writes.
//!  7. When nothing in the output level overlaps and not too much in the one below, files are moved.
//!  8. When no score asks for anything: files past their `ttl`, files marked in the manifest,
//!     files of the last level whose deletions no snapshot needs any more, files due for a rewrite.
#![forbid(unsafe_code)]

use crate::base::range::KeyRange;
use crate::base::{Comparator, Error, Result};
use crate::compaction::pick::{self, InProgress, LevelFiles, Pick, Reason};
use crate::compaction::score::{self, Scores};
use crate::options::{BottommostCompaction, CfOptions, CompactionPri, CompactionStyle};
use crate::version::{FileMeta, Version};
use std::cmp::Ordering;
use std::sync::Arc;

/// Fewest files of a merge within level 0.
const MIN_INTRA_L0_FILES: usize = 4;

/// The default of `ttl` and `periodic_compaction_seconds`: "RocksDB decides".
pub(super) const AGE_DEFAULT: u64 = u64::MAX - 1;
pub(super) const THIRTY_DAYS: u64 = 30 * 24 * 60 * 60;

/// What `pick_range` is asked for.
#[derive(Clone, Copy, Debug)]
pub struct Manual<'a> {
    /// The level whose files are compacted.
    pub level: usize,
    /// Where they go: the same level for a rewrite, else a deeper one.
    pub output_level: usize,
    /// Both ends inclusive.
    pub range: KeyRange<'a>,
    /// Leave alone files with this number or a larger one (those that this call made itself).
    pub ignore_from_number: Option<u64>,
}

/// What `pick_range` finds.
#[derive(Debug)]
pub enum RangePick {
    /// Compact this.
    Pick(Box<Pick>),
    /// No file of the level is in the range.
    Nothing,
    /// Something that runs is in the way: try again when it is done.
    Conflict,
}

/// The most urgent compaction, if any is due and possible.
#[must_use]
pub fn pick(version: &Version, options: &CfOptions, running: &InProgress) -> Option<Pick> {
    let picker = Picker::new(version, options, running);
    picker.by_score().or_else(|| picker.by_age())
}

/// The compaction of a range that a user asked for.
pub fn pick_range(
    version: &Version,
    options: &CfOptions,
    running: &InProgress,
    manual: &Manual<'_>,
) -> RangePick {
    Picker::new(version, options, running).manual(manual)
}

/// The level that files of `level` go to in a manual compaction.
#[must_use]
pub fn next_level(version: &Version, options: &CfOptions, level: usize) -> usize {
    let (base, _) = score::targets(version, options);
    if level == 0 { base } else { (level + 1).min(version.num_levels().saturating_sub(1)) }
}

/// Shall a manual compaction that reached the last level rewrite the files there?
#[must_use]
pub fn rewrites_bottom(options: &CfOptions, choice: BottommostCompaction) -> bool {
    match choice {
        BottommostCompaction::Skip => false,
        BottommostCompaction::IfHaveCompactionFilter => has_filter(options),
        BottommostCompaction::Force | BottommostCompaction::ForceOptimized => true,
    }
}

/// A compaction of files that a user named, into `output_level`.
pub fn pick_files(
    version: &Version,
    options: &CfOptions,
    running: &InProgress,
    numbers: &[u64],
    output_level: usize,
) -> Result<Pick> {
    Picker::new(version, options, running).named(numbers, output_level)
}

fn has_filter(options: &CfOptions) -> bool {
    options.compaction_filter.is_some() || options.compaction_filter_factory.is_some()
}

/// How many of the newest files of level 0 to merge: as long as each one makes the merge cheaper by the
/// file that it saves, `most` bytes in all, and less than `per_file` bytes for each file saved.
pub(super) fn cheap_merge(files: &[Arc<FileMeta>], most: u64, per_file: u64) -> Option<usize> {
    let newest = files.first().filter(|f| !f.is_being_compacted())?;
    let mut bytes = newest.size();
    let mut bytes_per_file = u64::MAX;
    let mut count = 1;
    for file in &files[1..] {
        bytes = bytes.saturating_add(file.size());
        let now = bytes / count as u64;
        if file.is_being_compacted() || now > bytes_per_file || bytes > most {
            break;
        }
        bytes_per_file = now;
        count += 1;
    }
    (count > 1 && bytes_per_file < per_file).then_some(count)
}

struct Picker<'a> {
    version: &'a Version,
    options: &'a CfOptions,
    running: &'a InProgress,
    scores: Scores,
    order: &'a dyn Comparator,
}

impl<'a> Picker<'a> {
    fn new(version: &'a Version, options: &'a CfOptions, running: &'a InProgress) -> Self {
        let scores = score::compute(version, options);
        Self { version, options, running, scores, order: &**version.order().user() }
    }

    // Automatic picks.

    fn by_score(&self) -> Option<Pick> {
        let mut level0_waits = false;
        for &(level, score) in &self.scores.levels {
            if score < 1.0 {
                return None;
            }
            if level == 0 {
                if let Some(pick) = self.level0_pick(score) {
                    return Some(pick);
                }
                level0_waits = true;
                if let Some(pick) = self.within_level0(score) {
                    return Some(pick);
                }
            } else if !(level0_waits && level == self.scores.base_level)
                && let Some(pick) = self.level_pick(level, score)
            {
                return Some(pick);
            }
        }
        None
    }

    fn level0_pick(&self, score: f64) -> Option<Pick> {
        if self.running.level0_busy() || self.scores.base_level == 0 {
            return None;
        }
        // The oldest file first: it has waited longest.
        for file in self.version.files(0).iter().rev().filter(|f| !f.is_being_compacted()) {
            let files = self.closure_in_level0(vec![Arc::clone(file)]);
            let pick = self.complete(files, 0, self.scores.base_level, Reason::LevelL0Files);
            if let Some(mut pick) = pick {
                pick.score = score;
                return Some(pick);
            }
        }
        None
    }

    /// The newest files of level 0, as long as each makes the merge cheaper by the file.
    fn within_level0(&self, score: f64) -> Option<Pick> {
        let files = self.version.files(0);
        let trigger = self.options.level0_file_num_compaction_trigger.max(1) as usize;
        if files.len() < trigger + 2 {
            return None;
        }
        let most = score::max_compaction_bytes(self.options);
        let count = cheap_merge(files, most, u64::MAX)?;
        if count < MIN_INTRA_L0_FILES {
            return None;
        }
        let mut pick = self.draft(vec![(0, files[..count].to_vec())], 0, Reason::LevelL0Files);
        pick.score = score;
        pick.max_output_file_size = u64::MAX;
        Some(pick)
    }

    fn level_pick(&self, level: usize, score: f64) -> Option<Pick> {
        for file in self.candidates(level) {
            let pick = self.complete(vec![file], level, level + 1, Reason::LevelMaxSize);
            let Some(mut pick) = pick else { continue };
            pick.score = score;
            if self.options.compaction_pri == CompactionPri::RoundRobin {
                let last = pick.inputs.first().and_then(|(_, files)| files.last());
                pick.cursor = last.map(|f| (level, f.entry.largest.clone()));
            }
            return Some(pick);
        }
        None
    }

    /// The idle files of a level, the best to start with first.
    fn candidates(&self, level: usize) -> Vec<Arc<FileMeta>> {
        let files = self.version.files(level);
        let mut ranked: Vec<(u64, &Arc<FileMeta>)> = match self.options.compaction_pri {
            CompactionPri::ByCompensatedSize => {
                files.iter().map(|f| (u64::MAX - f.compensated_size(), f)).collect()
            }
            CompactionPri::OldestLargestSeqFirst => {
                files.iter().map(|f| (f.entry.largest_sequence, f)).collect()
            }
            CompactionPri::OldestSmallestSeqFirst => {
                files.iter().map(|f| (f.entry.smallest_sequence, f)).collect()
            }
            CompactionPri::MinOverlappingRatio => {
                let below = self.version.files(level + 1);
                let weigh = |f: &Arc<FileMeta>| {
                    let over = self.overlap_bytes(below, f.smallest_user(), f.largest_user());
                    over.saturating_mul(1024) / f.compensated_size().max(1)
                };
                files.iter().map(|f| (weigh(f), f)).collect()
            }
            CompactionPri::RoundRobin => {
                let cursor = self.version.cursor(level);
                let passed = |f: &Arc<FileMeta>| {
                    cursor.is_some_and(|c| {
                        self.version.order().compare(&f.entry.smallest, c) != Ordering::Greater
                    })
                };
                // All in key order, those behind the cursor first.
                files.iter().map(|f| (u64::from(passed(f)), f)).collect()
            }
        };
        // Stable: equal ranks stay in key order.
        ranked.sort_by_key(|(rank, _)| *rank);
        ranked
            .into_iter()
            .filter(|(_, f)| !f.is_being_compacted())
            .map(|(_, f)| Arc::clone(f))
            .collect()
    }

    /// Step 8.
    fn by_age(&self) -> Option<Pick> {
        let now = self.running.now_seconds;
        let last = self.version.num_levels().saturating_sub(1);
        let is_marked = |f: &FileMeta| f.entry.marked_for_compaction;
        let ttl = match self.options.ttl {
            AGE_DEFAULT => THIRTY_DAYS,
            ttl => ttl,
        };
        let is_old =
            |time: u64, age: u64| now > 0 && age > 0 && time > 0 && now.saturating_sub(time) > age;
        let is_stale = |f: &FileMeta| is_old(f.entry.oldest_ancestor_time, ttl);
        self.first_file(0..last, &is_stale, Reason::Ttl)
            .or_else(|| self.first_file(0..last, &is_marked, Reason::FilesMarked))
            .or_else(|| self.bottommost_file())
            .or_else(|| {
                let period = match self.options.periodic_compaction_seconds {
                    AGE_DEFAULT if has_filter(self.options) => THIRTY_DAYS,
                    AGE_DEFAULT => 0,
                    period => period,
                };
                let is_due = |f: &FileMeta| is_old(f.entry.file_creation_time, period);
                self.first_file(0..last + 1, &is_due, Reason::Periodic)
            })
    }

    /// The first file, deepest level first, that `wanted` names and that can be compacted.
    fn first_file(
        &self,
        levels: std::ops::Range<usize>,
        wanted: &dyn Fn(&FileMeta) -> bool,
        reason: Reason,
    ) -> Option<Pick> {
        let last = self.version.num_levels().saturating_sub(1);
        for level in levels.rev() {
            if level == 0 && (self.running.level0_busy() || self.scores.base_level == 0) {
                continue;
            }
            for file in self.version.files(level) {
                if file.is_being_compacted() || !wanted(file) {
                    continue;
                }
                let mut files = vec![Arc::clone(file)];
                if level == 0 {
                    files = self.closure_in_level0(files);
                }
                let output = match level {
                    0 => self.scores.base_level,
                    // A periodic rewrite does not move data down.
                    _ if reason == Reason::Periodic => level,
                    _ => (level + 1).min(last),
                };
                if let Some(pick) = self.complete(files, level, output, reason) {
                    return Some(pick);
                }
            }
        }
        None
    }

    /// Files of the last level with data whose deletions became useless.
    fn bottommost_file(&self) -> Option<Pick> {
        let level =
            (1..self.version.num_levels()).rev().find(|l| !self.version.files(*l).is_empty())?;
        let wanted = |f: &FileMeta| {
            f.counts().is_some_and(|c| c.deletions > 0)
                && f.entry.largest_sequence != 0
                && f.entry.largest_sequence < self.running.oldest_snapshot
        };
        let files = self.version.files(level);
        files.iter().filter(|f| !f.is_being_compacted() && wanted(f)).find_map(|file| {
            self.complete(vec![Arc::clone(file)], level, level, Reason::BottommostFiles)
        })
    }

    // Manual picks.

    fn manual(&self, manual: &Manual<'_>) -> RangePick {
        let Manual { level, output_level, range, ignore_from_number } = *manual;
        if level >= self.version.num_levels() || output_level >= self.version.num_levels() {
            return RangePick::Nothing;
        }
        // A queue stays a queue.
        if self.options.compaction_style == CompactionStyle::Fifo {
            return RangePick::Nothing;
        }
        let mut files = self.version.overlapping(level, range);
        if let Some(limit) = ignore_from_number {
            files.retain(|f| f.number() < limit);
        }
        let mut next_begin = None;
        if level > 0 {
            // A long range goes piece by piece.
            let most = score::max_compaction_bytes(self.options);
            let mut bytes = 0u64;
            for at in 0..files.len().saturating_sub(1) {
                bytes = bytes.saturating_add(files[at].size());
                let ignored_between = ignore_from_number.is_some()
                    && !self.are_neighbours(level, &files[at], &files[at + 1]);
                if bytes >= most || ignored_between {
                    next_begin = Some(files[at + 1].smallest_user().to_vec());
                    files.truncate(at + 1);
                    break;
                }
            }
        }
        if files.is_empty() {
            return RangePick::Nothing;
        }
        if level == 0 {
            if self.running.level0_busy() {
                return RangePick::Conflict;
            }
            files = self.closure_in_level0(files);
        }
        let Some(mut pick) = self.complete(files, level, output_level, Reason::Manual) else {
            return RangePick::Conflict;
        };
        pick.is_manual = true;
        pick.trivial_move &= !has_filter(self.options);
        // The clean cut may have taken what the next piece was to begin with.
        pick.next_begin = next_begin.filter(|next| {
            let last = pick.inputs.iter().find(|(l, _)| *l == level).and_then(|(_, f)| f.last());
            last.is_some_and(|f| self.order.compare(f.largest_user(), next) == Ordering::Less)
        });
        RangePick::Pick(Box::new(pick))
    }

    fn named(&self, numbers: &[u64], output_level: usize) -> Result<Pick> {
        if output_level >= self.version.num_levels() {
            return Err(Error::invalid_argument("Output level is beyond the last level"));
        }
        let mut inputs: Vec<LevelFiles> = Vec::new();
        let mut found = 0;
        for level in 0..self.version.num_levels() {
            let wanted = self.version.files(level).iter().filter(|f| numbers.contains(&f.number()));
            let files: Vec<_> = wanted.cloned().collect();
            found += files.len();
            if !files.is_empty() {
                inputs.push((level, files));
            }
        }
        if found != numbers.len() {
            return Err(Error::invalid_argument("Specified compaction input file does not exist"));
        }
        let (Some((first, _)), Some((deepest, _))) = (inputs.first(), inputs.last()) else {
            return Err(Error::invalid_argument("Compaction must include at least one file"));
        };
        if *deepest > output_level {
            return Err(Error::invalid_argument("Cannot compact files upwards"));
        }
        let first = *first;
        // Between the first level and the output level all that overlaps must come along, and
        // once more whenever the range has grown.
        loop {
            let all = inputs.iter().flat_map(|(_, files)| files);
            let Some((small, large)) = pick::key_range(all, self.order) else {
                return Err(Error::invalid_argument("Compaction must include at least one file"));
            };
            let range = KeyRange { begin: Some(&small), end: Some(&large) };
            let mut grown = Vec::new();
            for level in first..=output_level {
                let mut files = self.version.overlapping(level, range);
                if level > 0 {
                    self.cut_clean(level, &mut files);
                }
                if !files.is_empty() {
                    grown.push((level, files));
                }
            }
            let count = |inputs: &[LevelFiles]| inputs.iter().map(|(_, f)| f.len()).sum::<usize>();
            let done = count(&grown) == count(&inputs);
            inputs = grown;
            if done {
                break;
            }
        }
        if inputs.iter().flat_map(|(_, f)| f).any(|f| f.is_being_compacted()) {
            return Err(Error::aborted(
                "Necessary compaction input files are already being compacted.",
            ));
        }
        let mut pick = self.draft(inputs, output_level, Reason::Manual);
        if self.is_in_the_way(&pick) {
            return Err(Error::aborted(
                "A running compaction is writing to the same output level in an overlapping key range",
            ));
        }
        pick.is_manual = true;
        pick.trivial_move = false;
        Ok(pick)
    }

    // Steps shared by both.

    /// All level-0 files that overlap `files`, directly or through others.
    fn closure_in_level0(&self, files: Vec<Arc<FileMeta>>) -> Vec<Arc<FileMeta>> {
        match pick::key_range(files.iter(), self.order) {
            Some((small, large)) => {
                let range = KeyRange { begin: Some(&small), end: Some(&large) };
                self.version.overlapping(0, range)
            }
            None => files,
        }
    }

    /// Steps 4 to 7: the whole pick that starts with `files`, or `None` when something is in the way.
    fn complete(
        &self,
        mut files: Vec<Arc<FileMeta>>,
        level: usize,
        output_level: usize,
        reason: Reason,
    ) -> Option<Pick> {
        if level > 0 {
            self.cut_clean(level, &mut files);
        }
        if files.iter().any(|f| f.is_being_compacted()) {
            return None;
        }
        let mut below = Vec::new();
        if output_level != level {
            // Levels between are empty in a leveled store, except after a change of options; then
            // what they hold comes along.
            for between in level + 1..output_level {
                let more = self.overlapped(between, &files);
                if !more.is_empty() {
                    return self.through(files, level, output_level, reason);
                }
            }
            below = self.overlapped(output_level, &files);
            if below.iter().any(|f| f.is_being_compacted()) {
                return None;
            }
            if !below.is_empty() {
                self.grow(level, &mut files, output_level, &below);
            }
        }
        let mut inputs = vec![(level, files)];
        if !below.is_empty() {
            inputs.push((output_level, below));
        }
        let mut pick = self.draft(inputs, output_level, reason);
        if self.is_in_the_way(&pick) {
            return None;
        }
        pick.trivial_move = self.may_move(&pick);
        Some(pick)
    }

    /// `complete` for files with data on levels between theirs and the output level.
    fn through(
        &self,
        files: Vec<Arc<FileMeta>>,
        level: usize,
        output_level: usize,
        reason: Reason,
    ) -> Option<Pick> {
        let numbers: Vec<u64> = files.iter().map(|f| f.number()).collect();
        let mut pick = self.named(&numbers, output_level).ok()?;
        debug_assert!(pick.start_level() == level);
        pick.is_manual = false;
        pick.reason = reason;
        Some(pick)
    }

    /// The files of `level` that overlap `files`, cut clean.
    fn overlapped(&self, level: usize, files: &[Arc<FileMeta>]) -> Vec<Arc<FileMeta>> {
        let Some((small, large)) = pick::key_range(files.iter(), self.order) else {
            return Vec::new();
        };
        let range = KeyRange { begin: Some(&small), end: Some(&large) };
        let mut over = self.version.overlapping(level, range);
        self.cut_clean(level, &mut over);
        over
    }

    /// Step 4: grows `files` of `level` (consecutive, not level 0) until it shares no user key with
    /// its neighbours.
    fn cut_clean(&self, level: usize, files: &mut Vec<Arc<FileMeta>>) {
        let all = self.version.files(level);
        let (Some(first), Some(last)) = (files.first(), files.last()) else { return };
        let at = |number| all.iter().position(|f| f.number() == number);
        let (Some(mut from), Some(mut to)) = (at(first.number()), at(last.number())) else {
            return;
        };
        while from > 0 && self.share_a_key(&all[from - 1], &all[from]) {
            from -= 1;
        }
        while to + 1 < all.len() && self.share_a_key(&all[to], &all[to + 1]) {
            to += 1;
        }
        *files = all[from..=to].to_vec();
    }

    fn are_neighbours(&self, level: usize, left: &FileMeta, right: &FileMeta) -> bool {
        let mut pairs = self.version.files(level).windows(2);
        pairs.any(|p| p[0].number() == left.number() && p[1].number() == right.number())
    }

    /// Do two neighbours hold versions of one user key? A left one that ends at an exclusive
    /// sentinel (the end of a range deletion) does not hold its largest user key.
    fn share_a_key(&self, left: &FileMeta, right: &FileMeta) -> bool {
        self.order.compare(left.largest_user(), right.smallest_user()) == Ordering::Equal
            && !left.largest_is_exclusive()
    }

    /// Step 5, the second half.
    fn grow(
        &self,
        level: usize,
        files: &mut Vec<Arc<FileMeta>>,
        output_level: usize,
        below: &[Arc<FileMeta>],
    ) {
        let Some((small, large)) = pick::key_range(files.iter().chain(below.iter()), self.order)
        else {
            return;
        };
        let range = KeyRange { begin: Some(&small), end: Some(&large) };
        let mut more = self.version.overlapping(level, range);
        if level > 0 {
            self.cut_clean(level, &mut more);
        }
        if more.len() <= files.len() || more.iter().any(|f| f.is_being_compacted()) {
            return;
        }
        let bytes = |files: &[Arc<FileMeta>]| files.iter().map(|f| f.size()).sum::<u64>();
        if bytes(&more).saturating_add(bytes(below)) >= score::max_compaction_bytes(self.options) {
            return;
        }
        let under = self.overlapped(output_level, &more);
        if under.len() == below.len() && !under.iter().any(|f| f.is_being_compacted()) {
            *files = more;
        }
    }

    /// Step 6, the second half.
    fn is_in_the_way(&self, pick: &Pick) -> bool {
        if pick.files().any(|(_, f)| f.is_being_compacted()) {
            return true;
        }
        let (small, large) = pick.key_range(self.order);
        self.running.overlaps_output(self.order, pick.output_level, &small, &large)
    }

    /// Step 7.
    fn may_move(&self, pick: &Pick) -> bool {
        let [(level, files)] = &pick.inputs[..] else { return false };
        if *level == pick.output_level || pick.output_level == 0 {
            return false;
        }
        if *level == 0 && !self.are_disjoint(files) {
            return false;
        }
        let base = self.scores.base_level;
        let here = pick::compression_of(self.options, *level, base, false);
        if here.0 != pick.compression {
            return false;
        }
        let below = pick.output_level + 1;
        below >= self.version.num_levels()
            || files.iter().all(|f| {
                let below = self.version.files(below);
                let over = self.overlap_bytes(below, f.smallest_user(), f.largest_user());
                over <= pick.max_grandparent_overlap
            })
    }

    fn are_disjoint(&self, files: &[Arc<FileMeta>]) -> bool {
        let mut sorted: Vec<_> = files.iter().collect();
        sorted.sort_by(|a, b| self.order.compare(a.smallest_user(), b.smallest_user()));
        sorted.windows(2).all(|pair| {
            self.order.compare(pair[0].largest_user(), pair[1].smallest_user()) == Ordering::Less
        })
    }

    fn overlap_bytes(&self, files: &[Arc<FileMeta>], small: &[u8], large: &[u8]) -> u64 {
        let from = files
            .partition_point(|f| self.order.compare(f.largest_user(), small) == Ordering::Less);
        let over = files[from..]
            .iter()
            .take_while(|f| self.order.compare(f.smallest_user(), large) != Ordering::Greater);
        over.map(|f| f.size()).sum()
    }

    /// A pick of these inputs with all that follows from them, not movable.
    fn draft(&self, inputs: Vec<LevelFiles>, output_level: usize, reason: Reason) -> Pick {
        super::draft(self.version, self.options, self.running, inputs, output_level, reason)
    }
}

#[cfg(test)]
mod tests;
